"""Expiry: facts that hold for a time, dropped when it is over without applying a rule.

Barbieri, Braga, Ceri, Della Valle, Grossniklaus: Incremental Reasoning on Streams and Rich Background Knowledge (2010),
section 3, and ranked maintenance (`maintain.ranked`) where that is not enough. Time has moved on when an update begins.

    paper          here
    P [T]          a fact and its expiry: it holds while now < T; what does not expire has one that never comes
    P^Ins          `found`, then `delta`
    P^New, P^Old   a fact has one expiry; `set_expiries` replaces it by a later one
    P^-, P^+       `deleted`, `inserted` of the commit
    T1 = now - 1   X, `update.expired`: all facts whose expiry has come
    symbol         here, beyond the paper
    D, A           facts that lost what gave them their expiry, facts added (back) or extended so far
    L              facts of D that did not come back, or with an earlier expiry

A fact's expiry is the latest, over its derivations, of the earliest among the body facts. That is right as long as facts only
expire or come in. But a fact may be deleted before its time; one that is negated in a rule may appear, or expire. What loses an
instance in this way may have to go, or may be left with an earlier expiry. So facts are ordered, the latest expiry first, and
by rank among those of the same expiry; and we keep the invariant

    (1) every fact was given with the expiry it has, or has a *witness*: a rule instance that derives it, whose positive body
        facts all hold as long as the fact, those of its own stratum longer or with a lower rank.

If nothing expires, all expiries are the same, and this is ranked maintenance. Time alone leaves (1) as it is: a fact that has
not expired has a witness, none of whose body facts has. So X may go at once, as if it had never been there; only rules that
negate a fact of X have to be applied. A fact that is extended comes before every fact it is a witness for, as it did, whatever
its rank is now: that one's expiry is at most the old one. The rest is ranked maintenance by this order. By induction on it,
no fact holds longer than it should; and as insertion goes on until no instance gives any fact a later expiry, none less long.

Negated atoms have no expiry. A fact that holds because another does not is deleted when that one appears, by (1).

Cost: nothing for each fact that expires but its removal; ranked maintenance for what is deleted; and for what comes in the rule
instances that it takes part in, once more whenever one of their facts is extended.
"""

from __future__ import annotations

from tidelog.maintain.algebra import ExpiringAlgebra, F, Update
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import SetExpression, Working
from tidelog.program.stratify import Stratum


def expiry(algebra: ExpiringAlgebra[F], update: Update) -> None:
    """Maintenance with expiries for one update."""
    D, A, L = algebra.working("D"), algebra.working("A"), algebra.working("L")
    X: SetExpression = update.expired or algebra.working("X")
    for stratum in algebra.stages(update, D, A):
        overdeleted = overdelete(algebra, stratum, update, X, D, A, L)
        R = rederivable(algebra, stratum, overdeleted, update, X, D, A)
        insert(algebra, stratum, R, update, X, D, A, L)
        L |= algebra.longer(overdeleted, than=A)
    algebra.commit(deleted=(D | X) - A, inserted=A - I)


def overdelete(
    algebra: ExpiringAlgebra[F], stratum: Stratum, update: Update, X: SetExpression, D: Working, A: Working, L: Working
) -> F:
    """Delete what has nothing left that holds as long; gives D & Out^s, with the expiries that the facts had."""
    overdeleted = algebra.empty()
    algebra.phase = "deletion"
    candidates = algebra.within(update.delete, stratum) - X
    candidates |= algebra.derive(stratum.rules, I - X, I, changed=L, vanished=A - I)
    while candidates:
        delta = algebra.held(unsupported(algebra, stratum, candidates, update, X, D, A))
        algebra.phase = "deletion"
        found = algebra.derive(stratum.recursive, I - X - (D - A), I | A, changed=delta)
        D |= delta
        algebra.end_round(delta)
        overdeleted = overdeleted | delta
        candidates = found - D
    return overdeleted


def unsupported(
    algebra: ExpiringAlgebra[F], stratum: Stratum, candidates: F, update: Update, X: SetExpression, D: Working, A: Working
) -> F:
    """The candidates that were not given with the expiry they have, and have no witness left."""
    algebra.phase = "backward"
    candidates = candidates - algebra.lasting(algebra.given(candidates & still_explicit(update)))
    return candidates - algebra.provable(
        candidates, stratum.rules, I - X - (D - A), I | A, from_lower_ranks=True, expiring=True
    )


def still_explicit(update: Update) -> SetExpression:
    """The explicit facts about which the update says nothing."""
    explicit = E - update.delete
    return explicit if update.lapsed is None else explicit - update.lapsed


def rederivable(
    algebra: ExpiringAlgebra[F], stratum: Stratum, overdeleted: F, update: Update, X: SetExpression, D: Working, A: Working
) -> F:
    """Overdeleted facts with the best that is left for them in what survives."""
    algebra.phase = "backward"
    explicit = algebra.given(overdeleted & still_explicit(update))
    return explicit | algebra.provable(overdeleted, stratum.rules, I - X - (D - A), I | A, expiring=True)


def insert(
    algebra: ExpiringAlgebra[F],
    stratum: Stratum,
    R: F,
    update: Update,
    X: SetExpression,
    D: Working,
    A: Working,
    L: Working,
) -> None:
    """Seminaive rounds, in which what holds longer than it did counts as new."""
    algebra.phase = "addition"
    known = (I - X - D) | A
    found = R | algebra.given(algebra.within(update.insert, stratum))
    found |= algebra.derive(stratum.rules, known, changed=A - L, vanished=(D | X) - A, outside=known, expiring=True)
    delta = algebra.longer(found, than=known)
    while delta:
        A |= delta
        algebra.set_expiries(delta)
        algebra.end_round(delta)
        delta = algebra.derive(stratum.recursive, known, changed=delta, outside=known, expiring=True)


def seminaive_expiry(algebra: ExpiringAlgebra[F]) -> None:
    """Materialise from the explicit facts, which alone are present, with the expiries that they were given with."""
    algebra.phase = "forward"
    for stratum in algebra.strata.strata:
        delta = algebra.derive(stratum.rules, I, outside=I, expiring=True)
        while delta:
            algebra.add(I.name, delta)
            algebra.set_expiries(delta)
            algebra.end_round(delta)
            delta = algebra.derive(stratum.recursive, I, changed=delta, outside=I, expiring=True)
