"""The algebra of `tidelog.maintain.algebra` on tables and indexes of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tidelog.engines.embedded.compiler import HEAD, Compiled, Compiler
from tidelog.engines.embedded.dispatch import Dispatch
from tidelog.engines.embedded.exploration import WaitingInstances
from tidelog.engines.embedded.heads import Collector, Heads
from tidelog.engines.embedded.levels import Strata
from tidelog.engines.embedded.operators import Context, Slots, run
from tidelog.engines.embedded.sets import Bits, FactSet, Ranks, RowSet, as_rows
from tidelog.engines.embedded.trace import EmbeddedTrace
from tidelog.engines.embedded.working import WorkingSets
from tidelog.errors import LimitExceeded
from tidelog.facts.kernel import Ids, Rows
from tidelog.facts.statistics import StoreStatistics
from tidelog.facts.store import Store
from tidelog.facts.table import Table
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import Difference, Named, SetExpression, Union, Working
from tidelog.plan.model import Pivot, Place
from tidelog.plan.planner import pivots, plan
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, Stratum

CHANGED, VANISHED = Named("changed"), Named("vanished")
"""Mark the P and N of a derivation while it runs."""


class Abandoned(Exception):
    """An update was given up because it took too much; for the engine, which has another way."""

    def __init__(self, instances: int) -> None:
        self.instances = instances


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
        self.phase = "forward"
        self.ranks_hold = True
        self.budget: int | None = None
        """How many rule instances may be considered before `Abandoned` is raised."""
        self.bits = Bits()
        self.sets = WorkingSets(self.bits)
        self.trace = EmbeddedTrace(self)
        self._on_round = on_round
        self._max_facts = max_facts
        self._levels = Strata(strata, store.dictionary)
        self._compiler = Compiler(store)
        self._planner_statistics = StoreStatistics(store)
        # By identity, since hashing rules costs more than a small round: the rules belong to `strata` and live as long.
        self._dispatches: dict[tuple[int, str], Dispatch] = {}
        self._everywhere: dict[tuple[int, bool], Compiled] = {}
        self._positions: dict[int, tuple[int, ...]] = {}
        self._plan_size = -1

    def overlay(self, strata: Stratification) -> EmbeddedAlgebra:
        """An algebra of other rules that reads the same facts, and puts what it derives beside them in tables of its own."""
        store = Store(self.store.dictionary)
        store.tables = dict(self.store.tables)
        overlay = EmbeddedAlgebra(store, strata, on_round=self._on_round, max_facts=self._max_facts)
        overlay.statistics = self.statistics
        return overlay

    # Applying rules

    def derive(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        own: SetExpression | None = None,
        changed: FactSet | SetExpression | None = None,
        vanished: FactSet | SetExpression | None = None,
        outside: SetExpression | None = None,
        ranked: bool = False,
    ) -> FactSet:
        skip = None if outside is None else self.bits.test(outside).truth
        heads = Heads(self.bits, skip, self._recursive_positions if ranked else None)
        self.apply(heads, rules, positive, negative, own=own, changed=changed, vanished=vanished, rows=ranked)
        self.count(heads.considered)
        return heads.result()

    def apply(
        self,
        collector: Collector,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        own: SetExpression | None = None,
        changed: FactSet | SetExpression | None = None,
        vanished: FactSet | SetExpression | None = None,
        rows: bool = False,
    ) -> None:
        """Hand the rule instances of `derive` to a collector; with `rows`, the rows of the head's stratum among their slots."""
        if rules:
            self._forget_old_plans()
            context = self._context(positive, positive if negative is None else negative, own)
            if changed is None and vanished is None:
                self._apply_everywhere(rules, context, collector, rows)
            else:
                self._apply_to_changes(rules, context, collector, self._held(changed), self._held(vanished), rows)

    def _apply_everywhere(self, rules: Sequence[CoreRule], context: Context, collector: Collector, ranked: bool) -> None:
        for rule in rules:
            compiled = self._everywhere_plan(rule, ranked)
            for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), context):
                collector.take(compiled, length, slots)

    def _apply_to_changes(
        self,
        rules: Sequence[CoreRule],
        context: Context,
        collector: Collector,
        changed: FactSet,
        vanished: FactSet,
        ranked: bool,
    ) -> None:
        if not changed and not vanished:
            return
        kind = "ranked " if ranked else ""
        positive = self._dispatch(rules, f"{kind}positive")
        negative = self._dispatch(rules, f"{kind}negative") if vanished else None
        marking = positive.needs_marks or (negative is not None and negative.needs_marks)
        try:
            if marking:
                self.sets.mark(changed, CHANGED)
                self.sets.mark(vanished, VANISHED)
            for compiled, length, slots in self._matches(positive, changed, context):
                collector.take(compiled, length, slots)
            if negative is not None:
                for compiled, length, slots in self._matches(negative, vanished, context):
                    collector.take(compiled, length, slots)
        finally:
            if marking:
                self.sets.unmark(CHANGED)
                self.sets.unmark(VANISHED)

    def _matches(self, dispatch: Dispatch, facts: FactSet, context: Context) -> Iterator[tuple[Compiled, int, Slots]]:
        for compiled, rows in dispatch.plans_for(facts):
            assert compiled.start is not None
            for length, slots in compiled.start.begin(rows):
                for found, found_slots in run(compiled.operators, 0, length, slots, context):
                    yield compiled, found, found_slots

    def provable(
        self,
        facts: FactSet,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        from_lower_ranks: bool = False,
        ranked: bool = False,
    ) -> FactSet:
        proved = Heads(self.bits, None, self._recursive_positions)
        if facts and rules:
            self._forget_old_plans()
            context = self._context(positive, negative)
            for compiled, length, slots in self._matches(self._dispatch(rules, "ranked head"), facts, context):
                ranks = proved.ranks_above(compiled, slots, length)
                rows = slots[compiled.row_slots[HEAD]]
                if from_lower_ranks and self._recursive_positions(compiled.plan.rule):
                    lower = ranks <= compiled.table.rank[rows]
                    rows, ranks = rows[lower], ranks[lower]
                proved.take_rows(compiled.table, rows, ranks, length)
        self.count(proved.considered)
        found = proved.result()
        return found if ranked else FactSet(self.bits, found.parts)

    def exploration(self, rules: Sequence[CoreRule]) -> WaitingInstances:
        return WaitingInstances(self, rules)

    def instances_of(
        self, facts: FactSet, rules: Sequence[CoreRule], positive: SetExpression, negative: SetExpression
    ) -> Iterator[tuple[Table, Rows, list[tuple[Table, Rows]], Ranks]]:
        """The instances that derive facts: their heads, the body facts of the heads' stratum, and the rank those give."""
        heads = Heads(self.bits, None, self._recursive_positions)
        self._forget_old_plans()
        context = self._context(positive, negative)
        for compiled, length, slots in self._matches(self._dispatch(rules, "ranked head"), facts, context):
            self.count(length)
            rule = compiled.plan.rule
            premises = [
                (compiled.table_of(rule.positive[position]), slots[compiled.row_slots[position]])
                for position in self._recursive_positions(rule)
            ]
            yield compiled.table, slots[compiled.row_slots[HEAD]], premises, heads.ranks_above(compiled, slots, length)

    def instances(self, rule: CoreRule) -> Iterator[tuple[list[Ids], int]]:
        """The instances of a rule that hold now, part by part: the columns of its head, repeated where it is."""
        self._forget_old_plans()
        compiled = self._everywhere_plan(rule, False)
        for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), self._context(I, I)):
            yield [source.column(slots, length) for source in compiled.head], length

    def count(self, considered: int) -> None:
        """So many more rule instances were considered, in the present phase."""
        phases = self.statistics.instances_by_phase
        phases[self.phase] = phases.get(self.phase, 0) + considered
        if self.budget is not None and self.statistics.instances > self.budget:
            raise Abandoned(self.statistics.instances)

    # Plans

    def _context(self, positive: SetExpression, negative: SetExpression, own: SetExpression | None = None) -> Context:
        own = positive if own is None else own
        sets = (
            *(positive, Difference(positive, CHANGED)),
            *(own, Difference(own, CHANGED)),
            *(negative, Union(negative, VANISHED)),
        )
        return Context([self.bits.test(expression) for expression in sets])

    def _everywhere_plan(self, rule: CoreRule, ranked: bool) -> Compiled:
        compiled = self._everywhere.get((id(rule), ranked))
        if compiled is None:
            compiled = self._compile(rule, Pivot(Place.ANYWHERE), ranked)
            self._everywhere[id(rule), ranked] = compiled
        return compiled

    def _compile(self, rule: CoreRule, pivot: Pivot, ranked: bool) -> Compiled:
        own = self._recursive_positions(rule)
        keep = (*(own if ranked else ()), *((HEAD,) if pivot.place is Place.HEAD else ()))
        return self._compiler.compile(plan(rule, pivot, self._planner_statistics), own, keep)

    def _dispatch(self, rules: Sequence[CoreRule], kind: str) -> Dispatch:
        """The plans of some rules from all places of one kind; `ranked` ones keep the rows that ranks depend on."""
        dispatch = self._dispatches.get((id(rules), kind))
        if dispatch is None:
            place = Place(kind.removeprefix("ranked "))
            ranked = kind.startswith("ranked ")
            dispatch = Dispatch(self._compile(rule, pivot, ranked) for rule in rules for pivot in _starts(rule, place))
            self._dispatches[id(rules), kind] = dispatch
        return dispatch

    def _recursive_positions(self, rule: CoreRule) -> tuple[int, ...]:
        positions = self._positions.get(id(rule))
        if positions is None:
            positions = self._positions[id(rule)] = self.strata.recursive_positions(rule)
        return positions

    def _forget_old_plans(self) -> None:
        """Plan anew when the facts have grown fourfold since the plans were made."""
        size = sum(table.count for table in self.store).bit_length() >> 1
        if size != self._plan_size:
            self._plan_size = size
            self._dispatches.clear()
            self._everywhere.clear()

    # Sets

    def working(self, name: str) -> Working:
        return self.sets.new(name)

    def empty(self) -> FactSet:
        return FactSet(self.bits)

    def facts(self, expression: SetExpression) -> FactSet:
        return self.sets.facts(expression, self.store)

    def _held(self, facts: FactSet | SetExpression | None) -> FactSet:
        if facts is None:
            return self.empty()
        return facts if isinstance(facts, FactSet) else self.facts(facts)

    def within(self, facts: FactSet | SetExpression, stratum: Stratum) -> FactSet:
        parts: dict[Table, RowSet] = {}
        for table, rows in self._held(facts):
            level = self._levels.of(table, rows)
            if isinstance(level, int):
                if level == stratum.index:
                    parts[table] = rows
            else:
                parts[table] = as_rows(rows)[level == stratum.index]
        return FactSet(self.bits, parts)

    def add(self, name: str, facts: FactSet) -> None:
        self.sets.add(name, facts)

    def set_ranks(self, facts: FactSet, rank: int | None = None) -> None:
        for table, rows in facts:
            self.sets.remember_ranks(table, rows)
            table.rank[rows] = facts.rank_of(table) if rank is None else rank

    def commit(self, *, deleted: SetExpression, inserted: SetExpression) -> None:
        self.sets.deleted, self.sets.inserted = self.facts(deleted), self.facts(inserted)

    def end_round(self, facts: FactSet) -> None:
        self.statistics.rounds += 1
        self.statistics.facts += len(facts)
        if self._max_facts is not None and self.statistics.facts > self._max_facts:
            raise LimitExceeded(f"more than {self._max_facts:,} facts were derived")
        if self._on_round is not None:
            self._on_round(self.statistics)


def _starts(rule: CoreRule, place: Place) -> Iterable[Pivot]:
    return [Pivot(Place.HEAD)] if place is Place.HEAD else [pivot for pivot in pivots(rule) if pivot.place is place]
