"""Sets of facts in the embedded engine: row numbers for small ones, bit flags for membership.

`FactSet` is a set of facts as row numbers by table; a run of new rows is a slice. `SetTest` is a set expression compiled for
matching: membership depends on a row's flags alone, so it is one look-up in a table of all flag values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tidelog.facts.kernel import Mask, Rows, sorted_unique
from tidelog.facts.table import EXPLICIT, FIRST_WORKING_BIT, PRESENT, WORKING_BITS, Table
from tidelog.maintain.sets import Difference, Intersection, Named, SetExpression, Union

RowSet: TypeAlias = Rows | slice

_FLAG_VALUES = 1 << (FIRST_WORKING_BIT + WORKING_BITS)


def as_rows(rows: RowSet) -> Rows:
    return np.arange(rows.start, rows.stop, dtype=np.uint32) if isinstance(rows, slice) else rows


def row_count(rows: RowSet) -> int:
    return rows.stop - rows.start if isinstance(rows, slice) else len(rows)


class FactSet:
    """Distinct facts, as row numbers by table; never holds an empty entry."""

    __slots__ = ("parts",)

    def __init__(self, parts: dict[Table, RowSet] | None = None) -> None:
        self.parts: dict[Table, RowSet] = parts or {}

    def __len__(self) -> int:
        return sum(row_count(rows) for rows in self.parts.values())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __iter__(self) -> Iterator[tuple[Table, RowSet]]:
        return iter(self.parts.items())

    def __or__(self, other: FactSet) -> FactSet:
        if not self.parts or not other.parts:
            return self if self.parts else other
        parts = dict(self.parts)
        for table, rows in other:
            parts[table] = _union(parts[table], rows) if table in parts else rows
        return FactSet(parts)


def _union(a: RowSet, b: RowSet) -> RowSet:
    if isinstance(a, slice) and isinstance(b, slice) and a.stop == b.start:
        return slice(a.start, b.stop)
    return sorted_unique(np.concatenate((as_rows(a), as_rows(b))))


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
        if self.holds_for_all_present and not table.invisible and not table.marked & self.bits:
            return None
        mask: Mask = self.truth[table.flags[rows]]
        return mask


class Bits:
    """Gives working sets their bit, and compiles expressions over them; compiled expressions are kept."""

    def __init__(self) -> None:
        self._bits = {"present": PRESENT, "explicit": EXPLICIT}
        self._tests: dict[SetExpression, SetTest] = {}

    def of(self, name: str) -> int:
        """The bit of a set; a new name takes the next free one, for good."""
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
