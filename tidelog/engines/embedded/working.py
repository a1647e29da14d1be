"""The working sets of a running update: their bits on rows, their members, and the way back.

A set's members are kept as the arrays of rows that were added, so that going through a set costs what is in it. When the
update is over, committed or not, the bits are taken off those rows again; ranks and times that were overwritten come back
if it was not.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tidelog.engines.embedded.sets import Bits, FactSet, Ranks, RowSet, as_rows, row_count
from tidelog.facts.kernel import Rows, sorted_unique
from tidelog.facts.store import Store
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.facts.times import Expiries
from tidelog.maintain.sets import Difference, Intersection, Named, SetExpression, Union, Working


class WorkingSets:
    """All working sets of one algebra."""

    def __init__(self, bits: Bits) -> None:
        self.bits = bits
        self.recording = False
        """Whether overwritten ranks are remembered: while an update runs."""
        self.deleted = FactSet(bits)
        self.inserted = FactSet(bits)
        self._members: dict[str, dict[Table, list[RowSet]]] = {}
        self._old_ranks: list[tuple[Table, RowSet, Ranks]] = []
        self._old_times: list[tuple[Table, Rows, Expiries, Expiries]] = []

    def new(self, name: str) -> Working:
        """An empty set of this name."""
        self._clear(name)
        self._members[name] = {}
        return Working(name, self.add)

    def add(self, name: str, facts: FactSet) -> None:
        """Put facts into a set. Into `present`, for good: that is for building a materialisation."""
        bit = self.bits.of(name)
        for table, rows in facts:
            if bit == PRESENT:
                table.present += row_count(rows) - int(np.count_nonzero(table.flags[rows] & PRESENT))
            else:
                self._members[name].setdefault(table, []).append(rows)
                table.marked |= bit
            table.flags[rows] |= np.uint16(bit)

    def mark(self, facts: FactSet, target: Named) -> None:
        """Put facts into a set for a moment, until `unmark`."""
        self._members.setdefault(target.name, {})
        self.add(target.name, facts)

    def unmark(self, target: Named) -> None:
        self._clear(target.name)
        self._members.pop(target.name, None)

    def facts(self, expression: SetExpression, store: Store) -> FactSet:
        """The facts of a set; the cost is the size of the named sets that it lies in."""
        if isinstance(expression, Difference):
            return self.facts(expression.left, store) - expression.right
        if isinstance(expression, Union):
            return self.facts(expression.left, store) | self.facts(expression.right, store)
        if isinstance(expression, Intersection):
            small = isinstance(expression.left, Named) and expression.left.name in self._members
            left, right = (expression.left, expression.right) if small else (expression.right, expression.left)
            return self.facts(left, store) & right
        assert isinstance(expression, Named)
        if expression.name in self._members:
            members = self._members[expression.name]
            return FactSet(self.bits, {table: _joined(rows) for table, rows in members.items()})
        return FactSet(self.bits, {table: table.facts(self.bits.of(expression.name)) for table in store})

    def is_empty(self, expression: SetExpression) -> bool:
        """Whether a union of sets has no facts."""
        if isinstance(expression, Union):
            return self.is_empty(expression.left) and self.is_empty(expression.right)
        assert isinstance(expression, Named)
        return not self._members.get(expression.name, True)

    def remember_ranks(self, table: Table, rows: RowSet) -> None:
        if self.recording:
            self._old_ranks.append((table, rows, table.rank[rows].copy()))

    def remember_times(self, table: Table, rows: Rows) -> None:
        """Times of these rows are about to be overwritten."""
        times = table.keep_times()
        self._old_times.append((table, rows, times.expiry[rows], times.given[rows]))

    def restore(self) -> None:
        """Have ranks and times as they were."""
        for table, rows, ranks in reversed(self._old_ranks):
            table.rank[rows] = ranks
        for table, some, expiries, given in reversed(self._old_times):
            times = table.keep_times()
            times.expiry[some], times.given[some] = expiries, given

    def retimed(self) -> dict[Table, Rows]:
        """The rows whose times were overwritten."""
        rows: dict[Table, list[Rows]] = {}
        for table, some, _, _ in self._old_times:
            rows.setdefault(table, []).append(some)
        return {table: np.concatenate(parts) for table, parts in rows.items()}

    def end(self) -> None:
        """Empty all sets: the update is over."""
        for name in self._members:
            self._clear(name)
        self._members.clear()
        self._old_ranks.clear()
        self._old_times.clear()
        self.recording = False
        self.deleted = self.inserted = FactSet(self.bits)

    def _clear(self, name: str) -> None:
        bit = self.bits.of(name)
        for table, arrays in self._members.get(name, {}).items():
            for rows in arrays:
                table.flags[rows] &= np.uint16(0xFFFF ^ bit)
            table.marked &= ~bit


def _joined(arrays: list[RowSet]) -> RowSet:
    return arrays[0] if len(arrays) == 1 else sorted_unique(np.concatenate([as_rows(rows) for rows in arrays]))


class Commit:
    """Facts appear and vanish together: everything is worked out first, then only assigned.

    `apply` may be called again after an interruption: it does the same once more.
    """

    def __init__(
        self,
        deleted: FactSet,
        inserted: FactSet,
        no_longer_explicit: FactSet,
        now_explicit: FactSet,
        explicit: int,
        retimed: Mapping[Table, Rows],
        now: float,
    ) -> None:
        self.explicit = explicit + len(now_explicit) - len(no_longer_explicit)
        """How many facts are explicit afterwards, where so many were before."""
        self.steps: list[tuple[Table, RowSet, int, int]] = []
        self.present: dict[Table, int] = {}
        self.retimed = retimed
        """Facts that have other times than before."""
        self.now = now
        """The time from then on."""
        for facts, clear, put in (
            (deleted, PRESENT, 0),
            (inserted, 0, PRESENT),
            (no_longer_explicit, EXPLICIT, 0),
            (now_explicit, 0, EXPLICIT),
        ):
            self.steps += [(table, rows, clear, put) for table, rows in facts]
        for facts, sign in ((deleted, -1), (inserted, 1)):
            for table, rows in facts:
                self.present[table] = self.present.get(table, table.present) + sign * row_count(rows)

    def apply(self) -> None:
        for table, rows, clear, put in self.steps:
            table.flags[rows] = table.flags[rows] & np.uint16(0xFFFF ^ clear) | np.uint16(put)
        for table, count in self.present.items():
            table.present = count
        for table, some in self.retimed.items():
            table.keep_times().schedule(some)
