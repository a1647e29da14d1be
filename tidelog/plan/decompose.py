"""Find the decomposition of a rule: of least width, and of those the one expected to cost least.

Gottlob, Leone, Scarcello: Hypertree decompositions and tractable queries (2002), for the search. Scarcello, Greco, Leone:
Weighted hypertree decompositions and optimal query plans (2007), for the weights. Zhang et al. (2023), section 5, for the cost:

    cost = sum over nodes p:            the bindings on the way to the join of p
         + sum over edges (p_i, p_j):   2 (|p_i| + |p_j|) for the semijoins

A subproblem is a set of atoms still to be placed, connected outside the node above, and the *connector*: the variables
that they share with that node. A node for it takes a cover of at most k atoms, from anywhere in the body, which has the
connector among its variables and at least one more; its own variables are those of the cover that the subproblem has. What
they leave of the subproblem falls into components, the subproblems of its children. Trees of this normal form have all
four conditions by construction, and if there is a decomposition of width k, there is one of these. The cost of a
subtree depends on its subproblem alone, so each is solved once.

Covers with the same variables leave the same children, so only the cheapest counts; and a node that alone costs
more than the best tree so far is not followed. That makes bodies of a dozen atoms a matter of milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from tidelog.plan.decomposition import Decomposition, Node
from tidelog.plan.estimates import Estimates
from tidelog.plan.hypergraph import Hypergraph, members
from tidelog.plan.planner import Statistics, definitions, expression_variables, variables
from tidelog.program.normal import CoreRule

MOST_COVERS = 4_000
"""With more covers than this to choose from, a rule is left alone: the search would take seconds."""


@dataclass(frozen=True, slots=True)
class _Cover:
    """Some atoms as the cover of a node."""

    atoms: int
    variables: int
    alone: tuple[int, ...]
    """For each atom the variables that only it has; where a node has use for none of them, the atom adds nothing."""


def decompose(rule: CoreRule, statistics: Statistics) -> Decomposition | None:
    """The best decomposition of a rule; None if it has no positive atoms, or too many to search through."""
    graph = Hypergraph(rule.positive)
    if not rule.positive:
        return None
    estimates = Estimates(graph, statistics)
    placement = _Placement(rule, graph)
    for width in range(1, len(rule.positive) + 1):
        search = _Search(graph, estimates, width, placement.head)
        if search.covers is None:
            return None
        if search.feasible(graph.all_atoms, 0):
            found = search.best(graph.all_atoms, 0)
            assert found is not None
            return placement.decomposition(found, estimates)
    raise AssertionError("a single node with all atoms is a decomposition")


@dataclass(slots=True)
class _Tree:
    """The best tree for a subproblem."""

    variables: int
    cover: int
    atoms: int
    """The cover and the atoms tested here."""
    children: list[_Tree]
    cost: float
    """Of the whole subtree, its edges included."""
    size: float
    work: float


class _Search:
    """All subproblems of one body, for one width."""

    def __init__(self, graph: Hypergraph, estimates: Estimates, width: int, head: int) -> None:
        self.graph = graph
        self.estimates = estimates
        self.head = head
        self._feasible: dict[tuple[int, int], bool] = {}
        self._solved: dict[tuple[int, int], _Tree | None] = {}
        self.covers = self._covers(width)

    def _covers(self, width: int) -> list[_Cover] | None:
        """All sets of up to `width` atoms; None if they are too many."""
        count = len(self.graph.atoms)
        if sum(comb(count, size) for size in range(1, width + 1)) > MOST_COVERS:
            return None
        return [self._cover(chosen) for size in range(1, width + 1) for chosen in combinations(range(count), size)]

    def _cover(self, chosen: tuple[int, ...]) -> _Cover:
        atoms = sum(1 << atom for atom in chosen)
        alone = (self.graph.edges[atom] & ~self.graph.variables(atoms ^ 1 << atom) for atom in chosen)
        return _Cover(atoms, self.graph.variables(atoms), tuple(alone))

    def feasible(self, atoms: int, connector: int) -> bool:
        """Whether a subproblem has a tree at all; asks nothing about costs."""
        key = atoms, connector
        if key not in self._feasible:
            # The variables of a node decide on its children, so covers with the same ones need not be tried again.
            shapes = {chi for _, chi in self._candidates(atoms, connector)}
            self._feasible[key] = any(
                all(self.feasible(part, shared) for part, shared in self._parts(atoms, chi)) for chi in shapes
            )
        return self._feasible[key]

    def best(self, atoms: int, connector: int) -> _Tree | None:
        """The cheapest tree for a subproblem; None if there is none of this width."""
        key = atoms, connector
        if key not in self._solved:
            self._solved[key] = self._solve(atoms, connector)
        return self._solved[key]

    def _solve(self, atoms: int, connector: int) -> _Tree | None:
        best: _Tree | None = None
        for cost, cover, chi, here in self._nodes(atoms, connector):
            if best is not None and cost >= best.cost:
                break
            best = self._with_children(atoms, connector, cover, chi, here, best) or best
        return best

    def _nodes(self, atoms: int, connector: int) -> list[tuple[float, int, int, int]]:
        """The nodes that could stand on top of a subproblem, cheapest first: their work, cover, variables, and atoms."""
        cheapest: dict[int, tuple[float, int, int, int]] = {}
        for cover, chi in self._candidates(atoms, connector):
            here = cover.atoms | self.graph.inside(atoms, chi)
            work = self.estimates.join(here).work
            if chi not in cheapest or work < cheapest[chi][0]:
                cheapest[chi] = work, cover.atoms, chi, here
        return sorted(cheapest.values())

    def _candidates(self, atoms: int, connector: int) -> Iterator[tuple[_Cover, int]]:
        """The covers of possible nodes, with the variables the nodes would have: the connector, and at least one more."""
        scope = self.graph.variables(atoms)
        assert self.covers is not None
        for cover in self.covers:
            chi = cover.variables & scope
            if connector & ~chi or (scope and chi == connector) or (chi and not all(own & chi for own in cover.alone)):
                continue
            yield cover, chi

    def _parts(self, atoms: int, chi: int) -> list[tuple[int, int]]:
        """The subproblems that a node with these variables leaves."""
        return [(part, chi & self.graph.variables(part)) for part in self.graph.components(atoms, chi)]

    def _with_children(self, atoms: int, connector: int, cover: int, chi: int, here: int, best: _Tree | None) -> _Tree | None:
        """The best tree with this node on top; None if there is none, or none better than `best`."""
        joined = self.estimates.join(here)
        parts = self._parts(atoms, chi)
        kept = connector | chi & self.head
        for _, shared in parts:
            kept |= shared
        size = joined.projected(kept)
        tree = _Tree(chi, cover, here, [], joined.work + 2 * size * len(parts), size, joined.work)
        for part, shared in parts:
            child = self.best(part, shared)
            if child is None:
                return None
            tree.children.append(child)
            tree.cost += child.cost + 2 * child.size
            if best is not None and tree.cost >= best.cost:
                return None
        return tree


class _Placement:
    """Which node tests a condition, and what the nodes must keep because of those that none does."""

    def __init__(self, rule: CoreRule, graph: Hypergraph) -> None:
        self.rule = rule
        self.graph = graph
        defined = definitions(rule)
        self.needs = [
            expression_variables(comparison.left) | expression_variables(comparison.right) for comparison in rule.conditions
        ]
        """The variables of each comparison; those that define others wait for the end, and so does what uses these."""
        self.late = {number for number, comparison in enumerate(rule.conditions) if comparison in defined}
        self.negative_needs = [variables(atom) for atom in rule.negative]
        needed = variables(rule.head).union(*(self.needs[number] for number in self.late))
        self.head = graph.mask(needed)

    def decomposition(self, tree: _Tree, estimates: Estimates) -> Decomposition:
        conditions = set(range(len(self.needs))) - self.late
        negative = set(range(len(self.negative_needs)))
        placed = _placed(tree, self._masks(self.needs, conditions), self._masks(self.negative_needs, negative))
        for _, tests, refusals in placed.values():
            conditions -= set(tests)
            negative -= set(refusals)
        waiting = tuple(sorted(conditions | self.late))
        unplaced = tuple(sorted(negative))
        needed = self.head
        for number in waiting:
            needed |= self.graph.mask(self.needs[number])
        for number in unplaced:
            needed |= self.graph.mask(self.negative_needs[number])
        root = self._node(tree, 0, needed, placed, estimates)
        plain = estimates.join(self.graph.all_atoms).work
        return Decomposition(self.rule, root, tree.cost, plain, waiting, unplaced)

    def _masks(self, needs: list[set[str]], which: set[int]) -> dict[int, int]:
        """The variables of conditions as masks; of those only that the positive atoms bind."""
        return {number: self.graph.mask(needs[number]) for number in which if needs[number] <= set(self.graph.names)}

    def _node(
        self,
        tree: _Tree,
        above: int,
        needed: int,
        placed: dict[int, tuple[_Tree, list[int], list[int]]],
        estimates: Estimates,
    ) -> Node:
        kept = tree.variables & (above | needed)
        for child in tree.children:
            kept |= tree.variables & child.variables
        _, tests, refusals = placed[id(tree)]
        return Node(
            variables=self.graph.names_of(tree.variables),
            cover=tuple(members(tree.cover)),
            tested=tuple(members(tree.atoms & ~tree.cover)),
            negative=tuple(refusals),
            conditions=tuple(tests),
            kept=self.graph.names_of(kept),
            size=estimates.join(tree.atoms).projected(kept),
            work=tree.work,
            children=tuple(self._node(child, tree.variables, needed, placed, estimates) for child in tree.children),
        )


def _placed(tree: _Tree, conditions: dict[int, int], negative: dict[int, int]) -> dict[int, tuple[_Tree, list[int], list[int]]]:
    """For each node, by identity, the conditions and negated atoms that it tests: each in the topmost node that can."""
    placed: dict[int, tuple[_Tree, list[int], list[int]]] = {}
    for node in _each(tree):
        tests = [number for number, needs in conditions.items() if not needs & ~node.variables]
        refusals = [number for number, needs in negative.items() if not needs & ~node.variables]
        for number in tests:
            del conditions[number]
        for number in refusals:
            del negative[number]
        placed[id(node)] = node, tests, refusals
    return placed


def _each(tree: _Tree) -> Iterator[_Tree]:
    yield tree
    for child in tree.children:
        yield from _each(child)
