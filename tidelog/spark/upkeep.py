"""What stands around the Spark engine of a `Materialisation`: sources become frames of ids on the cluster, and with a
warehouse every update becomes a version of it.

Small files are read by the driver, as on the embedded engine: it takes milliseconds. What is larger, and DataFrames, are read
and encoded by Spark, and no fact passes through the driver.

An update and its version are one: if the update fails nothing is written; if the writing fails, or Spark loses what it
held, the engine goes back to the version before, which it reads from the warehouse.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from tidelog.engines.spark.engine import SparkEngine
from tidelog.engines.spark.loading import Spread
from tidelog.engines.updating import OnRound
from tidelog.errors import TidelogError
from tidelog.facts.wide import WideIds
from tidelog.io.bad_rows import BadRows
from tidelog.maintain.algebra import Statistics
from tidelog.program import Program
from tidelog.spark.distributed import SparkReasoner
from tidelog.spark.ingest import Source, ingest
from tidelog.spark.options import Spark
from tidelog.spark.session import session
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.spark.words import Words
from tidelog.spark.writing import looked_up, write

LARGE = 8 << 20
"""Files of more bytes are read by Spark."""
_REPORTED = 10_000
"""So many bad records are told one by one."""


def started(
    program: Program,
    arities: Mapping[str, int],
    how: Spark,
    *,
    single: bool = False,
    on_round: OnRound | None = None,
    max_facts: int | None = None,
) -> Upkeep:
    """A Spark engine, and what stands around it."""
    spark = session(how.master, settings=how.settings)
    engine = SparkEngine(
        program,
        arities,
        spark,
        single=single,
        few=how.driver_facts,
        partitions=how.partitions,
        on_round=on_round,
        max_facts=max_facts,
        checkpoints=how.checkpoints,
    )
    warehouse = None if how.warehouse is None else Warehouse.open(spark, how.warehouse, program)
    return Upkeep(spark, engine, warehouse)


class Upkeep:
    """The cluster's side of a materialisation."""

    def __init__(self, spark: SparkSession, engine: SparkEngine, warehouse: Warehouse | None) -> None:
        self.spark, self.engine, self.warehouse = spark, engine, warehouse
        self._words = Words(spark)
        self._update: Transaction | None = None
        """The version that is being made."""
        self._reasoner = SparkReasoner(spark, engine, self._look_up, self._dictionary)
        engine.kept = warehouse is not None

    @property
    def stored(self) -> bool:
        """Whether the warehouse has a version to go on from."""
        return self.warehouse is not None and self.warehouse.version >= 0

    def restored(self) -> Statistics:
        """Go on from what the warehouse holds."""
        self._reload()
        return Statistics("stored", "read from the warehouse")

    @contextmanager
    def change(self) -> Iterator[None]:
        """Inside, facts may be read and the materialisation changes; at the end the warehouse has all of it, or nothing."""
        if self.warehouse is None:
            try:
                yield
            finally:
                self._words.end()
            return
        ahead = False
        try:
            with self.warehouse.transaction() as self._update:
                yield
                ahead = True
                self.engine.restore_ranks()
                write(self._update, self._reasoner)
        except BaseException as error:
            self._update = None
            if ahead or not isinstance(error, TidelogError | KeyboardInterrupt):
                self._reload()
            raise
        finally:
            self._update = None
            self._reasoner.forget()

    def _reload(self) -> None:
        assert self.warehouse is not None
        self._reasoner.load({predicate: self.warehouse.table(predicate) for predicate in self.warehouse.predicates})

    # Facts in

    def wants(self, paths: Sequence[Path]) -> bool:
        """Whether files are for Spark to read: the large ones, and whole directories."""
        return any(path.is_dir() for path in paths) or sum(path.stat().st_size for path in paths if path.is_file()) > LARGE

    def taken(self, source: Source, bad_rows: BadRows, *, arity: int | None, **options: Any) -> Spread:
        """The facts of files, or of a DataFrame of values, with their terms in the dictionary."""
        intake = self._update
        if intake is None:
            self._words.add(self.engine.terms.fresh())
        ingested = ingest(intake or self._words, source, arity=arity, **options)
        if ingested.bad:
            assert ingested.quarantined is not None
            for row in ingested.quarantined.limit(_REPORTED).collect():
                bad_rows.report(row.source, row.line or 0, row.reason, row.text)
        return Spread(ingested.frame, ingested.records - ingested.bad, self.engine.terms)

    # Terms

    def _look_up(self, ids: WideIds) -> Mapping[int, str]:
        kept = self._update or self.warehouse
        return self._words.look_up(ids) if kept is None else looked_up(kept, ids)

    def _dictionary(self) -> DataFrame:
        return (self._update or self.warehouse or self._words).dictionary()
