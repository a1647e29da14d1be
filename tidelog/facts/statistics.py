"""What the planner asks of the facts, answered from a small sample of each table.

The fan-out of a probe is estimated from collisions: if two random facts agree on the bound columns with probability p, a
probe with the values of a random fact meets `p * facts` of them. That counts skewed values as often as probes meet them.
Constants are looked up exactly.
"""

from __future__ import annotations

import numpy as np

from tidelog.facts.kernel import Positions, pack, starts_of_groups
from tidelog.facts.store import Store
from tidelog.facts.table import Table
from tidelog.plan.reduce import Place
from tidelog.syntax.ast import Atom, Constant

_SAMPLE = 1024
_SCATTERED = np.sort(np.random.default_rng(7).random(_SAMPLE))


class Either:
    """Statistics of facts that are being loaded; for predicates that have none, those of facts that were there before."""

    def __init__(self, first: StoreStatistics, second: StoreStatistics) -> None:
        self.first, self.second = first, second

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        return self.first.matches(atom, bound) or self.second.matches(atom, bound)

    def largest(self) -> float:
        return max(self.first.largest(), self.second.largest())

    def overlap(self, one: Place, other: Place) -> float:
        return self.first.overlap(one, other)


class StoreStatistics:
    """Live statistics of a store; asked anew for each planning, and cheap enough for that."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        table = self.store.tables.get(atom.predicate)
        if table is None or not table.count:
            return 0.0
        constants = tuple(c for c in bound if isinstance(atom.terms[c], Constant))
        total = float(table.count)
        if constants:
            total = self._with_constants(table, atom, constants)
        variables = tuple(c for c in bound if c not in constants)
        return total * self._agreement(table, atom, constants, variables) if variables else total

    def largest(self) -> float:
        return float(max((table.count for table in self.store), default=0))

    def overlap(self, one: Place, other: Place) -> float:
        tables = [self.store.tables.get(atom.predicate) for atom, _ in (one, other)]
        if tables[0] is None or tables[1] is None or not (tables[0].count and tables[1].count):
            return 1.0
        values = tables[0].columns[one[1]][self._among(tables[0], one[0], self._sample(tables[0]))]
        known = tables[1].columns[other[1]][self._among(tables[1], other[0], np.arange(tables[1].count))]
        return float(np.isin(values, known).mean()) if len(values) else 1.0

    def _among(self, table: Table, atom: Atom, rows: Positions) -> Positions:
        """Those of some rows that have the atom's constants."""
        for column, term in enumerate(atom.terms):
            if isinstance(term, Constant):
                known = self.store.dictionary.find_one(term.value)
                rows = rows[table.columns[column][rows] == np.uint32(known or 0)]
        return rows

    def _with_constants(self, table: Table, atom: Atom, columns: tuple[int, ...]) -> float:
        """How many facts have these constants; exact where an index begins with them."""
        ids = []
        for column in columns:
            term = atom.terms[column]
            assert isinstance(term, Constant)
            known = self.store.dictionary.find_one(term.value)
            if known is None:
                return 0.0
            ids.append(known)
        if len(columns) == 1:
            index = next((table.index(c) for c in table.indexed() if len(c) == 2 and c[0] == columns[0]), None)
            if index is not None and index.upto == table.count:
                value = np.array(ids, np.uint32)
                return float(sum(int(index.prefix_ranges(run, value)[1][0]) for run in index.runs))
        sample = self._sample(table)
        hits = np.ones(len(sample), np.bool_)
        for column, one in zip(columns, ids, strict=True):
            hits &= table.columns[column][sample] == np.uint32(one)
        return max(0.5, float(hits.sum())) * table.count / len(sample)

    def _agreement(self, table: Table, atom: Atom, constants: tuple[int, ...], columns: tuple[int, ...]) -> float:
        """The probability that two facts (with these constants) agree on the columns."""
        sample = self._sample(table)
        for column in constants:
            term = atom.terms[column]
            assert isinstance(term, Constant)
            known = self.store.dictionary.find_one(term.value)
            chosen = sample[table.columns[column][sample] == np.uint32(known or 0)]
            sample = chosen if len(chosen) >= 16 else sample
        keys = np.sort(pack([table.columns[c][sample] for c in columns], len(sample)))
        sizes = np.diff(np.append(np.flatnonzero(starts_of_groups(keys)), len(keys))).astype(np.float64)
        pairs = len(keys) * (len(keys) - 1) / 2
        if not pairs:
            return 1.0
        # Half a collision where none was seen: the truth is somewhere below one in so many pairs.
        return max(0.5, float((sizes * (sizes - 1)).sum() / 2)) / pairs

    def _sample(self, table: Table) -> Positions:
        if table.count <= _SAMPLE:
            return np.arange(table.count)
        # Scattered, but the same every time: rows at equal distances would miss what repeats with the distance.
        rows = (_SCATTERED * table.count).astype(np.int64)
        return rows[starts_of_groups(rows)]
