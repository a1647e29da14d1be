"""The algebra of `tidelog.maintain.algebra` on tables and indexes of one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from tidelog.engines.embedded.calls import Call, Instances
from tidelog.engines.embedded.compiler import Keep
from tidelog.engines.embedded.exploration import WaitingInstances
from tidelog.engines.embedded.heads import Collector, Heads
from tidelog.engines.embedded.kept import Kept
from tidelog.engines.embedded.levels import Strata
from tidelog.engines.embedded.marks import Origins, marker
from tidelog.engines.embedded.sets import Bits, FactSet, RowSet, as_rows, row_count
from tidelog.engines.embedded.standard import Standard
from tidelog.engines.embedded.trace import EmbeddedTrace
from tidelog.engines.embedded.working import WorkingSets
from tidelog.engines.updating import Abandoned
from tidelog.errors import LimitExceeded
from tidelog.facts.kernel import Ids, Mask
from tidelog.facts.store import Store
from tidelog.facts.table import Table
from tidelog.facts.times import NEVER
from tidelog.maintain.algebra import Passing, Statistics, Upcoming, Update
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import SetExpression, Working
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, Stratum


class EmbeddedAlgebra:
    """Facts of one materialisation in a store."""

    def __init__(
        self,
        store: Store,
        strata: Stratification,
        *,
        on_round: Callable[[Statistics], None] | None = None,
        max_facts: int | None = None,
        bits: Bits | None = None,
    ) -> None:
        self.store = store
        self.strata = strata
        self.statistics = Statistics()
        self.phase = "forward"
        self.ranks_hold = True
        self.expiries_hold = True
        """Whether every fact's expiry is the one that `maintain.expiry` keeps; while no fact expires, if ranks hold."""
        self.budget: int | None = None
        """How many rule instances may be considered before `Abandoned` is raised."""
        self.bits = bits or Bits()
        self.sets = WorkingSets(self.bits)
        self.trace = EmbeddedTrace(self)
        self.origins = Origins()
        self.look: Callable[[], Upcoming[FactSet] | None] | None = None
        """Tells the next update, if it is there; set while an update runs whose successor may be looked at."""
        self.waiting = self.returning = FactSet(self.bits)
        """Marked facts, for the update that was looked at."""
        self._on_round = on_round
        self._max_facts = max_facts
        self._levels = Strata(strata, store.dictionary)
        self._positions: dict[int, tuple[int, ...]] = {}
        self.standard = Standard(store, self.sets, self.recursive_positions, lambda: self.statistics)
        self.kept = Kept(store, self.sets, strata)

    def overlay(self, strata: Stratification) -> EmbeddedAlgebra:
        """An algebra of other rules that reads the same facts, and puts what it derives beside them in tables of its own.

        It gives its sets other bits, since the facts carry those of the running update.
        """
        store = Store(self.store.dictionary)
        store.tables = dict(self.store.tables)
        overlay = EmbeddedAlgebra(store, strata, on_round=self._on_round, max_facts=self._max_facts, bits=self.bits)
        overlay.statistics = self.statistics
        return overlay

    def stages(self, update: Update | None = None, *changes: Working) -> Iterator[Stratum]:
        for stratum in self.strata.strata:
            if update is None:
                self.kept.plant(stratum.index)
            else:
                for vanished, appeared in self.kept.changes(stratum.index, *changes):
                    for facts, given in ((vanished, update.delete), (appeared, update.insert)):
                        assert isinstance(given, Working)
                        given |= facts
            yield stratum

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
        from_lower_ranks: bool = False,
        ranked: bool = False,
        expiring: bool = False,
        passing: Passing | None = None,
    ) -> FactSet:
        everywhere = changed is None and vanished is None
        changed, vanished = self._held(changed), self._held(vanished)
        if not rules or not (everywhere or changed or vanished):
            return self._nothing(passing)
        skip = None if outside is None else self.bits.test(outside).truth
        ranked = ranked or expiring or from_lower_ranks
        positions = self.recursive_positions if ranked else None
        heads = Heads(self.bits, skip, positions, expiring=expiring, from_lower_ranks=from_lower_ranks)
        passes = marker(self, passing, skip, heads)
        call = self._call(positive, negative, own, None if everywhere else changed, None if everywhere else vanished, ranked)
        call = replace(call, expiring=expiring)
        if passes is None:
            self.standard.apply(rules, call, heads)
        else:
            self.standard.apply(rules, replace(call, rows=Keep.ALL), passes)
        found = heads.result()
        if passes is not None:
            passes.finish()
        self.count(heads.considered, len(found))
        return FactSet(self.bits, found.parts) if from_lower_ranks else found

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
            self.standard.apply(rules, self._call(positive, negative, own, changed, vanished, rows), collector)

    def provable(
        self,
        facts: FactSet,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        from_lower_ranks: bool = False,
        ranked: bool = False,
        expiring: bool = False,
        passing: Passing | None = None,
    ) -> FactSet:
        if not facts or not rules:
            return self._nothing(passing)
        proved = Heads(self.bits, None, self.recursive_positions, expiring=expiring)
        passes = marker(self, passing, None, proved)
        call = Call(positive, negative, positive, expiring=expiring)
        note = None if passes is None else passes.note
        self.standard.provable(rules, facts, call, proved, from_lower_ranks=from_lower_ranks, note=note)
        found = proved.result()
        if passes is not None:
            passes.finish()
        self.count(proved.considered, len(found))
        return found if ranked or expiring else FactSet(self.bits, found.parts)

    def _nothing(self, passing: Passing | None) -> FactSet:
        """What follows where there is nothing to apply."""
        if passing is not None:
            passing.look()
        self.count(0)
        return self.empty()

    def exploration(self, rules: Sequence[CoreRule]) -> WaitingInstances:
        return WaitingInstances(self, rules)

    def instances_of(
        self, facts: FactSet, rules: Sequence[CoreRule], positive: SetExpression, negative: SetExpression
    ) -> Iterator[Instances]:
        """The instances that derive facts: their heads, the body facts of the heads' stratum, and the rank those give."""
        call = Call(positive, negative, positive)
        with closing(self.standard.instances_of(rules, facts, call)) as found:
            for instances in found:
                self.count(len(instances[1]))
                yield instances

    def instances(self, rule: CoreRule) -> Iterator[tuple[list[Ids], int]]:
        """The instances of a rule that hold now, part by part: the columns of its head, repeated where it is."""
        return self.standard.instances(rule, Call(I, I, I))

    def _call(
        self,
        positive: SetExpression,
        negative: SetExpression | None,
        own: SetExpression | None,
        changed: FactSet | SetExpression | None,
        vanished: FactSet | SetExpression | None,
        ranked: bool,
    ) -> Call:
        return Call(
            positive,
            positive if negative is None else negative,
            positive if own is None else own,
            None if changed is None else self._held(changed),
            None if vanished is None else self._held(vanished),
            ranked,
        )

    def count(self, considered: int, applied: int = 0) -> None:
        """So many more rule instances were considered, in the present phase, and so many told something new."""
        statistics, phase = self.statistics, self.phase
        for phases, more in ((statistics.instances_by_phase, considered), (statistics.applications_by_phase, applied)):
            phases[phase] = phases.get(phase, 0) + more
        if self.budget is not None and self.statistics.instances > self.budget:
            raise Abandoned(self.statistics.instances)

    def recursive_positions(self, rule: CoreRule) -> tuple[int, ...]:
        """The positive body atoms of the head's own stratum."""
        positions = self._positions.get(id(rule))
        if positions is None:
            positions = self._positions[id(rule)] = self.strata.recursive_positions(rule)
        return positions

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

    # Expiries

    def held(self, facts: FactSet) -> FactSet:
        parts = {table: as_rows(rows) for table, rows in facts}
        expiries = {table: table.times.expiry[rows] for table, rows in parts.items() if table.times is not None}
        return FactSet(self.bits, parts, {table: table.rank[rows] for table, rows in parts.items()}, expiries)

    def given(self, facts: FactSet) -> FactSet:
        expiries = {table: table.times.given[as_rows(rows)] for table, rows in facts if table.times is not None}
        return FactSet(self.bits, facts.parts, None, expiries)

    def longer(self, facts: FactSet, than: SetExpression) -> FactSet:
        test = self.bits.test(than)
        masks: dict[Table, Mask] = {}
        for table, rows in facts:
            masks[table] = ~test.truth[table.flags[rows]]
            if table.times is not None:
                masks[table] |= facts.expiry_of(table) > table.times.expiry[as_rows(rows)]
        return facts.where(masks)

    def lasting(self, facts: FactSet) -> FactSet:
        masks = {table: np.ones(row_count(rows), np.bool_) for table, rows in facts}
        for table, rows in facts:
            if table.times is not None:
                masks[table] = facts.expiry_of(table) >= table.times.expiry[as_rows(rows)]
        return facts.where(masks)

    def set_expiries(self, facts: FactSet) -> None:
        self.set_ranks(facts)
        for table, some in facts:
            expiries, rows = facts.expiry_of(table), as_rows(some)
            if table.times is not None or (len(expiries) and expiries.min() < NEVER):
                self.sets.remember_times(table, rows)
                table.keep_times().expiry[rows] = expiries

    def commit(self, *, deleted: SetExpression, inserted: SetExpression) -> None:
        self.sets.deleted, self.sets.inserted = self.facts(deleted), self.facts(inserted)

    def end_round(self, facts: FactSet) -> None:
        self.statistics.rounds += 1
        self.statistics.facts += len(facts)
        if self._max_facts is not None and self.statistics.facts > self._max_facts:
            raise LimitExceeded(f"more than {self._max_facts:,} facts were derived")
        if self._on_round is not None:
            self._on_round(self.statistics)

    # Marks

    def upcoming(self) -> Upcoming[FactSet] | None:
        return None if self.look is None else self.look()

    def shared(self, facts: FactSet) -> FactSet:
        return FactSet(self.bits, self.origins.shared(facts))

    def keep_marks(self, waiting: FactSet, returning: FactSet) -> None:
        self.waiting, self.returning = waiting, returning

    def kept_marks(self) -> tuple[FactSet, FactSet]:
        return self.waiting & I, self.returning
