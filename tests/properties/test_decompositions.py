"""Decompositions of random rules: the four conditions of the definition, where everything is tested, and least width."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tidelog.plan.decompose import decompose
from tidelog.plan.decomposition import Node
from tidelog.plan.planner import NoStatistics, expression_variables, variables
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Comparison, Constant, Variable

NAMES = "uvwxyz"


class Sizes:
    """Statistics that differ from atom to atom, so that costs decide."""

    def __init__(self, random: Random) -> None:
        self.sizes = {f"p{n}": random.choice([0.0, 1.0, 50.0, 3000.0]) for n in range(4)}

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        return self.sizes[atom.predicate] / 4.0 ** len(bound)

    def largest(self) -> float:
        return 3000.0


def rules(most: int = 7) -> st.SearchStrategy[tuple[CoreRule, Sizes]]:
    return st.integers(0, 2**32).map(lambda seed: made(seed, most))


def made(seed: int, most: int) -> tuple[CoreRule, Sizes]:
    """A rule made from one random number: up to `most` atoms over few variables, so that cycles are frequent."""
    random = Random(seed)
    names = NAMES[: random.randint(3, len(NAMES))]

    def term() -> Variable | Constant:
        return Constant(1) if random.random() < 0.03 else Variable(random.choice(names))

    def atom() -> Atom:
        return Atom(f"p{random.randrange(4)}", tuple(term() for _ in range(random.choice([0, 1, 2, 2, 2, 2, 2, 2, 2, 3]))))

    positive: tuple[Atom, ...] = tuple(atom() for _ in range(max(random.randint(1, most), random.randint(1, most))))
    if random.random() < 0.1:  # a clique, which chance alone hardly makes
        positive += tuple(Atom("p0", (Variable(a), Variable(b))) for a in NAMES[:5] for b in NAMES[:5] if a < b)
    names_bound = sorted(set().union(*map(variables, positive)))
    bound: list[Variable | Constant] = [Variable(name) for name in names_bound]
    bound = bound or [Constant(2)]
    chosen = [random.choice(bound) for _ in range(6)]
    negative = (Atom("n", tuple(chosen[:2])),) if random.random() < 0.5 else ()
    conditions = (Comparison("!=", chosen[2], chosen[3]), Comparison("=", Variable("new"), chosen[4]))
    head = Atom("h", (chosen[5], *((Variable("new"),) if random.random() < 0.5 else ())))
    return CoreRule(head, positive, negative, conditions[: random.randint(0, 2)]), Sizes(random)


@given(rules())
def test_the_four_conditions(drawn: tuple[CoreRule, Sizes]) -> None:
    rule, sizes = drawn
    tree = decompose(rule, sizes)
    assert tree is not None
    nodes = tree.nodes
    for atom in rule.positive:
        assert any(variables(atom) <= node.variables for node in nodes), "1: every atom lies in a node"
    for name in set().union(*map(variables, rule.positive)):
        assert _tops(tree.root, name, False) == 1, f"2: the nodes of {name} are connected"
    for node in nodes:
        cover = _variables(rule, node.cover)
        below = frozenset().union(*(one.variables for one in node.subtree()))
        assert node.variables <= cover, "3: the cover has the node's variables"
        assert cover & below <= node.variables, "4: what the cover has and the subtree needs is in the node"


@given(rules())
def test_everything_is_tested_where_its_variables_are(drawn: tuple[CoreRule, Sizes]) -> None:
    rule, sizes = drawn
    tree = decompose(rule, sizes)
    assert tree is not None
    for position, atom in enumerate(rule.positive):
        assert any(position in node.atoms and variables(atom) <= node.variables for node in tree.nodes)
    refused = [number for node in tree.nodes for number in node.negative] + list(tree.waiting_negative)
    tested = [number for node in tree.nodes for number in node.conditions] + list(tree.waiting)
    assert sorted(refused) == list(range(len(rule.negative)))
    assert sorted(tested) == list(range(len(rule.conditions)))
    for node in tree.nodes:
        assert all(variables(rule.negative[number]) <= node.variables for number in node.negative)
        assert all(_needs(rule.conditions[number]) <= node.variables for number in node.conditions)


@given(rules())
def test_what_others_need_is_kept(drawn: tuple[CoreRule, Sizes]) -> None:
    rule, sizes = drawn
    tree = decompose(rule, sizes)
    assert tree is not None
    late = [rule.conditions[number] for number in tree.waiting]
    needed = variables(rule.head).union(*map(_needs, late), *(variables(rule.negative[n]) for n in tree.waiting_negative))
    for node in tree.nodes:
        others = frozenset().union(*(one.variables for one in tree.nodes if one is not node))
        assert node.kept <= node.variables
        assert node.variables & (others | needed) <= node.kept


@given(rules())
def test_width_one_is_acyclicity(drawn: tuple[CoreRule, Sizes]) -> None:
    rule, sizes = drawn
    tree = decompose(rule, sizes)
    assert tree is not None
    assert (tree.width == 1) == _acyclic(rule)


def test_the_generator_makes_trees_cycles_and_more() -> None:
    widths = [found.width for seed in range(300) if (found := decompose(made(seed, 8)[0], NoStatistics())) is not None]
    assert len(widths) == 300
    assert widths.count(1) > 50
    assert widths.count(2) > 50
    assert max(widths) > 2


def _variables(rule: CoreRule, positions: tuple[int, ...]) -> frozenset[str]:
    return frozenset().union(*(variables(rule.positive[position]) for position in positions))


def _needs(comparison: Comparison) -> set[str]:
    return expression_variables(comparison.left) | expression_variables(comparison.right)


def _tops(node: Node, name: str, above: bool) -> int:
    """How many nodes have the variable where their parent has not: one for each connected part."""
    here = name in node.variables
    return (here and not above) + sum(_tops(child, name, here) for child in node.children)


def _acyclic(rule: CoreRule) -> bool:
    """Graham, Yu and Ozsoyoglu: drop variables of one atom only, and atoms inside others, until none are left."""
    edges = [variables(atom) for atom in rule.positive]
    before = None
    while before != edges:
        before = [set(edge) for edge in edges]
        edges = [{name for name in edge if sum(name in other for other in edges) > 1} for edge in edges]
        for number, edge in enumerate(edges):
            if any(edge <= other for place, other in enumerate(edges) if place != number):
                del edges[number]
                break
    return all(not edge for edge in edges)
