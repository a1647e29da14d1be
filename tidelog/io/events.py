"""Events in a table that comes line by line: CSV with a header, one of whose columns is the time.

    time,sensor,celsius
    2026-03-01T12:00:00Z,s1,21.5

Each row inserts a fact, whose terms are the other columns in their order; `read_any` says what a cell means. Rows of the same
time make one update (`tidelog.io.timed`). For whole tables `tidelog.io.delimited` is faster.
"""

from __future__ import annotations

import csv

from tidelog.errors import DataError
from tidelog.io.bad_rows import BadRows
from tidelog.io.cells import read_any
from tidelog.io.timed import BATCH, Timed, TimedLines
from tidelog.io.updates import Lines, seconds

TIME = "time"


class Events(TimedLines):
    """The updates that the rows of one source make."""

    def __init__(
        self, lines: Lines, predicate: str, bad_rows: BadRows, *, column: str = TIME, delimiter: str = ",", batch: int = BATCH
    ) -> None:
        super().__init__(lines, predicate, bad_rows, batch)
        self._column, self._delimiter = column, delimiter
        self._width, self._place = 0, 0

    def parse(self, text: str) -> Timed | None:
        if not text:
            return None
        cells = next(csv.reader([text], delimiter=self._delimiter))
        if not self._width:
            self._header(cells)
            return None
        if len(cells) != self._width:
            raise DataError(f"{len(cells)} cells, where the header has {self._width}")
        time = read_any(cells[self._place])
        fact = tuple(read_any(cell) for place, cell in enumerate(cells) if place != self._place)
        return fact, seconds(time if isinstance(time, int | float) else cells[self._place])

    def _header(self, names: list[str]) -> None:
        if self._column not in names:
            hint = "the first line names the columns; say which one is the time: --time-column NAME"
            raise DataError(f"no column is {self._column!r}, of {', '.join(names)}", source=self.name, row=1, hint=hint)
        self._width, self._place = len(names), names.index(self._column)
