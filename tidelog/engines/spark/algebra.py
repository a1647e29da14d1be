"""The algebra of `tidelog.maintain.algebra` on Spark DataFrames.

What a round derives is one statement, whatever the number of rules. If the change is small it is expected to derive little:
then the instances come to the driver at once, as far as they are few, and the driver asks for the states of the facts it has
not met. If they turn out to be many, or the change is large, Spark groups them, looks each fact up in the runs, and keeps the
new ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tidelog.engines.spark.conditions import Conditions
from tidelog.engines.spark.expiries import TimedFacts
from tidelog.engines.spark.exploration import WaitingInstances
from tidelog.engines.spark.facts import FactSet, Few, TooLarge
from tidelog.engines.spark.frames import Cluster, Frame
from tidelog.engines.spark.instances import (
    Fact,
    Instances,
    by_predicate,
    grounded,
    head_width,
    heads_of,
    heads_sql,
    latest,
    lowest,
    scanned,
)
from tidelog.engines.spark.levels import Levels
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.many import derive_many
from tidelog.engines.spark.marks import Origins, marker
from tidelog.engines.spark.matching import Call, Matcher
from tidelog.engines.spark.tables import Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.trace import SparkTrace
from tidelog.engines.spark.truth import PRESENT
from tidelog.engines.updating import Abandoned
from tidelog.errors import LimitExceeded
from tidelog.maintain.algebra import Passing, Statistics, Upcoming, Update
from tidelog.maintain.sets import PRESENT as I
from tidelog.maintain.sets import SetExpression, Working
from tidelog.plan.model import Pivot, Place, Plan
from tidelog.plan.planner import pivots, plan
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, Stratum
from tidelog.syntax.ast import Atom


class SparkAlgebra(TimedFacts):
    """Facts of one materialisation on a cluster."""

    def __init__(
        self,
        tables: Tables,
        strata: Stratification,
        terms: Terms,
        *,
        few: int,
        on_round: Callable[[Statistics], None] | None = None,
        max_facts: int | None = None,
    ) -> None:
        super().__init__(tables)
        self.strata, self.terms = strata, terms
        self.budget: int | None = None
        """How many rule instances may be considered before `Abandoned` is raised."""
        self.few = few
        """How many facts, or rule instances, of one step the driver takes."""
        self.statistics = Statistics()
        self.phase = "forward"
        self.ranks_hold = True
        self.expiries_hold = True
        self.building = False
        """Whether a materialisation is built: then new facts need not pass through the driver."""
        self.inserted = self.deleted = FactSet(self)
        self.look: Callable[[], Upcoming[FactSet] | None] | None = None
        """Tells the next update, if it is there; set while an update runs whose successor may be looked at."""
        self.waiting = self.returning = FactSet(self)
        """Marked facts, for the update that was looked at."""
        self.origins = Origins()
        self.trace = SparkTrace(self)
        self._on_round = on_round
        self._max_facts = max_facts
        self._levels = Levels(strata, terms)
        self._positions: dict[int, tuple[int, ...]] = {}
        self._plans: dict[tuple[int, Pivot], Plan] = {}
        self.matcher = Matcher(tables, self.bits, terms, Conditions(terms, self.cluster), self.recursive_positions)

    def release(self) -> None:
        """Give back what lies on the cluster."""
        self.tables.release()
        self.trace.forget()

    def overlay(self, strata: Stratification) -> SparkAlgebra:
        """An algebra of other rules that reads the same facts, and puts what it derives beside them in tables of its own."""
        overlay = SparkAlgebra(
            self.tables.overlay(), strata, self.terms, few=self.few, on_round=self._on_round, max_facts=self._max_facts
        )
        overlay.statistics = self.statistics
        return overlay

    @property
    def cluster(self) -> Cluster:
        return self.tables.cluster

    def stages(self, update: Update | None = None, *changes: Working) -> Iterator[Stratum]:
        yield from self.strata.strata

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
        passes = marker(self, passing)
        ranked |= expiring or from_lower_ranks
        instances = self.statements(
            rules, positive, negative, own=own, changed=changed, vanished=vanished, ranked=ranked, expiring=expiring
        )
        if not instances:
            return self.empty()
        if passes is not None:
            marked = grounded(self.matcher, instances, self.few)
            found = self._outside(heads_of(marked), outside)
            passes.take(marked, outside)
            self.count(len(marked), len(found))
            return found
        on_cluster = self.building and any(table.runs for table in self.tables.values())
        if not on_cluster and all(one.found.rows <= self.few for one in instances):
            statement = heads_sql(self.matcher, instances, expiring=expiring)
            rows = self.cluster.collect(statement, self.few, scanned=scanned(self.tables, instances))
            if rows is not None:
                considered = len(rows)
                if from_lower_ranks:
                    meet(self.tables, lowest(self.tables, instances, rows))
                    rows = [row for row in rows if self._from_lower(instances[row.tag].rule, row)]
                found = self._found(instances, rows, outside, expiring)
                self.count(considered, len(found))
                return found
        # With `from_lower_ranks` others may be among these heads: whoever asks for witnesses is told of a few too many.
        return derive_many(self, instances, outside, ranked=ranked, expiring=expiring)

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
        passes = marker(self, passing)
        instances = self.instances_of(facts, rules, positive, negative, expiring=expiring)
        if not instances:
            return self.empty()
        if expiring:
            return self._provable_for(instances, from_lower_ranks)
        if passes is not None:
            passes.take(grounded(self.matcher, instances, self.few), None)
        heads = heads_sql(self.matcher, instances)
        rows = self.cluster.collect(heads, self.few, scanned=scanned(self.tables, instances))
        if rows is None:
            columns = ", ".join(f"h{i}" for i in range(head_width(self.tables, instances)))
            grouped = f"SELECT tag, {columns}, min(k) AS k, count(*) AS n FROM ({heads}) GROUP BY tag, {columns}"
            rows = self.cluster.collect(grouped, len(facts) * len(instances), scanned=scanned(self.tables, instances)) or []
            self.count(sum(row.n for row in rows))
        else:
            self.count(len(rows))
        if from_lower_ranks:
            rows = [row for row in rows if self._from_lower(instances[row.tag].rule, row)]
        proved = lowest(self.tables, instances, rows)
        self.count(0, sum(map(len, proved.values())))
        return FactSet(self, proved if ranked else {p: dict.fromkeys(part, 0) for p, part in proved.items()})

    def _provable_for(self, instances: Sequence[Instances], from_lower_ranks: bool) -> FactSet:
        """`provable` with expiries: those that the instances give, or that let the facts hold as long as they do."""
        statement = heads_sql(self.matcher, instances, expiring=True)
        rows = self.cluster.collect(statement, self.few, scanned=scanned(self.tables, instances))
        if rows is None:
            raise TooLarge
        if from_lower_ranks:
            rows = [row for row in rows if self._before(instances[row.tag].rule, row)]
        proved = FactSet(self, *latest(self.tables, instances, rows))
        self.count(len(rows), len(proved))
        return proved

    def exploration(self, rules: Sequence[CoreRule]) -> WaitingInstances:
        return WaitingInstances(self, rules)

    def instances_of(
        self,
        facts: FactSet,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        expiring: bool = False,
    ) -> list[Instances]:
        """Statements for the rule instances that derive facts."""
        call = Call(positive, negative, positive, heads=dict(facts.few()), ranked=True, expiring=expiring)
        wanted = [rule for rule in rules if rule.head.predicate in facts.parts]
        found = ((rule, self.matcher.bindings(self._plan(rule, Pivot(Place.HEAD)), call)) for rule in wanted)
        return [Instances(rule, bindings) for rule, bindings in found if bindings is not None]

    def statements(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression | None = None,
        *,
        own: SetExpression | None = None,
        changed: FactSet | SetExpression | None = None,
        vanished: FactSet | SetExpression | None = None,
        ranked: bool = False,
        expiring: bool = False,
    ) -> list[Instances]:
        """Statements for the rule instances of `derive`."""
        call = Call(
            positive,
            positive if negative is None else negative,
            positive if own is None else own,
            self._held(changed).parts,
            self._held(vanished).parts,
            ranked=ranked,
            expiring=expiring,
        )
        return list(self._instances(rules, call, changed is None and vanished is None))

    def _instances(self, rules: Iterable[CoreRule], call: Call, everything: bool) -> Iterable[Instances]:
        for rule in rules:
            for pivot in [Pivot(Place.ANYWHERE)] if everything else pivots(rule):
                if not everything and not self._enters(rule, pivot, call):
                    continue
                found = self.matcher.bindings(self._plan(rule, pivot), call)
                if found is not None:
                    yield Instances(rule, found)

    def _enters(self, rule: CoreRule, pivot: Pivot, call: Call) -> bool:
        if pivot.place is Place.POSITIVE:
            return rule.positive[pivot.position].predicate in call.changed
        return rule.negative[pivot.position].predicate in call.vanished

    def _plan(self, rule: CoreRule, pivot: Pivot) -> Plan:
        return plan(rule, pivot, self)

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        """For the planner: a guess from the size of the table, as if all columns told as much."""
        table = self.tables[atom.predicate]
        rows, width = max(1, table.stored + len(table.met)), max(1, len(atom.terms))
        return float(rows ** ((width - len(bound)) / width))

    def largest(self) -> float:
        """For the planner."""
        return float(max((table.stored + len(table.met) for table in self.tables.values()), default=0))

    def _from_lower(self, rule: CoreRule, row: Sequence[int]) -> bool:
        """Whether an instance derives its head from facts below the head's own rank."""
        if not self.recursive_positions(rule):
            return True
        table = self.tables[rule.head.predicate]
        head = tuple(row[1 : 1 + len(table.columns)])
        return bool(row["k"] <= table.met[head].rank)  # type: ignore[call-overload]  # a Row of Spark's knows names

    def _before(self, rule: CoreRule, row: Any) -> bool:
        """Whether an instance comes before its head as that is now: by expiry, the latest first, then by rank."""
        table = self.tables[rule.head.predicate]
        state = table.met[tuple(row[1 : 1 + len(table.columns)])]
        return bool(row.e > state.expiry or (row.e == state.expiry and row.k <= state.rank))

    def _found(
        self, instances: Sequence[Instances], rows: Sequence[Any], outside: SetExpression | None, expiring: bool
    ) -> FactSet:
        """What instances derive, without what is in a set; with expiries, no longer than that does."""
        if not expiring:
            return self._outside(lowest(self.tables, instances, rows), outside)
        heads, expiries = latest(self.tables, instances, rows)
        meet(self.tables, heads)
        found = FactSet(self, heads, expiries)
        return found if outside is None else self.longer(found, outside)

    def _outside(self, heads: dict[str, Few], outside: SetExpression | None) -> FactSet:
        """The facts without those in a set, and all of them met."""
        meet(self.tables, heads)
        found = FactSet(self, heads)
        return found if outside is None else found - outside

    # Sets

    def working(self, name: str) -> Working:
        bit = self.bits.of(name)
        for table in self.tables.values():
            for state in table.met.values():
                state.flags &= ~bit
        return Working(name, self.add)

    def empty(self) -> FactSet:
        return FactSet(self)

    def facts(self, expression: SetExpression) -> FactSet:
        truth = self.bits.truth(expression)
        if truth.stored() is not None and any(table.runs for table in self.tables.values()):
            raise TooLarge
        return FactSet(
            self,
            {p: {row: 0 for row, state in table.met.items() if truth[state.flags]} for p, table in self.tables.items()},
        )

    def _held(self, facts: FactSet | SetExpression | None) -> FactSet:
        if facts is None:
            return self.empty()
        return facts if isinstance(facts, FactSet) else self.facts(facts)

    def within(self, facts: FactSet | SetExpression, stratum: Stratum) -> FactSet:
        level, index = self._levels.of, stratum.index
        return self._held(facts).where(lambda predicate, row: level(predicate, row) == index)

    def add(self, name: str, facts: FactSet) -> None:
        if name == I.name:
            self._show(facts)
            return
        bit = self.bits.of(name)
        for predicate, few in facts.few():
            met = self.tables[predicate].met
            for row in few:
                met[row].flags |= bit

    def _show(self, facts: FactSet) -> None:
        """Facts are present from now on: that is for building a materialisation."""
        for predicate, part in facts:
            table = self.tables[predicate]
            if isinstance(part, Frame) and facts.expiries is not None:
                table.overtake(part)
            elif isinstance(part, Frame):
                table.append(part, explicit=False, rank=None if "r" in part.data.columns else 0)
                table.merge_smallest(keep=part)
            else:
                for row in part:
                    table.met[row].flags |= PRESENT
                table.make_room(self.few, part)

    def set_ranks(self, facts: FactSet, rank: int | None = None) -> None:
        for predicate, part in facts:
            table = self.tables[predicate]
            if isinstance(part, Frame):
                run = next(run for run in table.runs if run.frame is part)
                run.rank = rank
                continue
            for row, own in part.items():
                state = table.met[row]
                self.overwrite(state)
                state.rank = own if rank is None else rank

    def commit(self, *, deleted: SetExpression, inserted: SetExpression) -> None:
        self.deleted, self.inserted = self.facts(deleted), self.facts(inserted)

    def end_round(self, facts: FactSet) -> None:
        self.statistics.rounds += 1
        self.statistics.facts += len(facts)
        if self._max_facts is not None and self.statistics.facts > self._max_facts:
            raise LimitExceeded(f"more than {self._max_facts:,} facts were derived")
        if self._on_round is not None:
            self._on_round(self.statistics)

    def count(self, considered: int, applied: int = 0) -> None:
        """So many more rule instances were considered, in the present phase, and so many told something new."""
        statistics, phase = self.statistics, self.phase
        for phases, more in ((statistics.instances_by_phase, considered), (statistics.applications_by_phase, applied)):
            phases[phase] = phases.get(phase, 0) + more
        if self.budget is not None and statistics.instances > self.budget:
            raise Abandoned(statistics.instances)

    def recursive_positions(self, rule: CoreRule) -> tuple[int, ...]:
        """The positive body atoms of the head's own stratum."""
        positions = self._positions.get(id(rule))
        if positions is None:
            positions = self._positions[id(rule)] = self.strata.recursive_positions(rule)
        return positions

    def flags(self, fact: Fact) -> int:
        """What the driver knows of a fact."""
        state = self.tables[fact[0]].met.get(fact[1])
        return 0 if state is None else state.flags

    def known(self, batch: Mapping[str, Few]) -> FactSet:
        """Facts, all of them met."""
        meet(self.tables, batch)
        return FactSet(self, batch)

    # Marks

    def upcoming(self) -> Upcoming[FactSet] | None:
        return None if self.look is None else self.look()

    def shared(self, facts: FactSet) -> FactSet:
        return self.known(by_predicate(self.origins.shared(facts)))

    def keep_marks(self, waiting: FactSet, returning: FactSet) -> None:
        self.waiting, self.returning = waiting, returning

    def kept_marks(self) -> tuple[FactSet, FactSet]:
        waiting, returning = (self.known(dict(facts.few())) for facts in (self.waiting, self.returning))
        return waiting & I, returning
