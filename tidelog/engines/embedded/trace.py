"""The trace of a materialisation in the embedded engine: counters and rounds of all facts, and an agenda of what may change.

While an update is maintained, rule instances that meet a changed fact are found once with their body facts of the head's own
stratum, and wait on the agenda for the iteration they concern. By then the rounds of those body facts are known, and one
look at them tells whether the instance has moved. So a set like `I_o` is never built: it is a test on rounds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from enum import Enum
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.counters import NEVER, Counters, Numbers, Rounds
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import FactSet, as_rows
from tidelog.errors import InternalError
from tidelog.facts.kernel import Ids, Mask, Rows, sorted_unique, starts_of_groups
from tidelog.facts.table import Table
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

if TYPE_CHECKING:
    from tidelog.engines.embedded.algebra import EmbeddedAlgebra


class Move(Enum):
    """What becomes of an instance when its iteration comes."""

    UNDO = "undo"
    """It fired, and does not fire any more."""
    UNDO_MOVED = "undo moved"
    """It fired in this iteration: undone if it fires in another one now, or in none."""
    APPLY = "apply"
    """It fires only now: applied in this iteration, unless its own-stratum facts moved; then `APPLY_MOVED` finds it."""
    APPLY_MOVED = "apply moved"
    """It fires in this iteration: applied if it fired in another one before, or in none."""


_UNDOING = (Move.UNDO, Move.UNDO_MOVED)


class _Kind(NamedTuple):
    """Instances that can be looked at together."""

    move: Move
    head: Table
    body: tuple[Table, ...]
    """The tables of the body atoms in the head's own stratum."""


_Columns: TypeAlias = list[NDArray[np.uint32]]
"""Waiting instances: the heads, the body facts of each own-stratum atom, the iteration in which they were found."""


class _Turn:
    """What is to be looked at in one iteration."""

    def __init__(self) -> None:
        self.waiting: dict[_Kind, list[_Columns]] = {}
        self.lost: dict[Table, list[Rows]] = {}
        """Facts that are lost and that this iteration derived."""


class EmbeddedTrace:
    """The trace of one algebra's materialisation; stale until it is built, and after updates that did not keep it."""

    def __init__(self, algebra: EmbeddedAlgebra) -> None:
        self.algebra = algebra
        self._update: Statistics | None = None
        """The update that is being counted; still there when the next begins only if its end was cut off."""
        self.forget()

    @property
    def stale(self) -> bool:
        return not self._built or self._update is not None

    # Building

    def begin_building(self) -> None:
        self.forget()
        self._built_by_update, self._started = self.algebra.sets.recording, time.perf_counter()

    def start(self, explicit: FactSet) -> None:
        for table, rows in explicit:
            self.counters_of(table).change(as_rows(rows), _all(1, as_rows(rows)), 1)
            self.rounds_of(table).set(as_rows(rows), 1)

    def derive(
        self,
        rules: Sequence[CoreRule],
        iteration: int,
        facts: SetExpression,
        changed: FactSet | None = None,
    ) -> FactSet:
        counting = _Counting(self, iteration)
        self.algebra.apply(counting, rules, facts, changed=changed)
        self.algebra.phase = "forward"
        self.algebra.count(counting.considered)
        return FactSet(self.algebra.bits, {table: sorted_unique(np.concatenate(some)) for table, some in counting.new.items()})

    def end_building(self) -> None:
        for rounds in self._rounds.values():
            rounds.keep()
        self._built = True
        self.algebra.ranks_hold = True
        statistics = self.algebra.statistics
        cost = f"{statistics.instances:,} rule instances, {time.perf_counter() - self._started:.2f} seconds"
        statistics.reason = f"{statistics.reason}; all derivations had to be counted first: {cost}".removeprefix("; ")

    # Maintaining

    def begin(self) -> None:
        self._update = self.algebra.statistics
        for counters in self._counters.values():
            counters.compact()
            counters.recording = True

    def keep(self, *, same: bool) -> None:
        """An update is committed. If another algorithm maintained it, and facts are not the same, the trace is stale."""
        if self._update is not self.algebra.statistics:
            if not same:
                self.forget()
            return
        for part in self._parts():
            part.keep()
        self._update, self._built_by_update = None, False

    def restore(self) -> None:
        """The update failed: all is as before. A trace that it built goes, since the ranks that came with it do."""
        if not self._built or self._built_by_update:
            self.forget()
            return
        for part in self._parts():
            part.restore()
        self._clear_agenda()
        self._update = None

    def forget(self) -> None:
        self._built = self._built_by_update = False
        self._update = None
        self._counters: dict[Table, Counters] = {}
        self._rounds: dict[Table, Rounds] = {}
        self._clear_agenda()

    def _parts(self) -> list[Counters | Rounds]:
        return [*self._counters.values(), *self._rounds.values()]

    def _clear_agenda(self) -> None:
        self._turns: dict[int, _Turn] = {}
        self._order: list[int] = []
        self._iteration = 0

    def undo_explicit(self, facts: FactSet) -> None:
        for table, rows in facts:
            self.wait(Move.UNDO, table, as_rows(rows), ())

    def apply_explicit(self, facts: FactSet) -> None:
        for table, rows in facts:
            self.wait(Move.APPLY, table, as_rows(rows), ())

    def undo(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression) -> None:
        self.algebra.apply(_Waiting(self, Move.UNDO), rules, facts, changed=changed, vanished=vanished, rows=True)

    def apply(
        self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression
    ) -> None:
        self.algebra.apply(_Waiting(self, Move.APPLY), rules, facts, changed=changed, vanished=vanished, rows=True)

    def undo_moved(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        own: SetExpression,
        changed: FactSet,
    ) -> None:
        self.algebra.apply(_Waiting(self, Move.UNDO_MOVED), rules, positive, negative, own=own, changed=changed, rows=True)

    def apply_moved(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: FactSet) -> None:
        self.algebra.apply(_Waiting(self, Move.APPLY_MOVED), rules, facts, changed=changed, rows=True)

    def iterations(self) -> Iterator[int]:
        while self._order:
            self._iteration = heappop(self._order)
            yield self._iteration
        self._iteration = 0

    def advance(self) -> tuple[FactSet, FactSet]:
        i = self._iteration
        turn = self._turns.pop(i)
        heads: dict[Table, list[tuple[Rows, Numbers]]] = {}
        for kind, parts in turn.waiting.items():
            columns = parts[0] if len(parts) == 1 else [np.concatenate(column) for column in zip(*parts, strict=True)]
            rows = columns[0][self._happens(kind, columns, i)]
            if kind.body:
                self.count_instances(kind.move, len(rows))
            if len(rows):
                heads.setdefault(kind.head, []).append((rows, _all(-1 if kind.move in _UNDOING else 1, rows)))
        lost: dict[Table, Rows] = {}
        arrived: dict[Table, Rows] = {}
        for table in heads.keys() | turn.lost.keys():
            lost[table], arrived[table] = self._settle(table, i, heads.get(table, []), turn.lost.get(table, []))
        return FactSet(self.algebra.bits, lost), FactSet(self.algebra.bits, arrived)

    def _happens(self, kind: _Kind, columns: _Columns, i: int) -> Mask | slice:
        """Which of the waiting instances move. The rounds up to i - 1 are those after the update by now."""
        if kind.move is Move.UNDO or not kind.body:
            return slice(None)
        rounds = [(self.rounds_of(table), rows) for table, rows in zip(kind.body, columns[1:-1], strict=True)]
        now: Mask = _highest([r.new[rows] for r, rows in rounds]) == i - 1
        if kind.move is not Move.APPLY_MOVED:
            return now if kind.move is Move.APPLY else ~now
        # Found again with every fact that arrives: the last time counts, when all its facts that moved had arrived.
        last: Mask = _highest([np.where(r.new[rows] == r.old[rows], 0, r.new[rows]) for r, rows in rounds]) == columns[-1]
        moved: Mask = _highest([r.old[rows] for r, rows in rounds]) != i - 1
        return last & moved

    def _settle(
        self, table: Table, i: int, heads: Sequence[tuple[Rows, Numbers]], watched: Sequence[Rows]
    ) -> tuple[Rows, Rows]:
        """Count; then of the facts that may differ, those that iteration i does not derive any more, and those that arrive."""
        counters, rounds = self.counters_of(table), self.rounds_of(table)
        if heads:
            rows, by = heads[0] if len(heads) == 1 else (np.concatenate(column) for column in zip(*heads, strict=True))
            rows, counts = counters.change(rows, by, i)
            if len(counts) and counts.min() < 0:
                raise InternalError("a rule instance was undone that had not been counted")
        if watched:
            rows = sorted_unique(np.concatenate([*([rows] if heads else []), *watched]))
            counts = counters.at(rows, i)
        round_ = rounds.new[rows]
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

    def wait(self, move: Move, head: Table, heads: Rows, body: Sequence[tuple[Table, Rows]]) -> None:
        """Put instances on the agenda, each for the iteration it is in by what is known now."""
        kind = _Kind(move, head, tuple(table for table, _ in body))
        columns = [heads, *(rows for _, rows in body), np.full(len(heads), self._iteration, np.uint32)]
        if not body:
            self._turn(1).waiting.setdefault(kind, []).append(columns)
            return
        rounds = [(self.rounds_of(table), rows) for table, rows in body]
        highest = _highest([r.old[rows] if move in _UNDOING else r.new[rows] for r, rows in rounds])
        for last, which in _groups(highest):
            self._turn(last + 1).waiting.setdefault(kind, []).append([column[which] for column in columns])

    def _turn(self, iteration: int) -> _Turn:
        if iteration not in self._turns:
            assert self._iteration < iteration < NEVER
            self._turns[iteration] = _Turn()
            heappush(self._order, iteration)
        return self._turns[iteration]

    def count_instances(self, move: Move, number: int) -> None:
        self.algebra.phase = "deletion" if move in _UNDOING else "addition"
        self.algebra.count(number)

    # The facts of one table

    def counters_of(self, table: Table) -> Counters:
        counters = self._counters.get(table)
        if counters is None:
            counters = self._counters[table] = Counters()
            counters.recording = self._update is not None
        return counters.reach(table.count)

    def rounds_of(self, table: Table) -> Rounds:
        rounds = self._rounds.get(table)
        if rounds is None:
            rounds = self._rounds[table] = Rounds()
        return rounds.reach(table.count)

    def items(self, table: Table) -> tuple[Rows, Numbers, Numbers]:
        """The multisets of a table's facts: row, iteration, multiplicity."""
        return self.counters_of(table).items()


class _Counting:
    """Counts the rule instances of one iteration, for a trace that is being built."""

    def __init__(self, trace: EmbeddedTrace, iteration: int) -> None:
        self.trace, self.iteration = trace, iteration
        self.considered = 0
        self.new: dict[Table, list[Rows]] = {}

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        self.considered += length
        table = compiled.table
        heads = table.intern_each([source.column(slots, length) for source in compiled.head], length)
        heads, _ = self.trace.counters_of(table).change(heads, _all(1, heads), self.iteration)
        rounds = self.trace.rounds_of(table)
        new = heads[rounds.new[heads] == NEVER]
        rounds.set(new, self.iteration)
        self.new.setdefault(table, []).append(new)


class _Waiting:
    """Puts rule instances on a trace's agenda."""

    def __init__(self, trace: EmbeddedTrace, move: Move) -> None:
        self.trace, self.move = trace, move

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        heads = self._heads(compiled.table, [source.column(slots, length) for source in compiled.head], length)
        rule = compiled.plan.rule
        body = [(compiled.table_of(rule.positive[place]), slots[slot]) for place, slot in compiled.row_slots.items()]
        if not body:
            self.trace.count_instances(self.move, length)
        self.trace.wait(self.move, compiled.table, heads, body)

    def _heads(self, table: Table, columns: list[Ids], length: int) -> Rows:
        rows, known = table.find(columns, length)
        if not known.all():
            new = ~known
            rows[new] = table.intern_each([column[new] for column in columns], int(new.sum()))
        return rows


def _all(value: int, rows: Rows) -> Numbers:
    return np.full(len(rows), value, np.int32)


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
