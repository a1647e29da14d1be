"""What predicates without facts are expected to hold; and that little programs are not split on a guess."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog import Materialisation, Program
from tidelog.plan.derived import expect_derived
from tidelog.syntax.ast import Atom, Variable

RULES = """
a(?x, ?y) :- e(?x, ?y) . b(?x, ?z) :- a(?x, ?y), e(?y, ?z) . b(?x, 7) :- e(?x, _) .
c(?x, ?z) :- c(?x, ?y), e(?y, ?z) . c(?x, ?y) :- a(?x, ?y) . d(?x, ?y) :- d(?y, ?x) . sum(?s) :- e(?x, ?y), ?s = ?x + ?y .
long(?x) :- b(?x, ?y), c(?y, ?z), d(?z, ?u), sum(?u), given(?u) . apart(?x) :- far(?x) . far(?x) :- e(?x, ?x) .
"""
XY = (Variable("x"), Variable("y"))


class Edges:
    """A thousand edges, ten from each node and one to each; three facts are given otherwise."""

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        return {"e": 1000.0 / 100 ** (0 in bound) / 1000 ** (1 in bound), "given": 3.0}.get(atom.predicate, 0.0)

    def largest(self) -> float:
        return 1000.0


def test_estimates_go_up_from_what_is_given() -> None:
    rules = Program.parse(RULES).core
    expected = expect_derived(rules, [rule for rule in rules if rule.head.predicate == "long"], Edges())
    assert expected.nodes["a"] == (1000.0, (100.0, 1000.0))
    assert expected.matches(Atom("a", XY), (0,)) == 10
    assert 1000 < expected.nodes["b"][0] < 20_000
    assert expected.nodes["c"][0] >= 1000
    assert expected.nodes["sum"] == (1000.0, (1000.0,))
    assert expected.matches(Atom("given", XY[:1]), ()) == 3
    assert not {"d", "far", "apart"} & set(expected.nodes), "of what nothing is known, or nobody asked"


@pytest.mark.parametrize("facts", [10, 100, 1000])
def test_rules_over_derived_predicates_are_not_split_where_that_does_not_pay(facts: int) -> None:
    program = """
    a(?x, ?y) :- e(?x, ?y) . b(?x, ?y) :- f(?x, ?y) . c(?x, ?w) :- a(?x, ?y), b(?y, ?z), a(?z, ?w) .
    d(?x) :- a(?x, ?y), b(?y, ?z), c(?z, ?v), b(?v, ?w), a(?w, ?t), b(?t, ?x) .
    """
    rng = np.random.default_rng(3)
    mat = Materialisation(program)
    mat.update(insert={name: rng.integers(0, facts, (facts, 2)) for name in "ef"})
    assert len(mat["c"]) > 0
    assert mat.nodes.facts == 0
