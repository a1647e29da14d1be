"""Ranked maintenance: delete only what has lost every derivation from lower ranks.

Every fact has a rank, a small integer fixed when it was derived, such that

    (1) every fact is explicit, or has a *witness*: a rule instance that derives it, all of whose positive body facts of the
        fact's own stratum have a lower rank.

DRed (`maintain.dred`) overdeletes a fact as soon as it loses one derivation. Here a fact stays as long as it is explicit or
some instance in what survives is a witness by the ranks of today; it is asked again whenever such an instance is lost.

    symbol     meaning
    D, A       facts overdeleted so far, facts added (back) so far
    candidates facts that have lost a derivation, not in D
    delta      the candidates that are not explicit and have no witness left

Invariants: (2) whoever loses a rule instance to D becomes a candidate in the next round; so (3) when no candidates are left
without witness, every fact of the stratum outside D is explicit or has a witness outside D. By induction on ranks, all of
them hold in the new materialisation: nothing is kept that only supports itself. What is in D may still hold; DRed's
rederivation and insertion find out, and give new ranks by (1).

Cost: as DRed's, with the difference that D holds only facts that lost all witnesses, and that each candidate is checked
once for each round in which it loses an instance.
"""

from __future__ import annotations

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.dred import affected, insert, rederivable
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Working
from tidelog.program.stratify import Stratum


def ranked(algebra: Algebra[F], update: Update) -> None:
    """Ranked maintenance for one update."""
    D, A = algebra.working("D"), algebra.working("A")
    for stratum in algebra.stages(update, D, A):
        overdeleted = overdelete(algebra, stratum, update, D, A)
        R = rederivable(algebra, stratum, overdeleted, update, D, A)
        insert(algebra, stratum, R, update, D, A)
    algebra.commit(deleted=D - A, inserted=A - D)


def overdelete(algebra: Algebra[F], stratum: Stratum, update: Update, D: Working, A: Working) -> F:
    """Delete what has no witness left; gives D & Out^s."""
    overdeleted = algebra.empty()
    algebra.phase = "deletion"
    candidates = affected(algebra, stratum, update, D, A)
    while candidates:
        delta = unsupported(algebra, stratum, candidates, update, D, A)
        algebra.phase = "deletion"
        found = algebra.derive(stratum.recursive, I - (D - A), I | A, changed=delta)
        D |= delta
        algebra.end_round(delta)
        overdeleted = overdeleted | delta
        candidates = found - D
    return overdeleted


def unsupported(algebra: Algebra[F], stratum: Stratum, candidates: F, update: Update, D: Working, A: Working) -> F:
    """The candidates that are not explicit and that no instance derives from lower ranks."""
    algebra.phase = "backward"
    candidates = candidates - (E - update.delete)
    return candidates - algebra.provable(candidates, stratum.rules, I - (D - A), I | A, from_lower_ranks=True)
