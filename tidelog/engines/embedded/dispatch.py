"""Which rules can facts enter, and where: the starts of a set of rules, found by the constants in their atoms.

Thousands of rules over one predicate (as RDF has them) must cost only what matches. The atoms that plans start from are
therefore grouped by the columns in which they have constants; for each such group, one sort of the facts on those columns
finds the plans whose constants occur, with the facts that fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.sets import FactSet, RowSet, as_rows, row_count
from tidelog.facts.kernel import Keys, is_exact, pack, starts_of_groups
from tidelog.facts.table import Table

_FEW = 4
"""Up to so many plans that start from one table are simply tried one by one."""


class _Group:
    """The plans that start from atoms with constants in the same columns of one table."""

    def __init__(self, columns: tuple[int, ...]) -> None:
        self.columns = columns
        self.plans: dict[int, list[Compiled]] = {}
        self.keys: Keys = np.empty(0, np.uint64)

    def add(self, compiled: Compiled) -> None:
        assert compiled.start is not None
        value_of = dict(compiled.start.constants)
        key = int(pack([np.array([value_of[c]], np.uint32) for c in self.columns], 1)[0])
        self.plans.setdefault(key, []).append(compiled)

    def freeze(self) -> None:
        self.keys = np.array(sorted(self.plans), np.uint64)

    def matching(self, table: Table, rows: RowSet) -> Iterator[tuple[Compiled, RowSet]]:
        keys = pack([table.columns[c][rows] for c in self.columns], row_count(rows))
        at = np.searchsorted(self.keys, keys)
        np.minimum(at, len(self.keys) - 1, out=at)
        hits = np.flatnonzero(self.keys[at] == keys)
        if not len(hits):
            return
        order = np.argsort(at[hits], kind="stable")
        hits = hits[order]
        fitting = as_rows(rows)[hits]
        which = at[hits]
        starts = np.flatnonzero(starts_of_groups(which))
        for start, end in zip(starts, np.append(starts[1:], len(which)), strict=True):
            for compiled in self.plans[int(self.keys[which[start]])]:
                yield compiled, fitting[start:end]


class Dispatch:
    """Compiled plans, ready to be found for the facts they start from."""

    def __init__(self, plans: Iterable[Compiled]) -> None:
        self.needs_marks = False
        """Whether some plan asks what is in the change, which then must be marked."""
        self._always: dict[Table, list[Compiled]] = {}
        self._groups: dict[Table, dict[tuple[int, ...], _Group]] = {}
        by_table: dict[Table, list[Compiled]] = {}
        for compiled in plans:
            assert compiled.start is not None
            by_table.setdefault(compiled.start.outputs.table, []).append(compiled)
            self.needs_marks |= compiled.marks
        for table, some in by_table.items():
            self._arrange(table, some)

    def _arrange(self, table: Table, plans: Sequence[Compiled]) -> None:
        if len(plans) <= _FEW:
            self._always[table] = list(plans)
            return
        groups = self._groups.setdefault(table, {})
        for compiled in plans:
            assert compiled.start is not None
            columns = tuple(sorted(column for column, _ in compiled.start.constants))
            if not columns or not is_exact(len(columns)):
                self._always.setdefault(table, []).append(compiled)
            else:
                groups.setdefault(columns, _Group(columns)).add(compiled)
        for group in groups.values():
            group.freeze()

    def plans_for(self, facts: FactSet) -> Iterator[tuple[Compiled, RowSet]]:
        """The plans that facts can enter, each with the facts that may fit."""
        for table, rows in facts:
            for compiled in self._always.get(table, ()):
                yield compiled, rows
            for group in self._groups.get(table, {}).values():
                yield from group.matching(table, rows)
