"""The agenda of an update that is counted: rule instances that may have to be undone or applied, each in its iteration.

It is the agenda of the embedded engine (`tidelog.engines.embedded.agenda`), one instance after another in the driver.
An instance that meets a changed fact is found once and waits for its iteration. By then the rounds of its body facts are known,
and tell whether it has moved.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from tidelog.engines.spark.counts import Multiset
from tidelog.engines.spark.facts import FactSet
from tidelog.engines.spark.instances import Fact, Instances, by_predicate, grounded
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.truth import PRESENT
from tidelog.errors import InternalError

if TYPE_CHECKING:
    from tidelog.engines.spark.trace import SparkTrace

NEVER = 1 << 30
"""The iteration of a derivation that there is none of."""


class Move(Enum):
    """What it takes that an instance is undone, or applied, when its iteration comes."""

    EXPLICIT = "explicit"
    """Nothing: it stands for an explicit fact."""
    LOST = "lost"
    """Nothing: an atom of a lower stratum does not hold any more."""
    WON = "won"
    """An atom of a lower stratum holds only now: the own-stratum facts must not have moved; else it is applied as `MOVED`."""
    MOVED = "moved"
    """It fires in this iteration by the old rounds, or now by the new, and by the others in another one or in none."""


class _Waiting(NamedTuple):
    move: Move
    sign: int
    """-1 to undo the instance, 1 to apply it."""
    head: Fact
    body: tuple[Fact, ...]
    """The body facts of the head's own stratum."""
    found: int
    """The iteration in which it was found."""


@dataclass(slots=True)
class _Turn:
    """What is to be looked at in one iteration."""

    waiting: list[_Waiting] = field(default_factory=list)
    touched: set[Fact] = field(default_factory=set)
    """Facts whose count in this iteration has changed."""
    lost: set[Fact] = field(default_factory=set)
    """Facts that are lost and that this iteration derived."""


class Agenda:
    """What waits, by iteration, for one stratum at a time; and what has been counted so far in this update."""

    def __init__(self, trace: SparkTrace) -> None:
        self.trace, self.algebra = trace, trace.algebra
        self._turns: dict[int, _Turn] = {}
        self._order: list[int] = []
        self._iteration = 0
        """The iteration that is being worked on; 0 before the first."""
        self._before: dict[Fact, Multiset] = {}
        """The multisets of the facts that were touched, as they were."""
        self._change: dict[Fact, Counter[int]] = defaultdict(Counter)
        self._old: dict[Fact, int] = {}
        self._new: dict[Fact, int] = {}

    def changed(self) -> Iterator[tuple[Fact, Multiset]]:
        """The multisets that are not what they were."""
        for fact, change in self._change.items():
            if any(change.values()):
                yield fact, {i: self._count(fact, i) for i in self._before[fact].keys() | change.keys()}

    def iterations(self) -> Iterator[int]:
        while self._order:
            self._iteration = heappop(self._order)
            yield self._iteration
        self._iteration = 0

    # Rounds

    def old(self, fact: Fact) -> int:
        """The first iteration that derived a fact before the update; it must have been met."""
        found = self._old.get(fact)
        if found is None:
            state = self.algebra.tables.state(*fact)
            found = self._old[fact] = max(1, state.rank) if state.flags & PRESENT else NEVER
        return found

    def new(self, fact: Fact) -> int:
        """That after the update, as far as anybody knows."""
        return self._new.get(fact, self.old(fact))

    # What waits

    def take(self, move: Move, sign: int, instances: Sequence[Instances]) -> None:
        """Put rule instances on the agenda as they are found."""
        algebra = self.algebra
        found = grounded(algebra.matcher, instances, algebra.few)
        own = [tuple(one.body[i] for i in algebra.recursive_positions(one.rule)) for one in found]
        meet(algebra.tables, by_predicate([*(one.head for one in found), *(fact for body in own for fact in body)]))
        for one, body in zip(found, own, strict=True):
            self.wait(move, sign, one.head, body)

    def wait(self, move: Move, sign: int, head: Fact, body: tuple[Fact, ...]) -> None:
        """Have an instance wait for the iteration it is in by what is known now.

        One of the very next iteration need not wait, for all rounds that matter to it are known.
        """
        waiting = _Waiting(move, sign, head, body, self._iteration)
        last = max((self.old(fact) if sign < 0 else self.new(fact) for fact in body), default=0)
        if last == self._iteration or not body:
            self._move(waiting, last + 1)
        else:
            self._turn(last + 1).waiting.append(waiting)

    def _turn(self, iteration: int) -> _Turn:
        if iteration not in self._turns:
            assert self._iteration < iteration < NEVER
            self._turns[iteration] = _Turn()
            heappush(self._order, iteration)
        return self._turns[iteration]

    # Working on an iteration

    def advance(self) -> tuple[FactSet, FactSet]:
        i = self._iteration
        turn = self._turns[i]
        for waiting in turn.waiting:
            self._move(waiting, i)
        del self._turns[i]
        facts = turn.touched | turn.lost
        self._learn(facts)
        lost, arrived = [], []
        for fact in facts:
            count, round_ = self._count(fact, i), self.new(fact)
            if count < 0:
                raise InternalError("a rule instance was undone that had not been counted")
            if count and round_ > i:
                self._new[fact] = i
                arrived.append(fact)
            elif not count and round_ == i:
                self._new[fact] = NEVER
                lost.append(fact)
        for fact in {*lost, *turn.lost}:
            if self._new.get(fact) == NEVER:
                self._watch(fact, i)
        return FactSet(self.algebra, by_predicate(lost)), FactSet(self.algebra, by_predicate(arrived))

    def _move(self, waiting: _Waiting, i: int) -> None:
        """Undo or apply an instance of iteration i if it moves."""
        if not self._happens(waiting, i):
            return
        if waiting.move is not Move.EXPLICIT:
            self.algebra.phase = "deletion" if waiting.sign < 0 else "addition"
            self.algebra.count(1)
        self._turn(i).touched.add(waiting.head)
        self._change[waiting.head][i] += waiting.sign

    def _happens(self, waiting: _Waiting, i: int) -> bool:
        """Whether the instance moves. The rounds up to i - 1 are those after the update by now."""
        move, sign, _, body, found = waiting
        if move is Move.LOST or not body:
            return True
        now = max(map(self.new, body)) == i - 1
        if move is Move.WON:
            return now
        if sign < 0:
            return not now
        # Found again with every fact that arrives: the last time counts, when all its facts that moved had arrived.
        last = max(0 if self.new(fact) == self.old(fact) else self.new(fact) for fact in body) == found
        return last and max(map(self.old, body)) != i - 1

    def _learn(self, facts: set[Fact]) -> None:
        """Have the multisets of facts as they were before the update."""
        unknown = facts - self._before.keys()
        if unknown:
            self._before |= self.trace.multisets(by_predicate(unknown))

    def _count(self, fact: Fact, i: int) -> int:
        return self._before[fact].get(i, 0) + self._change[fact][i]

    def _watch(self, fact: Fact, i: int) -> None:
        """Look at a lost fact again in the next iteration that derives it."""
        later = [j for j in self._before[fact].keys() | self._change[fact].keys() if j > i and self._count(fact, j) > 0]
        if later:
            self._turn(min(later)).lost.add(fact)
