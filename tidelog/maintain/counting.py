"""Counting, for recursive rules too: undo the rule instances that no longer fire, apply those that newly do.

Motik, Nenov, Piro, Horrocks: Maintenance of Datalog Materialisations Revisited (2019), Algorithms 2 and 3.

    paper               here
    E, E-, E+           the explicit facts, `update.delete`, `update.insert`
    N_i^s               `trace`: how often each fact was derived in iteration i of its stratum
    I_o, I_n            `I`, `(I - D) | A`
    I_on, I_no          `D - A`, `A - I`, in the strata that are done
    Delta_o, Delta_n    the facts whose *round* is i, before and after the update
    line 31             the agenda of `trace.iterations` is empty

The round of a fact is the first iteration that derives it; explicit facts and nonrecursive rules have iteration 1. A
recursive rule instance has iteration 1 + the highest round of its body facts of the head's stratum; it has *moved* if that
differs before and after the update. D holds the facts that are lost (their old round does not derive them any more), A those
that arrive (in a round that is not their old one: new ones, lost ones that come back later, and others that come earlier).

Invariants: when iteration i begins, the trace of the iterations before it is that of the new facts, and D and A hold
exactly the facts whose round was or is below i and differs. Of the facts outside D and A the old round is the new one
as far as anybody knows: it is, unless they are lost or arrive in an iteration to come.

Nonrecursive instances move if and only if an atom of a lower stratum changed (68): those that lost one are undone, those that
won one applied. So are recursive ones, the latter unless they have moved besides. The others move if and only if they have
(69). They are found from the facts that change: an old instance when the first of its facts does, and it is asked in its
old iteration whether it still has it; a new one when the last of its facts arrives, and asked in its new iteration.

Cost (Theorem 12): each old instance is undone at most once, each new one applied at most once, and none that keeps its
iteration is either; these are the numbers in the statistics. Beside them are looked at, and not counted, instances that meet
a changed fact and turn out not to move, as section 9.2 filters them. All work is in proportion to the instances that
meet changed facts: unlike in the paper, I_o and I_n are never built, and iterations in which nothing happens are skipped.
Instances that wait take memory; those found in the iteration before theirs, as all are while facts only come, need not.

Deviations: line 36 finds instances by the round of all their facts in each iteration anew, here they wait for their
iteration. Facts also get ranks, 0 if they are explicit and their round if not, so that other algorithms can take over at any
time. Updates by those leave the trace behind; it is then built again first, which considers all rule instances.
"""

from __future__ import annotations

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Named, Working
from tidelog.program.stratify import Stratum


def counting(algebra: Algebra[F], update: Update) -> None:
    """MAINTENANCECOUNTING, Algorithm 3, for one update."""
    trace = algebra.trace
    if trace.stale:
        T = algebra.working("T")
        T |= algebra.facts(E)
        seminaive_counting(algebra, T)
    trace.begin()
    algebra.set_ranks(algebra.facts(update.delete), 1)
    D, A = algebra.working("D"), algebra.working("A")
    for stratum in algebra.stages(update, D, A):  # line 20
        change_first(algebra, stratum, update, D, A)
        for i in trace.iterations():  # lines 26, 34
            lost, arrived = trace.advance()  # line 27, and the counts of lines 23, 24, 36, 37
            first = lost | (arrived & (I - D))
            trace.undo_moved(stratum.recursive, I - (D - A), I | A, own=I - (D | A), changed=first)  # line 36
            D |= lost  # lines 29, 30
            A |= arrived
            trace.apply_moved(stratum.recursive, (I - D) | A, changed=arrived)  # line 37
            algebra.set_ranks(arrived, i)
            algebra.end_round(lost | arrived)
    algebra.set_ranks(algebra.facts(update.insert), 0)
    algebra.commit(deleted=D - A, inserted=A - I)


def change_first(algebra: Algebra[F], stratum: Stratum, update: Update, D: Working, A: Working) -> None:
    """Lines 22 to 25, and the changes of lower strata in lines 36 and 37."""
    trace = algebra.trace
    trace.undo_explicit(algebra.within(update.delete, stratum))
    trace.undo(stratum.rules, I, changed=D - A, vanished=A - I)
    trace.apply_explicit(algebra.within(update.insert, stratum))
    trace.apply(stratum.rules, (I - D) | A, changed=A - I, vanished=D - A)


def seminaive_counting(algebra: Algebra[F], T: Named) -> None:
    """SEMINAIVECOUNTING, Algorithm 2: fills T, which holds the explicit facts, with all that follows."""
    trace = algebra.trace
    trace.begin_building()
    trace.start(T)
    for stratum in algebra.strata.strata:  # line 10
        i, delta = 1, trace.derive(stratum.nonrecursive, 1, T)  # lines 12, 14
        add(algebra, T, delta, i)
        delta = trace.derive(stratum.recursive, 2, T)
        while delta:  # line 15
            i += 1  # line 17
            add(algebra, T, delta, i)
            delta = trace.derive(stratum.recursive, i + 1, T, changed=delta)  # lines 18, 14
    trace.end_building()


def add(algebra: Algebra[F], T: Named, delta: F, round_: int) -> None:
    """Line 16."""
    new = delta if T == I else delta - I  # nothing in delta is in T
    algebra.add(T.name, delta)
    algebra.set_ranks(delta, round_)
    algebra.end_round(new)
