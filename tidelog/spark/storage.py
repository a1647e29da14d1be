"""How the tables of a warehouse are written and read: as plain Parquet files.

Every write makes new files in the directory of its transaction and gives the table that the manifest will name; nothing that
is there is touched. An update of a table is a segment beside those that are there; when they have become many, or
large beside the table, reading would suffer, and the table is written anew.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.warehouse import Directory, Segment, Table

Rows: TypeAlias = DataFrame | pa.Table
"""Rows of a table: on the cluster, or, if they are few, here."""

MOST_SEGMENTS = 16
MOST_CHANGED = 0.5
"""How many rows the segments after the first may hold, added and removed, for each row of the table."""


class Storage(Protocol):
    """Writes the tables of one transaction."""

    def frame(self, name: str, table: Table) -> DataFrame:
        """The rows of a table."""

    def replace(self, name: str, columns: Mapping[str, str], frame: Rows) -> Table:
        """A table of these rows, whatever was there."""

    def append(self, name: str, table: Table, frame: Rows) -> Table:
        """The table with more rows."""

    def change(self, name: str, table: Table, removed: Rows, added: Rows) -> Table:
        """The table without the facts of `removed`, which has their terms, and then with the rows of `added`."""


@dataclass
class ParquetStorage:
    spark: SparkSession
    directory: Directory
    data: Path
    """Where this transaction writes."""
    _written: int = field(default=0, init=False)

    def frame(self, name: str, table: Table) -> DataFrame:
        if not any(segment.removed for segment in table.segments):
            return self._read(tuple(file for segment in table.segments for file in segment.files), table.schema)
        keys = ", ".join(f"{key} bigint" for key in table.keys)
        rows, gone = [], []
        for number, segment in enumerate(table.segments):
            rows.append(self._read(segment.files, table.schema).withColumn("came", sf.lit(number)))
            if segment.removed:
                gone.append(self._read(segment.removed, keys).withColumn("went", sf.lit(number)))
        last = _union(gone).groupBy(*table.keys).agg(sf.max("went").alias("went"))
        facts = _union(rows)
        same = [facts[key] == last[key] for key in table.keys]
        return facts.join(last, [*same, facts["came"] < last["went"]], "left_anti").select(*table.columns)

    def replace(self, name: str, columns: Mapping[str, str], frame: Rows) -> Table:
        return Table(columns, (self._segment(frame, list(columns)),))

    def append(self, name: str, table: Table, frame: Rows) -> Table:
        segment = self._segment(frame, list(table.columns))
        longer = table.then(segment) if segment.files else table
        return longer if len(longer.segments) <= MOST_SEGMENTS else self.replace(name, table.columns, self.frame(name, longer))

    def change(self, name: str, table: Table, removed: Rows, added: Rows) -> Table:
        if not table.keys:  # one fact at most
            stays = is_empty(added) and is_empty(removed)
            return self.replace(name, table.columns, self.frame(name, table) if stays else added)
        rows, gone = self._segment(added, list(table.columns)), self._segment(removed, list(table.keys))
        changed = table.then(replace(rows, removed=gone.files, removed_rows=gone.rows))
        late = sum(segment.rows + segment.removed_rows for segment in changed.segments[1:])
        if len(changed.segments) <= MOST_SEGMENTS and late <= MOST_CHANGED * max(changed.segments[0].rows, 1):
            return changed
        return self.replace(name, table.columns, self.frame(name, changed))

    def _segment(self, rows: Rows, columns: list[str]) -> Segment:
        """The rows in files of their own."""
        path = self.data / str(self._written)
        self._written += 1
        if isinstance(rows, pa.Table):
            path.mkdir(parents=True)
            pq.write_table(rows.select(columns), path / "part-0.parquet", compression="zstd")
        else:
            rows.select(*columns).write.option("compression", "zstd").parquet(uri(path))
        counts = {file: pq.ParquetFile(file).metadata.num_rows for file in sorted(path.glob("*.parquet"))}
        files = tuple(self.directory.relative(file) for file, count in counts.items() if count)
        return Segment(files=files, rows=sum(counts.values()))

    def _read(self, files: tuple[str, ...], schema: str) -> DataFrame:
        if not files:
            return self.spark.createDataFrame([], schema)
        paths = [re.sub(r"([\[\]{}*?\\])", r"\\\1", uri(self.directory.path / file)) for file in files]
        return self.spark.read.schema(schema).parquet(*paths)


def _union(frames: list[DataFrame]) -> DataFrame:
    first, *others = frames
    for other in others:
        first = first.unionByName(other)
    return first


def is_empty(rows: Rows) -> bool:
    return not rows.num_rows if isinstance(rows, pa.Table) else bool(rows.isEmpty())


def on_cluster(spark: SparkSession, rows: Rows) -> DataFrame:
    return spark.createDataFrame(rows) if isinstance(rows, pa.Table) else rows


def types_of(rows: Rows) -> dict[str, str]:
    """The names of the columns, and their SQL types."""
    if isinstance(rows, pa.Table):
        return {field.name: _SQL[str(field.type)] for field in rows.schema}
    return {field.name: field.dataType.simpleString() for field in rows.schema.fields}


_SQL = {"int64": "bigint", "int32": "int", "bool": "boolean", "string": "string", "large_string": "string"}


def uri(path: Path) -> str:
    """A path of a mounted file system, whatever Spark's own default is."""
    return f"file://{path}"
