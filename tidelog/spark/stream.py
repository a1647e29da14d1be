"""Streams into a pipeline: every micro-batch of Spark's is one update, taken in effectively once.

    edges = spark.readStream.format("delta").load("edges")
    query = follow(pipeline, edges, "edge", name="edges", checkpoint="checkpoints/edges")
    query = follow_files(pipeline, "incoming", "triple", name="incoming", checkpoint="checkpoints/incoming")

Spark numbers micro-batches, and repeats one that it is not sure of: after a crash, with the same number and the same rows. The
warehouse records the number in the version that takes the batch in, so a batch that comes again changes nothing. `name` is what
the warehouse knows the stream by: it stays the same for as long as the checkpoint does.

A row is a fact to insert; a stream of changes says so in a column `change`: +1 to insert, -1 to delete. Delta's change data
feed has `_change_type` instead, which is understood, too. Within a batch the last word counts only for Delta, which numbers
its commits; a batch of another source that both inserts and deletes a fact inserts it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql.streaming.query import StreamingQuery

from tidelog.errors import DataError
from tidelog.spark.pipeline import Applied, Input, Pipeline, reading
from tidelog.spark.storage import uri

Tell: TypeAlias = Callable[[Applied], None]
"""Told what became of each batch."""

_FILES = "path string, modificationTime timestamp, length bigint, content binary"
_DELTA = ("_change_type", "_commit_version", "_commit_timestamp")


def follow(
    pipeline: Pipeline,
    stream: DataFrame,
    predicate: str,
    *,
    name: str,
    checkpoint: str | Path,
    tell: Tell | None = None,
    trigger: Mapping[str, Any] | None = None,
    **options: Any,
) -> StreamingQuery:
    """Take the rows of a streaming DataFrame into a predicate; gives the running query.

    `trigger` is Spark's (`{"availableNow": True}`, `{"processingTime": "10 seconds"}`), `options` are those of `ingest`.
    """
    if not stream.isStreaming:
        raise DataError("is not a streaming DataFrame", source=name, hint="read it with spark.readStream")

    def apply(rows: DataFrame, number: int) -> None:
        insert, delete = signed(rows)
        _told(
            pipeline.update(_given(predicate, insert, options), _given(predicate, delete, options), batch=(name, number)), tell
        )

    return _started(stream, apply, name, checkpoint, trigger)


def follow_files(
    pipeline: Pipeline,
    directory: str | Path,
    predicate: str,
    *,
    name: str,
    checkpoint: str | Path,
    pattern: str = "*",
    tell: Tell | None = None,
    trigger: Mapping[str, Any] | None = None,
    most_files: int = 1000,
    **options: Any,
) -> StreamingQuery:
    """Take in the files that appear in a directory, of any format that can be ingested; gives the running query.

    A file has to appear whole: written elsewhere and moved there.
    """
    stream = pipeline.spark.readStream.format("binaryFile").schema(_FILES).option("pathGlobFilter", pattern)
    paths = stream.option("maxFilesPerTrigger", most_files).load(uri(Path(directory).absolute())).select("path")

    def apply(rows: DataFrame, number: int) -> None:
        files = sorted("/" + row.path.removeprefix("file:").lstrip("/") for row in rows.collect())
        _told(pipeline.update({predicate: reading(files, **options)} if files else {}, batch=(name, number)), tell)

    return _started(paths, apply, name, checkpoint, trigger)


def _started(
    stream: DataFrame,
    apply: Callable[[DataFrame, int], None],
    name: str,
    checkpoint: str | Path,
    trigger: Mapping[str, Any] | None,
) -> StreamingQuery:
    writer = stream.writeStream.foreachBatch(apply).queryName(name).option("checkpointLocation", str(checkpoint))
    return (writer.trigger(**trigger) if trigger else writer).start()


def _given(predicate: str, rows: DataFrame | None, options: Mapping[str, Any]) -> dict[str, Input]:
    return {} if rows is None else {predicate: reading(rows, **options)}


def _told(applied: Applied, tell: Tell | None) -> None:
    if tell is not None:
        tell(applied)


def signed(rows: DataFrame) -> tuple[DataFrame, DataFrame | None]:
    """The rows to insert, and those to delete."""
    if "_change_type" in rows.columns:
        rows = _last_words(rows)
    if "change" not in rows.columns:
        return rows, None
    plain = rows.drop("change")
    return plain.where(rows["change"] > 0), plain.where(rows["change"] < 0)


def _last_words(rows: DataFrame) -> DataFrame:
    """Delta's change data with a column `change`; of what is said of one row, the last."""
    facts = [column for column in rows.columns if column not in _DELTA]
    kind = sf.col("_change_type")
    sign = sf.when(kind.isin("insert", "update_postimage"), 1).otherwise(-1)
    order = Window.partitionBy(*facts).orderBy(sf.desc("_commit_version"), sf.desc("change"))
    rated = rows.withColumn("change", sign).withColumn("place", sf.row_number().over(order))
    return rated.where("place = 1").select(*facts, "change")
