"""CSV and TSV, read a row at a time: exact about what is wrong, and where.

This is how a file is read that holds something wrong (see `tidelog.io.delimited`, which reads all others).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io import cells
from tidelog.io.bad_rows import BadRows, plural


@dataclass(frozen=True, slots=True)
class Layout:
    """How a file is laid out: `types` has one entry for each column of the file, or is None where all are `any`."""

    delimiter: str = ","
    types: tuple[str, ...] | None = None
    ignore_headers: bool = False


def read(
    source: str, data: bytes, dictionary: Dictionary, layout: Layout, *, arity: int | None, bad_rows: BadRows
) -> list[Ids]:
    """The columns of a text as ids; every bad row is reported, with its line and text."""
    reading = records(data.decode(errors="surrogateescape"), layout.delimiter)
    if layout.ignore_headers:
        next(reading, None)
    width = len(layout.types) if layout.types is not None else arity
    good: list[Sequence[int]] = []
    for line, text, row in reading:
        width = len(row) if width is None and row is not None else width
        reason, ids = _read_row(dictionary, layout.types, row, width)
        if reason is None:
            good.append(ids)
        else:
            bad_rows.report(source, line, reason, text.encode(errors="surrogateescape").decode(errors="backslashreplace"))
    kept = sum(kind != cells.SKIP for kind in layout.types) if layout.types is not None else width or 0
    if not good:
        return [np.empty(0, np.uint32) for _ in range(kept)]
    return list(np.array(good, np.uint32).reshape(len(good), kept).T.copy())


def _read_row(
    dictionary: Dictionary, types: tuple[str, ...] | None, row: list[str] | None, width: int | None
) -> tuple[str | None, list[int]]:
    """Why a row is bad, or None; and the ids of its terms."""
    if row is None:
        return "a quote is not closed", []
    if len(row) != width:
        return f"{plural(len(row), 'column')}, where {width} are needed", []
    ids = []
    for number, (kind, cell) in enumerate(zip(types or ("any",) * len(row), row, strict=True), 1):
        if not cell.isascii() and _ESCAPED.search(cell):
            return f"column {number} is not UTF-8", []
        if kind != cells.SKIP:
            try:
                ids.append(dictionary.encode_one(cells.read_as(kind, cell)))
            except DataError as error:
                return f"column {number}: {error.message}", []
    return None, ids


_ESCAPED = re.compile("[\ud800-\udfff]")  # bytes that are not UTF-8, as surrogateescape shows them
_LINE_END = re.compile(r"\r\n|\n|\r")


def records(text: str, delimiter: str) -> Iterator[tuple[int, str, list[str] | None]]:
    """The rows of a text: the line each begins on, its text and its cells; None for the cells if a quote is never closed."""
    mark = re.escape(delimiter)
    cell = re.compile(rf'(?:"([^"]*(?:""[^"]*)*)")?([^{mark}\r\n]*)({mark}|\r\n|\n|\r|\Z)')
    position, line = 0, 1
    while position < len(text):
        row, end = _record(text, position, cell, delimiter)
        written = text[position:end]
        if written.strip("\r\n"):
            yield line, written.rstrip("\r\n"), row
        line += len(_LINE_END.findall(written))
        position = end


def _record(text: str, start: int, cell: re.Pattern[str], delimiter: str) -> tuple[list[str] | None, int]:
    """The cells of the row that starts here, and where the next one does; after an unclosed quote, on the next line."""
    row: list[str] = []
    position = start
    while True:
        match = cell.match(text, position)
        assert match is not None  # every part of the pattern may be empty
        if match[1] is None and match[2].startswith('"'):
            end = _LINE_END.search(text, start)
            return None, end.end() if end else len(text)
        row.append((match[1] or "").replace('""', '"') + match[2])
        position = match.end()
        if match[3] != delimiter:
            return row, position
