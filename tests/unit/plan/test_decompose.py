"""Widths that are known, the example of the paper, and how a tree is shown."""

from __future__ import annotations

import time
from math import ceil

import pytest

from tidelog import Program
from tidelog.plan.decompose import decompose
from tidelog.plan.decomposition import Decomposition
from tidelog.plan.drawing import mermaid, outline, summary
from tidelog.plan.planner import NoStatistics, Statistics
from tidelog.syntax.ast import Atom

COLLABORATORS = "pc(?x, ?y) :- cw(?x, ?z1), ca(?x, ?z2), pc(?z1, ?y), pc(?z2, ?y) ."


def tree_of(text: str, statistics: Statistics | None = None) -> Decomposition:
    found = decompose(Program.parse(text).core[0], statistics or NoStatistics())
    assert found is not None
    return found


def cycle(n: int) -> str:
    return f"h(?x0) :- {', '.join(f'e{i}(?x{i}, ?x{(i + 1) % n})' for i in range(n))} ."


def clique(n: int) -> str:
    return f"h(?x0) :- {', '.join(f'e(?x{i}, ?x{j})' for i in range(n) for j in range(i))} ."


@pytest.mark.parametrize("n", range(3, 13))
def test_cycles_have_width_two(n: int) -> None:
    assert tree_of(cycle(n)).width == 2


@pytest.mark.parametrize("n", range(3, 7))
def test_cliques_have_half_as_much_width_as_vertices(n: int) -> None:
    assert tree_of(clique(n)).width == ceil(n / 2)


@pytest.mark.parametrize(
    "body",
    [
        "e(?x, ?y)",
        "e(?x, ?y), e(?y, ?z), e(?z, ?w)",
        "e(?x, ?y), f(?x, ?z), g(?x, ?w)",
        "r(?x, ?y, ?z), e(?x, ?y), e(?y, ?z), e(?z, ?x)",
        "e(?x, ?y), e(?z, ?w)",
        "e(?x, ?x), e(1, 2), e(1, ?x)",
    ],
)
def test_acyclic_bodies_have_width_one(body: str) -> None:
    assert tree_of(f"h(?x) :- {body} .").width == 1


def test_flower_of_two_petals_has_width_two() -> None:
    petals = "e(?x, ?a), e(?a, ?y), e(?x, ?b), e(?b, ?y), e(?x, ?c), e(?c, ?z), e(?x, ?d), e(?d, ?z)"
    assert tree_of(f"h(?x) :- {petals} .").width == 2


def test_the_example_of_the_paper() -> None:
    """Section 3: coworkers in one node, coauthors in the other; both keep x and y."""

    class Data:
        """n = 1000, k = 100: a coworker has one x, a y many of them."""

        def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
            by_bound = {"cw": (1, 1000, 1e5), "ca": (1, 1000, 1e5), "pc": (1, 1e5, 100)}[atom.predicate]
            return 1e5 / by_bound[sum(column + 1 for column in bound)]

    tree = tree_of(COLLABORATORS, Data())
    assert tree.width == 2
    assert sorted(sorted(atom.predicate for atom in tree.matched(node)) for node in tree.nodes) == [["ca", "pc"], ["cw", "pc"]]
    assert all(node.kept == {"x", "y"} for node in tree.nodes)
    assert tree.cost < tree.plain / 10


def test_costs_decide_between_trees_of_one_width() -> None:
    class Sizes:
        """Pairs of `a` and `b` are few, and so are pairs of `c` and `d`; no others are."""

        def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
            column = 1 if atom.predicate in "ac" else 0
            return 1000.0 / (1000.0 if column in bound else 1.0) / (2.0 if 1 - column in bound else 1.0)

    tree = tree_of("h(?x, ?z) :- a(?x, ?y), b(?y, ?z), c(?z, ?w), d(?w, ?x) .", Sizes())
    assert sorted(sorted(atom.predicate for atom in tree.matched(node)) for node in tree.nodes) == [["a", "b"], ["c", "d"]]


def test_conditions_are_tested_in_the_topmost_node_that_can() -> None:
    tree = tree_of("h(?x, ?v) :- a(?x, ?y), b(?y, ?z), c(?z, ?w), d(?w, ?x), ?x < ?y, ?y != ?w, ~n(?z, ?w), ?v = ?x + 1 .")
    assert tree.waiting == (1, 2)
    assert tree.waiting_negative == ()
    assert next(node.conditions for node in tree.nodes if {"x", "y"} <= node.variables) == (0,)
    assert next(node.negative for node in tree.nodes if {"z", "w"} <= node.variables) == (0,)
    assert all("y" in node.kept or "y" not in node.variables for node in tree.nodes)


def test_a_dozen_atoms_take_milliseconds() -> None:
    started = time.process_time()
    assert tree_of(cycle(12)).width == 2
    assert time.process_time() - started < 0.5


def test_too_many_atoms_are_left_alone() -> None:
    assert decompose(Program.parse(clique(8)).core[0], NoStatistics()) is None


def test_a_rule_without_positive_atoms_has_no_tree() -> None:
    assert decompose(Program.parse("h(1) :- ~p(1) .").core[0], NoStatistics()) is None


def test_a_tree_as_text() -> None:
    tree = tree_of("h(?x) :- a(?x, ?y), b(?y, ?z), c(?z, ?x), ?x != ?z .")
    assert summary(tree).startswith("hypertree width 2, estimated cost ")
    lines = list(outline(tree))
    assert lines[0].startswith("- ")
    assert lines[1].startswith("  - ")
    assert sum("?x != ?z" in line for line in lines) == 1


def test_a_tree_as_a_diagram() -> None:
    tree = tree_of('h(?x) :- a(?x, ?y), b(?y, ?z), c(?z, ?x), d("<", ?x) .')
    lines = list(mermaid({"my rule": tree}))
    assert lines[0] == "graph TD"
    assert any("---" in line for line in lines)
    assert any("#quot;#lt;#quot;" in line for line in lines)
