"""The steps of a plan as whole-array operations on bindings.

Bindings are columns of term ids, one for each variable that is still needed, all of one length; `rows` of matched facts are
bindings too, where somebody asks for them. An operator takes bindings and gives bindings. Where a match would
multiply them beyond `PART`, it gives them part by part, which keeps memory bounded and the arrays near the processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.engines.embedded.sets import RowSet, SetTest, row_count
from tidelog.facts import values
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.index import Index, Run
from tidelog.facts.kernel import Ids, Mask, Positions, expand, pack
from tidelog.facts.table import Table
from tidelog.maintain.algebra import Statistics
from tidelog.syntax.ast import Arithmetic, Constant, Expression, Variable

PART = 1 << 16
"""How many bindings to go on with at a time: few enough to stay near the processor."""

Slots: TypeAlias = list[NDArray[np.uint32]]
Bindings: TypeAlias = tuple[int, Slots]
"""A length, and by slot number the values of a variable or the rows matched by an atom."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a column's value comes from: a slot of the bindings, or a constant."""

    slot: int = -1
    constant: int = -1

    def column(self, slots: Slots, length: int) -> Ids:
        if self.slot >= 0:
            return slots[self.slot]
        return np.full(length, self.constant, np.uint32)


class Context:
    """What a running derivation gives its operators: a test for each role; and where it counts the bindings they make."""

    __slots__ = ("statistics", "tests")

    def __init__(self, tests: Sequence[SetTest], statistics: Statistics) -> None:
        self.tests = tests
        self.statistics = statistics


class Operator(Protocol):
    def apply(self, length: int, slots: Slots, context: Context) -> Bindings | Iterator[Bindings]: ...


def run(operators: Sequence[Operator], at: int, length: int, slots: Slots, context: Context) -> Iterator[Bindings]:
    """Push bindings through the operators from number `at` on."""
    for number in range(at, len(operators)):
        if not length:
            return
        result = operators[number].apply(length, slots, context)
        if not isinstance(result, tuple):
            yield from run_on(operators, number + 1, result, context)
            return
        length, slots = result
        context.statistics.bindings += length
    if length:
        yield length, slots


def run_on(
    operators: Sequence[Operator], at: int, result: Bindings | Iterator[Bindings], context: Context
) -> Iterator[Bindings]:
    """Push what an operator gave through those from number `at` on."""
    for length, slots in (result,) if isinstance(result, tuple) else result:
        context.statistics.bindings += length
        yield from run(operators, at, length, slots, context)


def selected(slots: Slots, live: Sequence[int], which: Mask | Positions) -> Slots:
    """Some of the bindings, in the slots that are still read."""
    if which.dtype == np.bool_:
        which = which.nonzero()[0]  # taking by position costs a fraction of choosing by mask
    picked: Slots = [None] * len(slots)  # type: ignore[list-item]  # a slot that is not live is never read
    for slot in live:
        picked[slot] = slots[slot].take(which)
    return picked


@dataclass(slots=True)
class Outputs:
    """What matching an atom binds: columns to slots, perhaps the row; and what must hold among its columns."""

    table: Table
    columns: tuple[tuple[int, int], ...]
    """(column, slot) for each variable met first in this atom and needed later."""
    equal: tuple[tuple[int, int], ...]
    """Pairs of columns that hold the same variable."""
    row_slot: int = -1

    def fill(self, rows: RowSet, slots: Slots) -> None:
        for column, slot in self.columns:
            slots[slot] = self.table.columns[column][rows]
        if self.row_slot >= 0:
            slots[self.row_slot] = np.arange(rows.start, rows.stop, dtype=np.uint32) if isinstance(rows, slice) else rows

    def filter(self, rows: RowSet, mask: Mask | None) -> Mask | None:
        for a, b in self.equal:
            same = self.table.columns[a][rows] == self.table.columns[b][rows]
            mask = same if mask is None else mask & same
        return mask


class Start:
    """Begin with given facts: those that fit the atom's constants and repeated variables."""

    def __init__(self, outputs: Outputs, constants: Sequence[tuple[int, int]], slot_count: int) -> None:
        self.outputs, self.constants, self.slot_count = outputs, constants, slot_count

    def begin(self, rows: RowSet) -> Iterator[Bindings]:
        total = row_count(rows)
        if total <= PART:
            yield self._part(rows)
            return
        for start in range(0, total, PART):
            end = min(start + PART, total)
            yield self._part(slice(rows.start + start, rows.start + end) if isinstance(rows, slice) else rows[start:end])

    def _part(self, rows: RowSet) -> Bindings:
        columns = self.outputs.table.columns
        mask: Mask | None = None
        for column, constant in self.constants:
            here = columns[column][rows] == np.uint32(constant)
            mask = here if mask is None else mask & here
        mask = self.outputs.filter(rows, mask)
        if mask is not None:
            kept = mask.nonzero()[0]
            rows = kept.astype(np.uint32) + np.uint32(rows.start) if isinstance(rows, slice) else rows.take(kept)
        slots: Slots = [None] * self.slot_count  # type: ignore[list-item]
        self.outputs.fill(rows, slots)
        return row_count(rows), slots


Found: TypeAlias = list[tuple[Run, Positions, Positions]]
"""For some bindings, in each run of an index: where their matches start, and how many there are."""


class Probe:
    """Match an atom some of whose columns are bound, through an index."""

    def __init__(
        self,
        index: Index,
        sources: Sequence[Source],
        outputs: Outputs,
        checks: Sequence[tuple[int, Source]],
        live: Sequence[int],
        role: int,
    ) -> None:
        self.index, self.sources, self.outputs, self.checks = index, sources, outputs, checks
        self.live, self.role = live, role
        self.constant = all(source.slot < 0 for source in sources)
        width = len(sources)
        self.by_prefix = width == 1 and index.width == 2
        # The second column of an exact two-column key needs no look at the table.
        self.from_key = index.covers and self.by_prefix and outputs.row_slot < 0

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings | Iterator[Bindings]:
        return self.follow(self.find(length, slots), length, slots, context)

    def find(self, length: int, slots: Slots) -> Found:
        """Where the matches of each binding are, in each run."""
        self.index.sync()
        return [(run, *self._ranges(run, length, slots)) for run in self.index.runs]

    def counts(self, length: int, slots: Slots) -> Positions:
        """How many rows, present or not, each binding would go on with."""
        return sum((counts for _, _, counts in self.find(length, slots)), np.zeros(length, np.int64))

    def window(self, first: int, last: int, length: int, slots: Slots, context: Context) -> Bindings | Iterator[Bindings]:
        """Match only some of the rows that there are for each binding in each run: those from number `first` to `last`."""
        found = [
            (run, starts + first, (counts - first).clip(0, last - first)) for run, starts, counts in self.find(length, slots)
        ]
        return self.follow(found, length, slots, context)

    def follow(self, found: Found, length: int, slots: Slots, context: Context) -> Bindings | Iterator[Bindings]:
        """The bindings with the matches that were found."""
        test = context.tests[self.role]
        totals = [int(counts.sum()) for _, _, counts in found]
        if sum(totals) <= 2 * PART or length == 1:
            parts = [
                self._match(run, starts, counts, t, length, slots, test)
                for (run, starts, counts), t in zip(found, totals, strict=True)
                if t
            ]
            if len(parts) == 1:
                return parts[0]
            return _concatenate(parts, len(slots), (*self.live, *self._bound_slots()))
        return self._in_parts(found, slots, test)

    def _in_parts(self, found: Found, slots: Slots, test: SetTest) -> Iterator[Bindings]:
        for run, starts, counts in found:
            before = np.cumsum(counts)
            cuts = np.searchsorted(before, np.arange(PART, int(before[-1]) if len(before) else 0, PART)) + 1
            edges = [0, *sorted({int(cut) for cut in cuts} - {0, len(counts)}), len(counts)]
            for a, b in pairwise(edges):
                part: Slots = [None] * len(slots)  # type: ignore[list-item]
                for slot in self.live:
                    part[slot] = slots[slot][a:b]
                for source in (*self.sources, *(s for _, s in self.checks)):
                    if source.slot >= 0:
                        part[source.slot] = slots[source.slot][a:b]
                total = int(counts[a:b].sum())
                if total:
                    yield self._match(run, starts[a:b], counts[a:b], total, b - a, part, test)

    def _bound_slots(self) -> list[int]:
        rows = [self.outputs.row_slot] if self.outputs.row_slot >= 0 else []
        return [slot for _, slot in self.outputs.columns] + rows

    def _ranges(self, run: Run, length: int, slots: Slots) -> tuple[Positions, Positions]:
        many = 1 if self.constant else length
        columns = [source.column(slots, many) for source in self.sources]
        starts, counts = (
            self.index.prefix_ranges(run, columns[0]) if self.by_prefix else self.index.ranges(run, pack(columns, many))
        )
        if self.constant and length > 1:
            return starts.repeat(length), counts.repeat(length)
        return starts, counts

    def _match(
        self, run: Run, starts: Positions, counts: Positions, total: int, length: int, slots: Slots, test: SetTest
    ) -> Bindings:
        if length == 1:
            place: Positions | slice = slice(int(starts[0]), int(starts[0]) + total)
            source = np.zeros(total, np.int64)
        else:
            source, place = expand(starts, counts, total)
        outputs = self.outputs
        if self.from_key and not outputs.equal and test.mask(outputs.table, slice(0, 0)) is None:
            out = selected(slots, self.live, source)
            for _, slot in outputs.columns:
                out[slot] = run.keys[place].astype(np.uint32)
            return total, out
        rows = run.rows[place]
        mask = outputs.filter(rows, test.mask(outputs.table, rows))
        for column, check in self.checks:
            expected = check.column(slots, length)[source] if check.slot >= 0 else np.uint32(check.constant)
            here = outputs.table.columns[column][rows] == expected
            mask = here if mask is None else mask & here
        if mask is not None and not mask.all():
            kept = mask.nonzero()[0]
            rows, source = rows.take(kept), source.take(kept)
        out = selected(slots, self.live, source)
        outputs.fill(rows, out)
        return len(rows), out


def _concatenate(parts: Sequence[Bindings], width: int, slots: Sequence[int]) -> Bindings:
    joined: Slots = [None] * width  # type: ignore[list-item]
    if not parts:
        return 0, joined
    for slot in slots:
        joined[slot] = np.concatenate([part[slot] for _, part in parts])
    return sum(length for length, _ in parts), joined


class Scan:
    """Match an atom none of whose columns is bound: every fact of the set, for every binding."""

    def __init__(self, outputs: Outputs, live: Sequence[int], role: int) -> None:
        self.outputs, self.live, self.role = outputs, live, role

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings | Iterator[Bindings]:
        table = self.outputs.table
        rows: RowSet = slice(0, table.count)
        mask = self.outputs.filter(rows, context.tests[self.role].mask(table, rows))
        if mask is not None:
            rows = np.flatnonzero(mask).astype(np.uint32)
        count = row_count(rows)
        if length == 1 and count <= PART:
            return self._cross(rows, count, slots, 0)
        return (
            self._cross(rows[a : a + PART] if not isinstance(rows, slice) else slice(a, min(a + PART, count)), 0, slots, i)
            for i in range(length)
            for a in range(0, count, PART)
        )

    def _cross(self, rows: RowSet, count: int, slots: Slots, which: int) -> Bindings:
        count = row_count(rows)
        out: Slots = [None] * len(slots)  # type: ignore[list-item]
        for slot in self.live:
            out[slot] = np.full(count, slots[slot][which], np.uint32)
        self.outputs.fill(rows, out)
        return count, out


class Lookup:
    """Match an atom all of whose columns are bound: keep the bindings for which the fact is there."""

    def __init__(self, table: Table, sources: Sequence[Source], live: Sequence[int], role: int, row_slot: int) -> None:
        self.table, self.sources, self.live, self.role, self.row_slot = table, sources, live, role, row_slot

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings:
        rows, known = self.table.find([source.column(slots, length) for source in self.sources], length)
        mask = context.tests[self.role].mask(self.table, rows) if self.table.count else None
        if mask is not None:
            known &= mask
        out = selected(slots, self.live, known)
        if self.row_slot >= 0:
            out[self.row_slot] = rows[known]
        return int(np.count_nonzero(known)), out


class Absent:
    """A negated atom: keep the bindings for which the fact is not in the set."""

    def __init__(self, table: Table, sources: Sequence[Source], live: Sequence[int], role: int) -> None:
        self.table, self.sources, self.live, self.role = table, sources, live, role

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings:
        rows, known = self.table.find([source.column(slots, length) for source in self.sources], length)
        mask = context.tests[self.role].mask(self.table, rows) if self.table.count else None
        if mask is not None:
            known &= mask
        absent = ~known
        return int(np.count_nonzero(absent)), selected(slots, self.live, absent)


class Evaluation:
    """An expression over bindings: ids, and for which bindings it has a value."""

    def __init__(self, dictionary: Dictionary, expression: Expression, slot_of: dict[str, int]) -> None:
        self.dictionary = dictionary
        self.operator = ""
        if isinstance(expression, Arithmetic):
            self.operator = expression.operator
            self.left = Evaluation(dictionary, expression.left, slot_of)
            self.right = Evaluation(dictionary, expression.right, slot_of)
        elif isinstance(expression, Constant):
            self.source = Source(constant=dictionary.encode_one(expression.value))
        else:
            assert isinstance(expression, Variable)
            self.source = Source(slot=slot_of[expression.name])

    def value(self, length: int, slots: Slots) -> tuple[Ids, Mask | None]:
        if not self.operator:
            return self.source.column(slots, length), None
        left, left_valid = self.left.value(length, slots)
        right, right_valid = self.right.value(length, slots)
        result, valid = values.arithmetic(self.dictionary, self.operator, left, right)
        for more in (left_valid, right_valid):
            valid = valid if more is None else valid & more
        return result, valid


class Compare:
    """A comparison: keep the bindings for which it holds."""

    def __init__(self, operator: str, left: Evaluation, right: Evaluation, identical: bool, live: Sequence[int]) -> None:
        self.operator, self.left, self.right, self.identical, self.live = operator, left, right, identical, live

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings:
        left, left_valid = self.left.value(length, slots)
        right, right_valid = self.right.value(length, slots)
        holds = left == right if self.identical else values.compare(self.left.dictionary, self.operator, left, right)
        for valid in (left_valid, right_valid):
            holds = holds if valid is None else holds & valid
        return int(np.count_nonzero(holds)), selected(slots, self.live, holds)


class Assign:
    """Give a variable the value of an expression; bindings for which it has none are dropped."""

    def __init__(self, slot: int, evaluation: Evaluation, live: Sequence[int]) -> None:
        self.slot, self.evaluation, self.live = slot, evaluation, live

    def apply(self, length: int, slots: Slots, context: Context) -> Bindings:
        result, valid = self.evaluation.value(length, slots)
        if valid is None or valid.all():
            out = list(slots)
            out[self.slot] = result
            return length, out
        out = selected(slots, self.live, valid)
        out[self.slot] = result[valid]
        return int(np.count_nonzero(valid)), out
