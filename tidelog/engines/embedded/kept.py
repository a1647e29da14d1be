"""Given facts that nobody gave: those that the engine keeps for closures (`tidelog.plan.closing`), in hidden predicates.

The given facts of a relation are its edges as well (shadows); trees follow from edges (`engines.embedded.forests`). Both change
with an update as if its writer had said so: they join E- and E+, shadows when it begins, trees when the edges' strata are done
and the trees' stratum has not begun. So every algorithm maintains what depends on them, and none knows of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from tidelog.engines.embedded.batches import make_explicit
from tidelog.engines.embedded.forests import Inside, Trees
from tidelog.engines.embedded.sets import Bits, FactSet, as_rows
from tidelog.engines.embedded.working import WorkingSets
from tidelog.facts.kernel import Ids, Mask, Rows
from tidelog.facts.store import Store
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.maintain.sets import PRESENT as I  # the paper's letter
from tidelog.maintain.sets import SetExpression
from tidelog.plan.closing import Forest, Shadow
from tidelog.program.stratify import Stratification
from tidelog.syntax.ast import Atom, Constant, Variable


class Kept:
    """The facts kept in one store."""

    def __init__(
        self,
        store: Store,
        sets: WorkingSets,
        strata: Stratification,
        shadows: Sequence[Shadow] = (),
        forests: Sequence[Forest] = (),
    ) -> None:
        self.store, self.sets = store, sets
        self.shadows = shadows
        self.trees: dict[int, list[Trees]] = defaultdict(list)
        """By the stratum that they belong to."""
        for forest in forests:
            tables = (store.table(name, 2) for name in (forest.edges, forest.up, forest.root))
            level = strata.level(Atom(forest.up, (Variable("x"), Variable("p"))))
            self.trees[level].append(Trees(*tables))

    # Building

    def shadow_all(self) -> None:
        """Make the shadows of all given facts."""
        for shadow in self.shadows:
            table = self.store.table(shadow.relation.predicate, len(shadow.relation.terms))
            make_explicit(self.store, {shadow.edges: self._ends(shadow, table, table.facts(EXPLICIT))})

    def plant(self, stratum: int) -> None:
        """Make the trees of a stratum."""
        for trees in self.trees.get(stratum, ()):
            hung = trees.plant(trees.edges.facts())
            below, parents = hung.below
            make_explicit(self.store, {trees.up.predicate: [below, parents], trees.root.predicate: [hung.nodes, hung.roots]})

    # Changing

    def shadows_of(self, facts: FactSet) -> FactSet:
        """The shadows of some facts."""
        parts: dict[Table, Rows] = {}
        for shadow in self.shadows:
            table = self.store.table(shadow.relation.predicate, len(shadow.relation.terms))
            if table in facts.parts:
                columns = self._ends(shadow, table, as_rows(facts.parts[table]))
                edges = self.store.table(shadow.edges, 2)
                parts[edges] = edges.intern_all(columns, len(columns[0]))
        return FactSet(facts.bits, parts)

    def changes(self, stratum: int, deleted: SetExpression, added: SetExpression) -> Iterator[tuple[FactSet, FactSet]]:
        """What vanishes and what appears in the trees of a stratum, after these changes of lower strata."""
        trees_here = self.trees.get(stratum)
        if not trees_here:
            return
        gone, come = self.sets.facts(deleted - added, self.store), self.sets.facts(added - I, self.store)
        before, after = _holding(self.sets.bits, I), _holding(self.sets.bits, (I - deleted) | added)
        for trees in trees_here:
            if trees.edges in gone.parts or trees.edges in come.parts:
                yield self._changes(trees, _part(gone, trees.edges), _part(come, trees.edges), before, after)

    def _changes(self, trees: Trees, gone: Rows, come: Rows, before: Inside, after: Inside) -> tuple[FactSet, FactSet]:
        nodes, hung = trees.changed(gone, come, before, after)
        vanished: dict[Table, Rows] = {}
        appeared: dict[Table, Rows] = {}
        for table, columns in ((trees.up, hung.below), (trees.root, (hung.nodes, hung.roots))):
            old = trees.rows_of(table, nodes, before)
            new = table.intern_all(columns, len(columns[0]))
            vanished[table] = old[~np.isin(old, new)]
            appeared[table] = new[table.flags[new] & PRESENT == 0]
        return FactSet(self.sets.bits, vanished), FactSet(self.sets.bits, appeared)

    def _ends(self, shadow: Shadow, table: Table, rows: Rows) -> list[Ids]:
        """The ends of those of some facts that are the relation's."""
        ends: list[int] = []
        for column, term in enumerate(shadow.relation.terms):
            if isinstance(term, Constant):
                rows = rows[table.columns[column][rows] == np.uint32(self.store.dictionary.encode_one(term.value))]
            else:
                ends.append(column)
        return [table.columns[column][rows] for column in ends]


def _part(facts: FactSet, table: Table) -> Rows:
    return as_rows(facts.parts.get(table, slice(0, 0)))


def _holding(bits: Bits, expression: SetExpression) -> Inside:
    truth = bits.test(expression).truth

    def inside(table: Table, rows: Rows) -> Mask:
        held: Mask = truth[table.flags[rows]]
        return held

    return inside
