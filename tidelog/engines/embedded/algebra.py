"""The algebra of `tidelog.maintain.algebra` on tables and indexes of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tidelog.engines.embedded.compiler import Compiled, Compiler
from tidelog.engines.embedded.dispatch import Dispatch
from tidelog.engines.embedded.operators import Context, Slots, run
from tidelog.engines.embedded.sets import Bits, FactSet, RowSet, as_rows, row_count
from tidelog.errors import LimitExceeded
from tidelog.facts.kernel import Ids, sorted_unique
from tidelog.facts.statistics import StoreStatistics
from tidelog.facts.store import Store
from tidelog.facts.table import PRESENT, Table
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Difference, Named, SetExpression, Union
from tidelog.plan.model import Pivot, Place
from tidelog.plan.planner import plan
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification

CHANGE = Named("change")
"""The working set that marks a change while rules are matched against it."""


class EmbeddedAlgebra:
    """Facts of one materialisation in a store."""

    def __init__(
        self,
        store: Store,
        strata: Stratification,
        *,
        on_round: Callable[[Statistics], None] | None = None,
        max_facts: int | None = None,
    ) -> None:
        self.store = store
        self.strata = strata
        self.statistics = Statistics()
        self.on_round = on_round
        self.max_facts = max_facts
        self.phase = "forward"
        self.bits = Bits()
        self._compiler = Compiler(store)
        self._planner_statistics = StoreStatistics(store)
        # By identity, since hashing rules costs more than a small round: the rules belong to `strata` and live as long.
        self._dispatches: dict[int, Dispatch] = {}
        self._everywhere: dict[int, Compiled] = {}
        self._plan_size = -1

    # derive

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        changed: FactSet | None = None,
        outside: SetExpression | None = None,
    ) -> FactSet:
        if not rules or (changed is not None and not changed):
            return FactSet()
        self._forget_old_plans()
        negative = positive if negative is None else negative
        heads = _Heads(self, outside)
        if changed is None:
            context = self._context(positive, negative)
            for rule in rules:
                compiled = self._everywhere_plan(rule)
                for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), context):
                    heads.take(compiled, length, slots)
            return heads.result()
        dispatch = self._dispatch(rules)
        marks = dispatch.needs_marks
        context = self._context(positive, negative)
        if marks:
            self._mark(changed, CHANGE)
        try:
            for table, rows in changed:
                for compiled, some in dispatch.plans_for(table, rows):
                    assert compiled.start is not None
                    for length, slots in compiled.start.begin(some):
                        for n, found in run(compiled.operators, 0, length, slots, context):
                            heads.take(compiled, n, found)
        finally:
            if marks:
                self._unmark(changed, CHANGE)
        return heads.result()

    def instances(self, rule: CoreRule) -> Iterator[tuple[list[Ids], int]]:
        """The instances of a rule that hold now, part by part: the columns of its head, repeated where it is."""
        compiled = self._everywhere_plan(rule)
        for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), self._context(I, I)):
            yield [source.column(slots, length) for source in compiled.head], length

    def _context(self, positive: SetExpression, negative: SetExpression) -> Context:
        test = self.bits.test
        return Context((test(positive), test(Difference(positive, CHANGE)), test(negative), test(Union(negative, CHANGE))))

    def _everywhere_plan(self, rule: CoreRule) -> Compiled:
        compiled = self._everywhere.get(id(rule))
        if compiled is None:
            compiled = self._compiler.compile(plan(rule, Pivot(Place.ANYWHERE), self._planner_statistics))
            self._everywhere[id(rule)] = compiled
        return compiled

    def _dispatch(self, rules: Sequence[CoreRule]) -> Dispatch:
        dispatch = self._dispatches.get(id(rules))
        if dispatch is None:
            dispatch = self._dispatches[id(rules)] = Dispatch(rules, self._compiler, self._planner_statistics)
        return dispatch

    def _forget_old_plans(self) -> None:
        """Plan anew when the facts have grown or shrunk fourfold since the plans were made."""
        size = sum(table.count for table in self.store).bit_length() >> 1
        if size != self._plan_size:
            self._plan_size = size
            self._dispatches.clear()
            self._everywhere.clear()

    # sets

    def empty(self) -> FactSet:
        return FactSet()

    def add(self, target: SetExpression, facts: FactSet, *, rank: int) -> None:
        assert isinstance(target, Named)
        bit = self.bits.of(target.name)
        for table, rows in facts:
            if bit == PRESENT:
                table.invisible -= row_count(rows) - int(np.count_nonzero(table.flags[rows] & PRESENT))
            else:
                table.marked |= bit
            table.flags[rows] |= np.uint16(bit)
            table.rank[rows] = rank

    def _mark(self, facts: FactSet, target: Named) -> None:
        bit = self.bits.of(target.name)
        for table, rows in facts:
            table.marked |= bit
            table.flags[rows] |= np.uint16(bit)

    def _unmark(self, facts: FactSet, target: Named) -> None:
        bit = self.bits.of(target.name)
        for table, rows in facts:
            table.marked &= ~bit
            table.flags[rows] &= np.uint16(0xFFFF ^ bit)

    def end_round(self, facts: FactSet) -> None:
        self.statistics.rounds += 1
        self.statistics.facts += len(facts)
        if self.max_facts is not None and self.statistics.facts > self.max_facts:
            raise LimitExceeded(f"more than {self.max_facts:,} facts were derived")
        if self.on_round is not None:
            self.on_round(self.statistics)


class _Heads:
    """Collects what rules derive, as distinct rows outside a set."""

    def __init__(self, algebra: EmbeddedAlgebra, outside: SetExpression | None) -> None:
        self.algebra = algebra
        self.skip = None if outside is None else algebra.bits.test(outside).truth
        self.first_new: dict[Table, int] = {}
        self.known: dict[Table, list[RowSet]] = {}
        self.considered = 0

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        self.considered += length
        table = compiled.table
        first_new = self.first_new.setdefault(table, table.count)
        known = table.intern([source.column(slots, length) for source in compiled.head], length, self.skip, first_new)
        if len(known):
            self.known.setdefault(table, []).append(known)

    def result(self) -> FactSet:
        """All new rows are results of this derivation, since nobody else makes rows meanwhile."""
        phases = self.algebra.statistics.instances_by_phase
        phases[self.algebra.phase] = phases.get(self.algebra.phase, 0) + self.considered
        parts: dict[Table, RowSet] = {}
        for table, first_new in self.first_new.items():
            new = slice(first_new, table.count)
            known = self.known.get(table, [])
            if not known:
                if row_count(new):
                    parts[table] = new
                continue
            rows = sorted_unique(np.concatenate([as_rows(some) for some in known])) if len(known) > 1 else as_rows(known[0])
            parts[table] = np.concatenate((rows, as_rows(new))) if row_count(new) else rows
        return FactSet(parts)
