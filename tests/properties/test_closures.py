"""Closures kept from their edges: after every update, by every algorithm, what the oracle says; and nothing hidden shows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.closing import cases, made
from tests.generators import Case
from tests.modules import every_algorithm_is_right, nothing_hidden_shows, ranks_are_for_the_rules_as_written
from tidelog import Materialisation, Program
from tidelog.plan.layout import with_closures
from tidelog.plan.modules import SYMMETRIC, TRANSITIVE, assign

# Every example runs all algorithms, so a few say much.
few = settings(max_examples=max(4, settings().max_examples // 4))


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize("modules", ["combined", SYMMETRIC, TRANSITIVE])
@few
@given(case=cases())
def test_facts_and_changes_after_every_update(case: Case, modules: str, strata: str) -> None:
    every_algorithm_is_right(case, strata, modules)


@pytest.mark.parametrize("strata", ["granular", "single"])
@few
@given(case=cases(max_updates=4))
def test_ranks_hold_for_the_rules_as_they_were_written(case: Case, strata: str) -> None:
    ranks_are_for_the_rules_as_written(case, strata, "combined", ("ranked", "dred", "counting", "auto"))


@few
@given(case=cases(max_updates=3))
def test_what_is_kept_is_hidden(case: Case) -> None:
    nothing_hidden_shows(case, "combined")


def test_the_generator_makes_closures_and_what_looks_like_them() -> None:
    taken = {SYMMETRIC: 0, TRANSITIVE: 0}
    left = derived = broken = 0
    for seed in range(60):
        case = made(seed, 3)
        program = Program.parse(case.text)
        assignment = assign(program.core)
        for one in assignment.taken:
            taken[one.module] += 1
        left += not assignment.taken
        derived += any(
            "__edges" in rule.head.predicate
            for s in with_closures(program, assignment, False).strata.strata
            for rule in s.rules
        )
        mat = Materialisation(program)
        mat.update(insert=case.facts)
        for update in case.updates:
            changes = mat.update(insert=update.insert, delete=update.delete)
            broken += bool(len(changes.deleted["r"]) > 1) if "r" in mat.predicates else 0
    assert taken[SYMMETRIC] > 20
    assert taken[TRANSITIVE] > 10
    assert left > 2
    assert derived > 20
    assert broken > 20
