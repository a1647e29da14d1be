"""The Spark engine as the reasoner of a pipeline: facts stay on the cluster, in and out.

An update that touches few facts is worked out in the driver, which hands over those few rows. Of one for which everything was
derived anew nobody knows what it changed: what the warehouse has is compared with what holds, on the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tidelog.engines.spark.engine import SparkEngine
from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.loading import Spread
from tidelog.engines.spark.tables import Row, Table
from tidelog.engines.spark.touched import Standing
from tidelog.engines.spark.truth import EXPLICIT, PRESENT
from tidelog.maintain.algebra import Statistics
from tidelog.notation import parse_term
from tidelog.program import Program
from tidelog.spark.options import Spark
from tidelog.spark.reasoning import Difference, Lookup
from tidelog.terms import Term

Moved: TypeAlias = tuple[Row, tuple[Standing, Standing]]


class SparkReasoner:
    """A Spark engine, between frames of 64-bit ids."""

    def __init__(self, spark: SparkSession, engine: SparkEngine, lookup: Lookup, words: Callable[[], DataFrame]) -> None:
        self._spark, self.engine = spark, engine
        self._lookup = lookup
        engine.terms.lookup, engine.terms.words = self._terms, words
        self._held: list[Frame] = []
        """What the last comparison found, until the next one."""

    @classmethod
    def of(
        cls, spark: SparkSession, program: Program, how: Spark, lookup: Lookup, words: Callable[[], DataFrame]
    ) -> SparkReasoner:
        """A reasoner with an engine of its own."""
        arities = {rule.head.predicate: len(rule.head.terms) for rule in program.core} | dict(program.arities)
        engine = SparkEngine(
            program, arities, spark, few=how.driver_facts, partitions=how.partitions, checkpoints=how.checkpoints
        )
        return cls(spark, engine, lookup, words)

    @property
    def predicates(self) -> Collection[str]:
        return list(self.engine.predicates)

    def load(self, held: Mapping[str, DataFrame]) -> None:
        for predicate, frame in held.items():
            self.engine.add_predicate(predicate, len(_terms_of(frame.columns)))
        self.engine.kept = True
        self.engine.reload(held)

    def update(self, algorithm: str, insert: Mapping[str, DataFrame], delete: Mapping[str, DataFrame]) -> Statistics:
        batches = [{p: self._spread(p, frame) for p, frame in frames.items()} for frames in (insert, delete)]
        given, gone = ({p: facts for p, facts in batch.items() if facts.rows} for batch in batches)
        _, _, statistics = self.engine.update(algorithm, given, gone)
        self.engine.restore_ranks()
        return statistics

    def _spread(self, predicate: str, frame: DataFrame) -> Spread:
        self.engine.add_predicate(predicate, len(frame.columns))
        return Spread(frame, frame.count(), self.engine.terms)

    def rows(self, predicate: str) -> DataFrame:
        return adopted(self._spark, self.engine.frame(predicate))

    def difference(self, predicate: str, before: DataFrame | None) -> Difference | None:
        table = self.engine.algebra.tables[predicate]
        if self.engine.touched is not None:
            return few_different(table, list(self.engine.touched.get(predicate, {}).items()))
        return self._compared(table, before)

    def fresh(self) -> list[tuple[int, str]]:
        return self.engine.terms.fresh()

    def forget(self) -> None:
        """What was found has been written."""
        for frame in self._held:
            frame.release()
        self._held = []

    def _compared(self, table: Table, before: DataFrame | None) -> Difference | None:
        cluster, keys = table.cluster, ", ".join(table.columns)
        if not table.arity:
            return self._compared_here(table, before)
        sides = [f"SELECT {keys}, NULL AS bx, NULL AS br, x AS nx, r AS nr FROM ({table.now_sql()})"]
        if before is not None:
            view = cluster.view(cluster.adopt(before))
            sides.append(f"SELECT {keys}, explicit AS bx, rank AS br, NULL AS nx, NULL AS nr FROM {view}")
            cluster.retire(view)
        found = ", ".join(f"max({name}) AS {name}" for name in ("bx", "br", "nx", "nr"))
        changed = "NOT (max(bx) <=> max(nx) AND max(br) <=> max(nr))"
        statement = f"SELECT {keys}, {found} FROM ({' UNION ALL '.join(sides)}) GROUP BY {keys} HAVING {changed}"
        frame = cluster.hold(cluster.sql(statement))
        self._held.append(frame)
        counts = "count(bx) AS gone, count(nx) AS come, count_if(bx IS NULL) AS new, count_if(nx IS NULL) AS old"
        gone, come, new, old = cluster.sql(f"SELECT {counts} FROM {frame.name}").collect()[0]
        if not gone and not come:
            return None
        removed, added, changes = (
            adopted(self._spark, cluster.sql(f"SELECT {keys}{more} FROM {frame.name} WHERE {where}"))
            for more, where in (
                ("", "bx IS NOT NULL"),
                (", nx AS explicit, nr AS rank", "nx IS NOT NULL"),
                (", CAST(IF(bx IS NULL, 1, -1) AS INT) AS change", "bx IS NULL OR nx IS NULL"),
            )
        )
        return Difference(removed, added, changes, new, old, gone + come)

    def _compared_here(self, table: Table, before: DataFrame | None) -> Difference | None:
        """The same for a predicate without columns, of which there is one fact at most."""
        was = [] if before is None else before.collect()
        now = adopted(self._spark, table.cluster.sql(table.now_sql())).collect()
        stood = Standing(PRESENT | EXPLICIT * bool(was[0].explicit), was[0].rank) if was else Standing(0, 0)
        stands = Standing(PRESENT | EXPLICIT * bool(now[0].x), now[0].r) if now else Standing(0, 0)
        return few_different(table, [((0,), (stood, stands))] if stood != stands else [])

    def _terms(self, wanted: Sequence[int]) -> Mapping[int, Term]:
        import numpy as np

        found = self._lookup(np.array(wanted, np.int64))
        return {one: term for one, text in found.items() if (term := parse_term(text)) is not None}


def few_different(table: Table, moved: Sequence[Moved]) -> Difference | None:
    """The difference that some facts make which the driver has."""
    if not moved:
        return None
    keys = table.columns[: table.arity]
    removed = [row for row, (was, _) in moved if was.flags & PRESENT]
    added = [(row, now) for row, (_, now) in moved if now.flags & PRESENT]
    signed = [(row, bool(now.flags & PRESENT) - bool(was.flags & PRESENT)) for row, (was, now) in moved]
    signed = [(row, sign) for row, sign in signed if sign]
    rows = _columns(keys, [row for row, _ in added]) | {
        "explicit": pa.array([bool(now.flags & EXPLICIT) for _, now in added], pa.bool_()),
        "rank": pa.array([now.rank for _, now in added], pa.int32()),
    }
    gone = _columns(keys, removed) or {"explicit": pa.array([True] * len(removed), pa.bool_())}
    changes = _columns(keys, [row for row, _ in signed]) | {"change": pa.array([sign for _, sign in signed], pa.int32())}
    appeared = sum(sign > 0 for _, sign in signed)
    count = len(removed) + len(added)
    return Difference(pa.table(gone), pa.table(rows), pa.table(changes), appeared, len(signed) - appeared, count)


def _columns(keys: Sequence[str], rows: Sequence[Row]) -> dict[str, pa.Array]:
    return {key: pa.array([row[place] for row in rows], pa.int64()) for place, key in enumerate(keys)}


def adopted(spark: SparkSession, frame: DataFrame) -> DataFrame:
    """A frame of another session of the same context, in this one."""
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    assert spark._jvm is not None
    plan = frame._jdf.logicalPlan()
    return Classic(spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, plan), spark)


def _terms_of(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name not in ("explicit", "rank")]
