"""The trace of a materialisation in the embedded engine: counters and rounds of all facts, built, kept and restored."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engines.embedded.agenda import Agenda, Move, Waiting
from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.counters import NEVER, Counters, Numbers, Rounds
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import FactSet, as_rows
from tidelog.facts.kernel import Rows, sorted_unique
from tidelog.facts.table import Table
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

if TYPE_CHECKING:
    from tidelog.engines.embedded.algebra import EmbeddedAlgebra


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

    def start(self, explicit: SetExpression) -> None:
        facts = self.algebra.facts(explicit)
        self.algebra.set_ranks(facts, 0)
        for table, rows in facts:
            self.counters_of(table).change(as_rows(rows), 1, 1)
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
            counters.record()

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
        self.agenda = Agenda(self)
        self._update = None

    def forget(self) -> None:
        self._built = self._built_by_update = False
        self._update = None
        self._counters: dict[Table, Counters] = {}
        self._rounds: dict[Table, Rounds] = {}
        self.agenda = Agenda(self)

    def _parts(self) -> list[Counters | Rounds]:
        return [*self._counters.values(), *self._rounds.values()]

    def undo_explicit(self, facts: FactSet) -> None:
        for table, rows in facts:
            self.agenda.wait(Move.EXPLICIT, -1, table, as_rows(rows))

    def apply_explicit(self, facts: FactSet) -> None:
        for table, rows in facts:
            self.agenda.wait(Move.EXPLICIT, 1, table, as_rows(rows))

    def undo(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression) -> None:
        self.algebra.apply(Waiting(self.agenda, Move.LOST, -1), rules, facts, changed=changed, vanished=vanished, rows=True)

    def apply(
        self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression
    ) -> None:
        self.algebra.apply(Waiting(self.agenda, Move.WON, 1), rules, facts, changed=changed, vanished=vanished, rows=True)

    def undo_moved(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        own: SetExpression,
        changed: FactSet,
    ) -> None:
        self.algebra.apply(Waiting(self.agenda, Move.MOVED, -1), rules, positive, negative, own=own, changed=changed, rows=True)

    def apply_moved(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: FactSet) -> None:
        self.algebra.apply(Waiting(self.agenda, Move.MOVED, 1), rules, facts, changed=changed, rows=True)

    def iterations(self) -> Iterator[int]:
        return self.agenda.iterations()

    def advance(self) -> tuple[FactSet, FactSet]:
        return self.agenda.advance()

    # The facts of one table

    def counters_of(self, table: Table) -> Counters:
        counters = self._counters.get(table)
        if counters is None:
            counters = self._counters[table] = Counters()
            if self._update is not None:
                counters.record()
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
        heads = self.trace.counters_of(table).change(heads, 1, self.iteration)
        rounds = self.trace.rounds_of(table)
        new = heads[rounds.new[heads] == NEVER]
        rounds.set(new, self.iteration)
        self.new.setdefault(table, []).append(new)
