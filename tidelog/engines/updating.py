"""What every engine does with an update, wherever its facts lie: choose an algorithm, run it, and give up in time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tidelog.engines.embedded.batches import UNTIMED, Batch, ChangedBatch, Encoded, Timing, batch_length
from tidelog.errors import SetupError
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids
from tidelog.facts.times import NEVER
from tidelog.maintain.algebra import Statistics, Update
from tidelog.maintain.choice import ANEW, MAINTAIN, Chooser
from tidelog.maintain.counting import counting
from tidelog.maintain.dred import dred
from tidelog.maintain.expiry import expiry
from tidelog.maintain.fbf import Strategy, bf, fbf, never
from tidelog.maintain.marking import AS_WRITTEN, Marking
from tidelog.maintain.ranked import ranked

if TYPE_CHECKING:
    from tidelog.engines.embedded.engine import EmbeddedEngine

OnRound = Callable[[Statistics], None]
Result = tuple[ChangedBatch, ChangedBatch, Statistics]
"""The facts that appeared, those that vanished, and what it took."""
Ahead = Callable[[], Encoded | None]
"""Tells the next update if it is there, without waiting for it."""

ALGORITHMS: Mapping[str, Callable[[Any, Update], None]] = {
    "bf": bf,
    "counting": counting,
    "dred": dred,
    "expiry": expiry,
    "fbf": fbf,
    "ranked": ranked,
}
"""The algorithms that maintain by the algebra alone."""
EXPIRY = "expiry"
"""What maintains once facts are given for a time."""
NOTHING = Encoded({}, {})


class Nodes(NamedTuple):
    """What is kept for complex rules that are split into nodes."""

    facts: int
    nbytes: int


class Abandoned(Exception):
    """An update was given up because it took too much; for the engine, which has another way."""

    def __init__(self, instances: int) -> None:
        self.instances = instances
        super().__init__(f"maintaining was given up after {instances:,} rule instances")


class UpdatingEngine(ABC):
    """An engine's part above its facts."""

    dictionary: Dictionary
    """The terms of whatever goes in or comes out."""

    def __init__(self, arities: Mapping[str, int]) -> None:
        self.arities = dict(arities)
        self.commit = threading.Lock()
        self.work = threading.RLock()
        self.abort: Strategy = never
        """When `fbf` stops looking for another proof of a fact."""
        self.marking: Marking = AS_WRITTEN
        """How the algorithms that mark do it."""
        self.explicit = 0
        """How many facts are explicit."""
        self.now = -NEVER
        """The time; nobody may have told it yet."""
        self.has_times = False
        """Whether some fact was ever given for a time only."""
        self._chooser = Chooser()
        self._unsettled = False
        """Whether an update has begun, and not come to its end."""

    def update(
        self,
        algorithm: str,
        insert: Batch,
        delete: Batch,
        timing: Timing = UNTIMED,
        *,
        ahead: Ahead | None = None,
        reason: str = "as asked",
    ) -> Result:
        """Change the explicit facts and keep what follows true. If it raises, nothing has changed.

        `ahead` is asked for the next update by algorithms that mark. Marks serve if what is deleted next is the very batch that
        it gave.
        """
        with self.work:
            return self._update(algorithm, Encoded(insert, delete, timing), ahead, reason)

    def _update(self, algorithm: str, encoded: Encoded, ahead: Ahead | None, reason: str) -> Result:
        """`update`, while nobody else changes anything."""
        insert, delete, timing, _ = encoded
        self._settle()
        self._begin(delete)
        if not self.has_times and any(len(times) and times.min() < NEVER for times in timing.expiries.values()):
            self._begin_times()
        inserts, deletes = (sum(batch_length(c, self.arities[p]) for p, c in batch.items()) for batch in (insert, delete))
        automatic, budget, explicit = algorithm == "auto", None, self.explicit
        if automatic:
            choice = self._chooser.choose(explicit, inserts, deletes)
            algorithm, reason, budget = choice.algorithm, choice.reason, choice.budget
            if algorithm == MAINTAIN and self.has_times:
                algorithm, reason = EXPIRY, f"{reason}; some facts were given for a time only"
        if algorithm == ANEW:
            return self._anew(encoded, reason, expiring=automatic)
        if not self.explicit:
            self._expect(insert)
        reason += self._restore_for(algorithm)
        started = time.perf_counter()
        try:
            result = self._maintain(algorithm, encoded, reason, budget, ahead)
        except Abandoned as abandoned:
            self._chooser.learn_abandoned(abandoned.instances, explicit, inserts, deletes)
            return self._anew(encoded, str(abandoned), expiring=True)
        if algorithm in (MAINTAIN, EXPIRY):
            self._chooser.learn_update(result[2], time.perf_counter() - started, explicit, inserts, deletes)
        return result

    def tidy(self) -> None:  # noqa: B027  # not every engine has anything to leave behind
        """Leave behind what no fact needs any more, if that is worth it; ids of terms may change."""

    def restore_ranks(self) -> None:
        """Make ranks hold again, after an algorithm that does not keep them: materialises anew."""
        self._settle()
        if not self._ranks_hold():
            self._anew(NOTHING, "to restore ranks")

    def restore_expiries(self) -> None:
        """Make expiries hold again, after an algorithm that does not keep them: materialises anew."""
        self._settle()
        if not self._expiries_hold():
            self._anew(NOTHING, "to restore expiries", expiring=True)

    def _restore_for(self, algorithm: str) -> str:
        """Make true what the algorithm builds on, if another one did not look after it; gives the reason, if so."""
        why = "had to be restored first, after an algorithm that does not keep them"
        if algorithm == MAINTAIN and not self._ranks_hold():
            self.restore_ranks()
            return f"; ranks {why}"
        if algorithm == EXPIRY and not self._expiries_hold():
            self.restore_expiries()
            return f"; expiries {why}"
        return ""

    def time_after(self, timing: Timing) -> float:
        """What time it is after an update."""
        return self.now if timing.now is None else timing.now

    def _begin(self, delete: Batch) -> None:  # noqa: B027  # engines without marks have nothing to do
        """An update is about to begin."""

    def _expect(self, insert: Batch) -> None:  # noqa: B027  # nor those that lay out no rules
        """The first facts are about to come."""

    @abstractmethod
    def _ranks_hold(self) -> bool: ...

    @abstractmethod
    def _begin_times(self) -> None:
        """The first fact is about to be given for a time only."""

    @abstractmethod
    def _expiries_hold(self) -> bool:
        """Whether facts have the expiries and ranks that `maintain.expiry` keeps."""

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Inside, working sets are in use and what is overwritten is remembered, until it is clear how the update ends."""
        self._settle()
        self._remember()
        self._unsettled = True
        try:
            yield
        finally:
            try:
                self._settle()
            except BaseException:  # Ctrl-C in the middle of it
                self._settle()
                raise

    @abstractmethod
    def _remember(self) -> None:
        """From now on remember what is overwritten."""

    @abstractmethod
    def _settle(self) -> None:
        """End what was interrupted: make a commit true, or without one make everything as before."""

    @abstractmethod
    def _anew(self, encoded: Encoded, reason: str, *, expiring: bool = False) -> Result:
        """Materialise for the changed explicit facts; with `expiring`, give facts their expiries, if there are any."""

    @abstractmethod
    def _maintain(self, algorithm: str, encoded: Encoded, reason: str, budget: int | None, ahead: Ahead | None) -> Result:
        """Run an algorithm and commit what it found; `Abandoned` if that takes more rule instances than the budget."""

    # Reading

    @property
    @abstractmethod
    def predicates(self) -> Collection[str]:
        """All predicates, hidden ones too."""

    @property
    @abstractmethod
    def hidden(self) -> Collection[str]:
        """Predicates that only the engine has."""

    @property
    @abstractmethod
    def nodes(self) -> Nodes:
        """What is kept for complex rules that are split into nodes."""

    @abstractmethod
    def add_predicate(self, predicate: str, arity: int) -> None:
        """Make a predicate known, if it is not."""

    @abstractmethod
    def materialise(self, explicit: Sequence[Batch], *, counting: bool = False) -> Statistics:
        """The first materialisation, with all derivations counted or not; call once, on a new engine."""

    @abstractmethod
    def count(self, predicate: str) -> int:
        """How many facts of a predicate hold."""

    @abstractmethod
    def total(self, predicates: Iterable[str]) -> int:
        """How many facts of these predicates hold, all at one moment."""

    @abstractmethod
    def columns(self, predicate: str, *, explicit: bool = False) -> tuple[list[Ids], int]:
        """A copy of the facts of a predicate, or of those that are explicit, and how many they are."""

    def given(self, predicates: Iterable[str]) -> int:
        """How many explicit facts of these predicates there are."""
        return sum(self.columns(predicate, explicit=True)[1] for predicate in predicates)

    @abstractmethod
    def holds(self, predicate: str, ids: Sequence[int]) -> bool:
        """Whether a fact holds."""

    @abstractmethod
    def rank_of(self, predicate: str, ids: Sequence[int]) -> int | None:
        """The rank of one fact; None if it does not hold."""

    @abstractmethod
    def expiry_of(self, predicate: str, ids: Sequence[int]) -> float | None:
        """Until when one fact holds if nothing changes but the time; None if it does not hold."""

    def decoded(self, predicate: str) -> Any:
        """What holds, as a Spark DataFrame of values."""
        raise SetupError(f"{predicate} is not on Spark\n    hint: the engine is: spark.createDataFrame(relation.to_arrow())")

    @abstractmethod
    def embedded(self) -> EmbeddedEngine:
        """An embedded engine of the same facts, for questions and proofs: itself, or a copy."""
