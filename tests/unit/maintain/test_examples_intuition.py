"""Examples 1, 2, 4, 5, 8 and 9 (sections 3 to 5): the running example, and what naive counting gets wrong."""

from __future__ import annotations

import pytest

from tests.mirror import facts_of, net
from tests.paper import FACTS, RULES, Phases, considered, firing, maintained
from tests.updates import parse_update, rule_text
from tidelog import Materialisation, Program
from tidelog.materialisation import ALGORITHMS

by_every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)


def test_example_1() -> None:
    """Figure 1: the bold facts are derived, by instances (15), (63), (16) to (19), and T(c,d), B(c) -> B(d)."""
    mat = Materialisation(Program.parse(RULES + rule_text(parse_update(FACTS).insert)))
    assert set(mat["b"]) == {(x,) for x in "abcde"}
    assert set(mat["t"]) - set(mat.explicit("t")) == {("b", "e")}
    assert mat.statistics.instances == 7 == firing(RULES, FACTS)


def test_the_strata_of_example_1() -> None:
    """(10): A, R and S in stratum 1, T in 2, B in 3; only the rule for B is recursive."""
    first, second, third = Program.parse(RULES).stratify().strata
    assert (len(first.rules), len(second.nonrecursive), len(second.recursive)) == (0, 2, 0)
    assert (len(third.nonrecursive), len(third.recursive)) == (0, 1)


@by_every_algorithm
def test_example_2(algorithm: str) -> None:
    """Figure 2: T(b,f), B(f), B(g) appear, T(b,e) and B(e) vanish, B(c) stays for (18) and (19)."""
    _, changes = maintained(algorithm, RULES, FACTS, "+a(b)")
    assert net(changes.inserted) == {"a": {("b",)}, "t": {("b", "f")}, "b": {("f",), ("g",)}}
    assert net(changes.deleted) == {"t": {("b", "e")}, "b": {("e",)}}


def test_the_instances_of_example_2() -> None:
    """(15) to (17) stop firing, (11) to (14) begin."""
    assert firing(RULES, FACTS, "+a(b)") == firing(RULES, FACTS) - 3 + 4
    assert considered("rematerialise", RULES, FACTS, "+a(b)") == Phases(forward=8)


PATHS = "s(?x, ?z) :- r(?x, ?y), r(?y, ?z) ."


@by_every_algorithm
def test_example_3(algorithm: str) -> None:
    """S(a,d) has two derivations and keeps one when R(a,b) goes."""
    _, changes = maintained(algorithm, PATHS, "+r(a, b) +r(b, d) +r(a, c) +r(c, d)", "-r(a, b)")
    assert net(changes.deleted) == {"r": {("a", "b")}}
    assert not changes.inserted


@by_every_algorithm
def test_example_4(algorithm: str) -> None:
    """No algorithm may join a fact that only the old materialisation has with one that only the new one has.

    The rewriting considers instances of its own rules, those that copy facts into the new materialisation.
    """
    _, changes = maintained(algorithm, PATHS, "+r(b, c)", "+r(a, b) -r(b, c)")
    assert changes.statistics.instances == 0 or algorithm == "rewriting"
    assert (net(changes.inserted), net(changes.deleted)) == ({"r": {("a", "b")}}, {"r": {("b", "c")}})


SYMMETRY = "r(?y, ?x) :- r(?x, ?y) ."


@by_every_algorithm
def test_examples_5_and_9(algorithm: str) -> None:
    """R(a,b) supports itself through R(b,a); counting must not be taken in by that."""
    mat, changes = maintained(algorithm, SYMMETRY, "+r(a, b)", "-r(a, b)")
    assert facts_of(mat) == {}
    assert net(changes.deleted) == {"r": {("a", "b"), ("b", "a")}}


def test_examples_8_and_9_by_counting() -> None:
    """Example 8: the trace changes by the three instances that stop and the four that begin. Example 9: by both instances."""
    assert considered("counting", RULES, FACTS, "+a(b)").total == 7
    assert considered("counting", SYMMETRY, "+r(a, b)", "-r(a, b)").total == 2
