"""CSV and TSV, read a column at a time.

Arrow splits the file into columns of text. A column of plain integers becomes ids by one cast; of any other column only the
distinct cells are read, the common kinds again by Arrow. This is fast but says nothing about where something is wrong, so
whenever anything is, the file is read again row by row (`rows`), which finds the rows, their lines and their text. Both
ways read every file the same; a property test compares them.

The dialect is that of RFC 4180: a cell that begins with a double quote ends with one, a doubled one inside stands for one
quote, and such a cell may hold delimiters and line ends. Empty lines are no rows. There is no header, unless `ignore_headers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import cells, files, lines, rows
from tidelog.io.bad_rows import BadRows, plural
from tidelog.io.rows import Layout
from tidelog.terms import Term


class UnusualError(Exception):
    """The fast way cannot read this file; whether anything is wrong with it, the exact way will tell."""


def read(path: Path, dictionary: Dictionary, layout: Layout, *, arity: int | None, bad_rows: BadRows) -> list[Ids]:
    """The columns of a file as ids."""
    if layout.types is not None and arity is not None:
        kept = sum(kind != cells.SKIP for kind in layout.types)
        if kept != arity:
            message = f"the format keeps {plural(kept, 'column')}, the predicate has {plural(arity, 'argument')}"
            raise DataError(message, source=str(path))
    data = files.read_bytes(path).removeprefix(b"\xef\xbb\xbf")
    if not data.endswith((b"\n", b"\r")):
        data += b"\n"
    try:
        return _fast(data, dictionary, layout, arity)
    except UnusualError:
        return rows.read(str(path), data, dictionary, layout, arity=arity, bad_rows=bad_rows)


# --- the fast way -----------------------------------------------------------------------------------------------------


def _fast(data: bytes, dictionary: Dictionary, layout: Layout, arity: int | None) -> list[Ids]:
    import pyarrow as pa
    import pyarrow.csv as pc

    width = len(layout.types) if layout.types is not None else arity
    if width is None:
        head = data[:100_000].decode(errors="replace")
        width = next((len(row) for _, _, row in rows.records(head, layout.delimiter) if row), 0)
    if not width:
        raise UnusualError
    if layout.ignore_headers:
        data = data.lstrip(b"\r\n")  # Arrow would skip an empty line, which is no row, instead of the header
    names = [str(position) for position in range(width)]
    try:
        table = pc.read_csv(
            pa.BufferReader(data),
            pc.ReadOptions(column_names=names, skip_rows_after_names=int(layout.ignore_headers), block_size=1 << 22),
            pc.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, null_values=[]),
        )
    except pa.ArrowException as error:
        raise UnusualError from error
    if table.num_rows and table.column(width - 1)[-1].as_py().endswith(("\n", "\r")):
        raise UnusualError  # most likely a quote that is never closed: Arrow lets the end of the file close it
    kinds = layout.types or ("any",) * width
    return [_column(dictionary, kind, table.column(i)) for i, kind in enumerate(kinds) if kind != cells.SKIP]


def _column(dictionary: Dictionary, kind: str, column: Any) -> Ids:
    parts = [_chunk(dictionary, kind, chunk) for chunk in column.chunks]
    return np.concatenate([np.empty(0, np.uint32), *parts])


def _chunk(dictionary: Dictionary, kind: str, chunk: Any) -> Ids:
    from tidelog.facts import arrow

    if kind in ("any", "int", "integer") and (integers := _plain_integers(chunk)) is not None:
        return dictionary.encode_int64(integers)
    if kind == "string":
        return dictionary.encode_arrow(chunk)
    coded = chunk.dictionary_encode()
    values = coded.dictionary
    ids = _read_distinct_any(dictionary, values) if kind == "any" else _read_distinct(dictionary, kind, values)
    return cast(Ids, ids[arrow.to_numpy(coded.indices)])


def _plain_integers(chunk: Any) -> np.ndarray[Any, Any] | None:
    """The values of a column that holds nothing but integers as they are printed, else None.

    Arrow's cast is more generous (`007`); but the cells have as many bytes as their values have digits only if every one is
    printed as it should be, since no other spelling that the cast accepts is shorter, hexadecimal `0x...` apart.
    """
    import pyarrow as pa

    from tidelog.facts import arrow

    text, offsets = _bytes_of(chunk)
    if not len(chunk) or (text | 0x20 == ord("x")).any():
        return None
    try:
        values = arrow.to_numpy(chunk.cast(pa.int64()))
    except pa.ArrowException:
        return None
    lowest, highest = int(values.min()), int(values.max())
    digits, power = len(values) + (np.count_nonzero(values < 0) if lowest < 0 else 0), 10
    while power <= highest or -power >= lowest:
        digits += np.count_nonzero(values >= power) if power <= highest else 0
        digits += np.count_nonzero(values <= -power) if -power >= lowest else 0
        power *= 10
    return values if digits == int(offsets[-1] - offsets[0]) else None


def _bytes_of(chunk: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    _, offsets_buffer, data = chunk.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    text = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data is not None and len(chunk) else np.empty(0, np.uint8)
    return text, offsets


def _read_distinct(dictionary: Dictionary, kind: str, values: Any) -> Ids:
    try:
        return dictionary.encode([cells.read_as(kind, cell) for cell in values.to_pylist()])
    except DataError as error:
        raise UnusualError from error


def _read_distinct_any(dictionary: Dictionary, values: Any) -> Ids:
    import pyarrow as pa
    import pyarrow.compute as pc

    from tidelog.facts import arrow

    ids, left = np.zeros(len(values), np.uint32), np.ones(len(values), np.bool_)
    kinds: tuple[tuple[str, Callable[[Any], Ids]], ...] = (
        (cells.SHORT_INTEGER, lambda some: dictionary.encode_int64(arrow.to_numpy(some.cast(pa.int64())))),
        (cells.SHORT_DOUBLE, lambda some: dictionary.encode_float64(arrow.to_numpy(some.cast(pa.float64())))),
        (cells.STRING_OR_BOOLEAN, lambda some: dictionary.encode(some.to_pylist())),
        (cells.BOOLEAN, lambda some: dictionary.encode([cell == "true" for cell in some.to_pylist()])),
    )
    for pattern, encode in kinds:
        fits = pc.match_substring_regex(values, rf"\A(?:{pattern})\z")
        mask = arrow.to_numpy(fits)
        ids[mask], left = encode(values.filter(fits)), left & ~mask
    others = np.flatnonzero(left)
    ids[others] = dictionary.encode([cells.read_any(cell) for cell in values.take(arrow.from_numpy(others)).to_pylist()])
    return ids


# --- writing ----------------------------------------------------------------------------------------------------------


def write(path: Path, columns: Sequence[Ids], dictionary: Dictionary, *, delimiter: str = ",") -> None:
    """Write columns of ids so that reading the file gives the same terms."""
    if not columns:
        raise DataError("a predicate without arguments cannot be written as a table", source=str(path))
    with files.replacing(path) as file:
        write_rows(file, columns, dictionary, delimiter=delimiter)


def write_rows(
    file: BinaryIO, columns: Sequence[Ids], dictionary: Dictionary, *, delimiter: str = ",", header: Sequence[str] = ()
) -> None:
    """Write a header, if there is one, and rows to an open file."""
    special = re.compile(rf'[{re.escape(delimiter)}"\r\n]|\A\ufeff')

    def quote(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if special.search(cell) else cell

    def show(term: Term) -> str:
        return quote(cells.show(term)) or ('""' if len(columns) == 1 else "")  # an empty line is no row

    if header:
        file.write((delimiter.join(map(quote, header)) + "\n").encode())
    if columns:
        lines.write(file, columns, dictionary, [show] * len(columns), delimiter, "\n")
