"""Collecting what rules derive: distinct facts outside a set, perhaps with the ranks their derivations give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import Bits, FactSet, Ranks, RowSet, as_rows, lowest, row_count
from tidelog.facts.kernel import Ids, Mask, Rows, sorted_unique
from tidelog.facts.table import Table
from tidelog.program.normal import CoreRule

_BUFFER = 1 << 20
"""How many heads of a table are collected before they are looked up together."""


class Collector(Protocol):
    """Somebody who takes rule instances as they are found."""

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None: ...


class Heads:
    """The heads of one derivation.

    Heads are looked up in their table many at a time, whichever rules they come from: a look-up costs a pass over the table's
    runs. Facts that had no row get one at the end of their table. While a derivation runs nobody else makes rows, so all
    rows from the first new one on belong to the result; without ranks they need not be looked at again.
    """

    def __init__(
        self, bits: Bits, skip: Mask | None, recursive_positions: Callable[[CoreRule], tuple[int, ...]] | None
    ) -> None:
        self.bits = bits
        self.skip = skip
        """True of the flags of facts to leave out."""
        self.recursive_positions = recursive_positions
        """Tells the body atoms that count for ranks; None if ranks are not wanted."""
        self.considered = 0
        self._buffers: dict[Table, list[tuple[int, list[Ids], Ranks | None]]] = {}
        self._buffered: dict[Table, int] = {}
        self._first_new: dict[Table, int] = {}
        self._known: dict[Table, list[RowSet]] = {}
        self._ranked: dict[Table, list[tuple[Rows, Ranks]]] = {}

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        """The heads of rule instances."""
        columns = [source.column(slots, length) for source in compiled.head]
        ranks = None if self.recursive_positions is None else self.ranks_above(compiled, slots, length)
        self.take_facts(compiled.table, columns, length, ranks)

    def take_facts(self, table: Table, columns: list[Ids], length: int, ranks: Ranks | None) -> None:
        """The heads of rule instances as columns, with the ranks they get, if those are wanted."""
        self.considered += length
        self._buffers.setdefault(table, []).append((length, columns, ranks))
        total = self._buffered[table] = self._buffered.get(table, 0) + length
        if total >= _BUFFER or table.direct:
            self._flush(table)

    def _flush(self, table: Table) -> None:
        """Look up what is waiting for a table."""
        buffer = self._buffers.pop(table)
        self._buffered[table] = 0
        length, columns, ranks = buffer[0]
        if len(buffer) > 1:
            length = sum(part[0] for part in buffer)
            columns = [np.concatenate(parts) for parts in zip(*(part[1] for part in buffer), strict=True)]
            ranks = None if ranks is None else np.concatenate([part[2] for part in buffer if part[2] is not None])
        if ranks is not None:
            self.take_rows(table, table.intern_each(columns, length), ranks, 0)
            return
        first_new = self._first_new.setdefault(table, table.count)
        known = table.intern(columns, length, self.skip, first_new)
        if len(known):
            self._known.setdefault(table, []).append(known)

    def take_rows(self, table: Table, rows: Rows, ranks: Ranks, considered: int) -> None:
        """Heads that are rows already, with the ranks they get."""
        self.considered += considered
        if self.skip is not None:
            keep = ~self.skip[table.flags[rows]]
            rows, ranks = rows[keep], ranks[keep]
        if len(rows):
            self._ranked.setdefault(table, []).append(lowest(rows, ranks))

    def ranks_above(self, compiled: Compiled, slots: Slots, length: int) -> Ranks:
        """1 + the highest rank of the body facts of the head's stratum."""
        assert self.recursive_positions is not None
        rule = compiled.plan.rule
        highest = np.zeros(length, np.int32)
        for position in self.recursive_positions(rule):
            table = compiled.table_of(rule.positive[position])
            np.maximum(highest, table.rank[slots[compiled.row_slots[position]]], out=highest)
        highest += 1
        return highest

    def result(self) -> FactSet:
        for table in list(self._buffers):
            self._flush(table)
        if self.recursive_positions is not None:
            joined = {
                table: lowest(*(np.concatenate(column) for column in zip(*some, strict=True))) if len(some) > 1 else some[0]
                for table, some in self._ranked.items()
            }
            return FactSet(
                self.bits,
                {table: rows for table, (rows, _) in joined.items()},
                {table: ranks for table, (_, ranks) in joined.items()},
            )
        return FactSet(self.bits, {table: self._rows(table, first) for table, first in self._first_new.items()})

    def _rows(self, table: Table, first_new: int) -> RowSet:
        new = slice(first_new, table.count)
        known = self._known.get(table)
        if not known:
            return new
        rows = as_rows(known[0]) if len(known) == 1 else sorted_unique(np.concatenate([as_rows(some) for some in known]))
        return np.concatenate((rows, as_rows(new))) if row_count(new) else rows
