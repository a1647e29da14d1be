"""The full reducer, as hidden predicates: which values of a variable lead anywhere in the rest of the body.

Zhang et al. (2023), Algorithm 4: before the nodes of a rule are joined, each is reduced to what has a partner in all others, by
semijoins along the tree: outward from the node that changed, up to the root, and down again. A join over reduced nodes
never gives up a binding that it has begun. Here a semijoin is a rule, and what it leaves is kept as any node is:

    out(?a, ?e) :- p(?a, ?b), q(?b, ?c), r(?c, ?d), s(?d, ?e) .

    out__1(?d) :- s(?d, ?e) .               out__4(?b) :- p(?a, ?b) .                       what p, q, r may go on with,
    out__2(?c) :- r(?c, ?d), out__1(?d) .   out__5(?c) :- q(?b, ?c), out__4(?b) .           and s, r, q
    out__3(?b) :- q(?b, ?c), out__2(?c) .   out__6(?d) :- r(?c, ?d), out__5(?c) .

    paper                       here
    BottomUpLSJ(t)              the rules of the left column, from the leaves
    TopDownLSJ(t)               those of the right column, from the root
    TopDownLSJ(p), of a change  a plan starts from the change and asks these of every value before it goes on

They stand in the rule beside the atoms, which imply them. So plans from any change, whichever node it enters, meet the few
values that lead somewhere; and it is maintained, not repeated for every change, which values these are. Whoever has nothing
to lose by that is left alone (the paper's factor of three): joins that grow little, and edges of the tree across which most
values find a partner, as a sample of the facts shows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, runtime_checkable

from tidelog.plan.decompose import decompose
from tidelog.plan.decomposition import Node
from tidelog.plan.eliminate import OverNodes, over_nodes
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import variables
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Variable

Place: TypeAlias = tuple[Atom, int]
"""An atom and one of its columns."""

_COMPARABLE = 3.0
"""Joins that grow by less, and edges across which more than one in so many values have a partner, are left alone."""
_FLOOR = 100_000
_PAYS = 2.0
"""The join is expected to have at least so many bindings, and so many times as many as reducing costs."""


@runtime_checkable
class Overlaps(Protocol):
    """Statistics that have facts to look at."""

    def overlap(self, one: Place, other: Place) -> float:
        """The share of the facts in one place whose value is in the other, too; 1 if there are none."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A node of the tree and the one above it."""

    below: Node
    above: Node
    shared: frozenset[str]


def reduced(now: OverNodes, facts: Overlaps, derived: Collection[str]) -> OverNodes | None:
    """A rule over nodes with what reduces them, if it seems that much of them dangles; None if not.

    Of `derived` predicates it is not known yet what they will hold.
    """
    rule = now.rule
    inputs = sum(now.expected.matches(atom, ()) for atom in rule.positive)
    if now.rest <= max(_FLOOR, _COMPARABLE * inputs) or rule.head.predicate in {atom.predicate for atom in rule.positive}:
        return None
    tree = decompose(rule, now.expected)
    if tree is None or len(tree.nodes) < 2:
        return None
    reducer = _Reducer(rule, tree.root, now.nodes.copy())
    reducer.look_at(facts, derived)
    if not reducer.dangling:
        return None
    found = over_nodes(now, reducer.rule(), reducer.nodes)
    return found if now.rest > _PAYS * (found.cost - now.cost) else None


class _Reducer:
    """The semijoins of one rule."""

    def __init__(self, rule: CoreRule, root: Node, nodes: NodeRules) -> None:
        self.whole = rule
        self.nodes = nodes
        self.atoms = list(rule.positive)
        """Those of the body, and those that reduce it so far."""
        self.edges = list(_edges(root))
        self.dangling: set[tuple[int, int]] = set()
        """Neighbours, by identity, of which the second lacks many values of the first."""

    def look_at(self, facts: Overlaps, derived: Collection[str]) -> None:
        for edge in self.edges:
            for one, other in ((edge.above, edge.below), (edge.below, edge.above)):
                pairs = ((a, b) for name in edge.shared for a in self._places(one, name) for b in self._places(other, name))
                shares = (facts.overlap(a, b) for a, b in pairs if b[0].predicate not in derived)
                if _dangles(min(shares, default=1.0)):
                    self.dangling.add((id(one), id(other)))

    def _places(self, node: Node, name: str) -> Iterator[Place]:
        """Where a variable of a node stands in the atoms that it rests on."""
        for position in node.atoms:
            yield from self._below(self.whole.positive[position], name)

    def _below(self, atom: Atom, name: str) -> Iterator[Place]:
        if name in variables(atom):
            column = atom.terms.index(Variable(name))
            rule = next((rule for rule in self.nodes.rules.values() if rule.head.predicate == atom.predicate), None)
            if rule is None:
                yield atom, column
            else:
                inner = rule.head.terms[column]
                assert isinstance(inner, Variable)
                for premise in rule.positive:
                    yield from self._below(premise, inner.name)

    def rule(self) -> CoreRule:
        """The rule with its atoms and those that reduce them."""
        up: dict[int, int] = {}
        for edge in reversed(self.edges):  # from the leaves
            if self._loses(edge.above, edge.below):
                up[id(edge.below)] = self._semijoin(edge.below, edge.shared, _known(up, edge.below.children))
        down: dict[int, int] = {}
        for edge in self.edges:  # from the root
            if self._loses(edge.below, edge.above):
                beside = [child for child in edge.above.children if child is not edge.below]
                others = [*_known(up, beside), *_known(down, [edge.above])]
                down[id(edge.below)] = self._semijoin(edge.above, edge.shared, others)
        return replace(self.whole, positive=tuple(dict.fromkeys(self.atoms)))

    def _loses(self, one: Node, other: Node) -> bool:
        """Whether values of a node dangle somewhere from its neighbour on."""
        near = [e.below if e.above is other else e.above for e in self.edges if other is e.above or other is e.below]
        return (id(one), id(other)) in self.dangling or any(self._loses(other, node) for node in near if node is not one)

    def _semijoin(self, node: Node, shared: frozenset[str], others: Sequence[int]) -> int:
        """The atom, by position, that has the values of shared variables in a node as far as others leave it."""
        cover = tuple(sorted({*node.atoms, *others}))
        if len(cover) == 1 and variables(self.atoms[cover[0]]) == shared:
            return cover[0]
        body = replace(self.whole, positive=tuple(self.atoms), negative=(), conditions=())
        self.atoms.append(self.nodes.atom(body, Node(node.variables, cover, (), (), (), shared, 0.0, 0.0, ())))
        return len(self.atoms) - 1


def _dangles(share: float) -> bool:
    """Whether semijoins are worth their while where this share of the values has a partner."""
    return share * _COMPARABLE < 1


def _edges(node: Node) -> Iterator[_Edge]:
    """The edges below a node across which values are shared, each before those under it."""
    for child in node.children:
        if shared := child.variables & node.variables:
            yield _Edge(child, node, shared)
        yield from _edges(child)


def _known(semijoins: dict[int, int], nodes: Sequence[Node]) -> list[int]:
    return [semijoins[id(node)] for node in nodes if id(node) in semijoins]
