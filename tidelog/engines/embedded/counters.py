"""How often each fact was derived in each iteration, and the first iteration that did: a trace, for the facts of one table.

The counters of a fact are a chain: each has its iteration, its count and the number of the next counter of the same fact.
Most facts have one or two, so looking one up is a few steps for all facts at once, and a new one goes in front. A counter
that has gone down to zero stays until `compact`. Everything costs what is asked for, not what is there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tidelog.facts.kernel import Rows, starts_of_groups

Numbers = NDArray[np.int32]

NEVER = 1 << 30
"""The iteration of a derivation that there is none of."""

_NONE = -1
"""The end of a chain."""
_SMALL = 1 << 12


class Counters:
    """The multisets of one table's facts, and the way back while an update changes them."""

    def __init__(self) -> None:
        self._first: Numbers = np.empty(0, np.int32)
        """By row, the fact's first counter."""
        self._next, self._iterations, self._counts = (_with_room(np.empty(0, np.int32), 0, fill) for fill in (_NONE, 0, 0))
        self._used = 0
        self._in_use = 0
        """How many counters are not zero."""
        self._before: list[tuple[Numbers, Numbers]] = []
        self._recorded: int | None = None
        """While recording: counters below this number were there before, and overwritten counts of theirs are remembered."""

    def reach(self, count: int) -> Counters:
        """Have a chain for each of so many rows."""
        if len(self._first) < count:
            self._first = _with_room(self._first, count, _NONE)
        return self

    def change(self, rows: Rows, sign: int, iteration: int) -> Rows:
        """Count a multiset of facts in an iteration, or with -1 take it off; gives its distinct facts."""
        rows = np.sort(rows)
        starts = np.flatnonzero(starts_of_groups(rows))
        by = np.diff(np.append(starts, len(rows))).astype(np.int32) * np.int32(sign)
        rows = rows[starts]
        counters = self._find(rows, iteration)
        new = counters == _NONE
        if new.any():
            counters[new] = self._append(rows[new], iteration)
        if self._recorded is not None:
            recorded = counters[counters < self._recorded]
            self._before.append((recorded, self._counts[recorded]))
        self._put(counters, self._counts[counters] + by)
        return rows

    def at(self, rows: Rows, iteration: int) -> Numbers:
        """How often the facts were derived in an iteration."""
        counters = self._find(rows, iteration)
        return np.where(counters == _NONE, np.int32(0), self._counts[counters])

    def next(self, rows: Rows, iteration: int) -> Numbers:
        """The first iteration after this one in which each of the facts was derived, or `NEVER`."""
        found = np.full(len(rows), NEVER, np.int32)
        which, at = np.arange(len(rows)), self._first[rows]
        while len(which := which[at != _NONE]):
            at = at[at != _NONE]
            iterations = np.where(self._counts[at] > 0, self._iterations[at], NEVER)
            later = iterations > iteration
            found[which[later]] = np.minimum(found[which[later]], iterations[later])
            at = self._next[at]
        return found

    def items(self) -> tuple[Rows, Numbers, Numbers]:
        """All counters that are not zero: the row, the iteration, the count."""
        found = []
        rows, at = np.arange(len(self._first), dtype=np.uint32), self._first
        while len(rows := rows[at != _NONE]):
            at = at[at != _NONE]
            some = self._counts[at] != 0
            found.append((rows[some], self._iterations[at[some]], self._counts[at[some]]))
            at = self._next[at]
        if not found:
            return np.empty(0, np.uint32), np.empty(0, np.int32), np.empty(0, np.int32)
        rows, iterations, counts = (np.concatenate(column) for column in zip(*found, strict=True))
        return rows, iterations, counts

    def compact(self) -> None:
        """Leave out counters that are zero, if most are."""
        if self._used > 2 * self._in_use + _SMALL:
            rows, iterations, counts = self.items()
            fresh = Counters().reach(len(self._first))
            for iteration in np.flatnonzero(np.bincount(iterations)).tolist():
                now = iterations == iteration
                fresh._put(fresh._append(rows[now], iteration), counts[now])
            self.__dict__.update(fresh.__dict__)

    def record(self) -> None:
        """From now on remember what is overwritten, until `keep` or `restore`."""
        self._recorded = self._used

    def keep(self) -> None:
        """What was counted stays."""
        self._before.clear()
        self._recorded = None

    def restore(self) -> None:
        """Back to what was there when recording began, if it has."""
        if self._recorded is None:
            return
        for counters, counts in reversed(self._before):
            self._put(counters, counts)
        new = np.arange(self._recorded, self._used, dtype=np.int32)
        self._put(new, np.zeros(len(new), np.int32))
        self.keep()

    def _find(self, rows: Rows, iteration: int) -> Numbers:
        at = self._first[rows]
        todo = np.flatnonzero((at != _NONE) & (self._iterations[at] != iteration))
        while len(todo):
            step = self._next[at[todo]]
            at[todo] = step
            todo = todo[(step != _NONE) & (self._iterations[step] != iteration)]
        return at

    def _append(self, rows: Rows, iteration: int) -> Numbers:
        """New counters; an interruption at any point leaves at most some that no chain leads to."""
        start, end = self._used, self._used + len(rows)
        if end > min(len(self._next), len(self._iterations), len(self._counts)):
            self._next = _with_room(self._next, end, _NONE)
            self._iterations = _with_room(self._iterations, end, 0)
            self._counts = _with_room(self._counts, end, 0)
        self._used = end
        self._next[start:end] = self._first[rows]
        self._iterations[start:end] = iteration
        new = np.arange(start, end, dtype=np.int32)
        self._first[rows] = new
        return new

    def _put(self, counters: Numbers, counts: Numbers) -> None:
        self._in_use += int(np.count_nonzero(counts)) - int(np.count_nonzero(self._counts[counters]))
        self._counts[counters] = counts

    @property
    def nbytes(self) -> int:
        return self._first.nbytes + self._next.nbytes + self._iterations.nbytes + self._counts.nbytes


class Rounds:
    """The round of each fact of one table, before and after the running update: the first iteration that derives it."""

    def __init__(self) -> None:
        self.old: Numbers = np.empty(0, np.int32)
        self.new: Numbers = np.empty(0, np.int32)
        self._written: list[Rows] = []

    def reach(self, count: int) -> Rounds:
        """Have a place for each of so many rows."""
        if min(len(self.old), len(self.new)) < count:
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

    @property
    def nbytes(self) -> int:
        return self.old.nbytes + self.new.nbytes


def _with_room(array: Numbers, count: int, fill: int) -> Numbers:
    longer = np.full(max(len(array), 64 + count + count // 2), fill, np.int32)
    longer[: len(array)] = array
    return longer
