"""Frames: what the engine holds on the cluster, and the few ways in which it runs a job.

All statements are SQL over temporary views, so a round reaches Spark as one text, is analysed once, and can be read. The
engine has a session of its own, beside the user's, in the same context: its settings and views meet nobody else's.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.engines.spark.places import REFUSAL, Inexact
from tidelog.errors import DataError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",  # it would change partitionings under our hands
    "spark.sql.ansi.enabled": "true",  # an overflow is an error, not another number
    "spark.sql.join.preferSortMergeJoin": "false",
    "spark.sql.constraintPropagation.enabled": "false",  # constraints of a frame on frames on frames double with each round
    "spark.sql.codegen.useIdInClassName": "false",  # what is the same in another place of a plan need not be compiled again
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
}
INLINE = 200
"""So many rows are written into a statement; more are handed over as an Arrow table."""
_INTERPRETED = 20_000
"""To look at so many rows takes less time than to compile the statement."""
_NUMBERS = itertools.count(1)

Cell = int | float | bool | None


@dataclass(slots=True, eq=False)
class Frame:
    """Rows on the cluster, held in memory and on local disks, under the name of a view."""

    name: str
    data: DataFrame
    rows: int
    blocks: Any
    """Spark's RDD of them."""
    users: int = 1

    def shared(self) -> Frame:
        """The same, for one user more."""
        self.users += 1
        return self

    def release(self) -> None:
        """The last user gives the memory back; who comes back to the frame finds nothing."""
        self.users -= 1
        if not self.users:
            self.blocks.unpersist(False)
            self.data.sparkSession.catalog.dropTempView(self.name)


@dataclass(frozen=True, slots=True)
class Held:
    """A frame that was evaluated, and what was observed on the way."""

    frame: Frame
    sums: Mapping[str, int]


@contextmanager
def telling() -> Iterator[None]:
    """Inside, a job that fails on purpose says so."""
    try:
        yield
    except Exception as error:
        refused = "USER_RAISED_EXCEPTION" in str(error) and REFUSAL in str(error)  # other errors cite the statement, too
        if refused or "ARITHMETIC_OVERFLOW" in str(error):
            raise Inexact from error
        raise


class Cluster:
    """A Spark session, and the jobs that the engine runs on it."""

    def __init__(self, session: SparkSession, partitions: int | None = None, checkpoints: str | None = None) -> None:
        self.session = session.newSession()
        self._reliable = checkpoints is not None
        """Whether frames are kept in a directory, where they outlive the executors that made them."""
        if checkpoints is not None:
            session.sparkContext.setCheckpointDir(checkpoints)
        self.partitions = partitions or session.sparkContext.defaultParallelism
        own = {"spark.sql.shuffle.partitions": self.partitions, "spark.sql.limit.initialNumPartitions": self.partitions}
        for key, value in (_SETTINGS | own).items():
            self.session.conf.set(key, value)
        self._compiling = True
        self._passing: list[str] = []
        """Views that are dropped when the update is over."""

    # Rows from the driver

    def rows(self, names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
        """Rows of the driver as a relation in SQL."""
        if not rows:
            return f"(SELECT {', '.join(f'CAST(NULL AS {t}) AS {n}' for n, t in zip(names, types, strict=True))} WHERE false)"
        if len(rows) <= INLINE:
            written = ", ".join(f"({', '.join(map(literal, row, types))})" for row in rows)
            return f"(SELECT * FROM VALUES {written} AS t({', '.join(names)}))"
        columns = [pa.array(column, _ARROW[t]) for column, t in zip(zip(*rows, strict=True), types, strict=True)]
        view = self.view(self.session.createDataFrame(pa.table(columns, names=list(names))))
        self.retire(view)
        return view

    def retire(self, name: str) -> None:
        """Drop a view, when the update is over: until then statements may name it."""
        self._passing.append(name)

    def sweep(self) -> None:
        """An update is over."""
        names, self._passing = self._passing, []
        self.drop(names)

    def view(self, data: DataFrame) -> str:
        """A name for a frame."""
        name = f"tidelog_{next(_NUMBERS)}"
        data.createOrReplaceTempView(name)
        return name

    def adopt(self, data: DataFrame) -> DataFrame:
        """A frame of another session of this context, in ours."""
        if data.sparkSession is self.session:
            return data
        if not hasattr(data, "_jdf"):
            raise DataError("a DataFrame of Spark Connect cannot be used here", hint="Tidelog runs in the driver itself")
        return self._of_plan(data._jdf.logicalPlan())

    def _of_plan(self, plan: Any) -> DataFrame:
        from pyspark.sql.classic.dataframe import DataFrame as Classic

        assert self.session._jvm is not None
        dataset = self.session._jvm.org.apache.spark.sql.classic.Dataset
        return Classic(dataset.ofRows(self.session._jsparkSession, plan), self.session)

    # Jobs

    def collect(self, statement: str, most: int, *, scanned: int) -> list[Any] | None:
        """The rows of a statement that is expected to have few; None if they are more than `most`.

        `scanned` is how many rows of runs it looks at.
        """
        self._compile(scanned > _INTERPRETED)
        with telling():
            found = self.session.sql(f"{statement} LIMIT {most + 1}").collect()
        return found if len(found) <= most else None

    def fetch(self, data: DataFrame) -> pa.Table:
        self._compile(True)
        return data.toArrow()

    def spread(self, statement: str, columns: Sequence[str]) -> str:
        """The same rows, partitioned by these columns in this order, as runs are; Spark leaves out what moves nothing."""
        return f"SELECT /*+ REPARTITION({self.partitions}, {', '.join(columns)}) */ * FROM ({statement})"

    def sql(self, statement: str) -> DataFrame:
        return self.session.sql(statement)

    def hold(self, data: DataFrame) -> Frame:
        """Evaluate a frame and keep it, with its partitioning, but not how it came about."""
        return self.hold_all([data])[0].frame

    def hold_all(self, data: Sequence[DataFrame], *sums: str) -> list[Held]:
        """The same for several frames by one job; `sums` are what is observed inside, under names that are columns, too."""
        from pyspark.sql import functions

        self._compile(True)
        number = functions.count(functions.lit(1)).alias("rows")
        counted = [one.toDF(*(f"{name}_" for name in one.columns)).observe("rows", number) for one in data]
        with telling():
            plans = [self._evaluated(one)._jdf.queryExecution().logical() for one in counted]
            if not self._reliable:
                reduce(lambda all_, blocks: all_.union(blocks), [plan.rdd() for plan in plans]).count()
        return [self._held(*one, sums) for one in zip(data, counted, plans, strict=True)]

    def _evaluated(self, data: DataFrame) -> DataFrame:
        """A frame that is kept: on the executors by the next job, in the checkpoint directory by one of its own."""
        return data.checkpoint() if self._reliable else data.localCheckpoint(eager=False)

    def _held(self, data: DataFrame, counted: DataFrame, plan: Any, sums: Sequence[str]) -> Held:
        metrics = counted._jdf.queryExecution().observedMetrics()
        rows, *numbers = (metrics.get(name).get() for name in ("rows", *sums))
        found = [0 if row.isNullAt(0) else row.getLong(0) for row in numbers]
        fresh = self._fresh(plan, data.columns, rows.getLong(0))
        return Held(Frame(self.view(fresh), fresh, rows.getLong(0), plan.rdd()), dict(zip(sums, found, strict=True)))

    def _fresh(self, plan: Any, names: Sequence[str], rows: int) -> DataFrame:
        """A frame that knows its partitioning and its true size, and nothing else of where it came from.

        Spark would pass on what it believed of the plan, and sizes that multiply at every join soon have millions of
        digits. The columns are renamed since a union keeps the partitioning of its parts only through names of their own.
        """
        assert self.session._jvm is not None
        nothing = self.session._jvm.scala.Option.empty()
        as_large = self.session.range(max(1, rows) * (1 + len(names)))._jdf.queryExecution().logical().stats()
        relation = self.session._jvm.org.apache.spark.sql.execution.LogicalRDD(
            plan.output(),
            plan.rdd(),
            plan.outputPartitioning(),
            plan.outputOrdering(),
            False,
            nothing,
            self.session._jsparkSession,
            self.session._jvm.scala.Option.apply(as_large),
            nothing,
        )
        return self._of_plan(relation).toDF(*names)

    def drop(self, names: Iterable[str]) -> None:
        for name in names:
            self.session.catalog.dropTempView(name)

    def _compile(self, wanted: bool) -> None:
        """Whether plans become Java code: that pays for many rows, and takes longer than it saves for a few."""
        if wanted != self._compiling:
            self.session.conf.set("spark.sql.codegen.wholeStage", str(wanted).lower())
            self.session.conf.set("spark.sql.codegen.factoryMode", "FALLBACK" if wanted else "NO_CODEGEN")
            self._compiling = wanted


_ARROW = {"bigint": pa.int64(), "int": pa.int32(), "boolean": pa.bool_(), "smallint": pa.int16(), "double": pa.float64()}


def literal(value: Cell, type_: str = "bigint") -> str:
    if value is None:
        return f"CAST(NULL AS {type_})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if type_ == "double":
        return f"CAST('{value}' AS DOUBLE)"
    return f"{value}L" if type_ == "bigint" else f"{value}" if type_ == "int" else f"CAST({value} AS {type_})"
