"""Split a rule by eliminating variables: whatever nobody else needs is joined and projected away before the rest is joined.

Dechter: Bucket elimination (1999). A variable that neither the head nor a condition needs occurs in a few atoms, its *bucket*.
Their join, without the variable, is a node; it takes their place, and the next variable's turn comes:

    exchange(?u, ?w) :- in(?p, ?u), from(?p, ?v), in(?q, ?v), from(?q, ?w), in(?r, ?w), from(?r, ?u) .

    exchange__1(?u, ?v) :- in(?p, ?u), from(?p, ?v) .                                            without ?p
    exchange(?u, ?w)    :- exchange__1(?u, ?v), exchange__1(?v, ?w), exchange__1(?w, ?u) .       the same for ?q and ?r

A hypertree decomposition of least width covers a node with given atoms alone, so that the cycle above, of six atoms, has nodes
of three variables each with people among them. Nodes over nodes, as here, have places only. What is left in the end may be
cyclic still; it is decomposed, if that pays.

Which variable is next is decided greedily, by what its bucket is expected to cost; how many are eliminated, by the
expected cost of all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tidelog.plan.decomposition import Node
from tidelog.plan.estimates import Estimates
from tidelog.plan.hypergraph import Hypergraph, members
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import Statistics, expression_variables, variables
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom

STORED = 8.0
"""A fact of a node costs as much as so many bindings of a join: it is looked up, gets a row and a place in indexes."""


@dataclass(frozen=True)
class Expected:
    """Statistics that know of nodes what is expected of them."""

    facts: Statistics
    nodes: Mapping[str, tuple[float, tuple[float, ...]]] = field(default_factory=dict)
    """The size of nodes, and how many values each column takes."""

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        if atom.predicate not in self.nodes:
            return self.facts.matches(atom, bound)
        size, columns = self.nodes[atom.predicate]
        for column in bound:
            size /= columns[column]
        return size

    def largest(self) -> float:
        return self.facts.largest()


@dataclass(frozen=True, slots=True)
class OverNodes:
    """A rule over nodes, and what that costs."""

    rule: CoreRule
    nodes: NodeRules
    cost: float
    """What the nodes are expected to cost: the bindings of their joins, and what they hold."""
    rest: float
    """What the join of the rule is."""
    expected: Expected
    recursive: frozenset[str]
    """Predicates that the rule's head comes back by."""

    @property
    def total(self) -> float:
        return self.cost + self.rest


def eliminate(rule: CoreRule, expected: Expected, nodes: NodeRules) -> OverNodes:
    """The rule with as many variables eliminated as pays; `nodes` are left as they are."""
    best = now = untouched(rule, expected, nodes)
    while (after := _without_one(now)) is not None:
        now = after
        if now.total < best.total:
            best = now
    return best


def untouched(rule: CoreRule, expected: Expected, nodes: NodeRules) -> OverNodes:
    """The rule as it is."""
    recursive = frozenset({rule.head.predicate})
    return OverNodes(rule, nodes, 0.0, join_cost(rule, expected, recursive), expected, recursive)


def join_cost(rule: CoreRule, expected: Expected, recursive: frozenset[str]) -> float:
    """The bindings of the rule's join, and of those that begin with what comes back, if it is recursive."""
    graph = Hypergraph(rule.positive)
    estimates = Estimates(graph, expected)
    back = [number for number, atom in enumerate(rule.positive) if atom.predicate in recursive]
    return max(estimates.join(graph.all_atoms).work, sum(estimates.work_from(number) for number in back))


def _without_one(now: OverNodes) -> OverNodes | None:
    """One variable less: the one whose node adds the least cost; None if there is none to eliminate."""
    graph = Hypergraph(now.rule.positive)
    needed = graph.mask(_needed(now.rule))
    found = [
        _with_node(now, graph, atoms, needed)
        for variable in members(graph.variables(graph.all_atoms) & ~needed)
        if (atoms := _bucket(graph, variable)) != graph.all_atoms
    ]
    return min(found, key=lambda after: (after.cost, after.rest), default=None)


def _needed(rule: CoreRule) -> set[str]:
    """The variables that must be there in the end."""
    names = variables(rule.head).union(*map(variables, rule.negative))
    return names.union(*(expression_variables(c.left) | expression_variables(c.right) for c in rule.conditions))


def _bucket(graph: Hypergraph, variable: int) -> int:
    """The atoms that have a variable, and those that lie inside their variables."""
    atoms = sum(1 << number for number, edge in enumerate(graph.edges) if edge >> variable & 1)
    inside = graph.inside(graph.all_atoms & ~atoms, graph.variables(atoms))
    return atoms | sum(1 << number for number in members(inside) if graph.edges[number])


def _with_node(now: OverNodes, graph: Hypergraph, atoms: int, needed: int) -> OverNodes:
    chosen = tuple(members(atoms))
    scope = graph.variables(atoms)
    kept = graph.names_of(scope & (needed | graph.variables(graph.all_atoms & ~atoms)))
    nodes = now.nodes.copy()
    atom = nodes.atom(now.rule, Node(graph.names_of(scope), chosen, (), (), (), kept, 0.0, 0.0, ()))
    rest = tuple(one for number, one in enumerate(now.rule.positive) if number not in chosen)
    return over_nodes(now, replace(now.rule, positive=tuple(dict.fromkeys((atom, *rest)))), nodes)


def over_nodes(now: OverNodes, rule: CoreRule, nodes: NodeRules) -> OverNodes:
    """A rule over more nodes in the place of another, with what the new ones are expected to cost."""
    cost, known, recursive = now.cost, dict(now.expected.nodes), now.recursive
    for node in list(nodes.rules.values())[len(now.nodes.rules) :]:
        graph = Hypergraph(node.positive)
        joined = Estimates(graph, Expected(now.expected.facts, known)).join(graph.all_atoms)
        size = joined.projected(graph.mask(variables(node.head)))
        numbers = [graph.mask(variables(Atom("", (term,)))).bit_length() - 1 for term in node.head.terms]
        known[node.head.predicate] = size, tuple(max(1.0, min(size, joined.distinct[number])) for number in numbers)
        cost += joined.work + STORED * size
        if any(atom.predicate in recursive for atom in node.positive):
            recursive |= {node.head.predicate}
    expected = Expected(now.expected.facts, known)
    rest = join_cost(rule, expected, recursive)
    return OverNodes(rule, nodes, cost, rest, expected, recursive)
