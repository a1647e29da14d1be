"""Delete, rederive, insert.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), Algorithm 4.

    paper         here
    E, I          the explicit facts and the materialisation before the update
    E-, E+        `update.delete`, `update.insert`
    D, A          facts overdeleted so far, facts added (back) so far
    N_D, Delta_D  `found`, `delta`
    R             `rederived`
    Out^s         `algebra.within(..., stratum)`

Invariants: before each stratum, I - (D - A) is the old materialisation without what no longer holds in the strata done,
and (I - D) | A is the new one there. D is a subset of I; A may overlap both.

Cost (Theorem 19): overdeletion considers each rule instance of the old materialisation at most once, rederivation and
insertion together each one of the new materialisation at most once.

Deviation: facts carry ranks, so that ranked maintenance can take over at any time: what is added gets 1 + the highest rank of
the body facts of its own stratum in the derivation found.
"""

from __future__ import annotations

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Working
from tidelog.program.stratify import Stratum


def dred(algebra: Algebra[F], update: Update) -> None:
    """DRED, Algorithm 4, for one update."""
    D, A = algebra.working("D"), algebra.working("A")
    for stratum in algebra.stages(update, D, A):
        overdeleted = overdelete(algebra, stratum, update, D, A)  # line 41
        R = rederivable(algebra, stratum, overdeleted, update, D, A)  # line 42
        insert(algebra, stratum, R, update, D, A)  # line 43
    algebra.commit(deleted=D - A, inserted=A - D)  # line 44


def overdelete(algebra: Algebra[F], stratum: Stratum, update: Update, D: Working, A: Working) -> F:
    """OVERDELETE; gives D & Out^s."""
    algebra.phase = "deletion"
    delta = affected(algebra, stratum, update, D, A)  # lines 46, 48
    overdeleted = delta
    while delta:  # line 49
        found = algebra.derive(
            stratum.recursive, I - (D - A), I | A, changed=delta, outside=D, passing=update.passing_positive
        )  # line 50
        D |= delta  # line 51
        algebra.end_round(delta)
        delta = found - D  # line 48
        overdeleted = overdeleted | delta
    return overdeleted


def affected(algebra: Algebra[F], stratum: Stratum, update: Update, D: Working, A: Working) -> F:
    """Line 46: the facts that lose a derivation to E- or to changes in lower strata; some may be known, by their mark."""
    known = algebra.within(update.delete, stratum)
    if update.waiting is not None:
        known |= algebra.within(update.waiting, stratum)
    return known | algebra.derive(
        stratum.rules, I, changed=D - A, vanished=A - D, outside=update.waiting, passing=update.passing_positive
    )


def rederivable(algebra: Algebra[F], stratum: Stratum, overdeleted: F, update: Update, D: Working, A: Working) -> F:
    """Line 42: overdeleted facts that are still explicit, or that one rule instance derives from what survives."""
    algebra.phase = "backward"
    explicit = overdeleted & (E - update.delete)
    rest = overdeleted - (E - update.delete)
    return explicit | algebra.provable(rest, stratum.rules, I - (D - A), I | A, ranked=True, passing=update.passing)


def insert(algebra: Algebra[F], stratum: Stratum, R: F, update: Update, D: Working, A: Working) -> None:
    """INSERT."""
    algebra.phase = "addition"
    known, passing = (I - D) | A, update.passing
    found = R | algebra.within(update.insert, stratum)
    if update.returning is not None:
        marked = algebra.within(update.returning, stratum) - known
        found |= algebra.provable(marked, stratum.rules, known, known, ranked=True, passing=passing)
    found |= algebra.derive(
        stratum.rules, known, changed=A - D, vanished=D - A, outside=known, ranked=True, passing=passing
    )  # lines 53, 55
    delta = found - known
    while delta:  # line 56
        A |= delta  # line 57
        algebra.set_ranks(delta)
        algebra.end_round(delta)
        delta = algebra.derive(
            stratum.recursive, known, changed=delta, outside=known, ranked=True, passing=passing
        )  # lines 58, 55
