"""Collecting what rules derive: distinct facts outside a set, perhaps with ranks and expiries that derivations give them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import Bits, FactSet, Ranks, RowSet, as_rows, best, row_count
from tidelog.facts.kernel import Ids, Mask, N, Rows, sorted_unique
from tidelog.facts.table import Table
from tidelog.facts.times import NEVER, Expiries
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
        self,
        bits: Bits,
        skip: Mask | None,
        recursive_positions: Callable[[CoreRule], tuple[int, ...]] | None,
        *,
        expiring: bool = False,
        from_lower_ranks: bool = False,
    ) -> None:
        self.bits = bits
        self.skip = skip
        """True of the flags of facts to leave out."""
        self.recursive_positions = recursive_positions
        """Tells the body atoms that count for ranks; None if ranks are not wanted."""
        self.expiring = expiring
        """Whether expiries are wanted, too; then a fact that holds longer than it did is not left out."""
        self.from_lower_ranks = from_lower_ranks
        """Whether only instances count that are a witness of their head; they give no rank, then."""
        self.considered = 0
        self._buffers: dict[Table, list[tuple[int, list[Ids], Ranks | None, Expiries | None]]] = {}
        self._buffered: dict[Table, int] = {}
        self._first_new: dict[Table, int] = {}
        self._known: dict[Table, list[RowSet]] = {}
        self._ranked: dict[Table, list[tuple[Rows, Ranks, Expiries | None]]] = {}

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        """The heads of rule instances."""
        columns = [source.column(slots, length) for source in compiled.head]
        expiries = expiries_above(compiled, slots, length) if self.expiring else None
        ranks = None
        if self.recursive_positions is not None:
            ranks = self.ranks_above(compiled, slots, length, expiries)
            if self.from_lower_ranks and not self.recursive_positions(compiled.plan.rule):
                ranks[:] = 0  # it is a witness whatever rank the head has
        self.take_facts(compiled.table, columns, length, ranks, expiries)

    def take_facts(
        self, table: Table, columns: list[Ids], length: int, ranks: Ranks | None, expiries: Expiries | None = None
    ) -> None:
        """The heads of rule instances as columns, with the ranks and expiries they get, if those are wanted."""
        self.considered += length
        self._buffers.setdefault(table, []).append((length, columns, ranks, expiries))
        total = self._buffered[table] = self._buffered.get(table, 0) + length
        if total >= _BUFFER or table.direct:
            self._flush(table)

    def _flush(self, table: Table) -> None:
        """Look up what is waiting for a table."""
        buffer = self._buffers.pop(table)
        self._buffered[table] = 0
        length = sum(part[0] for part in buffer)
        columns = [_joined(parts) for parts in zip(*(part[1] for part in buffer), strict=True)]
        if buffer[0][2] is not None:
            ranks = _joined([part[2] for part in buffer if part[2] is not None])
            expiries = _joined([part[3] for part in buffer if part[3] is not None]) if self.expiring else None
            self.take_rows(table, table.intern_each(columns, length), ranks, 0, expiries)
            return
        first_new = self._first_new.setdefault(table, table.count)
        known = table.intern(columns, length, self.skip, first_new)
        if len(known):
            self._known.setdefault(table, []).append(known)

    def take_rows(self, table: Table, rows: Rows, ranks: Ranks, considered: int, expiries: Expiries | None = None) -> None:
        """Heads that are rows already, with the ranks and expiries they get."""
        self.considered += considered
        if self.skip is not None:
            keep = ~self.skip[table.flags[rows]]
            if expiries is not None and table.times is not None:
                keep |= expiries > table.times.expiry[rows]
            rows, ranks, expiries = rows[keep], ranks[keep], None if expiries is None else expiries[keep]
        if self.from_lower_ranks:
            rows = rows[before(table, rows, ranks, expiries)]
            ranks = np.zeros(len(rows), np.int32)
        if len(rows):
            self._ranked.setdefault(table, []).append(best(rows, ranks, expiries))

    def ranks_above(self, compiled: Compiled, slots: Slots, length: int, expiries: Expiries | None = None) -> Ranks:
        """1 + the highest rank of the body facts of the head's stratum; with expiries, of those that expire with the head."""
        assert self.recursive_positions is not None
        rule = compiled.plan.rule
        highest = np.zeros(length, np.int32)
        for position in self.recursive_positions(rule):
            table, rows = compiled.table_of(rule.positive[position]), slots[compiled.row_slots[position]]
            ranks = table.rank[rows]
            if expiries is not None and table.times is not None:
                ranks[table.times.expiry[rows] > expiries] = 0
            np.maximum(highest, ranks, out=highest)
        highest += 1
        return highest

    def result(self) -> FactSet:
        for table in list(self._buffers):
            self._flush(table)
        if self.recursive_positions is not None:
            return self._ranked_result()
        return FactSet(self.bits, {table: self._rows(table, first) for table, first in self._first_new.items()})

    def _ranked_result(self) -> FactSet:
        parts: dict[Table, RowSet] = {}
        ranks: dict[Table, Ranks] = {}
        expiries: dict[Table, Expiries] = {}
        for table, some in self._ranked.items():
            times = _joined([part[2] for part in some if part[2] is not None]) if self.expiring else None
            joined = some[0] if len(some) == 1 else best(_joined([s[0] for s in some]), _joined([s[1] for s in some]), times)
            parts[table], ranks[table] = joined[:2]
            if joined[2] is not None:
                expiries[table] = joined[2]
        return FactSet(self.bits, parts, ranks, expiries)

    def _rows(self, table: Table, first_new: int) -> RowSet:
        new = slice(first_new, table.count)
        known = self._known.get(table)
        if not known:
            return new
        rows = as_rows(known[0]) if len(known) == 1 else sorted_unique(np.concatenate([as_rows(some) for some in known]))
        return np.concatenate((rows, as_rows(new))) if row_count(new) else rows


def expiries_above(compiled: Compiled, slots: Slots, length: int) -> Expiries:
    """The earliest expiry of the body facts of each instance, all of whose rows are among the slots."""
    earliest = np.full(length, NEVER)
    for position, atom in enumerate(compiled.plan.rule.positive):
        times = compiled.table_of(atom).times
        if times is not None:
            np.minimum(earliest, times.expiry[slots[compiled.row_slots[position]]], out=earliest)
    return earliest


def before(table: Table, rows: Rows, ranks: Ranks, expiries: Expiries | None) -> Mask:
    """Whether instances that give their heads these ranks, and expiries, come before the heads as they are now.

    Facts are ordered by rank; with expiries, by these first, the latest first.
    """
    lower: Mask = ranks <= table.rank[rows]
    if expiries is not None:
        own = table.times.expiry[rows] if table.times is not None else np.full(len(rows), NEVER)
        lower = (expiries > own) | ((expiries == own) & lower)
    return lower


def _joined(parts: Sequence[NDArray[N]]) -> NDArray[N]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
