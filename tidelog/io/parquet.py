"""Parquet: columns with types of their own, which go in and out without a detour over text.

Terms that Arrow has no type for (IRIs, mixed columns, ...) are written as strings in N-Triples; the column says so in its
metadata, and is read back to the same terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import cells, files, ingest
from tidelog.io.bad_rows import BadRows, plural
from tidelog.notation import ntriples, parse_term
from tidelog.terms import Term

_MARK = {b"tidelog": b"ntriples"}


def read(path: Path, dictionary: Dictionary, *, types: Sequence[str] | None, arity: int | None, bad_rows: BadRows) -> list[Ids]:
    """The columns of a file as ids; `types` may skip columns, demand a type, or make IRIs of strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(files.check(path), partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"is not a Parquet file that can be read: {error}", source=str(path)) from error
    if types is not None and len(types) != table.num_columns:
        raise DataError(f"{plural(table.num_columns, 'column')}, where the format has {len(types)}", source=str(path))
    kinds = types or ("any",) * table.num_columns
    kept = [(table.schema.field(i), table.column(i), kind) for i, kind in enumerate(kinds) if kind != cells.SKIP]
    if arity is not None and len(kept) != arity:
        raise DataError(f"{plural(len(kept), 'column')}, where the predicate has {plural(arity, 'argument')}", source=str(path))
    try:
        return [_column(dictionary, field, column, kind, str(path)) for field, column, kind in kept]
    except DataError:
        good = _without_bad_rows(kept, bad_rows, str(path))
        if good is None:  # not some rows are bad, but a whole column
            raise
        return [_column(dictionary, field, column.filter(good), kind, str(path)) for field, column, kind in kept]


def _without_bad_rows(kept: Sequence[tuple[Any, Any, str]], bad_rows: BadRows, source: str) -> Any | None:
    """Which rows can be read, as an Arrow mask, once the others are reported; None if there are no others."""
    import pyarrow as pa

    reasons: dict[int, str] = {}
    for field, column, kind in kept:
        for row, reason in _bad_cells(field, column, kind):
            reasons.setdefault(row, f"column {field.name!r}: {reason}")
    if not reasons:
        return None
    for row, reason in sorted(reasons.items()):
        bad_rows.report(source, row + 1, reason, ", ".join(_shown(column[row]) for _, column, _ in kept))
    return pa.array([row not in reasons for row in range(len(kept[0][1]))])


def _bad_cells(field: Any, column: Any, kind: str) -> Iterator[tuple[int, str]]:
    """The rows of a column, from 0, that hold nothing that a fact can hold, and why."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for row in pc.indices_nonzero(column.is_null()).to_pylist():
        yield row, ingest.MISSING
    if (read := _reader(field, kind)) is not None:
        for row, cell in enumerate(column.to_pylist()):
            if cell is not None:
                try:
                    read(cell)
                except DataError as error:
                    yield row, error.message
    elif pa.types.is_timestamp(field.type) and field.type.unit == "ns":
        finer = pc.not_equal(column.cast(pa.timestamp("us", field.type.tz), safe=False).cast(field.type), column)
        for row in pc.indices_nonzero(finer.fill_null(False)).to_pylist():
            yield row, "a time that is finer than a microsecond"


def _shown(cell: Any) -> str:
    try:
        return str(cell)
    except (ValueError, OverflowError):  # beyond what Python has dates for
        return "?"


def _column(dictionary: Dictionary, field: Any, column: Any, kind: str, source: str) -> Ids:
    import pyarrow as pa

    if (read := _reader(field, kind)) is not None:
        return _texts(dictionary, field.name, column, read, source)
    if kind != "any" and not _TESTS[kind](field.type):
        raise DataError(f"column {field.name!r} has the type {field.type}, not {kind}", source=source)
    return ingest.columns(pa.table({field.name: column}), dictionary, arity=1, source=source)[0]


def _reader(field: Any, kind: str) -> Callable[[str], Term] | None:
    """What makes terms of a column's strings, if its strings stand for other terms."""
    if field.metadata and _MARK.items() <= field.metadata.items():
        return _term
    return (lambda cell: cells.read_as("iri", cell)) if kind == "iri" and _TESTS["string"](field.type) else None


def _texts(dictionary: Dictionary, name: str, column: Any, read: Callable[[str], Term], source: str) -> Ids:
    """The ids of terms that stand in strings, each distinct one read once."""
    from tidelog.facts import arrow

    parts = [np.empty(0, np.uint32)]
    try:
        for chunk in column.chunks:
            arrow.refuse_nulls(chunk)
            coded = chunk.dictionary_encode()
            ids = dictionary.encode([read(cell) for cell in coded.dictionary.to_pylist()])
            parts.append(ids[arrow.to_numpy(coded.indices)])
    except DataError as error:
        raise DataError(f"column {name!r}: {error.message}", source=source, row=error.row) from None
    return np.concatenate(parts)


def _term(cell: str) -> Term:
    term = parse_term(cell)
    if term is None:
        raise DataError(f"{cell!r} is not a term in N-Triples")
    return term


def _is(*names: str) -> Callable[[Any], bool]:
    """A test for Arrow types, by the names of Arrow's own tests."""

    def test(kind: Any) -> bool:
        import pyarrow.types as types

        return any(getattr(types, f"is_{name}")(kind) for name in names)

    return test


_TESTS: dict[str, Callable[[Any], bool]] = {
    "string": _is("string", "large_string", "string_view"),
    "iri": _is(),
    "int": _is("integer"),
    "integer": _is("integer"),
    "float": _is("floating"),
    "double": _is("floating"),
    "decimal": _is("decimal"),
    "bool": _is("boolean"),
    "boolean": _is("boolean"),
    "date": _is("date"),
    "datetime": _is("timestamp"),
}


def write(path: Path, columns: Sequence[Ids], dictionary: Dictionary, *, names: Sequence[str] | None = None) -> None:
    """Write columns of ids, each with the natural Arrow type of its terms."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not columns:
        raise DataError("a predicate without arguments cannot be written as a table", source=str(path))
    arrays = [_array(dictionary, column) for column in columns]
    fields = [
        pa.field(name, array.type, nullable=False, metadata=_MARK if marked else None)
        for name, (array, marked) in zip(names or [str(i) for i in range(1, len(columns) + 1)], arrays, strict=True)
    ]
    table = pa.Table.from_arrays([array for array, _ in arrays], schema=pa.schema(fields))
    with files.replacing(path) as file:
        pq.write_table(table, file, compression="zstd")


def _array(dictionary: Dictionary, ids: Ids) -> tuple[Any, bool]:
    """The column, and whether it is written in N-Triples."""
    from tidelog.facts import arrow

    natural = arrow.natural(dictionary, ids)
    return (natural, False) if natural is not None else (arrow.texts(dictionary, ids, ntriples), True)
