"""Facts on their way in: files of any format and DataFrames become columns of ids, and nothing is lost on the way.

    with warehouse.transaction() as update:
        edges = ingest(update, "edges.nt", arity=3)
        edges.frame                 # c0, c1, c2: ids; the dictionary has their terms when the transaction ends
        edges.records, edges.bad    # how many there were, and how many of them went to the quarantine

A source is read once: its records, good and bad, are kept until the transaction ends. The bad ones go to the quarantine with
the file, the line (or row) and the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.errors import DataError
from tidelog.io import format_of
from tidelog.io.bad_rows import plural
from tidelog.io.cells import SKIP
from tidelog.spark import sources
from tidelog.spark.dictionary import encoded, integer_text
from tidelog.spark.storage import uri
from tidelog.spark.texts import texts
from tidelog.syntax.ast import Resource

Source: TypeAlias = DataFrame | str | Path | Sequence[str | Path]
"""A DataFrame, or files: paths, directories or patterns."""

_BAD = "struct<source: string, line: bigint, reason: string, text: string>"


@dataclass(frozen=True, slots=True)
class Ingested:
    """What came of a source."""

    frame: DataFrame
    """Ids in `c0`, `c1`, ...; a fact may be there more than once."""
    texts: DataFrame
    """The same in words: N-Triples, or integers."""
    records: int
    bad: int
    quarantined: DataFrame | None = None
    """The records that could not be read, if there are any."""


class Intake(Protocol):
    """Takes terms and bad records in: a transaction of a warehouse, or `tidelog.spark.words`."""

    spark: SparkSession

    def keep(self, frame: DataFrame) -> DataFrame: ...

    def learn(self, frame: DataFrame, columns: list[str]) -> int: ...

    def displaced(self) -> DataFrame | None: ...

    def quarantine_records(self, records: DataFrame) -> int: ...


def of_resource(resource: Resource, directory: Path) -> tuple[Path, dict[str, Any]]:
    """The file of an `@import`, and how it is read."""
    options = {("types" if name == "format" else name): value for name, value in resource.options.items()}
    return directory / Path(resource.path).expanduser(), {"format": resource.format, **options}


def ingest(update: Intake, source: Source, *, arity: int | None = None, **options: Any) -> Ingested:
    """Read a source, take its terms into the dictionary and its bad records into the quarantine.

    `options` are `format` (`csv`, `rdf`, `delta`, ...; otherwise by the names of the files), `types` for the columns of tables,
    as the format of an `@import` has them, `delimiter`, `ignore_headers`, `base`, and `split`, the bytes of N-Triples that
    one task reads.
    """
    parsed = update.keep(records(update.spark, source, arity=arity, **options))
    columns = parsed.columns[:-1]
    total, bad = parsed.agg(sf.count("*"), sf.count("bad")).collect()[0]
    good = parsed.where("bad is null").drop("bad")
    update.learn(good, columns)
    quarantined = parsed.where("bad is not null").select("bad.*") if bad else None
    if quarantined is not None:
        update.quarantine_records(quarantined)
    return Ingested(encoded(good, columns, update.displaced()), good, total, bad, quarantined)


def records(spark: SparkSession, source: Source, *, arity: int | None = None, **options: Any) -> DataFrame:
    """The records of a source: terms in `c0`, `c1`, ... (texts in N-Triples, or integers), or where and why one is `bad`."""
    if isinstance(source, DataFrame):
        return _of_frame(source, arity, options.get("types"), sf.lit("DataFrame"), sf.lit(None))
    given = [str(path) for path in ([source] if isinstance(source, str | Path) else source)]
    parts = [
        _of_files(spark, kind, paths, arity, options) for kind, paths in _by_format(given, options.pop("format", None)).items()
    ]
    widths = {len(part.columns) - 1 for part in parts}
    if len(widths) > 1:
        raise DataError(
            f"files of {' and '.join(map(str, sorted(widths)))} columns cannot be one table", source=", ".join(given)
        )
    return _union(parts)


def _by_format(given: Sequence[str], kind: str | None) -> Mapping[str, list[str]]:
    """The paths by format; a directory with a Delta log, or of a format that is given, stays whole."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in given:
        if kind == "delta" or (Path(path) / "_delta_log").is_dir():
            found["delta"].append(path)
            continue
        for file in sources.expanded([path]):
            found[kind or format_of(file)].append(str(file))
    return found


def _of_files(spark: SparkSession, kind: str, paths: list[str], arity: int | None, options: Mapping[str, Any]) -> DataFrame:
    types = options.get("types")
    if kind == "delta":
        frames = [spark.read.format("delta").load(path) for path in paths]
        return _union(
            [_of_frame(frame, arity, types, sf.lit(path), sf.lit(None)) for frame, path in zip(frames, paths, strict=True)]
        )
    if kind == "parquet":
        _check_schemas(paths)
        frame = spark.read.parquet(*map(uri, map(Path.absolute, map(Path, paths))))
        file = sf.regexp_replace(sf.col("_metadata.file_path"), "^file:/*", "/")
        return _of_frame(frame, arity, types, file, sf.col("_metadata.row_index") + 1)
    sources.register(spark)
    if kind in ("csv", "tsv"):
        delimiter = options.get("delimiter", "\t" if kind == "tsv" else ",")
        headers = options.get("ignore_headers")
        said = {"format": types, "arity": None if types else arity, "delimiter": delimiter, "ignore_headers": headers}
        read = spark.read.format("delimited").options(**sources.options(said)).load(paths)
    else:
        syntax = None if kind == "rdf" else kind
        said = {"arity": arity, "syntax": syntax, "base": options.get("base"), "split": options.get("split")}
        read = spark.read.format("rdf").options(**sources.options(said)).load(paths)
    read = read.toDF(*(f"c{number}" for number in range(len(read.columns) - 1)), "bad")
    _check_width(len(read.columns) - 1, arity, ", ".join(paths))
    return read


def _of_frame(frame: DataFrame, arity: int | None, types: Sequence[str] | None, source: Column, row: Column) -> DataFrame:
    """The records of a DataFrame; those with a value that no fact can hold are bad."""
    names = frame.columns
    if types is not None and len(types) != len(names):
        raise DataError(f"{plural(len(names), 'column')}, where the format has {len(types)}", source="DataFrame")
    kinds = types or ("any",) * len(names)
    kept = [texts(frame, name, kind) for name, kind in zip(names, kinds, strict=True) if kind != SKIP]
    _check_width(len(kept), arity, "DataFrame")
    if not kept:
        raise DataError("a table without columns holds no facts", source="DataFrame")
    reason = sf.coalesce(*(column.reason for column in kept))
    text = sf.to_json(sf.struct(*(sf.col(f"`{name}`") for name in names)))
    bad = sf.when(reason.isNotNull(), sf.struct(source, row.cast("bigint"), reason, text)).cast(_BAD)
    return frame.select(*(column.value.alias(f"c{number}") for number, column in enumerate(kept)), bad.alias("bad"))


def _check_width(width: int, arity: int | None, source: str) -> None:
    if arity is not None and width != arity:
        raise DataError(f"{plural(width, 'column')}, where the predicate has {plural(arity, 'argument')}", source=source)


def _check_schemas(paths: Sequence[str]) -> None:
    """DataError if Parquet files do not have the same columns."""
    first: pa.Schema | None = None
    for path in paths:
        try:
            schema = pq.read_schema(path).remove_metadata()
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"is not a Parquet file that can be read: {error}", source=path) from error
        first = first or schema
        if schema != first:
            shown = [", ".join(f"{field.name} {field.type}" for field in some) for some in (schema, first)]
            raise DataError(f"has the columns {shown[0]}, where {paths[0]} has {shown[1]}", source=path)


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    first, *others = frames
    for other in others:
        first = _as_texts(first).unionByName(_as_texts(other))
    return first


def _as_texts(frame: DataFrame) -> DataFrame:
    """Integers put into words, so that frames that have them in different columns can become one."""
    whole = [name for name, kind in frame.dtypes if kind == "bigint"]
    return frame.withColumns({name: integer_text(sf.col(name)) for name in whole}) if whole else frame
