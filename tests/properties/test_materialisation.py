"""Materialisation from scratch: right, each rule instance once, and whatever the order and the strata."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from tests import naive, oracle
from tests.generators import Case, cases
from tests.mirror import explicit_of, facts_of, pairs, rank_in
from tests.oracle import Facts, without_empty
from tests.updates import rule_text
from tidelog import Materialisation, Program


@given(cases())
def test_materialisation_is_what_the_oracle_says(case: Case) -> None:
    program = Program.parse(case.text + rule_text(case.facts))
    mat = Materialisation(program)
    assert facts_of(mat) == without_empty(oracle.from_scratch(program, {}))
    assert explicit_of(mat) == without_empty(oracle.explicit_facts(program, {}))


@given(cases())
def test_each_rule_instance_is_considered_once(case: Case) -> None:
    program = Program.parse(case.text + rule_text(case.facts))
    assert Materialisation(program, modules="standard").statistics.instances == naive.instances(program, {})


@given(cases())
def test_a_single_stratum_gives_the_same(case: Case) -> None:
    program = Program.parse(case.text + rule_text(case.facts))
    assert facts_of(Materialisation(program, strata="single")) == facts_of(Materialisation(program))


@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_rules_and_facts_does_not_matter(case: Case, order: random.Random) -> None:
    assert materialised(shuffled(case, order)) == materialised(case)


@given(cases())
def test_facts_of_the_program_and_facts_given_later_are_alike(case: Case) -> None:
    mat = Materialisation(Program.parse(case.text))
    mat.update(insert=case.facts)
    assert facts_of(mat) == materialised(case)


@given(cases(), st.booleans())
def test_every_fact_has_a_witness_of_lower_rank(case: Case, single: bool) -> None:
    """Ranks: explicit facts have 0; a derived fact has a rule instance whose body facts in its own stratum all rank lower."""
    program = Program.parse(case.text + rule_text(case.facts))
    mat = Materialisation(program, strata="single" if single else "granular")
    facts, rank = facts_of(mat), rank_in(mat)
    explicit = pairs(oracle.explicit_facts(program, {}))
    assert {fact for fact in pairs(facts) if rank(*fact) == 0} == explicit
    assert pairs(facts) - explicit <= naive.witnessed(program, facts, rank, single_stratum=single)


def materialised(case: Case) -> Facts:
    return facts_of(Materialisation(Program.parse(case.text + rule_text(case.facts))))


def shuffled(case: Case, order: random.Random) -> Case:
    rules = case.text.splitlines()
    order.shuffle(rules)
    facts = {predicate: order.sample(rows, len(rows)) for predicate, rows in case.facts.items()}
    return Case("\n".join(rules), facts)
