"""Spanning trees of the components of a relation's edges, kept as facts `up(node, parent)` and `root(node, root)`.

See `plan.closing` for what they are for. The trees have no state beside these facts, so that they commit and roll back as facts
do. When edges come and go, only some nodes are *hung anew*:

- those below an edge of a tree that is gone;
- where edges join components, all nodes but those of the largest of them, and nodes that are in no tree.

Each is hung on a node that stays, if edges lead there, nearest first; what cannot be reached from there is a component of its
own now. No two trees that stay belong together: edges between them would be new, and then only one of them had stayed.

Cost: linear in the nodes that are hung anew and their edges; breadth first, so that trees are shallow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tidelog.facts.kernel import Ids, Mask, Positions, Rows, expand, sorted_unique, starts_of_groups
from tidelog.facts.table import Table

Inside = Callable[[Table, Rows], Mask]
"""Which of some rows hold."""


class Hung(NamedTuple):
    """Nodes with where they hang; a root hangs nowhere, and is its own root."""

    nodes: Ids
    parents: Ids
    roots: Ids

    @property
    def below(self) -> tuple[Ids, Ids]:
        """The nodes that have a parent, with it."""
        below = self.nodes != self.roots
        return self.nodes[below], self.parents[below]


class Trees:
    """The tables of one relation's trees."""

    def __init__(self, edges: Table, up: Table, root: Table) -> None:
        self.edges, self.up, self.root = edges, up, root

    def plant(self, rows: Rows) -> Hung:
        """The trees of some edges, where there are none yet."""
        first, second = (column[rows] for column in self.edges.columns)
        nodes = sorted_unique(np.concatenate((first, second)))
        links = np.searchsorted(nodes, first), np.searchsorted(nodes, second)
        return _Hanging(nodes, *_both_ways(*links)).result()

    def changed(self, gone: Rows, come: Rows, before: Inside, after: Inside) -> tuple[Ids, Hung]:
        """What edges that go and come make of the trees: the nodes that are hung anew, and where those hang that do."""
        nodes = np.concatenate((self._cut(gone, before, after), self._joined(come, before)))
        nodes = sorted_unique(nodes)
        if not len(nodes):
            return nodes, Hung(nodes, nodes, nodes)
        own, other = (
            np.concatenate(pair) for pair in zip(*(_facts_of(self.edges, nodes, c, after) for c in (0, 1)), strict=True)
        )
        at, inside = _places(nodes, other)
        place = np.searchsorted(nodes, own)
        hanging = _Hanging(nodes, place[inside], at[inside])
        anchored = ~inside
        hanging.anchor(place[anchored], other[anchored], self._root_of(other[anchored], before)[0])
        return nodes, hanging.result()

    def rows_of(self, table: Table, nodes: Ids, before: Inside) -> Rows:
        """The rows that `up` or `root` has of nodes."""
        return _rows_of(table, nodes, 0, before)[1]

    def _cut(self, gone: Rows, before: Inside, after: Inside) -> Ids:
        """The nodes below edges that are gone both ways."""
        first, second = (column[gone] for column in self.edges.columns)
        other_way = _among(self.edges, [second, first], after)
        first, second = first[~other_way], second[~other_way]
        children = [lower[_among(self.up, [lower, upper], before)] for lower, upper in ((first, second), (second, first))]
        found = frontier = sorted_unique(np.concatenate(children))
        levels = [found]
        while len(frontier):
            rows = _rows_of(self.up, frontier, 1, before)[1]
            frontier = self.up.columns[0][rows]
            levels.append(frontier)
        return np.concatenate(levels)

    def _joined(self, come: Rows, before: Inside) -> Ids:
        """The nodes of trees that new edges join, but for the largest of each group, and nodes of no tree."""
        first, second = (column[come] for column in self.edges.columns)
        differ = first != second
        ends = np.concatenate((first[differ], second[differ]))
        roots, known = self._root_of(ends, before)
        new = sorted_unique(ends[~known])
        half = len(ends) // 2
        joins = roots[:half] != roots[half:]
        trees = sorted_unique(np.concatenate((roots[:half][joins], roots[half:][joins])))
        if not len(trees):
            return new
        group = _components(len(trees), *(np.searchsorted(trees, side[joins]) for side in (roots[:half], roots[half:])))
        which, rows = _rows_of(self.root, trees, 1, before)
        sizes = np.bincount(which, minlength=len(trees))
        stays = np.zeros(len(trees), np.bool_)
        stays[_first_of_each(group, -sizes)] = True
        return np.concatenate((new, self.root.columns[0][rows[~stays[which]]]))

    def _root_of(self, nodes: Ids, before: Inside) -> tuple[Ids, Mask]:
        """The root of each node, itself if it is in no tree, and whether it is in one."""
        roots = nodes.copy()
        which, rows = _rows_of(self.root, nodes, 0, before)
        roots[which] = self.root.columns[1][rows]
        known = np.zeros(len(nodes), np.bool_)
        known[which] = True
        return roots, known


class _Hanging:
    """Nodes on their way into trees; links are pairs of their places, each both ways."""

    def __init__(self, nodes: Ids, source: Positions, target: Positions) -> None:
        self.nodes = nodes
        order = np.argsort(source, kind="stable")
        self.target = target[order]
        self.counts = np.bincount(source, minlength=len(nodes))
        self.starts = np.cumsum(self.counts) - self.counts
        self.source = source[order]
        self.parents = nodes.copy()
        self.roots = nodes.copy()
        self.hung = np.zeros(len(nodes), np.bool_)

    def anchor(self, places: Positions, parents: Ids, roots: Ids) -> None:
        """Hang nodes on others, which stay where they are, and all that these lead to on them."""
        self.parents[places], self.roots[places] = parents, roots
        self._hang_on(sorted_unique(places))

    def result(self) -> Hung:
        """Hang the others on roots of their own, those with most links; nodes without any hang nowhere."""
        linked = ~self.hung[self.source] & (self.source != self.target)
        rest = sorted_unique(self.source[linked])
        if len(rest):
            links = np.searchsorted(rest, self.source[linked]), np.searchsorted(rest, self.target[linked])
            group = _components(len(rest), *links)
            self._hang_on(rest[_first_of_each(group, -self.counts[rest])])
        return Hung(self.nodes[self.hung], self.parents[self.hung], self.roots[self.hung])

    def _hang_on(self, frontier: Positions) -> None:
        """Breadth first from nodes that are hung."""
        self.hung[frontier] = True
        while len(frontier):
            counts = self.counts[frontier]
            which, at = expand(self.starts[frontier], counts, int(counts.sum()))
            found, above = self.target[at], frontier[which]
            new = ~self.hung[found]
            found, above = found[new], above[new]
            self.parents[found], self.roots[found] = self.nodes[above], self.roots[above]
            self.hung[found] = True
            frontier = sorted_unique(found)


def _both_ways(first: Positions, second: Positions) -> tuple[Positions, Positions]:
    return np.concatenate((first, second)), np.concatenate((second, first))


def _components(count: int, first: Positions, second: Positions) -> Positions:
    """For each of so many nodes the least one that links lead to."""
    label = np.arange(count)
    while True:
        a, b = label[first], label[second]
        differ = a != b
        if not differ.any():
            return label
        a, b = a[differ], b[differ]
        np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(shorter := label[label], label):
            label = shorter


def _first_of_each(group: Positions, order: Positions) -> Positions:
    """The place of the first of each group in an order."""
    by_group = np.lexsort((order, group))
    return by_group[starts_of_groups(group[by_group])]


def _rows_of(table: Table, nodes: Ids, column: int, inside: Inside) -> tuple[Positions, Rows]:
    """The rows with these nodes in a column, each with the number of its node."""
    index = table.index((column, 1 - column))
    index.sync()
    parts = []
    for run in index.runs:
        starts, counts = index.prefix_ranges(run, nodes)
        which, at = expand(starts, counts, int(counts.sum()))
        parts.append((which, run.rows[at]))
    if not parts:
        return np.empty(0, np.int64), np.empty(0, np.uint32)
    which, rows = (np.concatenate(side) for side in zip(*parts, strict=True))
    kept = inside(table, rows)
    return which[kept], rows[kept]


def _facts_of(table: Table, nodes: Ids, column: int, inside: Inside) -> tuple[Ids, Ids]:
    """The facts with these nodes in a column: the node, and the other end."""
    which, rows = _rows_of(table, nodes, column, inside)
    return nodes[which], table.columns[1 - column][rows]


def _among(table: Table, columns: list[Ids], inside: Inside) -> Mask:
    """Which facts there are."""
    rows, known = table.find(columns, len(columns[0]))
    known[known] = inside(table, rows[known])
    return known


def _places(nodes: Ids, wanted: Ids) -> tuple[Positions, Mask]:
    """Where ids are among sorted nodes, and whether they are."""
    at = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
    return at, nodes[at] == wanted
