"""A version of a warehouse, read into this process: for the embedded engine, and for whoever has no Spark.

Files are read by Arrow. Wide ids become the ids of a dictionary of this process; of the terms, only those that some fact
mentions are taken in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.errors import DataError
from tidelog.facts import arrow
from tidelog.facts.dictionary import Dictionary, Ids, Mask
from tidelog.facts.wide import WIDE, WideIds
from tidelog.notation import parse_term
from tidelog.warehouse.directory import Directory
from tidelog.warehouse.manifest import Manifest, Table

_TYPES = {"bigint": pa.int64(), "int": pa.int32(), "boolean": pa.bool_(), "string": pa.string()}


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a predicate that hold, with the ids of a dictionary of this process."""

    columns: list[Ids]
    explicit: Mask
    rank: np.ndarray[Any, Any] | None

    def __len__(self) -> int:
        return len(self.explicit)


def facts(directory: Directory, manifest: Manifest, dictionary: Dictionary) -> dict[str, Facts]:
    """Everything that holds in a version; terms are added to the dictionary."""
    tables = {name: rows(directory, table) for name, table in manifest.predicates.items()}
    wide = {name: [_numbers(read, key) for key in manifest.predicates[name].keys] for name, read in tables.items()}
    narrow = _Narrow(directory, manifest, dictionary, [column for columns in wide.values() for column in columns])
    return {name: _facts(read, [narrow.ids(column) for column in wide[name]]) for name, read in tables.items()}


def _facts(read: pa.Table, columns: list[Ids]) -> Facts:
    rank = arrow.to_numpy(read.column("rank").combine_chunks()) if "rank" in read.column_names else None
    explicit = arrow.to_numpy(read.column("explicit").combine_chunks()) if read.num_rows else np.zeros(0, np.bool_)
    return Facts(columns, explicit, rank)


def rows(directory: Directory, table: Table) -> pa.Table:
    """The rows of a table, as Arrow."""
    schema = pa.schema([(name, _TYPES.get(kind, pa.string())) for name, kind in table.columns.items()])
    keys = pa.schema([schema.field(key) for key in table.keys])
    found = schema.empty_table()
    for segment in table.segments:
        if segment.removed:
            gone = _read(directory, segment.removed, keys)
            found = found.join(gone, list(table.keys), join_type="left anti")
        found = pa.concat_tables([found.select(schema.names), _read(directory, segment.files, schema)])
    return found


def _read(directory: Directory, files: tuple[str, ...], schema: pa.Schema) -> pa.Table:
    parts = [schema.empty_table()]
    for file in files:
        try:
            read = pq.ParquetFile(directory.path / file).read(columns=schema.names)
        except (OSError, pa.ArrowException) as error:
            raise DataError(f"cannot be read: {error}", source=str(directory.path / file)) from error
        parts.append(read.cast(schema))
    return pa.concat_tables(parts)


class _Narrow:
    """Wide ids to those of a dictionary of this process."""

    def __init__(self, directory: Directory, manifest: Manifest, dictionary: Dictionary, columns: list[WideIds]) -> None:
        used = [column[column >= WIDE] for column in columns]
        self._wide: WideIds = np.unique(np.concatenate([np.empty(0, np.int64), *used]))
        words = rows(directory, manifest.dictionary)
        numbers = _numbers(words, "id")
        wanted = np.flatnonzero(np.isin(numbers, self._wide))
        wanted = wanted[np.argsort(numbers[wanted])]
        if not np.array_equal(numbers[wanted], self._wide):
            raise DataError("facts mention terms that the dictionary does not have", source=str(directory.path))
        texts = words.column("text").combine_chunks().take(arrow.from_numpy(wanted)).to_pylist()
        self._narrow = dictionary.encode([_term(text, str(directory.path)) for text in texts])
        self._dictionary = dictionary

    def ids(self, column: WideIds) -> Ids:
        wide = column >= WIDE
        ids = np.empty(len(column), np.uint32)
        ids[~wide] = self._dictionary.encode_int64(column[~wide])
        ids[wide] = self._narrow[np.searchsorted(self._wide, column[wide])]
        return ids


def _numbers(read: pa.Table, column: str) -> WideIds:
    return arrow.to_numpy(read.column(column).combine_chunks())


def _term(text: str, source: str) -> Any:
    term = parse_term(text)
    if term is None:
        raise DataError(f"the dictionary holds {text!r}, which is not a term in N-Triples", source=source)
    return term
