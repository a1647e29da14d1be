"""The agenda of an update: rule instances that may have to be undone or applied, each waiting for the iteration it is in.

Instances that meet a changed fact are found once, with their body facts of the head's own stratum, and wait for their
iteration. By then the rounds of those body facts are known, and one look at them tells whether the instance has moved. So a
set like `I_o` is never built: it is a test on rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.counters import NEVER, Numbers
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import FactSet
from tidelog.errors import InternalError
from tidelog.facts.kernel import Ids, Mask, Rows, sorted_unique, starts_of_groups
from tidelog.facts.table import Table

if TYPE_CHECKING:
    from tidelog.engines.embedded.trace import EmbeddedTrace


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


class _Kind(NamedTuple):
    """Instances that can be looked at together."""

    move: Move
    sign: int
    """-1 to undo them, 1 to apply them."""
    head: Table
    body: tuple[Table, ...]
    """The tables of the body atoms in the head's own stratum."""


_MANY = 64
"""So many arrays of touched facts are made one."""

_Columns: TypeAlias = list[NDArray[np.uint32]]
"""Waiting instances: the heads, the body facts of each own-stratum atom, the iteration in which they were found."""


class _Turn:
    """What is to be looked at in one iteration."""

    def __init__(self) -> None:
        self.waiting: dict[_Kind, list[_Columns]] = {}
        self.touched: dict[Table, list[Rows]] = {}
        """Facts whose count in this iteration has changed."""
        self.lost: dict[Table, list[Rows]] = {}
        """Facts that are lost and that this iteration derived."""

    def touch(self, table: Table, rows: Rows) -> None:
        parts = self.touched.setdefault(table, [])
        parts.append(rows)
        if len(parts) == _MANY:
            parts[:] = [sorted_unique(np.concatenate(parts))]


class Agenda:
    """What waits, by iteration, for one stratum at a time."""

    def __init__(self, trace: EmbeddedTrace) -> None:
        self.trace = trace
        self._turns: dict[int, _Turn] = {}
        self._order: list[int] = []
        self._iteration = 0
        """The iteration that is being worked on; 0 before the first."""

    def iterations(self) -> Iterator[int]:
        while self._order:
            self._iteration = heappop(self._order)
            yield self._iteration
        self._iteration = 0

    def advance(self) -> tuple[FactSet, FactSet]:
        i = self._iteration
        turn = self._turns.pop(i)
        for kind, parts in turn.waiting.items():
            columns = parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts, strict=True)]
            self._move(kind, columns, i, turn)
        lost: dict[Table, Rows] = {}
        arrived: dict[Table, Rows] = {}
        for table in turn.touched.keys() | turn.lost.keys():
            lost[table], arrived[table] = self._settle(table, i, turn.touched.get(table, []), turn.lost.get(table, []))
        return FactSet(self.trace.algebra.bits, lost), FactSet(self.trace.algebra.bits, arrived)

    def _move(self, kind: _Kind, columns: _Columns, i: int, turn: _Turn) -> None:
        """Undo or apply those instances of iteration i that move."""
        heads = columns[0][self._happens(kind, columns, i)]
        if kind.move is not Move.EXPLICIT:
            self.trace.algebra.phase = "deletion" if kind.sign < 0 else "addition"
            self.trace.algebra.count(len(heads))
        if len(heads):
            turn.touch(kind.head, self.trace.counters_of(kind.head).change(heads, kind.sign, i))

    def _happens(self, kind: _Kind, columns: _Columns, i: int) -> Mask | slice:
        """Which of the instances move. The rounds up to i - 1 are those after the update by now."""
        if kind.move is Move.LOST or not kind.body:
            return slice(None)
        rounds = [(self.trace.rounds_of(table), rows) for table, rows in zip(kind.body, columns[1:-1], strict=True)]
        now: Mask = _highest([r.new[rows] for r, rows in rounds]) == i - 1
        if kind.move is Move.WON:
            return now
        if kind.sign < 0:
            return ~now
        # Found again with every fact that arrives: the last time counts, when all its facts that moved had arrived.
        last: Mask = _highest([np.where(r.new[rows] == r.old[rows], 0, r.new[rows]) for r, rows in rounds]) == columns[-1]
        moved: Mask = _highest([r.old[rows] for r, rows in rounds]) != i - 1
        return last & moved

    def _settle(self, table: Table, i: int, touched: Sequence[Rows], watched: Sequence[Rows]) -> tuple[Rows, Rows]:
        """Of facts that may differ, those that iteration i does not derive any more, and those that arrive in it."""
        counters, rounds = self.trace.counters_of(table), self.trace.rounds_of(table)
        rows = sorted_unique(np.concatenate([*touched, *watched]))
        counts, round_ = counters.at(rows, i), rounds.new[rows]
        if len(counts) and counts.min() < 0:
            raise InternalError("a rule instance was undone that had not been counted")
        arrived = rows[(counts > 0) & (round_ > i)]
        lost = rows[(counts == 0) & (round_ == i)]
        rounds.set(arrived, i)
        rounds.set(lost, NEVER)
        still = np.concatenate([lost, *(some[rounds.new[some] == NEVER] for some in watched)])
        if len(still):
            self._watch(table, still, counters.next(still, i))
        return lost, arrived

    def _watch(self, table: Table, rows: Rows, iterations: Numbers) -> None:
        """Look at lost facts again in the next iteration that derives them."""
        for iteration, which in _groups(iterations):
            if iteration < NEVER:
                self._turn(iteration).lost.setdefault(table, []).append(rows[which])

    def wait(self, move: Move, sign: int, head: Table, heads: Rows, body: Sequence[tuple[Table, Rows]] = ()) -> None:
        """Put instances on the agenda, each for the iteration it is in by what is known now.

        Those of the very next iteration need not wait, for all rounds that matter to them are known.
        """
        kind = _Kind(move, sign, head, tuple(table for table, _ in body))
        columns = [heads, *(rows for _, rows in body), np.full(len(heads), self._iteration, np.uint32)]
        if not body:
            self._move(kind, columns, 1, self._turn(1))
            return
        rounds = [(self.trace.rounds_of(table), rows) for table, rows in body]
        highest = _highest([r.old[rows] if sign < 0 else r.new[rows] for r, rows in rounds])
        for last, which in _groups(highest):
            turn, some = self._turn(last + 1), [column[which] for column in columns]
            if last == self._iteration:
                self._move(kind, some, last + 1, turn)
            else:
                turn.waiting.setdefault(kind, []).append(some)

    def _turn(self, iteration: int) -> _Turn:
        if iteration not in self._turns:
            assert self._iteration < iteration < NEVER
            self._turns[iteration] = _Turn()
            heappush(self._order, iteration)
        return self._turns[iteration]


class Waiting:
    """Puts rule instances on an agenda as they are found."""

    def __init__(self, agenda: Agenda, move: Move, sign: int) -> None:
        self.agenda, self.move, self.sign = agenda, move, sign

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        heads = self._heads(compiled.table, [source.column(slots, length) for source in compiled.head], length)
        rule = compiled.plan.rule
        body = [(compiled.table_of(rule.positive[place]), slots[slot]) for place, slot in compiled.row_slots.items()]
        self.agenda.wait(self.move, self.sign, compiled.table, heads, body)

    def _heads(self, table: Table, columns: list[Ids], length: int) -> Rows:
        rows, known = table.find(columns, length)
        if not known.all():
            new = ~known
            rows[new] = table.intern_each([column[new] for column in columns], int(new.sum()))
        return rows


def _highest(rounds: Sequence[Numbers]) -> Numbers:
    return rounds[0] if len(rounds) == 1 else np.maximum.reduce(rounds)


def _groups(values: Numbers) -> Iterator[tuple[int, NDArray[np.int64] | slice]]:
    """The distinct values, each with the places that have it."""
    if not len(values):
        return
    if values.min() == values.max():
        yield int(values[0]), slice(None)
        return
    order = np.argsort(values, kind="stable")
    edges = [*np.flatnonzero(starts_of_groups(values[order])).tolist(), len(values)]
    for start, end in pairwise(edges):
        yield int(values[order[start]]), order[start:end]
