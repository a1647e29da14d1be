"""Sets of facts in the embedded engine: row numbers for small ones, bit flags for membership.

`FactSet` is a set of facts as row numbers by table; a run of new rows is a slice. `SetTest` is a set expression compiled for
matching: membership depends on a row's flags alone, so it is one look-up in a table of all flag values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.facts.kernel import Mask, Rows, sorted_unique, starts_of_groups
from tidelog.facts.table import EXPLICIT, FIRST_WORKING_BIT, PRESENT, WORKING_BITS, Table
from tidelog.facts.times import NEVER, Expiries
from tidelog.maintain.sets import Difference, Intersection, Named, SetExpression, Union

RowSet: TypeAlias = Rows | slice
Ranks: TypeAlias = NDArray[np.int32]

_ABOVE_ALL = np.int32(np.iinfo(np.int32).max)
_FLAG_VALUES = 1 << (FIRST_WORKING_BIT + WORKING_BITS)


def as_rows(rows: RowSet) -> Rows:
    return np.arange(rows.start, rows.stop, dtype=np.uint32) if isinstance(rows, slice) else rows


def one_of_each(table: Table, rows: RowSet, columns: Sequence[int]) -> Rows:
    """For each combination of values in some columns one of the rows that have it."""
    rows = as_rows(rows)
    if not columns:
        return rows[:1]
    values = [table.columns[column].take(rows) for column in columns]
    order = np.lexsort(values) if len(values) > 1 else values[0].argsort(kind="stable")
    first = np.zeros(len(rows), np.bool_)
    for value in values:
        first |= starts_of_groups(value.take(order))
    return rows.take(order[first])


def row_count(rows: RowSet) -> int:
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


def among(rows: RowSet, others: RowSet) -> Mask:
    """Which of the rows are among others, at a cost that does not depend on their table."""
    wanted, ordered = as_rows(rows), np.sort(as_rows(others))
    if not len(ordered):
        return np.zeros(len(wanted), np.bool_)
    found: Mask = ordered[np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)] == wanted
    return found


class FactSet:
    """Distinct facts, as row numbers by table, perhaps with what their derivations give them; no entry is empty.

    That is a rank, and perhaps an expiry. A fact without a rank here has the rank 0 where ranks are asked for, and one without
    an expiry never expires.
    """

    __slots__ = ("bits", "expiries", "parts", "ranks")

    def __init__(
        self,
        bits: Bits,
        parts: Mapping[Table, RowSet] | None = None,
        ranks: Mapping[Table, Ranks] | None = None,
        expiries: Mapping[Table, Expiries] | None = None,
    ) -> None:
        self.bits = bits
        self.parts: dict[Table, RowSet] = {table: rows for table, rows in (parts or {}).items() if row_count(rows)}
        self.ranks = dict(ranks or {})
        self.expiries = dict(expiries or {})

    def __len__(self) -> int:
        return sum(row_count(rows) for rows in self.parts.values())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __iter__(self) -> Iterator[tuple[Table, RowSet]]:
        return iter(self.parts.items())

    def __or__(self, other: FactSet) -> FactSet:
        if not self.parts or not other.parts:
            return self if self.parts else other
        parts, ranks, expiries = dict(self.parts), dict(self.ranks), dict(self.expiries)
        for table, rows in other:
            if table not in parts:
                parts[table] = rows
                self._copy(other, table, ranks, expiries)
            elif any(table in carried for carried in (ranks, other.ranks, expiries, other.expiries)):
                timed = table in expiries or table in other.expiries
                parts[table], ranks[table], best_times = best(
                    np.concatenate([as_rows(s.parts[table]) for s in (self, other)]),
                    np.concatenate([s.rank_of(table) for s in (self, other)]),
                    np.concatenate([s.expiry_of(table) for s in (self, other)]) if timed else None,
                )
                if best_times is not None:
                    expiries[table] = best_times
            else:
                parts[table] = sorted_unique(np.concatenate((as_rows(parts[table]), as_rows(rows))))
        return FactSet(self.bits, parts, ranks, expiries)

    @staticmethod
    def _copy(
        source: FactSet,
        table: Table,
        ranks: dict[Table, Ranks],
        expiries: dict[Table, Expiries],
        which: Mask | slice = slice(None),
    ) -> None:
        """Take over what facts of one table carry."""
        if table in source.ranks:
            ranks[table] = source.ranks[table][which]
        if table in source.expiries:
            expiries[table] = source.expiries[table][which]

    def rank_of(self, table: Table) -> Ranks:
        """The ranks of the facts of one table."""
        ranks = self.ranks.get(table)
        return np.zeros(row_count(self.parts[table]), np.int32) if ranks is None else ranks

    def expiry_of(self, table: Table) -> Expiries:
        """The expiries of the facts of one table."""
        expiries = self.expiries.get(table)
        return np.full(row_count(self.parts[table]), NEVER) if expiries is None else expiries

    def __sub__(self, other: SetExpression | FactSet) -> FactSet:
        return self._without(other) if isinstance(other, FactSet) else self._where(other, False)

    def __and__(self, other: SetExpression) -> FactSet:
        return self._where(other, True)

    def _without(self, other: FactSet) -> FactSet:
        if not other:
            return self
        parts = dict(self.parts)
        for table, rows in other:
            if table in parts:
                parts[table] = as_rows(parts[table])[~among(parts[table], rows)]
        return FactSet(self.bits, parts)

    def _where(self, expression: SetExpression, wanted: bool) -> FactSet:
        """The facts that are in the set, or those that are not."""
        if not self.parts:
            return self
        test = self.bits.test(expression)
        return self.where({table: test.truth[table.flags[rows]] == wanted for table, rows in self})

    def where(self, masks: Mapping[Table, Mask]) -> FactSet:
        """Some of the facts, with what they carry."""
        parts: dict[Table, RowSet] = {}
        ranks: dict[Table, Ranks] = {}
        expiries: dict[Table, Expiries] = {}
        for table, rows in self:
            keep = masks[table]
            if keep.all():
                parts[table] = rows
                self._copy(self, table, ranks, expiries)
            elif keep.any():
                parts[table] = as_rows(rows)[keep]
                self._copy(self, table, ranks, expiries, keep)
        return FactSet(self.bits, parts, ranks, expiries)


def best(rows: Rows, ranks: Ranks, expiries: Expiries | None = None) -> tuple[Rows, Ranks, Expiries | None]:
    """The distinct rows, each with the best of its derivations: the latest expiry; of those with this one, the lowest rank."""
    order = np.argsort(rows, kind="stable")
    rows, ranks = rows[order], ranks[order]
    first = starts_of_groups(rows)
    starts = np.flatnonzero(first)
    if not len(starts):
        return rows, ranks, expiries
    latest: Expiries | None = None
    if expiries is not None:
        expiries = expiries[order]
        latest = np.maximum.reduceat(expiries, starts)
        ranks = np.where(expiries == latest[np.cumsum(first) - 1], ranks, _ABOVE_ALL)
    return rows[starts], np.minimum.reduceat(ranks, starts), latest


class SetTest:
    """A set expression, ready to be tested on rows."""

    __slots__ = ("bits", "holds_for_all_present", "truth")

    def __init__(self, truth: Mask, bits: int) -> None:
        self.truth = truth
        """Membership by flag value."""
        self.bits = bits
        """The working bits that the expression looks at."""
        self.holds_for_all_present = bool(truth[PRESENT]) and bool(truth[PRESENT | EXPLICIT])

    def mask(self, table: Table, rows: RowSet) -> Mask | None:
        """Which of the rows are in the set; None if all of them are, as a look at the table alone tells."""
        if self.holds_for_all_present and table.present == table.count and not table.marked & self.bits:
            return None
        mask: Mask = self.truth[table.flags[rows]]
        return mask


class Bits:
    """Gives sets their bit, and compiles expressions over them; compiled expressions are kept."""

    def __init__(self) -> None:
        self._bits = {"present": PRESENT, "explicit": EXPLICIT}
        self._tests: dict[SetExpression, SetTest] = {}

    def forget(self) -> None:
        """Give all working sets' bits back, while no row carries any: algorithms that take turns need not share them."""
        self._bits = {"present": PRESENT, "explicit": EXPLICIT}
        self._tests.clear()

    def of(self, name: str) -> int:
        """The bit of a set; a new name takes the next free one."""
        bit = self._bits.get(name)
        if bit is None:
            if len(self._bits) == FIRST_WORKING_BIT + WORKING_BITS:
                raise ValueError(f"too many working sets: {', '.join(self._bits)}")
            bit = self._bits[name] = 1 << len(self._bits)
        return bit

    def test(self, expression: SetExpression) -> SetTest:
        test = self._tests.get(expression)
        if test is None:
            truth, bits = self._compile(expression)
            test = self._tests[expression] = SetTest(truth, bits)
        return test

    def _compile(self, expression: SetExpression) -> tuple[Mask, int]:
        if isinstance(expression, Named):
            bit = self.of(expression.name)
            return np.arange(_FLAG_VALUES) & bit != 0, bit & ~(PRESENT | EXPLICIT)
        assert isinstance(expression, Union | Difference | Intersection)
        left, left_bits = self._compile(expression.left)
        right, right_bits = self._compile(expression.right)
        bits = left_bits | right_bits
        if isinstance(expression, Union):
            return left | right, bits
        if isinstance(expression, Intersection):
            return left & right, bits
        return left & ~right, bits
