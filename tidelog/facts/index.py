"""An index: a few sorted runs of keys with their row numbers, growing with its table.

New rows become a new run when somebody next probes; runs merge geometrically, so that inserting costs amortised
logarithmic work and a probe meets only a few runs. A run whose first column has few different ids also gets an
offset table on demand, which turns a binary search into one look-up. Keys that are hashes are spread evenly, so a large run of
them gets a directory by their first bits: what is left to search are a few neighbours, for many keys at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tidelog.facts.kernel import SHIFT, Directory, Ids, Keys, Positions, Rows, directory, is_exact, merge, offset_table, pack

if TYPE_CHECKING:
    from tidelog.facts.table import Table

_MERGE_BELOW = 4
"""A run is merged into the one before it unless that one is this many times longer."""
_SHORT = 1024
"""A run shorter than this is always merged into, since a probe into one more run costs more than that."""
_OFFSET_SPARSENESS = 8
"""An offset table may have this many slots for each key of its run."""
_DIRECTORY_FROM = 1 << 15
"""Keys of a run for which a directory pays, once so many are looked for at a time:"""
_DIRECTORY_PROBES = 64


@dataclass(slots=True)
class Run:
    """Sorted keys and the rows they stand for."""

    keys: Keys
    rows: Rows
    lowest: int = 0
    offsets: Positions | None = None
    directory: Directory | None = None
    probes: int = field(default=0)
    """How many look-ups there were; -1 once it is decided whether there are offsets, or a directory."""

    @property
    def nbytes(self) -> int:
        offsets = 0 if self.offsets is None else self.offsets.nbytes
        return self.keys.nbytes + self.rows.nbytes + offsets + (0 if self.directory is None else self.directory.starts.nbytes)


class Runs:
    """Keys with rows that can be found by key, or by the upper half of the key, while more come in."""

    __slots__ = ("exact", "runs")

    def __init__(self, *, exact: bool = True) -> None:
        self.exact = exact
        """Whether a key is what it stands for, not a hash of it."""
        self.runs: list[Run] = []
        """Replaced as a whole, at one moment: work that is interrupted leaves the index as it was."""

    @property
    def size(self) -> int:
        """How many keys there are."""
        return sum([len(run.rows) for run in self.runs])

    def push(self, keys: Keys, rows: Rows) -> None:
        """Add a sorted run."""
        left = len(self.runs)
        while left and len(self.runs[left - 1].keys) < max(_SHORT, _MERGE_BELOW * len(keys)):
            left -= 1
            keys, rows = merge(self.runs[left].keys, self.runs[left].rows, keys, rows)
        self.runs = [*self.runs[:left], Run(keys, rows)]

    def prefix_ranges(self, run: Run, values: Ids) -> tuple[Positions, Positions]:
        """Where the facts whose first column has these values start in a run, and how many there are.

        For keys of two columns; a key of one column has no low half (see `ranges`).
        """
        offsets = self._offsets(run, len(values))
        if offsets is not None:
            slot = values.astype(np.int64)
            slot -= run.lowest - 1
            np.maximum(slot, 0, out=slot)
            np.minimum(slot, len(offsets) - 2, out=slot)
            start = offsets[slot]
            return start, offsets[slot + 1] - start
        low = values.astype(np.uint64)
        low <<= SHIFT
        start = run.keys.searchsorted(low)
        return start, self._counts(run, start, low, low | np.uint64(0xFFFFFFFF))

    def ranges(self, run: Run, keys: Keys) -> tuple[Positions, Positions]:
        """Where these keys start in a run, and how often they occur."""
        start = self.places(run, keys)
        return start, self._counts(run, start, keys, keys)

    def places(self, run: Run, keys: Keys) -> Positions:
        """Where these keys are in a run, or would be: the first key there that is not less."""
        if not self.exact and len(keys) >= _DIRECTORY_PROBES and len(run.keys) >= _DIRECTORY_FROM:
            if run.directory is None and run.probes >= 0:
                run.probes += len(keys)
                if 256 * run.probes > len(run.keys):
                    run.probes = -1
                    run.directory = directory(run.keys)
            if run.directory is not None:
                return run.directory.places(run.keys, keys)
        return run.keys.searchsorted(keys)

    def _counts(self, run: Run, start: Positions, low: Keys, high: Keys) -> Positions:
        """How many keys lie between `low` and `high`, from `start` on: none for most probes of a small run, often just one."""
        if len(start) < 64:
            return run.keys.searchsorted(high, side="right") - start
        last = len(run.keys) - 1
        first = run.keys.take(np.minimum(start, last))
        found = (first >= low) & (first <= high)
        counts = found.astype(np.int64)
        after = start + 1
        several = (found & (after <= last) & (run.keys.take(np.minimum(after, last, out=after)) <= high)).nonzero()[0]
        if len(several):
            counts[several] = run.keys.searchsorted(high.take(several), side="right") - start.take(several)
        return counts

    def _offsets(self, run: Run, probes: int) -> Positions | None:
        """The run's offset table, made once the probes so far are worth it; slots 0 and -2 are empty ranges."""
        if run.offsets is None and run.probes >= 0 and len(run.keys) >= _SHORT:
            run.probes += probes
            if 8 * run.probes > len(run.keys):
                run.probes = -1
                first = (run.keys[[0, -1]] >> SHIFT).astype(np.int64)
                span = int(first[1] - first[0]) + 1
                if span <= max(1 << 12, _OFFSET_SPARSENESS * len(run.keys)) and first[1] < 0xFFFFFFFF:
                    run.lowest = int(first[0])
                    run.offsets = offset_table(run.keys, run.lowest, span)
        return run.offsets

    @property
    def nbytes(self) -> int:
        return sum(run.nbytes for run in self.runs)


class Index(Runs):
    """An index of one table on some of its columns, in this order."""

    __slots__ = ("columns", "covers", "table", "width")

    def __init__(self, table: Table, columns: tuple[int, ...]) -> None:
        super().__init__(exact=is_exact(len(columns)))
        self.table = table
        self.columns = columns
        self.width = len(columns)
        self.covers = self.exact and len(columns) == table.arity
        """Whether a key alone tells the whole fact."""

    @property
    def upto(self) -> int:
        """Rows below this number are indexed, each in one run."""
        return self.size

    def sync(self) -> None:
        """Index the rows that are not yet in."""
        start, end = self.upto, self.table.count
        if start < end:
            keys = pack([self.table.columns[c][start:end] for c in self.columns], end - start)
            if end - start > 1:
                order = np.argsort(keys)
                self.push(keys[order], order.astype(np.uint32) + np.uint32(start))
            else:
                self.push(keys, np.array([start], np.uint32))
