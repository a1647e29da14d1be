"""The trace of a materialisation on Spark: what is counted first lies on the cluster, what changes in the driver.

A trace is built with a materialisation, never in the middle of an update: the engine materialises anew if there is none. After
that the rank of a fact tells its round: 1 if it is explicit, else the rank itself.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tidelog.engines.spark.agenda import Agenda, Move
from tidelog.engines.spark.counts import Counts, Multiset
from tidelog.engines.spark.facts import FactSet, Few, TooLarge
from tidelog.engines.spark.instances import Fact, Instances, heads_sql, scanned
from tidelog.engines.spark.many import count_many
from tidelog.engines.spark.tables import Row
from tidelog.engines.spark.truth import EXPLICIT
from tidelog.maintain.algebra import Statistics
from tidelog.maintain.sets import PRESENT as I
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra

_MOST = 1_000_000
"""The driver takes no more counters than that."""


class SparkTrace:
    """The trace of one algebra's materialisation; stale until it is built, and after updates that did not keep it."""

    def __init__(self, algebra: SparkAlgebra) -> None:
        self.algebra = algebra
        self.counts: dict[str, Counts] = {}
        self._built = False
        self._update: Statistics | None = None
        """The update that is being counted; still there when the next begins only if its end was cut off."""
        self.agenda = Agenda(self)

    @property
    def stale(self) -> bool:
        return not self._built or self._update is not None

    # Building

    def begin_building(self) -> None:
        self.forget()
        self._started = time.perf_counter()

    def start(self, explicit: SetExpression) -> None:
        if explicit != I:  # in the middle of an update
            raise TooLarge

    def derive(
        self, rules: Sequence[CoreRule], iteration: int, facts: SetExpression, changed: FactSet | None = None
    ) -> FactSet:
        algebra = self.algebra
        instances = algebra.statements(rules, facts, changed=changed)
        if not instances:
            return algebra.empty()
        if all(one.found.rows <= algebra.few for one in instances):
            statement = heads_sql(algebra.matcher, instances)
            rows = algebra.cluster.collect(statement, algebra.few, scanned=scanned(algebra.tables, instances))
            if rows is not None:
                return self._count_few(instances, rows, iteration)
        return count_many(algebra, instances, iteration, lambda predicate: self._of(predicate).frames)

    def _count_few(self, instances: Sequence[Instances], rows: Sequence[Row], iteration: int) -> FactSet:
        algebra = self.algebra
        algebra.count(len(rows))
        found: dict[str, Counter[Row]] = defaultdict(Counter)
        for row in rows:
            predicate = instances[row[0]].rule.head.predicate
            found[predicate][tuple(row[1 : 1 + len(algebra.tables[predicate].columns)])] += 1
        for predicate, counted in found.items():
            self._of(predicate).add(counted.items(), iteration)
        return algebra.known({predicate: dict.fromkeys(counted, 0) for predicate, counted in found.items()}) - I

    def end_building(self) -> None:
        for counts in self.counts.values():
            counts.settle(self.algebra.few)
        self._built = True
        statistics = self.algebra.statistics
        cost = f"{statistics.instances:,} rule instances, {time.perf_counter() - self._started:.2f} seconds"
        statistics.reason = f"{statistics.reason}; all derivations had to be counted first: {cost}".removeprefix("; ")

    # Maintaining

    def begin(self) -> None:
        self._update = self.algebra.statistics
        self.agenda = Agenda(self)

    def keep(self, *, same: bool) -> None:
        """An update is committed. If another algorithm maintained it, and facts are not the same, the trace is stale."""
        if self._update is not self.algebra.statistics:
            if not same:
                self.forget()
            return
        changed: dict[str, dict[Row, Multiset]] = defaultdict(dict)
        for (predicate, row), multiset in self.agenda.changed():
            if self.algebra.flags((predicate, row)) & EXPLICIT:
                multiset[1] -= 1
            changed[predicate][row] = {iteration: n for iteration, n in multiset.items() if n}
        for predicate, some in changed.items():
            self._of(predicate).put(some, self.algebra.few)
        self.restore()

    def restore(self) -> None:
        """The update failed, or is over: nothing waits any more."""
        self.agenda = Agenda(self)
        self._update = None

    def forget(self) -> None:
        for counts in self.counts.values():
            counts.release()
        self.counts = {}
        self._built = False
        self.restore()

    def undo_explicit(self, facts: FactSet) -> None:
        self._explicit(facts, -1)

    def apply_explicit(self, facts: FactSet) -> None:
        self._explicit(facts, 1)

    def _explicit(self, facts: FactSet, sign: int) -> None:
        for predicate, few in facts.few():
            for row in few:
                self.agenda.wait(Move.EXPLICIT, sign, (predicate, row), ())

    def undo(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression) -> None:
        self.agenda.take(Move.LOST, -1, self.algebra.statements(rules, facts, changed=changed, vanished=vanished))

    def apply(
        self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: SetExpression, vanished: SetExpression
    ) -> None:
        self.agenda.take(Move.WON, 1, self.algebra.statements(rules, facts, changed=changed, vanished=vanished))

    def undo_moved(
        self,
        rules: Sequence[CoreRule],
        positive: SetExpression,
        negative: SetExpression,
        *,
        own: SetExpression,
        changed: FactSet,
    ) -> None:
        self.agenda.take(Move.MOVED, -1, self.algebra.statements(rules, positive, negative, own=own, changed=changed))

    def apply_moved(self, rules: Sequence[CoreRule], facts: SetExpression, *, changed: FactSet) -> None:
        self.agenda.take(Move.MOVED, 1, self.algebra.statements(rules, facts, changed=changed))

    def iterations(self) -> Iterator[int]:
        return self.agenda.iterations()

    def advance(self) -> tuple[FactSet, FactSet]:
        return self.agenda.advance()

    # The facts of one predicate

    def _of(self, predicate: str) -> Counts:
        counts = self.counts.get(predicate)
        if counts is None:
            counts = self.counts[predicate] = Counts(self.algebra.tables[predicate])
        return counts

    def multisets(self, facts: dict[str, Few]) -> dict[Fact, Multiset]:
        """How often facts were derived in each iteration before the running update; being explicit counts."""
        found: dict[Fact, Multiset] = {}
        asked: list[Counts] = []
        parts: list[str] = []
        width = max((len(self.algebra.tables[p].columns) for p in facts), default=1)
        for predicate, few in facts.items():
            counts = self._of(predicate)
            for row in few:
                found[predicate, row] = dict(counts.known.get(row, {}))
            question = counts.question(few, len(asked), width)
            if question is not None:
                asked.append(counts)
                parts.append(question)
        if parts:
            stored = sum(frame.rows for counts in asked for frame in counts.frames)
            rows = self.algebra.cluster.collect(" UNION ALL ".join(parts), _MOST, scanned=stored)
            if rows is None:
                raise TooLarge
            for row in rows:
                table = asked[row.tag].table
                multiset = found[table.predicate, tuple(row[1 : 1 + len(table.columns)])]
                multiset[row.i] = multiset.get(row.i, 0) + row.n
        for fact, multiset in found.items():
            if self.algebra.flags(fact) & EXPLICIT:
                multiset[1] = multiset.get(1, 0) + 1
        return found
