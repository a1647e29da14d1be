"""Files as Spark data sources: `spark.read.format("rdf")` for RDF, `format("delimited")` for CSV and TSV as Tidelog reads them.

Both give a column of terms for each place of a fact, every term as its text in N-Triples, and a column `bad`. A record that
can be read has its terms and no `bad`; one that cannot has no terms, and `bad` says where it stands (source, line), why it
cannot be read, and its text. So nothing is lost between the file and whoever decides what becomes of it.

Big files of N-Triples and N-Quads are cut into ranges of bytes that are read in parallel (`tidelog.rdf.splits`); any other
file is read by one task. Tasks read with the same code as the embedded engine, a block of lines at a time, and hand
Spark Arrow batches.

The labels of blank nodes are the file's own: they get a prefix made of its path. What a file holds is therefore the same
whenever it is read, by whichever task, and a task that Spark repeats gives the same terms.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob, has_magic
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import LongType, StringType, StructField, StructType

from tidelog.errors import DataError
from tidelog.facts import arrow
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import cells, delimited, files, rows
from tidelog.io.bad_rows import BadRow, BadRows
from tidelog.io.rows import Layout
from tidelog.notation import ntriples
from tidelog.rdf import documents, lines, splits
from tidelog.terms import BlankNode, Term

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

SPLIT = 1 << 25
PLACES = ("subject", "predicate", "object", "graph")
BAD = StructType(
    [
        StructField("source", StringType()),
        StructField("line", LongType()),
        StructField("reason", StringType()),
        StructField("text", StringType()),
    ]
)


def register(spark: SparkSession) -> None:
    """Make the formats known to a session."""
    for source in (RdfSource, DelimitedSource):
        spark.dataSource.register(source)


class _Files(DataSource):
    """What both sources share: the paths, and a schema of texts."""

    def schema(self) -> StructType:
        return StructType([*(StructField(name, StringType()) for name in self.columns()), StructField("bad", BAD)])

    def columns(self) -> Sequence[str]:
        raise NotImplementedError

    def paths(self) -> list[Path]:
        given = self.options.get("paths")
        return expanded(json.loads(given) if given else [self.options.get("path", "")])


class RdfSource(_Files):
    """RDF files of every syntax. Options: `arity` (3 triples, 4 quads), `syntax`, `base`, `split` (bytes a task)."""

    @classmethod
    def name(cls) -> str:
        return "rdf"

    def columns(self) -> Sequence[str]:
        arity = self.options.get("arity", "3")
        if arity not in ("3", "4"):
            raise DataError(f"RDF has triples or quads, so arity is 3 or 4 and not {arity!r}")
        return PLACES[: int(arity)]

    def reader(self, schema: StructType) -> DataSourceReader:
        parts: list[_Part] = []
        for path in self.paths():
            syntax = self._syntax(path)
            if syntax in ("ntriples", "nquads"):
                size = int(self.options.get("split", SPLIT))
                parts += [_Part(part, syntax) for part in splits.ranges(path, size)]
            else:
                parts.append(_Part(splits.Range(str(path), 0, path.stat().st_size), syntax))
        return _Reader(parts, partial(_read_rdf, base=self.options.get("base")), self.columns())

    def _syntax(self, path: Path) -> str:
        given = self.options.get("syntax")
        if given is not None and given not in documents.SYNTAXES:
            raise DataError(f"unknown RDF syntax {given!r}", hint=f"syntaxes: {', '.join(documents.SYNTAXES)}")
        if given is not None:
            return given
        return documents.named_syntax(path).name


class DelimitedSource(_Files):
    """CSV and TSV. Options: `arity`, `format` (types, comma separated), `delimiter`, `ignore_headers`."""

    @classmethod
    def name(cls) -> str:
        return "delimited"

    def columns(self) -> Sequence[str]:
        return [f"c{number}" for number in range(self._arity())]

    def reader(self, schema: StructType) -> DataSourceReader:
        parts = [_Part(splits.Range(str(path), 0, path.stat().st_size), "delimited") for path in self.paths()]
        return _Reader(parts, partial(_read_delimited, layout=self._layout(), arity=self._arity()), self.columns())

    def _layout(self) -> Layout:
        types = self.options.get("format")
        headers = self.options.get("ignore_headers", "false") == "true"
        return Layout(self.options.get("delimiter", ","), tuple(types.split(",")) if types else None, headers)

    def _arity(self) -> int:
        layout = self._layout()
        if layout.types is not None:
            return sum(kind != cells.SKIP for kind in layout.types)
        return int(self.options["arity"]) if "arity" in self.options else _width(self.paths(), layout)


def _width(paths: Sequence[Path], layout: Layout) -> int:
    """How many cells the first row has."""
    heads = (next(files.blocks(path, 100_000)).decode(errors="replace") for path in paths)
    widths = (len(row) for head in heads for _, _, row in rows.records(head, layout.delimiter) if row)
    width = next(widths, 0)
    if not width:
        raise DataError("holds no row to count the columns of", source=str(paths[0]), hint="say how many: arity=2")
    return width


def expanded(given: Sequence[str]) -> list[Path]:
    """The files that paths, directories and patterns name, in order; names beginning with `.` or `_` do not count."""
    found = list(chain.from_iterable(map(_files_of, given)))
    if not found:
        raise DataError("there are no files", source=", ".join(given))
    return found


def _files_of(given: str) -> list[Path]:
    if "://" in given and not given.startswith("file://"):
        hint = "give a path that every machine of the cluster sees, or read it with Spark and ingest the DataFrame"
        raise DataError("is not on a file system that is mounted here", source=given, hint=hint)
    path = Path(given.removeprefix("file://"))
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        return [file for file in inside if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    if has_magic(str(path)) and not path.exists():
        return sorted(file for file in map(Path, glob(str(path), recursive=True)) if file.is_file())
    return [files.check(path)]


# --- what tasks do ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part(InputPartition):
    range: splits.Range
    syntax: str


Read = tuple[list["pa.Array"], list[BadRow]]
"""Columns of texts, and what could not be read."""


class _Reader(DataSourceReader):
    def __init__(self, parts: Sequence[_Part], read: Any, columns: Sequence[str]) -> None:
        self._parts, self._read, self._columns = parts, read, columns

    def partitions(self) -> Sequence[InputPartition]:
        return self._parts

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _Part)
        for columns, bad in self._read(partition, width=len(self._columns)):
            yield from _batches(self._columns, columns, bad)


def _batches(names: Sequence[str], columns: Sequence[pa.Array], bad: Sequence[BadRow]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    kind = pa.struct([("source", pa.string()), ("line", pa.int64()), ("reason", pa.string()), ("text", pa.string())])
    if len(columns[0]):
        texts = [column.cast(pa.string()) for column in columns]
        yield pa.RecordBatch.from_arrays([*texts, pa.nulls(len(texts[0]), kind)], [*names, "bad"])
    if bad:
        found = [{"source": b.source, "line": b.row or None, "reason": b.reason, "text": _clean(b.text)} for b in bad]
        nothing = [pa.nulls(len(bad), pa.string())] * len(names)
        yield pa.RecordBatch.from_arrays([*nothing, pa.array(found, kind)], [*names, "bad"])


def _clean(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _read_rdf(part: _Part, width: int, base: str | None) -> Iterator[Read]:
    scope = scope_of(part.range.path)
    if part.syntax not in ("ntriples", "nquads"):
        yield _read_document(part, width, base, scope)
        return
    before: int | None = None
    passed = 0
    packed = splits.packed(Path(part.range.path))
    for block in files.line_blocks(Path(part.range.path)) if packed else splits.blocks(part.range):
        dictionary, bad_rows = Dictionary(), BadRows("skip")
        quads = part.syntax == "nquads"
        read = lines.read(part.range.path, [block], dictionary, quads=quads, scope=scope, bad_rows=bad_rows)
        if bad_rows and before is None:
            before = splits.lines_before(part.range)
        bad = [BadRow(row.source, row.row + passed + (before or 0), row.reason, row.text) for row in bad_rows]
        yield [_texts(dictionary, column) for column in read[:width]], bad
        passed += block.count(b"\n")


def _read_document(part: _Part, width: int, base: str | None, scope: str) -> Read:
    """A document of a syntax that is not read by lines: all of it, or one bad record.

    The parser gives blank nodes without a label a random one. Ids come in the order of the text, so they are better labels.
    """
    dictionary, bad_rows, path = Dictionary(), BadRows("skip"), Path(part.range.path)

    def show(term: Term) -> str:
        return f"_:{scope}n{dictionary.find_one(term)}" if isinstance(term, BlankNode) else ntriples(term)

    syntax = documents.SYNTAXES[part.syntax]
    try:
        read = documents.read(path, dictionary, syntax=syntax, base=base, arity=4, bad_rows=bad_rows)
    except DataError as error:
        return [arrow.strings([])] * width, [BadRow(str(path), error.row or 0, error.message, "")]
    return [arrow.texts(dictionary, column, show) for column in read[:width]], bad_rows.rows


def _read_delimited(part: _Part, width: int, layout: Layout, arity: int) -> Iterator[Read]:
    dictionary, bad_rows, path = Dictionary(), BadRows("skip"), Path(part.range.path)
    read = delimited.read(path, dictionary, layout, arity=arity, bad_rows=bad_rows)
    columns: Sequence[Ids] = read
    yield ([_texts(dictionary, column) for column in columns] or [arrow.strings([])] * width), bad_rows.rows


def _texts(dictionary: Dictionary, column: Ids) -> pa.Array:
    return arrow.texts(dictionary, column, ntriples)


def scope_of(path: str) -> str:
    """The prefix of the labels of a file's blank nodes."""
    return f"f{blake2b(Path(path).absolute().as_posix().encode(), digest_size=16).hexdigest()}."


def options(given: Mapping[str, object]) -> dict[str, str]:
    """Options in Python as Spark wants them: as strings."""
    return {name: _option(value) for name, value in given.items() if value is not None}


def _option(value: object) -> str:
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
