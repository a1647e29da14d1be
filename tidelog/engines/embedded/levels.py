"""Which stratum a fact belongs to: `Out^s` of the paper, for rows.

A fact belongs to the stratum of the atoms it is an instance of; atoms that share an instance share a stratum, so any of
them decides. A fact that is an instance of no atom of the program belongs to the first.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from tidelog.engines.embedded.sets import RowSet, row_count
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids, Keys, is_exact, pack
from tidelog.facts.table import Table
from tidelog.program.stratify import Stratification
from tidelog.syntax.ast import Atom, Constant, Variable

Levels = NDArray[np.int64]


class Strata:
    """The strata of the facts of one stratification."""

    def __init__(self, stratification: Stratification, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._atoms: dict[str, list[tuple[Atom, int]]] = defaultdict(list)
        for stratum in stratification.strata:
            for atom in stratum.atoms:
                self._atoms[atom.predicate].append((atom, stratum.index))
        self._only: dict[str, int] = {
            predicate: atoms[0][1] for predicate, atoms in self._atoms.items() if any(_is_general(atom) for atom, _ in atoms)
        }
        self._patterns: dict[str, list[_Patterns]] = {}

    def of(self, table: Table, rows: RowSet) -> int | Levels:
        """The stratum of each row, or the one stratum of all facts of the table."""
        predicate = table.predicate
        if predicate in self._only or predicate not in self._atoms:
            return self._only.get(predicate, 1)
        levels = np.ones(row_count(rows), np.int64)
        for patterns in self._patterns_of(predicate):
            patterns.mark(table, rows, levels)
        return levels

    def _patterns_of(self, predicate: str) -> list[_Patterns]:
        if predicate not in self._patterns:
            by_shape: dict[tuple[object, ...], _Patterns] = {}
            for atom, level in self._atoms[predicate]:
                shape = _shape(atom)
                by_shape.setdefault(shape, _Patterns(shape)).add(atom, level, self.dictionary)
            self._patterns[predicate] = list(by_shape.values())
        return self._patterns[predicate]


class _Patterns:
    """Atoms with constants, and repeated variables, in the same columns."""

    def __init__(self, shape: tuple[object, ...]) -> None:
        self.constants = tuple(column for column, kind in enumerate(shape) if kind == "constant")
        self.equal = [(int(str(kind)), column) for column, kind in enumerate(shape) if kind != "constant" and kind != column]
        self.levels: dict[tuple[int, ...], int] = {}
        self._sorted: tuple[Keys, list[Ids], Levels] | None = None
        """The keys of the constants in order, and beside them the constants of each column, and the levels."""

    def add(self, atom: Atom, level: int, dictionary: Dictionary) -> None:
        terms = (atom.terms[column] for column in self.constants)
        self.levels[tuple(dictionary.encode_one(term.value) for term in terms if isinstance(term, Constant))] = level
        self._sorted = None

    def _in_order(self) -> tuple[Keys, list[Ids], Levels]:
        if self._sorted is None:
            columns = [np.array(column, np.uint32) for column in zip(*self.levels, strict=True)]
            keys = pack(columns, len(self.levels))
            order = np.argsort(keys)
            levels = np.array(list(self.levels.values()), np.int64)
            self._sorted = keys[order], [column[order] for column in columns], levels[order]
        return self._sorted

    def mark(self, table: Table, rows: RowSet, levels: Levels) -> None:
        """Write the level of every row that is an instance of one of the atoms."""
        known, constants, their_levels = self._in_order()
        columns = [table.columns[column][rows] for column in self.constants]
        keys = pack(columns, row_count(rows))
        at = known.searchsorted(keys)
        np.minimum(at, len(known) - 1, out=at)
        hit = known.take(at) == keys
        for a, b in self.equal:
            hit &= table.columns[a][rows] == table.columns[b][rows]
        if not is_exact(len(columns)):  # hashes may collide: then the columns decide
            for constant, column in zip(constants, columns, strict=True):
                hit &= constant.take(at) == column
        levels[hit] = their_levels.take(at[hit])


def _shape(atom: Atom) -> tuple[object, ...]:
    """For each column: a constant, or the first column that has the same variable."""
    first: dict[str, int] = {}
    return tuple(
        first.setdefault(term.name, column) if isinstance(term, Variable) else "constant"
        for column, term in enumerate(atom.terms)
    )


def _is_general(atom: Atom) -> bool:
    """Whether all facts of the predicate are instances."""
    return _shape(atom) == tuple(range(len(atom.terms)))
