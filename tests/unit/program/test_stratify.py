"""Strata: the paper's example, the definition's two conditions, and how fine or coarse the levels are."""

from __future__ import annotations

import pytest

from tidelog.program import Program, Stratification
from tidelog.program.graph import components
from tidelog.syntax.formatter import format_atom
from tidelog.syntax.parser import parse_atom

# Motik et al. 2019, Example 1, with its rules (7) to (9) and the stratification (10).
EXAMPLE_1 = """
T(?x, ?y) :- R(?x, ?y), ~A(?x) .
T(?x, ?y) :- S(?x, ?y), A(?x) .
B(?y)     :- T(?x, ?y), B(?x) .
"""
TRIPLES = """
[?x, type, person] :- [?x, type, student] .
[?x, type, student] :- [?x, takes, ?y], ~[?x, type, professor] .
[?x, type, professor] :- [?x, teaches, ?y] .
"""


def levels(text: str, single: bool = False) -> dict[str, int]:
    strata = Program.parse(text).stratify(single).strata
    return {format_atom(atom): stratum.index for stratum in strata for atom in stratum.atoms}


def check(program: Program, stratification: Stratification) -> None:
    """The conditions that section 3 puts on a stratification, and what the strata hold."""
    level = stratification.level
    for rule in program.core:
        assert all(level(atom) <= level(rule.head) for atom in rule.positive)
        assert all(level(atom) < level(rule.head) for atom in rule.negative)
    assert [stratum.index for stratum in stratification.strata] == list(range(1, len(stratification.strata) + 1))
    assert sum(len(stratum.rules) for stratum in stratification.strata) == len(program.core)
    for stratum in stratification.strata:
        assert all(level(rule.head) == stratum.index for rule in stratum.rules)
        assert all(stratification.recursive_positions(rule) for rule in stratum.recursive)
        assert not any(stratification.recursive_positions(rule) for rule in stratum.nonrecursive)
        assert len(stratum.recursive) + len(stratum.nonrecursive) == len(stratum.rules)


def test_example_1() -> None:
    program = Program.parse(EXAMPLE_1)
    stratification = program.stratify()
    expected = {"A(?x)": 1, "R(?x, ?y)": 1, "S(?x, ?y)": 1, "T(?x, ?y)": 2, "B(?x)": 3, "B(?y)": 3}
    assert {text: stratification.level(parse_atom(text)) for text in expected} == expected
    first, second, third = stratification.strata
    assert first.rules == ()
    assert second.nonrecursive == program.core[:2]
    assert third.recursive == program.core[2:]
    assert stratification.recursive_positions(program.core[2]) == (1,)
    check(program, stratification)


def test_example_1_in_as_few_strata_as_negation_allows() -> None:
    program = Program.parse(EXAMPLE_1)
    stratification = program.stratify(single=True)
    assert levels(EXAMPLE_1, single=True) == {"A(?x)": 1, "R(?x, ?y)": 1, "S(?x, ?y)": 1, "T(?x, ?y)": 2, "B(?y)": 2}
    check(program, stratification)


def test_triples_are_stratified_by_their_constants() -> None:
    assert levels(TRIPLES) == {
        "[?x, teaches, ?y]": 1,
        "[?x, takes, ?y]": 1,
        "[?x, type, professor]": 2,
        "[?x, type, student]": 3,
        "[?x, type, person]": 4,
    }
    assert max(levels(TRIPLES, single=True).values()) == 2


def test_a_general_atom_joins_what_it_unifies_with() -> None:
    assert set(levels("[?x, a, ?y] :- [?y, b, ?x] .\n[?y, ?p, ?x] :- [?x, ?p, ?y], [?p, c, d] .").values()) == {1}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    "text", [EXAMPLE_1, TRIPLES, "p(?x) :- q(?x), ~r(?x, _) .\nr(?x, ?x) :- s(?x), ~t(_) .", "p(a) :- ~q(b) ."]
)
def test_the_conditions_hold(text: str, single: bool) -> None:
    program = Program.parse(text)
    check(program, program.stratify(single))


def test_facts_find_their_level() -> None:
    stratification = Program.parse(TRIPLES).stratify()
    expected = {"[a, type, student]": 3, "[a, type, other]": 1, "[a, takes, b]": 1, "edge(a, b)": 1, "[?x, type, ?y]": 4}
    assert {text: stratification.level(parse_atom(text)) for text in expected} == expected


def test_there_is_always_a_stratum() -> None:
    (stratum,) = Program.parse("p(a) .").stratify().strata
    assert (stratum.index, stratum.rules, stratum.atoms) == (1, (), ())


def test_a_rule_without_atoms_in_its_body() -> None:
    (stratum,) = Program.parse("p(?x) :- ?x = 1 + 1 .").stratify().strata
    assert len(stratum.nonrecursive) == 1


def test_positive_programs_can_be_one_stratum() -> None:
    text = "b(?x) :- a(?x) . c(?x) :- b(?x) . d(?x) :- c(?x), d(?x) ."
    assert sorted(levels(text).values()) == [1, 2, 3, 4]
    assert set(levels(text, single=True).values()) == {1}


def test_components() -> None:
    assert components([[1], [2], [0, 3], [], [3, 4]]) == [[3], [2, 1, 0], [4]]
    chain = [[i + 1] for i in range(50_000)] + [[0]]
    assert len(components(chain)) == 1
