"""Events in a table that comes line by line: CSV with a header, one of whose columns is the time.

    time,sensor,celsius
    2026-03-01T12:00:00Z,s1,21.5

Each row inserts a fact, whose terms are the other columns in their order; `read_any` says what a cell means. Rows that are
there together make one update, as long as their time is the same. For whole tables `tidelog.io.delimited` is faster.
"""

from __future__ import annotations

import csv
from itertools import count
from typing import NamedTuple

from tidelog.errors import DataError
from tidelog.io.bad_rows import BadRows
from tidelog.io.cells import read_any
from tidelog.io.updates import Lines, WrittenUpdate, seconds
from tidelog.stream.sources import Signal, Source, Taken, source_of
from tidelog.terms import Term

TIME = "time"
BATCH = 1000


class _Row(NamedTuple):
    fact: tuple[Term, ...]
    time: float
    number: int
    text: str


class Events:
    """The updates that the rows of one source make."""

    def __init__(
        self, lines: Lines, predicate: str, bad_rows: BadRows, *, column: str = TIME, delimiter: str = ",", batch: int = BATCH
    ) -> None:
        self._name = lines.source
        self._lines: Source[bytes] = source_of(lines.lines)
        self._predicate, self._bad_rows, self._batch = predicate, bad_rows, batch
        self._column, self._delimiter = column, delimiter
        self._numbers, self._updates = count(1), count(1)
        self._width, self._place = 0, 0
        self._next: _Row | None = None
        """The first row of the next update, if it was read."""
        self.time: float | None = None
        """That of the update given last."""

    def take(self, wait: bool) -> Taken[WrittenUpdate]:
        first = self._next or self._take(wait)
        self._next = None
        if isinstance(first, Signal):
            return first
        facts = [first.fact]
        while len(facts) < self._batch and not isinstance(row := self._take(wait=False), Signal):
            if row.time != first.time:
                self._next = row
                break
            facts.append(row.fact)
        self.time = first.time
        number, insert = next(self._updates), {self._predicate: facts}
        return WrittenUpdate(insert, {}, number, self._name, first.number, first.text, time=first.time)

    def _take(self, wait: bool) -> _Row | Signal:
        """The next row that can be read."""
        while not isinstance(raw := self._lines.take(wait), Signal):
            number, text = next(self._numbers), raw.decode(errors="backslashreplace").strip("\ufeff\r\n")
            if not text:
                continue
            cells = next(csv.reader([text], delimiter=self._delimiter))
            if not self._width:
                self._header(cells)
                continue
            try:
                return _Row(*self._parse(cells), number, text)
            except DataError as error:
                self._bad_rows.report(self._name, number, error.message, text)
        return raw

    def _header(self, names: list[str]) -> None:
        if self._column not in names:
            hint = "the first line names the columns; say which one is the time: --time-column NAME"
            raise DataError(
                f"there is no column {self._column!r} among {', '.join(names)}", source=self._name, row=1, hint=hint
            )
        self._width, self._place = len(names), names.index(self._column)

    def _parse(self, cells: list[str]) -> tuple[tuple[Term, ...], float]:
        if len(cells) != self._width:
            raise DataError(f"{len(cells)} cells, where the header has {self._width}")
        time = read_any(cells[self._place])
        fact = tuple(read_any(cell) for place, cell in enumerate(cells) if place != self._place)
        return fact, seconds(time if isinstance(time, int | float) else cells[self._place])
