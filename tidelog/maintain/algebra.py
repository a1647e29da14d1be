"""The algebra that algorithms are written against, and that each engine implements.

An algorithm sees facts only through it: set expressions (`maintain.sets`), which are never copied out; small sets of facts,
which it gets from `derive` and combines; and working sets of its own, to which it adds. Nothing here knows rows or partitions.

`Facts` may carry the ranks of derivations (`ranked=True`): of several derivations of a fact, the lowest rank counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, Self, TypeVar

from tidelog.maintain.sets import SetExpression, Working
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, Stratum


class Facts(Protocol):
    """A set of facts that an engine holds in full, for example what one round derived."""

    def __len__(self) -> int: ...

    def __bool__(self) -> bool: ...

    def __or__(self, other: Self) -> Self: ...

    def __sub__(self, other: SetExpression | Self) -> Self: ...

    def __and__(self, other: SetExpression) -> Self: ...


F = TypeVar("F", bound=Facts)


@dataclass(slots=True)
class Statistics:
    """What an algorithm did: rule instances considered, by phase; rounds; seconds."""

    algorithm: str = ""
    reason: str = ""
    instances_by_phase: dict[str, int] = field(default_factory=dict)
    applications_by_phase: dict[str, int] = field(default_factory=dict)
    """Those of them that told something new, as the papers on marking count: a fact to check, a proof, a fact added."""
    marked_explicit: int = 0
    """Facts that the next update deletes, as far as this one saw it coming (`maintain.marking`)."""
    marked_derived: int = 0
    """Facts that were marked for it, since they may lose a derivation by that."""
    bindings: int = 0
    """Bindings of variables made on the way to rule instances, atom after atom: what joins cost."""
    rounds: int = 0
    seconds: float = 0.0
    facts: int = 0
    """Facts added, over all rounds."""
    notes: list[str] = field(default_factory=list)
    """What else should be known: which modules took rules, and plans that were made anew."""

    @property
    def instances(self) -> int:
        """Rule instances considered in all phases."""
        return sum(self.instances_by_phase.values())


class Exploration(Protocol[F]):
    """Rule instances that may prove facts, each looked up once, waiting to be followed to their body facts."""

    def __bool__(self) -> bool:
        """Whether instances are waiting."""
        ...

    def add(self, facts: F, positive: SetExpression, negative: SetExpression) -> None:
        """Look up the instances in [I+, I-] that derive the facts."""
        ...

    def next(self, proved: SetExpression, checked: SetExpression, most: int) -> F:
        """The unchecked body facts, of the rules' own stratum, of up to so many waiting instances of every fact not yet proved.

        Instances from lower ranks come first; those of proved facts, and those that lead to checked facts only, no longer wait.
        """
        ...


class Trace(Protocol[F]):
    """How often each fact was derived in each iteration of its stratum (`maintain.counting`), as its engine keeps it.

    While it is maintained, rule instances wait in it for the iteration they are in: 1 for a nonrecursive one, else 1 + the
    highest round of its body facts of the head's stratum. A fact's round is the first iteration that derives it.
    """

    @property
    def stale(self) -> bool:
        """Whether it is not, or no longer, the trace of the materialisation."""
        ...

    def begin_building(self) -> None: ...

    def start(self, explicit: SetExpression) -> None:
        """Count the facts of a set, the explicit ones, each once in iteration 1 of its stratum; their rank is 0 from now on."""
        ...

    def derive(self, rules: Sequence[CoreRule], iteration: int, facts: SetExpression, changed: F | None = None) -> F:
        """Count `Pi[[I : P]]`, or `Pi[[I]]`, in an iteration; gives the facts that no iteration has derived before."""
        ...

    def end_building(self) -> None: ...

    def begin(self) -> None:
        """From now on remember what is overwritten, until the update is over."""
        ...

    def undo_explicit(self, facts: F) -> None: ...

    def apply_explicit(self, facts: F) -> None: ...

    def undo(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression) -> None:
        """Undo the instances of `derive`, each in the iteration it was in."""
        ...

    def apply(
        self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression
    ) -> None:
        """Apply the instances of `derive` in the iteration they are in by the old rounds, unless the new ones say another."""
        ...

    def undo_moved(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        own: SetExpression,
        changed: F,
    ) -> None:
        """Undo the instances of `derive`, which fired before, that are in another iteration now or in none."""
        ...

    def apply_moved(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: F) -> None:
        """Apply the instances of `derive` that were in another iteration before, or in none by their own-stratum facts.

        To be called for all facts that arrive; of several calls that find the same instance, the last one counts.
        """
        ...

    def iterations(self) -> Iterator[int]:
        """The iterations in which something waits, in their order, until nothing does."""
        ...

    def advance(self) -> tuple[F, F]:
        """Undo and apply what waits for the iteration; gives the facts that are lost in it, and those that arrive in it."""
        ...


class Algebra(Protocol[F]):
    """One engine's facts of one materialisation."""

    strata: Stratification
    statistics: Statistics
    phase: str
    """What rule instances are counted under from now on, in the paper's names: forward, backward, deletion, addition."""
    ranks_hold: bool
    """Whether every fact still is explicit or has a witness of lower rank; who keeps facts by other proofs says no."""

    @property
    def trace(self) -> Trace[F]: ...

    def stages(self, update: Update | None = None, *changes: Working) -> Iterator[Stratum]:
        """The strata in their order; when it comes to one, the facts that the engine keeps for it are given facts.

        In an update, E- and E+ get them; `changes` are D and A.
        """
        ...

    def working(self, name: str) -> Working:
        """A new, empty set of this name; it is gone when the update is over."""
        ...

    def facts(self, expression: SetExpression) -> F:
        """The facts of a set, which should be small: working sets, or what an intersection with one leaves."""
        ...

    def within(self, facts: F | SetExpression, stratum: Stratum) -> F:
        """`facts & Out^s`: the facts that belong to the stratum."""
        ...

    def empty(self) -> F: ...

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        own: SetExpression | None = None,
        changed: F | SetExpression | None = None,
        vanished: F | SetExpression | None = None,
        outside: SetExpression | None = None,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        passing: Passing | None = None,
    ) -> F:
        """`Pi[I+, I- : P, N]` (equation 134) without the facts in `outside`; each rule instance once.

        P is `changed`, N is `vanished`: a positive body atom is in P, or a negated one in N. With neither, all instances:
        `Pi[I+, I-]`. `negative` is I-, the same as `positive` if left out. Body atoms of the head's own stratum are matched
        in `own` rather than `positive`, if it is given. With `from_lower_ranks`, only an instance counts whose positive body
        facts of the head's stratum all have a rank below the head's own. `passing` says how the instances pass marks on.
        """
        ...

    def provable(
        self,
        facts: F,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        passing: Passing | None = None,
    ) -> F:
        """Those of the facts that some rule instance in [I+, I-] derives; the rest as in `derive`."""
        ...

    def exploration(self, rules: Sequence[CoreRule]) -> Exploration[F]:
        """A backward search through rule instances that has not begun."""
        ...

    def add(self, name: str, facts: F) -> None:
        """Put facts into a set: what `D |= facts` does."""
        ...

    def set_ranks(self, facts: F, rank: int | None = None) -> None:
        """Give the facts this rank, or, without one, the ranks they carry."""
        ...

    def commit(self, *, deleted: SetExpression, inserted: SetExpression) -> None:
        """`I := (I - deleted) | inserted`, and E as the update says: all of it or nothing."""
        ...

    def end_round(self, facts: F) -> None:
        """A round is over that found these facts: for statistics, progress and limits."""
        ...

    def upcoming(self) -> Upcoming[F] | None:
        """The next update of the stream, if it is there: a look that does not wait."""
        ...

    def shared(self, facts: F) -> F:
        """The facts whose last derivation that was remembered (`Passing.remember`) used one of these."""
        ...

    def keep_marks(self, waiting: F, returning: F) -> None:
        """Let the update that was looked at begin with these marked facts (`Update.waiting`, `Update.returning`)."""
        ...


class ExpiringAlgebra(Algebra[F], Protocol[F]):
    """An algebra whose facts may carry expiries, as well as ranks (`maintain.expiry`).

    A fact has the expiry that was set last. Of several derivations of a fact the latest expiry counts, and the lowest rank
    among those with this one.
    """

    expiries_hold: bool
    """Whether `maintain.expiry` has kept all expiries so far; who does not look after them says no."""

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        own: SetExpression | None = None,
        changed: F | SetExpression | None = None,
        vanished: F | SetExpression | None = None,
        outside: SetExpression | None = None,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        expiring: bool = False,
        passing: Passing | None = None,
    ) -> F:
        """As in `Algebra`. If `expiring`, heads carry an expiry, the earliest of all positive body facts, and a rank, 1 + the
        highest among the body facts of the head's stratum with this very expiry.

        Facts in `outside` are then not left out if they carry a later expiry than they have.
        """
        ...

    def provable(
        self,
        facts: F,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        expiring: bool = False,
        passing: Passing | None = None,
    ) -> F:
        """As in `Algebra`. If `expiring`, facts carry what `derive` would give them; and `from_lower_ranks` means an instance
        whose body facts all hold as long as the fact, those of its stratum longer or with a lower rank.
        """
        ...

    def held(self, facts: F) -> F:
        """The facts, carrying the expiry and rank that they have."""
        ...

    def given(self, facts: F) -> F:
        """Explicit facts, carrying the expiry with which they were given, and the rank 0."""
        ...

    def longer(self, facts: F, than: SetExpression) -> F:
        """Those of the facts that are not in the set, or carry a later expiry than they have."""
        ...

    def lasting(self, facts: F) -> F:
        """Those of the facts that carry an expiry no earlier than the one they have."""
        ...

    def set_expiries(self, facts: F) -> None:
        """Give the facts the expiries and ranks they carry."""
        ...


@dataclass(frozen=True, slots=True)
class Passing:
    """How rule instances pass marks on while they are applied (`maintain.marking`)."""

    look: Callable[[], None]
    """To be called before rules are applied: there may be new marks."""
    through: SetExpression
    """The marked facts that pass their mark on ..."""
    to: Working
    """... to the heads of the instances that they are a body fact of; these heads come in here."""
    remember: SetExpression | None = None
    """With this, remember for each head the body facts of one instance that are in this set."""


@dataclass(frozen=True, slots=True)
class Upcoming(Generic[F]):
    """What the next update deletes and inserts, as far as the facts are known at all; no fact is in both."""

    delete: F
    insert: F


@dataclass(frozen=True, slots=True)
class Update:
    """A change of the explicit facts: E- holds only explicit facts, E+ none, and no fact is in both.

    The rest is for updates in a stream (`maintain.marking`). Marks are hints: whatever facts they are on, the outcome is the
    same.
    """

    delete: SetExpression
    insert: SetExpression
    waiting: SetExpression | None = None
    """Marked facts: they may lose a derivation, as the update before found out."""
    returning: SetExpression | None = None
    """Positively marked facts: they may have a derivation again."""
    passing: Passing | None = None
    """How rules that show what holds after this update pass on the marks of the next ..."""
    passing_positive: Passing | None = None
    """... and how those that show what may not hold any more pass on its positive marks."""
    expired: SetExpression | None = None
    """Facts whose expiry has come (`maintain.expiry`). Then E+ may hold facts of E with another time than they had, ..."""
    lapsed: SetExpression | None = None
    """... and this has facts of E that are not explicit any longer, though they may have a derivation that lasts."""
