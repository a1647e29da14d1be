"""How often each fact was derived in each iteration: the multisets of a trace, for the facts of one table.

A counter belongs to a fact's row and an iteration. All counters stand in one auxiliary table of such pairs, whose identity
finds them and whose order, by row and then by iteration, finds the next iteration in which a fact was derived. A counter
that has gone down to zero stays until `compact`. Everything costs what is asked for, not what is there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.facts.kernel import Rows, expand, starts_of_groups
from tidelog.facts.table import Table

Counts = NDArray[np.int32]
Iterations = NDArray[np.int32]

NEVER = 1 << 30
"""The iteration of a derivation that there is none of."""

_SMALL = 1 << 12


class Counters:
    """The counters of one table's facts, and the way back while an update changes them."""

    def __init__(self) -> None:
        self._pairs = Table("counters", 2)
        self._counts: Counts = np.zeros(0, np.int32)
        self._compacted = 0
        self._before: list[tuple[Rows, Counts]] = []
        self.recording = False
        """Whether counts that are overwritten are remembered."""

    def add(self, rows: Rows, iteration: int, sign: int) -> Rows:
        """Count a multiset of facts in an iteration, or with -1 take it off; gives its distinct facts."""
        rows, times = _multiplicities(rows)
        counters = self._pairs.intern_each([rows, np.full(len(rows), iteration, np.uint32)], len(rows))
        counts = self._all()
        if self.recording:
            self._before.append((counters, counts[counters]))
        counts[counters] += times if sign > 0 else -times
        return rows

    def at(self, rows: Rows, iteration: int) -> Counts:
        """How often the facts were derived in an iteration."""
        counters, known = self._pairs.find([rows, np.full(len(rows), iteration, np.uint32)], len(rows))
        return np.where(known, self._all()[counters], np.int32(0))

    def next(self, rows: Rows, iteration: int) -> Iterations:
        """The first iteration after this one in which each of the facts was derived, or `NEVER`."""
        first = np.full(len(rows), NEVER, np.int32)
        counts = self._all()
        index = self._pairs.identity
        index.sync()
        for run in index.runs:
            starts, lengths = index.prefix_ranges(run, rows)
            which, place = expand(starts, lengths, int(lengths.sum()))
            counters = run.rows[place]
            iterations = self._pairs.columns[1][counters].astype(np.int32)
            counted = (iterations > iteration) & (counts[counters] > 0)
            np.minimum.at(first, which[counted], iterations[counted])
        return first

    def items(self) -> tuple[Rows, Iterations, Counts]:
        """All counters that are not zero: the row, the iteration, the count."""
        counts = self._all()
        used = np.flatnonzero(counts[: self._pairs.count])
        rows, iterations = (column[used] for column in self._pairs.columns)
        return rows, iterations.astype(np.int32), counts[used]

    def compact(self) -> None:
        """Leave out counters that are zero, if there are twice as many counters as last time."""
        if self._pairs.count > 2 * self._compacted + _SMALL:
            rows, iterations, counts = self.items()
            pairs = Table("counters", 2)
            self._counts = _with_room(counts, len(rows), 0)
            self._counts[pairs.intern_each([rows, iterations.astype(np.uint32)], len(rows))] = counts
            self._pairs, self._compacted = pairs, len(rows)

    def keep(self) -> None:
        """What was counted stays."""
        self._before.clear()
        self.recording = False

    def restore(self) -> None:
        """Back to what was there when recording began."""
        for counters, counts in reversed(self._before):
            self._counts[counters] = counts
        self.keep()

    def _all(self) -> Counts:
        """A place for every counter; those without one were never counted."""
        if len(self._counts) <= self._pairs.count:
            self._counts = _with_room(self._counts, self._pairs.count, 0)
        return self._counts

    @property
    def nbytes(self) -> int:
        return self._pairs.nbytes + self._counts.nbytes


class Rounds:
    """The round of each fact of one table: the first iteration that derives it, before and after the running update."""

    def __init__(self) -> None:
        self.old: Iterations = np.empty(0, np.int32)
        self.new: Iterations = np.empty(0, np.int32)
        self._written: list[Rows] = []

    def reach(self, count: int) -> Rounds:
        """Have a place for each of so many rows."""
        if len(self.new) < count:
            self.old = _with_room(self.old, count, NEVER)
            self.new = _with_room(self.new, count, NEVER)
        return self

    def set(self, rows: Rows, iteration: int) -> None:
        self._written.append(rows)
        self.new[rows] = iteration

    def keep(self) -> None:
        """What is new becomes old."""
        for rows in self._written:
            self.old[rows] = self.new[rows]
        self._written.clear()

    def restore(self) -> None:
        for rows in self._written:
            self.new[rows] = self.old[rows]
        self._written.clear()


def _multiplicities(rows: Rows) -> tuple[Rows, Counts]:
    rows = np.sort(rows)
    starts = np.flatnonzero(starts_of_groups(rows))
    return rows[starts], np.diff(np.append(starts, len(rows))).astype(np.int32)


def _with_room(array: NDArray[np.int32], count: int, fill: int) -> NDArray[np.int32]:
    longer = np.full(64 + count + count // 2, fill, np.int32)
    longer[: len(array)] = array
    return longer
