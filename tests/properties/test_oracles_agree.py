"""The two from-scratch answers, clingo's and the naive one, agree; only then may they judge an engine."""

from __future__ import annotations

from hypothesis import given

from tests import naive, oracle
from tests.generators import Case, cases
from tidelog.program import Program


@given(cases())
def test_clingo_and_the_naive_evaluator_agree(case: Case) -> None:
    program = Program.parse(case.text)
    assert oracle.from_scratch(program, case.facts) == naive.materialise(program, case.facts)


@given(cases())
def test_every_derived_fact_has_a_rule_instance(case: Case) -> None:
    program = Program.parse(case.text)
    explicit = oracle.explicit_facts(program, case.facts)
    facts = {(name, row) for name, rows in oracle.from_scratch(program, case.facts).items() for row in rows}
    derived = {fact for fact in naive.derivations(program, case.facts) if fact[0] not in program.hidden}
    assert facts == derived | {(name, row) for name, rows in explicit.items() for row in rows}
