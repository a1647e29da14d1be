"""Cyclic rules split into nodes: after every update, by every algorithm, what the oracle says; and nothing hidden shows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests import naive
from tests.contract.combinations import ALGORITHMS
from tests.cyclic import cases, made
from tests.generators import Case
from tests.mirror import Mirror, explicit_of, facts_of, pairs, rank_in
from tests.properties.test_updates import blaming
from tests.updates import Update
from tidelog import Materialisation, Program
from tidelog.plan.layout import lay_out
from tidelog.plan.modules import assign
from tidelog.plan.planner import NoStatistics

ALL = ALGORITHMS["embedded"]
# Every example runs all algorithms, so a few say much.
few = settings(max_examples=max(4, settings().max_examples // 5))


@pytest.mark.parametrize("strata", ["granular", "single"])
@few
@given(case=cases())
def test_facts_and_changes_after_every_update(case: Case, strata: str) -> None:
    program = Program.parse(case.text)
    mirror = Mirror(program)
    mats = {name: Materialisation(program, algorithm=name, strata=strata, modules="hypertree") for name in ALL}
    for update in (Update(case.facts, {}), *case.updates):
        expected = mirror.update(update)
        for algorithm, mat in mats.items():
            with blaming(algorithm, update):
                mirror.check(mat, update, expected)


@pytest.mark.parametrize("strata", ["granular", "single"])
@few
@given(case=cases(max_updates=3))
def test_ranks_hold_for_the_rules_as_they_were_written(case: Case, strata: str) -> None:
    """Ranks rise through nodes, so a witness by nodes is one by the rule: proofs need not know of nodes."""
    program = Program.parse(case.text)
    for algorithm in ("ranked", "dred", "auto"):
        mat = Materialisation(program, algorithm=algorithm, strata=strata, modules="hypertree")
        for update in (Update(case.facts, {}), *case.updates):
            mat.update(insert=update.insert, delete=update.delete)
            facts = facts_of(mat)
            found = naive.witnessed(program, facts, rank_in(mat), single_stratum=strata == "single")
            with blaming(algorithm, update):
                assert pairs(facts) - pairs(explicit_of(mat)) <= found
                for predicate, row in sorted(pairs(facts) - pairs(explicit_of(mat)))[:3]:
                    assert mat.explain(predicate, row).holds


@few
@given(case=cases(max_updates=3))
def test_nodes_are_hidden(case: Case) -> None:
    program = Program.parse(case.text)
    mat = Materialisation(program, modules="hypertree")
    for update in (Update(case.facts, {}), *case.updates):
        changes = mat.update(insert=update.insert, delete=update.delete)
        assert set(mat.predicates) <= set(program.arities)
        assert {*changes.inserted, *changes.deleted} <= set(program.arities)


def test_the_generator_makes_rules_that_are_split_and_derive() -> None:
    split = shared = derived = 0
    for seed in range(40):
        case = made(seed, 3)
        program = Program.parse(case.text)
        layout = lay_out(program, assign(program.core, "hypertree"), False, NoStatistics())
        split += bool(layout.decompositions)
        shared += len(layout.hidden) < sum(len(tree.nodes) for tree in layout.decompositions)
        mat = Materialisation(program, modules="hypertree")
        mat.update(insert=case.facts)
        derived += any(len(mat[name]) > len(mat.explicit(name)) for name in mat.predicates if name[0] in "hs")
    assert split > 24
    assert shared > 8
    assert derived > 15
