"""Marks in the embedded engine: rule instances pass them on while they are found, and facts remember what they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tidelog.engines.embedded.compiler import HEAD, Compiled
from tidelog.engines.embedded.heads import Collector
from tidelog.engines.embedded.operators import Slots
from tidelog.engines.embedded.sets import FactSet, as_rows
from tidelog.facts.index import Runs
from tidelog.facts.kernel import LOW, SHIFT, Ids, Keys, Mask, Rows, expand, sorted_unique, starts_of_groups
from tidelog.facts.table import Table
from tidelog.maintain.algebra import Passing

if TYPE_CHECKING:
    from tidelog.engines.embedded.algebra import EmbeddedAlgebra


class _Noted(NamedTuple):
    """Rule instances of which something is to be kept: the heads, as columns or as rows, and body facts for each."""

    table: Table
    heads: list[Ids] | Rows
    body: list[tuple[Table, Rows, Mask]]

    def rows(self) -> Rows:
        return self.table.find(self.heads, len(self.heads[0]))[0] if isinstance(self.heads, list) else self.heads


def marker(algebra: EmbeddedAlgebra, passing: Passing | None, skip: Mask | None, heads: Collector) -> Marker | None:
    """Somebody who passes marks on; None while there is none to be passed on: looking at instances has its price."""
    if passing is None:
        return None
    passing.look()
    if passing.remember is None and algebra.sets.is_empty(passing.through):
        return None
    return Marker(algebra, passing, skip, heads)


class Marker:
    """Takes rule instances, hands them on, and does with their heads what a `Passing` says."""

    def __init__(self, algebra: EmbeddedAlgebra, passing: Passing, skip: Mask | None, heads: Collector) -> None:
        self.algebra = algebra
        self.heads = heads
        self.skip = skip
        """True of the flags of heads that tell nothing new: these are neither marked nor remembered."""
        self.to = passing.to
        self._through = algebra.bits.test(passing.through).truth
        self._remember = None if passing.remember is None else algebra.bits.test(passing.remember).truth
        self._marked: list[_Noted] = []
        self._remembered: list[_Noted] = []

    def take(self, compiled: Compiled, length: int, slots: Slots) -> None:
        self.heads.take(compiled, length, slots)
        if compiled.head:
            self._note(compiled, slots, length, [source.column(slots, length) for source in compiled.head])
        else:
            self._note(compiled, slots, length, np.zeros(length, np.uint32))  # the one fact there can be

    def note(self, compiled: Compiled, slots: Slots, heads: Rows) -> None:
        """Instances whose heads are known by their rows."""
        self._note(compiled, slots, len(heads), heads)

    def _note(self, compiled: Compiled, slots: Slots, length: int, heads: list[Ids] | Rows) -> None:
        rule = compiled.plan.rule
        body = [
            (compiled.table_of(rule.positive[position]), slots[slot])
            for position, slot in compiled.row_slots.items()
            if position != HEAD
        ]
        marked = np.zeros(length, np.bool_)
        for table, rows in body:
            marked |= self._through[table.flags[rows]]
        if marked.any():
            self._marked.append(_Noted(compiled.table, _where(heads, marked), []))
        if self._remember is not None:
            explicit = [(table, rows, self._remember[table.flags[rows]]) for table, rows in body]
            self._remembered.append(_Noted(compiled.table, heads, explicit))

    def finish(self) -> None:
        """All instances have been taken, and their heads have rows."""
        for noted in self._marked:
            rows = self._new(noted.table, sorted_unique(noted.rows().copy()))
            self.algebra.add(self.to.name, FactSet(self.algebra.bits, {noted.table: rows}))
        seen: dict[Table, Rows] = {}
        for noted in self._remembered:
            heads = noted.rows()
            first = _first_of_each(heads, seen.get(noted.table)) & self._tells(noted.table, heads)
            if first.any():
                chosen = heads[first]
                seen[noted.table] = sorted_unique(np.concatenate((seen.get(noted.table, chosen[:0]), chosen)))
                body = [(table, rows[first], explicit[first]) for table, rows, explicit in noted.body]
                self.algebra.origins.record(noted.table, chosen, body)

    def _tells(self, table: Table, rows: Rows) -> Mask:
        none: Mask = np.ones(len(rows), np.bool_)
        return none if self.skip is None else ~self.skip[table.flags[rows]]

    def _new(self, table: Table, rows: Rows) -> Rows:
        return rows[self._tells(table, rows)]


def _where(heads: list[Ids] | Rows, which: Mask) -> list[Ids] | Rows:
    return [column[which] for column in heads] if isinstance(heads, list) else heads[which]


def _first_of_each(heads: Rows, seen: Rows | None) -> Mask:
    """Which heads come for the first time."""
    order = np.argsort(heads, kind="stable")
    first = np.zeros(len(heads), np.bool_)
    first[order[starts_of_groups(heads[order])]] = True
    if seen is not None and len(seen):
        at = np.minimum(np.searchsorted(seen, heads), len(seen) - 1)
        first &= seen[at] != heads
    return first


_COMPACT_FROM = 1 << 12


class _Descent:
    """Pairs of a premise and a fact remembered to come from it, as keys; with them the serial number of the record."""

    def __init__(self) -> None:
        self.runs = Runs()
        self.compact_at = _COMPACT_FROM

    def add(self, premises: Rows, facts: Rows, serial: int) -> None:
        keys = sorted_unique(premises.astype(np.uint64) << SHIFT | facts)
        self.runs.push(keys, np.full(len(keys), serial, np.uint32))

    def of(self, premises: Rows, last: Rows) -> Rows:
        """The facts that come from premises by their last record."""
        found = [premises[:0]]
        for run in self.runs.runs:
            starts, counts = self.runs.prefix_ranges(run, premises)
            _, at = expand(starts, counts, int(counts.sum()))
            found.append(_valid(run.keys[at], run.rows[at], last))
        return np.concatenate(found)

    def compact(self, last: Rows) -> None:
        """Forget pairs of older records, so that what is kept does not grow with the number of updates."""
        if self.runs.size < self.compact_at:
            return
        keys = np.concatenate([run.keys for run in self.runs.runs])
        serials = np.concatenate([run.rows for run in self.runs.runs])
        valid = last[(keys & LOW).astype(np.int64)] == serials
        keys, serials = keys[valid], serials[valid]
        order = np.argsort(keys)
        self.runs = Runs()
        self.runs.push(keys[order], serials[order])
        self.compact_at = max(_COMPACT_FROM, 2 * len(keys))


def _valid(keys: Keys, serials: Rows, last: Rows) -> Rows:
    facts = (keys & LOW).astype(np.uint32)
    valid: Rows = facts[last[facts] == serials]
    return valid


class Origins:
    """For each derived fact, those body facts of one rule instance that a `Passing` said to remember."""

    def __init__(self) -> None:
        self._serial = 0
        self._last: dict[Table, Rows] = {}
        """The number of the last record of each row."""
        self._descents: dict[tuple[Table, Table], _Descent] = {}

    def record(self, table: Table, facts: Rows, body: list[tuple[Table, Rows, Mask]]) -> None:
        """The facts (distinct) come from body facts, of which only some are to be remembered; what was recorded before goes."""
        self._serial += 1
        last = self._reach(table)
        last[facts] = self._serial
        for premise, rows, wanted in body:
            if wanted.any():
                descent = self._descents.setdefault((premise, table), _Descent())
                descent.add(rows[wanted], facts[wanted], self._serial)
                descent.compact(last)

    def _reach(self, table: Table) -> Rows:
        last = self._last.get(table, np.zeros(0, np.uint32))
        if len(last) < table.count:
            longer = np.zeros(max(64, 2 * table.count), np.uint32)
            longer[: len(last)] = last
            self._last[table] = last = longer
        return last

    def shared(self, facts: FactSet) -> dict[Table, Rows]:
        """The facts that come from these."""
        found: dict[Table, list[Rows]] = {}
        for premise, rows in facts:
            for (other, table), descent in self._descents.items():
                if other is premise:
                    found.setdefault(table, []).append(descent.of(as_rows(rows), self._last[table]))
        return {table: sorted_unique(np.concatenate(some)) for table, some in found.items()}
