"""Materialise a program from scratch, each rule instance once.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), Algorithm 1.

    paper       here
    E           the explicit facts, in I from the start
    I           `present`
    N, Delta    `delta`: `derive(..., outside=I)` gives N - I
    Pi_nr, Pi_r `stratum.nonrecursive`, `stratum.recursive`

Invariants: after each round, I holds every consequence of the rules applied so far; `delta` holds what the last round
added. A fact's rank is the number of the round in its stratum that first derived it, 0 if it is explicit, so some rule
instance derives it from facts that are of lower strata or of lower rank.

Cost: every rule instance that fires w.r.t. E is considered exactly once.

Deviation: the paper adds the explicit facts of a stratum to I when it comes to that stratum. No rule of a lower stratum
can see them, so they are in I at once; the first application of the recursive rules then has all of I as its delta.
"""

from __future__ import annotations

from tidelog.maintain.algebra import Algebra, F
from tidelog.maintain.sets import PRESENT as I  # the paper's letter


def seminaive(algebra: Algebra[F]) -> None:
    """SEMINAIVE, Algorithm 1, on an algebra in which exactly the explicit facts are present."""
    for stratum in algebra.stages():
        add(algebra, algebra.derive(stratum.nonrecursive, I, outside=I), rank=1)  # line 3
        if not stratum.recursive:
            continue
        delta = algebra.derive(stratum.recursive, I, outside=I)
        rank = 2
        while delta:  # line 6
            add(algebra, delta, rank)  # line 7
            delta = algebra.derive(stratum.recursive, I, changed=delta, outside=I)  # line 8, line 5
            rank += 1


def add(algebra: Algebra[F], delta: F, rank: int) -> None:
    algebra.add(I.name, delta)
    algebra.set_ranks(delta, rank)
    algebra.end_round(delta)
