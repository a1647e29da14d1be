"""Forward/Backward/Forward: look for another proof before deleting.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), Algorithm 5. Never aborting a branch
makes it B/F, always aborting makes it DRed.

    paper         here
    D, A          facts overdeleted so far, facts added (back) so far
    B             blocked facts: not all that could prove them was looked at
    C             checked facts
    P             proved facts
    Y             facts that follow from P but were not checked when that was found: delayed
    N_D, Delta_D  `found`, `delta`
    N_P, Delta_P  `follows`, `proved`

Invariants: C - P - B holds only facts that cannot be proved; P holds only facts that hold in the new materialisation; every
fact of D - B is gone for good, so only D & B needs rederivation.

Cost (Theorem 25): as DRed's, and backward chaining considers each recursive rule instance at most once.

Deviations. Facts are checked a set at a time: a wave saturates everything it reached, then follows only the next few
instances of each fact still open, those from the lowest ranks first, since they are the likeliest to survive. An instance is
looked up once and waits for its turn. If a branch is aborted, all checked facts that are not proved are blocked, where the
paper blocks those on the way to it: more is rederived, nothing is missed. When a search has come to its end without finding
a proof, all that it checked in vain is deleted at once (as in line 25 of Illich, Glimm: Backward/Forward with Marking for
Update Streams, 2025), where the paper waits until each of these facts is found to be affected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import or_
from typing import Generic

from tidelog.maintain.algebra import Algebra, Exploration, F, Update
from tidelog.maintain.dred import affected, insert, rederivable
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Working
from tidelog.program.stratify import Stratum

Strategy = Callable[[int, int], bool]
"""ABORTBRANCH: whether to stop, given the wave's number (from 0) and how many facts were checked in this update."""

WAVE = 4
"""How many instances of a fact a wave follows."""


def always(wave: int, checked: int) -> bool:
    return True


def never(wave: int, checked: int) -> bool:
    return False


def depth_bounded(waves: int) -> Strategy:
    return lambda wave, checked: wave >= waves


def budget_bounded(facts: int) -> Strategy:
    return lambda wave, checked: checked >= facts


def fbf(algebra: Algebra[F], update: Update, abort: Strategy = never) -> None:
    """FBF, Algorithm 5, for one update."""
    D, A = algebra.working("D"), algebra.working("A")
    checked = 0
    for stratum in algebra.stages(update, D, A):
        B, C, P, Y = (algebra.working(name) for name in "BCPY")  # line 61
        exploration = algebra.exploration(stratum.recursive)
        run = _Deletion(algebra, stratum, update, abort, D, A, B, C, P, Y, exploration, checked)
        deleted = run.delete_unproved()  # line 62
        checked = run.checked
        A |= deleted & run.B & run.P  # line 63
        open_facts = (deleted & run.B) - run.P
        R = (open_facts & run.Y) | rederivable(algebra, stratum, open_facts - run.Y, update, D, A)  # line 64
        insert(algebra, stratum, R, update, D, A)  # line 65
    algebra.commit(deleted=D - A, inserted=A - D)  # line 66


bf = partial(fbf, abort=never)


@dataclass(slots=True)
class _Deletion(Generic[F]):
    """DELETEUNPROVED for one stratum."""

    algebra: Algebra[F]
    stratum: Stratum
    update: Update
    abort: Strategy
    D: Working
    A: Working
    B: Working
    C: Working
    P: Working
    Y: Working
    exploration: Exploration[F]
    checked: int
    undecided: list[F] = field(default_factory=list, init=False)
    """What was checked since a search last came to its end, proved or not."""
    aborted: bool = field(default=False, init=False)
    """Whether a branch was: then not all has been tried for what is undecided."""

    def delete_unproved(self) -> F:
        """Lines 67 to 76; gives D & Out^s."""
        algebra, D, A = self.algebra, self.D, self.A
        algebra.phase = "deletion"
        found = affected(algebra, self.stratum, self.update, D, A)  # line 68
        deleted = algebra.empty()
        while found:  # line 74
            exhausted = self.check(found)  # line 72
            delta = found - self.P  # line 73
            if exhausted and not self.aborted:
                delta = delta | self.unproved()
                self.undecided.clear()
            algebra.phase = "deletion"
            follows = algebra.derive(self.stratum.recursive, I - (D - A), I | A, changed=delta, outside=D | self.P)  # line 75
            D |= delta  # line 76
            algebra.end_round(delta)
            deleted = deleted | delta
            found = follows - D  # line 71
        return deleted

    def check(self, facts: F) -> bool:
        """CHECK, lines 77 to 85, for a set of facts: prove those that can be proved. Whether there is nothing left to try."""
        B, C, P, D, A = self.B, self.C, self.P, self.D, self.A
        frontier = facts - C  # line 78
        wave = 0
        while True:
            if frontier and self.abort(wave, self.checked):  # line 79
                B |= (frontier | facts) - P | self.unproved()
                self.aborted = True
                return False
            self.saturate(frontier)  # line 80
            if not facts - P:  # line 85
                return False
            self.algebra.phase = "backward"
            self.exploration.add(frontier - P, I - (D - (A | B)), I | A)  # line 81
            frontier = self.exploration.next(P, C, WAVE)  # lines 82, 83, 78
            if not frontier and not self.exploration:
                if self.aborted:
                    B |= facts - P | self.unproved()  # line 84: what was blocked before may prove them
                return True
            wave += 1

    def unproved(self) -> F:
        """What was checked in vain, so far."""
        return reduce(or_, (facts - self.P for facts in self.undecided), self.algebra.empty())

    def saturate(self, facts: F) -> None:
        """SATURATE, lines 86 to 95: what follows from the facts that need no further search."""
        algebra, C, P, Y, D, A = self.algebra, self.C, self.P, self.Y, self.D, self.A
        C |= facts  # line 87
        self.undecided.append(facts)
        self.checked += len(facts)
        algebra.phase = "forward"
        known = Y | (E - self.update.delete)
        follows = (facts & known) | algebra.provable(
            facts - known, self.stratum.nonrecursive, I - (D - A), I | A, passing=self.update.passing
        )  # lines 88, 89
        while True:
            Y |= follows - C  # line 91
            proved = (follows & C) - P
            if not proved:  # line 92
                return
            P |= proved  # line 93
            algebra.ranks_hold = False
            follows = algebra.derive(
                self.stratum.recursive, I - (D - A), I | A, own=P, changed=proved, outside=P | Y, passing=self.update.passing
            )  # line 94
