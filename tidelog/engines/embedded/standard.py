"""Rules by join plans, one for each place where a change can enter a rule.

Each rule instance is found exactly once (equations 156 and 157 of Motik et al. 2019), so those who need instances one by
one are served as well: `apply` hands them to any collector.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing

from tidelog.engines.embedded.calls import Call, Instances
from tidelog.engines.embedded.compiler import HEAD, Compiled, Compiler, Keep
from tidelog.engines.embedded.dispatch import Dispatch
from tidelog.engines.embedded.existence import Matches, Proved, thinned
from tidelog.engines.embedded.heads import Collector, Heads, before, expiries_above
from tidelog.engines.embedded.hubs import matches
from tidelog.engines.embedded.operators import Context, Probe, Slots, run
from tidelog.engines.embedded.sets import Bits, FactSet, RowSet, one_of_each
from tidelog.engines.embedded.working import WorkingSets
from tidelog.facts.kernel import Ids, Rows
from tidelog.facts.statistics import StoreStatistics
from tidelog.facts.store import Store
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import Difference, Named, Union
from tidelog.plan.calculated import calculated_columns, plan_from_rest
from tidelog.plan.model import Pivot, Place, Plan
from tidelog.plan.planner import other_beginnings, pivots, plan
from tidelog.plan.together import gather
from tidelog.program.normal import CoreRule

CHANGED, VANISHED = Named("changed"), Named("vanished")
"""Mark the P and N of a derivation while it runs."""


class Standard:
    """Join plans over the tables of one store."""

    def __init__(
        self,
        store: Store,
        sets: WorkingSets,
        own_positions: Callable[[CoreRule], tuple[int, ...]],
        work: Callable[[], Statistics],
    ) -> None:
        self.store = store
        self.sets = sets
        self.own_positions = own_positions
        """The positive atoms of a rule that are of the head's stratum."""
        self.work = work
        """The statistics of the running update."""
        self._compiler = Compiler(store)
        self._statistics = StoreStatistics(store)
        # By identity, since hashing rules costs more than a small round: the rules belong to `strata` and live as long.
        self._dispatches: dict[tuple[int, Place, Keep], Dispatch] = {}
        self._everywhere: dict[tuple[int, Keep], Compiled] = {}
        self._others: dict[int, list[Compiled]] = {}
        self._plan_size = -1

    @property
    def bits(self) -> Bits:
        return self.sets.bits

    def apply(self, rules: Sequence[CoreRule], call: Call, collector: Collector) -> None:
        """Hand the rule instances of a call to a collector, the rows that the call wants among their slots."""
        self._forget_old_plans()
        if not call.everywhere:
            self._apply_to_changes(rules, collector, call)
            return
        context = self._context(call)
        for rule in rules:
            compiled = self._everywhere_plan(rule, call.keep)
            for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), context):
                collector.take(compiled, length, slots)

    def _apply_to_changes(self, rules: Sequence[CoreRule], collector: Collector, call: Call) -> None:
        entered: list[tuple[Compiled, RowSet]] = []
        marking = False
        for place, facts in ((Place.POSITIVE, call.changed), (Place.NEGATIVE, call.vanished)):
            if facts:
                dispatch = self._dispatch(rules, place, call.keep)
                entered += dispatch.plans_for(facts)
                marking |= dispatch.needs_marks
        if not entered:
            return
        try:
            if marking:
                self.sets.mark(call.changed or FactSet(self.bits), CHANGED)
                self.sets.mark(call.vanished or FactSet(self.bits), VANISHED)
            for compiled, length, slots in self._matches(entered, self._context(call)):
                collector.take(compiled, length, slots)
        finally:
            if marking:
                self.sets.unmark(CHANGED)
                self.sets.unmark(VANISHED)

    def _matches(self, entered: Iterable[tuple[Compiled, RowSet]], context: Context, proved: Proved | None = None) -> Matches:
        for compiled, rows in entered:
            assert compiled.start is not None
            if compiled.by is not None:
                yield from self._matches_of_rest(compiled, rows, context, proved)
                continue
            for length, slots in compiled.start.begin(rows):
                yield from matches(compiled, length, slots, context, self._others_of, proved)

    def _matches_of_rest(self, compiled: Compiled, rows: RowSet, context: Context, proved: Proved | None) -> Matches:
        """The rule instances of a plan that starts from a part of heads, and ends at all heads that have this part."""
        assert compiled.start is not None
        assert compiled.by is not None
        for length, slots in compiled.start.begin(one_of_each(compiled.table, rows, compiled.by)):
            if proved is None:
                yield from matches(compiled, length, slots, context, self._others_of)
            else:
                found = thinned(compiled, 0, (length, slots), context)
                yield from ((compiled, *instances) for instances in found)

    def provable(
        self,
        rules: Sequence[CoreRule],
        facts: FactSet,
        call: Call,
        proved: Heads,
        *,
        from_lower_ranks: bool,
        note: Callable[[Compiled, Slots, Rows], None] | None = None,
    ) -> None:
        """With `note`, that is told of all instances, with the rows of all body facts among the slots, and their heads."""
        self._forget_old_plans()
        if note is not None or call.expiring:
            keep, done = Keep.ALL, None  # every instance tells something
        else:
            keep, done = Keep.LOWER if from_lower_ranks else Keep.OWN, Proved()
        with closing(self._matches_of_heads(rules, facts, call, keep, done)) as found:
            self._take_proved(found, proved, done, call.expiring, from_lower_ranks, note)

    def _take_proved(
        self,
        found: Matches,
        proved: Heads,
        done: Proved | None,
        expiring: bool,
        from_lower_ranks: bool,
        note: Callable[[Compiled, Slots, Rows], None] | None,
    ) -> None:
        """The heads of rule instances, of those that come after their body facts if that is asked for."""
        for compiled, length, slots in found:
            rows = slots[compiled.row_slots[HEAD]]
            expiries = expiries_above(compiled, slots, length) if expiring else None
            witnesses = compiled.witnesses
            ranks = compiled.table.rank[rows] if witnesses else proved.ranks_above(compiled, slots, length, expiries)
            if note is not None:
                note(compiled, slots, rows)
            if from_lower_ranks and not witnesses and (expiries is not None or self.own_positions(compiled.plan.rule)):
                lower = before(compiled.table, rows, ranks, expiries)
                rows, ranks, expiries = rows[lower], ranks[lower], None if expiries is None else expiries[lower]
            if done is not None:
                done.add(compiled.table, rows)
            proved.take_rows(compiled.table, rows, ranks, length, expiries)

    def instances_of(self, rules: Sequence[CoreRule], facts: FactSet, call: Call) -> Generator[Instances, None, None]:
        heads = Heads(self.bits, None, self.own_positions)
        self._forget_old_plans()
        with closing(self._matches_of_heads(rules, facts, call, Keep.OWN)) as found:
            for compiled, length, slots in found:
                rule = compiled.plan.rule
                premises = [
                    (compiled.table_of(rule.positive[position]), slots[compiled.row_slots[position]])
                    for position in self.own_positions(rule)
                ]
                yield compiled.table, slots[compiled.row_slots[HEAD]], premises, heads.ranks_above(compiled, slots, length)

    def _matches_of_heads(
        self, rules: Sequence[CoreRule], facts: FactSet, call: Call, keep: Keep, proved: Proved | None = None
    ) -> Generator[tuple[Compiled, int, Slots], None, None]:
        """The rule instances that derive some facts. To be closed, however it ends: then the marks go."""
        dispatch = self._dispatch(rules, Place.HEAD, keep)
        try:
            if dispatch.needs_marks:
                self.sets.mark(facts, CHANGED)
            yield from self._matches(dispatch.plans_for(facts), self._context(call), proved)
        finally:
            if dispatch.needs_marks:
                self.sets.unmark(CHANGED)

    def instances(self, rule: CoreRule, call: Call) -> Iterator[tuple[list[Ids], int]]:
        """The instances of a rule, part by part: the columns of its head, repeated where it is."""
        self._forget_old_plans()
        compiled = self._everywhere_plan(rule, Keep.NONE)
        for length, slots in run(compiled.operators, 0, 1, compiled.no_slots(), self._context(call)):
            yield [source.column(slots, length) for source in compiled.head], length

    # Plans

    def _context(self, call: Call) -> Context:
        sets = (
            *(call.positive, Difference(call.positive, CHANGED)),
            *(call.own, Difference(call.own, CHANGED)),
            *(call.negative, Union(call.negative, VANISHED)),
            CHANGED,
        )
        return Context([self.bits.test(expression) for expression in sets], self.work())

    def _everywhere_plan(self, rule: CoreRule, keep: Keep) -> Compiled:
        compiled = self._everywhere.get((id(rule), keep))
        if compiled is None:
            compiled = self._compile(rule, Pivot(Place.ANYWHERE), keep)
            self._everywhere[id(rule), keep] = compiled
        return compiled

    def _compile(self, rule: CoreRule, pivot: Pivot, keep: Keep) -> Compiled:
        own = self.own_positions(rule)
        body: Sequence[int] = {Keep.NONE: (), Keep.ALL: range(len(rule.positive))}.get(keep, own)
        rows = (*body, HEAD) if pivot.place is Place.HEAD else body
        made = gather(self._plan(rule, pivot), self._statistics)
        from_rest = pivot.place is Place.HEAD and bool(calculated_columns(rule))  # which knows no head before the end
        return self._compiler.compile(made, own, rows, witnesses=keep is Keep.LOWER and not from_rest)

    def _plan(self, rule: CoreRule, pivot: Pivot, first: int | None = None) -> Plan:
        if pivot.place is Place.HEAD and calculated_columns(rule):
            return plan_from_rest(rule, self._statistics, first=first)
        return plan(rule, pivot, self._statistics, first=first)

    def _others_of(self, compiled: Compiled) -> Sequence[Compiled]:
        """The plans that begin with another atom than this one, as far as that is found through an index."""
        others = self._others.get(id(compiled))
        if others is None:
            made, own, rows = compiled.plan, self.own_positions(compiled.plan.rule), tuple(compiled.row_slots)
            plans = [self._plan(made.rule, made.pivot, first) for first in other_beginnings(made)]
            others = [self._compiler.compile(other, own, rows, witnesses=compiled.witnesses) for other in plans]
            others = self._others[id(compiled)] = [other for other in others if isinstance(other.operators[0], Probe)]
        return others

    def _dispatch(self, rules: Sequence[CoreRule], place: Place, keep: Keep) -> Dispatch:
        """The plans of some rules from all places of one kind, which keep these rows."""
        dispatch = self._dispatches.get((id(rules), place, keep))
        if dispatch is None:
            dispatch = Dispatch(self._compile(rule, pivot, keep) for rule in rules for pivot in _starts(rule, place))
            self._dispatches[id(rules), place, keep] = dispatch
        return dispatch

    def _forget_old_plans(self) -> None:
        """Plan anew when the facts have grown fourfold since the plans were made."""
        size = sum([table.count for table in self.store]).bit_length() >> 1
        if size != self._plan_size:
            self._plan_size = size
            self._dispatches.clear()
            self._everywhere.clear()
            self._others.clear()


def _starts(rule: CoreRule, place: Place) -> Iterable[Pivot]:
    return [Pivot(Place.HEAD)] if place is Place.HEAD else [pivot for pivot in pivots(rule) if pivot.place is place]
