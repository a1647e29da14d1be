"""Ranked maintenance: delete only what has lost every derivation from lower ranks.

Every fact has a rank, a small integer fixed when it was derived, such that

    (1) every fact is explicit, or has a *witness*: a rule instance that derives it, all of whose positive body facts of the
        fact's own stratum have a lower rank.

DRed (`maintain.dred`) overdeletes a fact as soon as it loses one derivation. Here a fact stays as long as it is explicit or
some instance in what survives is a witness by the ranks of today; it is asked again whenever a witness is lost.

    symbol     meaning
    D, A       facts overdeleted so far, facts added (back) so far
    candidates facts that have lost a witness or are not given any more, not in D
    delta      the candidates that are not explicit and have no witness left

Invariants: (2) whoever loses a witness to D becomes a candidate in the next round; so (3) when no candidates are left without
witness, every fact of the stratum outside D is explicit or has a witness outside D. By induction on ranks, all of them hold in
the new materialisation: nothing is kept that only supports itself. What is in D may still hold; DRed's rederivation and
insertion find out, and give new ranks by (1). An instance that is no witness may go unnoticed: nobody relied on it.

If all of D comes back and nothing else has changed, insertion is spared: the facts are those of before, closed under the
rules.

Cost: as DRed's, with the difference that D holds only facts that lost all witnesses, and that each candidate is checked
once for each round in which it loses a witness. Where facts have many derivations, few of these are witnesses.
"""

from __future__ import annotations

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.dred import insert, rederivable
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
        if R and not overdeleted - R and unaltered(algebra, stratum, overdeleted, update, D, A):
            restore(algebra, R, A)
        else:
            insert(algebra, stratum, R, update, D, A)
    algebra.commit(deleted=D - A, inserted=A - D)


def unaltered(algebra: Algebra[F], stratum: Stratum, overdeleted: F, update: Update, D: Working, A: Working) -> bool:
    """Whether nothing is new in the stratum, and nothing else has changed below it."""
    return not algebra.within(update.insert, stratum) and not algebra.facts((D - A) | (A - D)) - overdeleted


def restore(algebra: Algebra[F], R: F, A: Working) -> None:
    """INSERT where all that was overdeleted comes back: the facts are the old ones, so no rule has anything to add."""
    A |= R
    algebra.set_ranks(R)
    algebra.end_round(R)


def overdelete(algebra: Algebra[F], stratum: Stratum, update: Update, D: Working, A: Working) -> F:
    """Delete what has no witness left; gives D & Out^s."""
    overdeleted = algebra.empty()
    algebra.phase = "deletion"
    candidates = algebra.within(update.delete, stratum)
    candidates |= algebra.derive(stratum.rules, I, changed=D - A, vanished=A - D, from_lower_ranks=True)
    while candidates:
        delta = unsupported(algebra, stratum, candidates, update, D, A)
        algebra.phase = "deletion"
        found = algebra.derive(stratum.recursive, I - (D - A), I | A, changed=delta, from_lower_ranks=True)
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
