"""Terms of a materialisation on Spark that has no warehouse: a dictionary in frames, as long as the process lives.

What is read on the cluster never passes through the driver, so the driver does not know its terms. This is where they are
looked up when somebody reads facts; `tidelog.spark.ingest` takes them in as it does into a warehouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.facts.wide import WideIds
from tidelog.spark import dictionary
from tidelog.spark.dictionary import SCHEMA

_MANY_PARTS = 8


class Words:
    """A dictionary on the cluster."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._parts: list[DataFrame] = []
        self._displaced = 0
        self._kept: list[DataFrame] = []

    def dictionary(self) -> DataFrame:
        """The terms that are no integers: `id`, `text`."""
        if not self._parts:
            return self.spark.createDataFrame([], SCHEMA)
        return reduce(DataFrame.union, self._parts)

    def displaced(self) -> DataFrame | None:
        """The terms that do not have the id of their hash; None if there are none."""
        return dictionary.displaced(self.dictionary()) if self._displaced else None

    def learn(self, frame: DataFrame, columns: list[str]) -> int:
        """Take in the terms in these columns, texts or integers, that are new; gives how many."""
        new = dictionary.new_terms(frame, columns, self.dictionary(), self.displaced())
        if new.number:
            self._add(new.frame)
        self._displaced += new.displaced
        new.frame.unpersist()
        return new.number

    def add(self, terms: Sequence[tuple[int, str]]) -> None:
        """Take in terms that the driver has given ids to."""
        if not terms:
            return
        known = self.look_up(pa.array([id_ for id_, _ in terms], pa.int64()))
        if new := [(id_, text) for id_, text in terms if id_ not in known]:
            self._add(self.spark.createDataFrame(new, SCHEMA))

    def look_up(self, ids: WideIds | pa.Array) -> dict[int, str]:
        """The texts of terms."""
        if not self._parts:
            return {}
        wanted = self.spark.createDataFrame(pa.table({"id": pa.array(ids)}))
        found = self.dictionary().join(sf.broadcast(wanted), "id").toArrow()
        return dict(zip(found.column("id").to_pylist(), found.column("text").to_pylist(), strict=True))

    def keep(self, frame: DataFrame) -> DataFrame:
        """The frame, to be worked out once and kept until `end`."""
        self._kept.append(frame.persist())
        return self._kept[-1]

    def quarantine_records(self, records: DataFrame) -> int:
        """Nobody keeps records that could not be read."""
        return 0

    def end(self) -> None:
        """What was read has been taken over."""
        for frame in self._kept:
            frame.unpersist()
        self._kept = []

    def _add(self, terms: DataFrame) -> None:
        self._parts.append(terms.select("id", "text").localCheckpoint())
        if len(self._parts) > _MANY_PARTS:
            merged = self.dictionary().coalesce(self.spark.sparkContext.defaultParallelism).localCheckpoint()
            self._parts = [merged]
