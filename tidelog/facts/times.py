"""Until when the facts of a table hold: two columns beside its own, and a calendar of the moments at which one ends.

A time is a double: seconds, ticks, whatever its user counts; `NEVER` is infinite. A fact with an expiry t holds while now < t.
Tables whose facts hold for good have none of this.

The calendar tells which facts are due without a look at the others: times in a few sorted runs, merged geometrically like those
of an index. An entry says that a row *may* be due. Whoever extends a fact's time adds an entry and leaves the old one, which is
dropped when its moment comes, or when runs merge.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.facts.kernel import Mask, Rows, sorted_unique

Expiries: TypeAlias = NDArray[np.float64]

NEVER = np.inf
_MERGE_BELOW = 4
"""A run is merged into the one before it unless that one is this many times longer."""


class Times:
    """The times of the rows of one table."""

    __slots__ = ("_expiry", "_given", "runs")

    def __init__(self) -> None:
        self._expiry = np.empty(0, np.float64)
        self._given = np.empty(0, np.float64)
        self.runs: list[tuple[Expiries, Rows]] = []
        """Times in order, and the rows that may be due then; the longest run first."""

    def make_room(self, rows: int) -> None:
        """Have times for so many rows, those of new ones being `NEVER`."""
        have = len(self._expiry)
        if have < rows:
            more = np.full(max(rows, 2 * have, 64) - have, NEVER)
            self._expiry = np.concatenate((self._expiry, more))
            self._given = np.concatenate((self._given, more))

    @property
    def expiry(self) -> Expiries:
        """Until when each present fact holds, if nothing else changes than the time."""
        return self._expiry

    @property
    def given(self) -> Expiries:
        """Until when each explicit fact is explicit."""
        return self._given

    def schedule(self, rows: Rows) -> None:
        """Enter rows by the times that they have now."""
        rows = sorted_unique(rows.copy())
        times = np.concatenate((self._expiry[rows], self._given[rows]))
        both = np.concatenate((rows, rows))
        same = self._expiry[rows] == self._given[rows]
        finite = times < NEVER
        finite[len(rows) :] &= ~same
        if finite.any():
            self._push(times[finite], both[finite])

    def _push(self, times: Expiries, rows: Rows) -> None:
        left = len(self.runs)
        while left and len(self.runs[left - 1][0]) < _MERGE_BELOW * len(times):
            left -= 1
            earlier, earlier_rows = self.runs[left]
            keep = self._stands(earlier, earlier_rows)
            times, rows = np.concatenate((earlier[keep], times)), np.concatenate((earlier_rows[keep], rows))
        order = np.argsort(times, kind="stable")
        self.runs = [*self.runs[:left], (times[order], rows[order])]

    def _stands(self, times: Expiries, rows: Rows) -> Mask:
        """Which entries are still the time of their row."""
        stands: Mask = (self._expiry[rows] == times) | (self._given[rows] == times)
        return stands

    def due(self, now: float) -> Rows:
        """The rows with an entry up to now; whether their time has really come, their columns say."""
        parts = [rows[: np.searchsorted(times, now, side="right")] for times, rows in self.runs]
        return sorted_unique(np.concatenate([np.empty(0, np.uint32), *parts]))

    def forget(self, now: float) -> None:
        """Drop the entries up to now."""
        left: list[tuple[Expiries, Rows]] = []
        for times, rows in self.runs:
            start = int(np.searchsorted(times, now, side="right"))
            if start < len(times):
                # Views at first, so that dropping costs nothing; a copy when most of what they keep alive is gone.
                copy = times.base is not None and 2 * (len(times) - start) < len(times.base)
                left.append((times[start:].copy(), rows[start:].copy()) if copy else (times[start:], rows[start:]))
        self.runs = left

    @property
    def nbytes(self) -> int:
        return self._expiry.nbytes + self._given.nbytes + sum(times.nbytes + rows.nbytes for times, rows in self.runs)
