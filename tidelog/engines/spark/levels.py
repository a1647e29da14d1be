"""Which stratum a fact belongs to: `Out^s` of the paper.

A fact belongs to the stratum of the atoms it is an instance of; atoms that share an instance share a stratum, so any of
them decides. A fact that is an instance of no atom of the program belongs to the first.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tidelog.engines.spark.tables import Row
from tidelog.engines.spark.terms import Terms
from tidelog.program.stratify import Stratification
from tidelog.syntax.ast import Atom, Constant, Variable


class _Pattern(NamedTuple):
    """Where atoms have constants, and which columns are equal in them; the strata by those constants."""

    fixed: tuple[int, ...]
    equal: tuple[tuple[int, int], ...]
    levels: dict[Row, int]


class Levels:
    """The strata of the facts of one stratification."""

    def __init__(self, strata: Stratification, terms: Terms) -> None:
        self._patterns: dict[str, dict[object, _Pattern]] = defaultdict(dict)
        for stratum in strata.strata:
            for atom in stratum.atoms:
                self._add(atom, stratum.index, terms)

    def _add(self, atom: Atom, level: int, terms: Terms) -> None:
        fixed = tuple(i for i, term in enumerate(atom.terms) if isinstance(term, Constant))
        first: dict[str, int] = {}
        variables = [(i, term.name) for i, term in enumerate(atom.terms) if isinstance(term, Variable)]
        equal = tuple((first[name], i) for i, name in variables if first.setdefault(name, i) != i)
        pattern = self._patterns[atom.predicate].setdefault((fixed, equal), _Pattern(fixed, equal, {}))
        constants = (term.value for term in atom.terms if isinstance(term, Constant))
        pattern.levels[tuple(map(terms.wide_one, constants))] = level

    def of(self, predicate: str, row: Row) -> int:
        """The stratum of a fact."""
        for fixed, equal, levels in self._patterns.get(predicate, {}).values():
            level = levels.get(tuple(row[i] for i in fixed))
            if level is not None and all(row[i] == row[j] for i, j in equal):
                return level
        return 1
