"""Marking: while one update is worked out, look at the next one, and let rule applications do some of its work.

Illich, Glimm: Backward/Forward with Marking for Update Streams (2025): Algorithm 1 (`bf_marking`), and DRed with Marking
as its section 3.1 tells it (`dred_marking`).

    paper              here
    U1, U2             `update`, `algebra.upcoming()`
    E-_2               `upcoming.delete`
    MARK, GETMARKED    M for marked explicit facts, W for marked derived ones
    W (line 32)        `update.waiting`: the facts that wait to be checked, marked by the update before
    C, D, V, Y         C, D, P, Y of `maintain.fbf`
    phases 1 a, 1 b    `saturate` and `check` there
    phase 1 c          `affected` in `maintain.dred`, and the derivation of line 75 in `maintain.fbf`
    phase 2            `insert` in `maintain.dred`

A fact is marked if the next update may take a derivation from it. Explicit facts that the next update deletes are marked
as soon as it is there; a rule application that shows that a fact holds marks the fact if it uses a marked one. What is marked
when the update is over waits to be checked in the next one, which need not find it by applying rules.

Invariant: marks are hints. B/F checks whatever waits and keeps what it can prove; DRed overdeletes it, with all its
consequences, and rederives. So the outcome never depends on marks: not on when the next update comes into sight, nor on which
update really is the next. An update that is given up, or another algorithm's update, needs no care: marks are used by the
update they were made for, or by none.

Cost: that of B/F or DRed, and for each rule instance that shows that something holds a look at the flags of its body facts.

Deviations. Facts are looked at a set at a time, so the next update is looked for before each round of rule applications. Marks
pass from facts of any predicate, since ours may be explicit and derived at once. A negated atom passes no mark on.

Options. `shared`: a derived fact shares the mark of the explicit facts it was last derived from, however long ago that was.
Algorithm 1 as written marks only what is derived after the mark was set; the programs behind the paper's Tables 1 and 2 share.
`positive` (DRed): facts that this update deletes and the next inserts again are marked, and pass their mark on in overdeletion;
what is marked so is tried first for rederivation in the next update.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Generic

from tidelog.maintain.algebra import Algebra, F, Passing, Update
from tidelog.maintain.dred import dred
from tidelog.maintain.fbf import bf
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import SetExpression, Working


@dataclass(frozen=True, slots=True)
class Marking:
    """The options: see above."""

    shared: bool = False
    positive: bool = False


AS_WRITTEN = Marking()


def bf_marking(algebra: Algebra[F], update: Update, marking: Marking = AS_WRITTEN) -> None:
    """B/F WITH MARKING, Algorithm 1, for one update: only marked explicit facts pass their mark on."""
    M, W = algebra.working("M"), algebra.working("W")
    marks = _Marks(algebra, update, M, W, shared=marking.shared)
    bf(algebra, replace(update, passing=marks.passing(M, W)))  # lines 6 to 30
    marks.look()
    marks.keep(W)  # line 32


def dred_marking(algebra: Algebra[F], update: Update, marking: Marking = AS_WRITTEN) -> None:
    """DRED WITH MARKING, section 3.1, for one update: marked derived facts pass their mark on, too."""
    M, W = algebra.working("M"), algebra.working("W")
    marks = _Marks(algebra, update, M, W, shared=marking.shared)
    passing = marks.passing(M | W, W)
    if marking.positive:
        marks.returning = algebra.working("M+"), algebra.working("W+")
        explicit, derived = marks.returning
        dred(algebra, replace(update, passing=passing, passing_positive=marks.passing(explicit | derived, derived)))
    else:
        dred(algebra, replace(update, passing=passing))
    marks.look()
    marks.keep(W)


@dataclass(slots=True)
class _Marks(Generic[F]):
    """The marks that one update makes for the next."""

    algebra: Algebra[F]
    update: Update
    M: Working
    W: Working
    shared: bool
    returning: tuple[Working, Working] | None = None
    """Positive marks, explicit and derived, if they are wanted."""
    seen: bool = field(default=False, init=False)

    def passing(self, through: SetExpression, to: Working) -> Passing:
        explicit = (E - self.update.delete) | self.update.insert
        return Passing(self.look, through, to, remember=explicit if self.shared else None)

    def look(self) -> None:
        """Lines 7 to 9: once the next update is there, mark the explicit facts that it deletes."""
        upcoming = None if self.seen else self.algebra.upcoming()
        if upcoming is None:
            return
        self.seen = True
        M, W = self.M, self.W
        M |= upcoming.delete & ((E - self.update.delete) | self.update.insert)
        if self.shared:
            W |= self.algebra.shared(self.algebra.facts(M))
        if self.returning is not None:
            explicit, _ = self.returning
            explicit |= upcoming.insert & self.update.delete

    def keep(self, waiting: Working) -> None:
        """Line 32: the marked facts are where the next update begins."""
        algebra = self.algebra
        waits = algebra.facts(waiting) - self.M
        algebra.keep_marks(waits, algebra.empty() if self.returning is None else algebra.facts(self.returning[1]))
        algebra.statistics.marked_explicit = len(algebra.facts(self.M))
        algebra.statistics.marked_derived = len(waits)
