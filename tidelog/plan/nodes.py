"""Decomposed rules as rules: a node becomes a hidden predicate, whose facts are the node's instantiations.

Zhang et al. (2023), section 4, keeps for each node p of a decomposed rule r its instantiations, inst_p, and evaluates r over
these. Here inst_p is the extension of a predicate that nobody is shown, kept by a rule of its own, and r joins these:

    pc(?x, ?y)     :- cw(?x, ?u), ca(?x, ?v), pc(?u, ?y), pc(?v, ?y) .       the rule

    pc__1(?x, ?y)  :- cw(?x, ?u), pc(?u, ?y) .                               node p_1
    pc__2(?x, ?y)  :- ca(?x, ?v), pc(?v, ?y) .                               node p_2
    pc(?x, ?y)     :- pc__1(?x, ?y), pc__2(?x, ?y) .                         the nodes together

    paper                            here
    Pi_p[I, Delta]                   `derive` of the node's rule, the change being Delta
    inst_p^{I:Delta+}, ^{I:Delta-}   the node's facts in that round's `delta`
    labels of equations (8), (10)    atoms before the pivot are matched outside the change, those after it anywhere
    Add^r, Del^r, Red^r              what each maintenance algorithm does with any rule
    O(f), the oracle                 the algorithm's own: a rank, a search, a count

So every algorithm maintains nodes as it maintains any facts; they have rows, flags, ranks and indexes like any; they commit or
roll back with the update. Lemmas 1 to 3 of the paper are the statement that the rules above mean what the rule does: every
body atom is matched in some node that has all its variables, and nodes that share a variable both keep it.

Nodes with equal rules, but for the names of variables, share one predicate. A node that is one atom, and keeps all its
variables, is that atom; one whose atoms do not hang together would hold a product. The atoms of both join the other nodes
directly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from itertools import permutations

from tidelog.plan.decomposition import Decomposition, Node
from tidelog.plan.planner import variables
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Arithmetic, Atom, Comparison, Expression, Variable

_TRIED = 4
"""Nodes of up to so many atoms are recognised as equal in whatever order these stand."""

Key = tuple[object, ...]


@dataclass(slots=True)
class NodeRules:
    """The hidden predicates of the nodes so far, each with its rule."""

    taken: Collection[str]
    """Names of predicates that others have."""
    rules: dict[Key, CoreRule] = field(default_factory=dict)
    number: int = 0

    def copy(self) -> NodeRules:
        """The same nodes, to add some on trial."""
        return replace(self, rules=dict(self.rules))

    @property
    def hidden(self) -> dict[str, int]:
        """The hidden predicates, with how many columns each has."""
        return {rule.head.predicate: len(rule.head.terms) for rule in self.rules.values()}

    def split(self, decomposition: Decomposition) -> CoreRule:
        """The rule over nodes; the rule itself if its tree has but one node or no node has a predicate of its own."""
        rule, nodes = decomposition.rule, decomposition.nodes
        stored = [node for node in nodes if _is_worth_a_table(rule, node)]
        if len(nodes) == 1 or not stored:
            return rule
        placed = {position for node in stored for position in node.atoms if _inside(rule, position, node)}
        positive: dict[Atom, None] = {}
        negative = [rule.negative[number] for number in decomposition.waiting_negative]
        conditions = [rule.conditions[number] for number in decomposition.waiting]
        for node in nodes:
            if node in stored:
                positive[self.atom(rule, node)] = None
            else:
                here = [position for position in node.atoms if position not in placed and _inside(rule, position, node)]
                positive |= dict.fromkeys(rule.positive[position] for position in here)
                negative += [rule.negative[number] for number in node.negative]
                conditions += [rule.conditions[number] for number in node.conditions]
        return CoreRule(rule.head, tuple(positive), tuple(negative), tuple(conditions), rule.source)

    def atom(self, rule: CoreRule, node: Node) -> Atom:
        """The atom that stands for a node, with the predicate of nodes that are equal to it."""
        key, kept = _canonical(rule, node)
        terms = tuple(Variable(name) for name in kept)
        if key not in self.rules:
            negative = tuple(rule.negative[number] for number in node.negative)
            conditions = tuple(rule.conditions[number] for number in node.conditions)
            head = Atom(self._name(rule.head.predicate), terms)
            self.rules[key] = CoreRule(head, tuple(_matched(rule, node)), negative, conditions)
        return replace(self.rules[key].head, terms=terms)

    def _name(self, predicate: str) -> str:
        self.number += 1
        while (name := f"{predicate}__{self.number}") in self.taken:
            self.number += 1
        return name


def _matched(rule: CoreRule, node: Node) -> list[Atom]:
    return [rule.positive[position] for position in node.atoms]


def _inside(rule: CoreRule, position: int, node: Node) -> bool:
    return variables(rule.positive[position]) <= node.variables


def _is_worth_a_table(rule: CoreRule, node: Node) -> bool:
    """Whether a node is more than an atom, and no product."""
    atoms = _matched(rule, node)
    return _hangs_together(atoms) if len(atoms) > 1 else variables(atoms[0]) != node.kept


def _hangs_together(atoms: list[Atom]) -> bool:
    """Whether atoms are connected by their variables."""
    rest = [variables(atom) for atom in atoms if variables(atom)]
    reached = rest.pop() if rest else set()
    while near := next((names for names in rest if names & reached), None):
        rest.remove(near)
        reached |= near
    return not rest


def _canonical(rule: CoreRule, node: Node) -> tuple[Key, list[str]]:
    """What a node is but for the names of its variables, and the names of those it keeps, in the order of its columns."""
    return min(_readings(rule, node), key=lambda reading: repr(reading[0]))


def _readings(rule: CoreRule, node: Node) -> Iterator[tuple[Key, list[str]]]:
    """The node with its variables numbered as they are met, for each order of its atoms."""
    atoms = sorted(_matched(rule, node), key=lambda atom: atom.predicate)
    for order in permutations(atoms) if len(atoms) <= _TRIED else (atoms,):
        numbers: dict[str, int] = {}
        for atom in order:
            for term in atom.terms:
                if isinstance(term, Variable):
                    numbers.setdefault(term.name, len(numbers))
        kept = sorted(node.kept, key=numbers.__getitem__)
        parts = (
            tuple(_numbered_atom(atom, numbers) for atom in order),
            tuple(sorted((_numbered_atom(rule.negative[n], numbers) for n in node.negative), key=repr)),
            tuple(sorted((_numbered_test(rule.conditions[n], numbers) for n in node.conditions), key=repr)),
            tuple(numbers[name] for name in kept),
        )
        yield parts, kept


def _numbered_atom(atom: Atom, numbers: dict[str, int]) -> Key:
    return atom.predicate, *(_numbered(term, numbers) for term in atom.terms)


def _numbered_test(comparison: Comparison, numbers: dict[str, int]) -> Key:
    return comparison.operator, _numbered(comparison.left, numbers), _numbered(comparison.right, numbers)


def _numbered(term: Expression, numbers: dict[str, int]) -> object:
    if isinstance(term, Variable):
        return numbers[term.name]
    if isinstance(term, Arithmetic):
        return term.operator, _numbered(term.left, numbers), _numbered(term.right, numbers)
    return term
