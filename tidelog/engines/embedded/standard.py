"""Rules by join plans, one for each place where a change can enter a rule.

Each rule instance is found exactly once (equations 156 and 157 of Motik et al. 2019), so those who need instances one by
one are served as well: `apply` hands them to any collector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tidelog.engines.embedded.calls import Call, Instances
from tidelog.engines.embedded.compiler import HEAD, Compiled, Compiler, Keep
from tidelog.engines.embedded.dispatch import Dispatch
from tidelog.engines.embedded.existence import Matches, Proved
from tidelog.engines.embedded.heads import Collector, Heads, before, expiries_above
from tidelog.engines.embedded.hubs import matches
from tidelog.engines.embedded.operators import Context, Probe, Slots, run
from tidelog.engines.embedded.sets import Bits, FactSet, RowSet
from tidelog.engines.embedded.working import WorkingSets
from tidelog.facts.kernel import Ids, Rows
from tidelog.facts.statistics import StoreStatistics
from tidelog.facts.store import Store
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import Difference, Named, Union
from tidelog.plan.model import Pivot, Place
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
            for length, slots in compiled.start.begin(rows):
                yield from matches(compiled, length, slots, context, self._others_of, proved)

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
        entered = self._dispatch(rules, Place.HEAD, keep).plans_for(facts)
        for compiled, length, slots in self._matches(entered, self._context(call), done):
            rows = slots[compiled.row_slots[HEAD]]
            expiries = expiries_above(compiled, slots, length) if call.expiring else None
            ranks = (
                proved.ranks_above(compiled, slots, length, expiries) if keep is not Keep.LOWER else compiled.table.rank[rows]
            )
            if note is not None:
                note(compiled, slots, rows)
            if from_lower_ranks and keep is Keep.ALL and (expiries is not None or self.own_positions(compiled.plan.rule)):
                lower = before(compiled.table, rows, ranks, expiries)
                rows, ranks, expiries = rows[lower], ranks[lower], None if expiries is None else expiries[lower]
            if done is not None:
                done.add(compiled.table, rows)
            proved.take_rows(compiled.table, rows, ranks, length, expiries)

    def instances_of(self, rules: Sequence[CoreRule], facts: FactSet, call: Call) -> Iterator[Instances]:
        heads = Heads(self.bits, None, self.own_positions)
        self._forget_old_plans()
        entered = self._dispatch(rules, Place.HEAD, Keep.OWN).plans_for(facts)
        for compiled, length, slots in self._matches(entered, self._context(call)):
            rule = compiled.plan.rule
            premises = [
                (compiled.table_of(rule.positive[position]), slots[compiled.row_slots[position]])
                for position in self.own_positions(rule)
            ]
            yield compiled.table, slots[compiled.row_slots[HEAD]], premises, heads.ranks_above(compiled, slots, length)

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
        made = gather(plan(rule, pivot, self._statistics), self._statistics)
        return self._compiler.compile(made, own, rows, witnesses=keep is Keep.LOWER)

    def _others_of(self, compiled: Compiled) -> Sequence[Compiled]:
        """The plans that begin with another atom than this one, as far as that is found through an index."""
        others = self._others.get(id(compiled))
        if others is None:
            made, own, rows = compiled.plan, self.own_positions(compiled.plan.rule), tuple(compiled.row_slots)
            plans = [plan(made.rule, made.pivot, self._statistics, first=first) for first in other_beginnings(made)]
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
