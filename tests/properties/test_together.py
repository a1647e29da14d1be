"""Atoms matched together find what they find one after the other: the same facts, and each rule instance once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from tests.cyclic import cases, made
from tests.generators import Case
from tests.mirror import Mirror
from tests.properties.test_updates import blaming
from tests.updates import Update
from tidelog import Materialisation, Program
from tidelog.plan.model import Together
from tidelog.plan.planner import NoStatistics, pivots, plan
from tidelog.plan.together import gather

ALGORITHMS = ("ranked", "dred", "bf", "counting", "expiry")
few = settings(max_examples=max(6, settings().max_examples // 4))


@contextmanager
def together(always: bool) -> Iterator[None]:
    """Inside, atoms are matched together wherever they can be, however few bindings there are, with waves and thinned out where
    one instance is enough; or nowhere."""
    many, floor = (0.0, 0) if always else (float("inf"), 1 << 30)
    with (
        patch("tidelog.plan.together._MANY", many),
        patch("tidelog.plan.together._COMPARABLE", float("inf")),
        patch("tidelog.engines.embedded.intersection._FEW", 0),
        patch.multiple("tidelog.engines.embedded.existence", FLOOR=floor, EXPECTED=floor, FIRST_WAVE=1, GROWTH=2),
    ):
        yield


@pytest.mark.parametrize("modules", ["standard", "hypertree"])
@few
@given(case=cases(max_updates=3))
def test_facts_and_changes_after_every_update(case: Case, modules: str) -> None:
    program = Program.parse(case.text)
    mirror = Mirror(program)
    with together(True):
        mats = {name: Materialisation(program, algorithm=name, modules=modules) for name in ALGORITHMS}
        for update in (Update(case.facts, {}), *case.updates):
            expected = mirror.update(update)
            for algorithm, mat in mats.items():
                with blaming(algorithm, update):
                    mirror.check(mat, update, expected)


@few
@given(case=cases(max_updates=3))
def test_the_same_instances_in_every_phase(case: Case) -> None:
    """Together with the facts, that says that every instance is found exactly once, whatever the pivot.

    But for those that are to prove a fact, of which one is enough.
    """
    found = []
    for always in (True, False):
        with together(always):
            mats = [Materialisation(case.text, algorithm=name, modules="standard") for name in ("dred", "counting")]
            updates = (Update(case.facts, {}), *case.updates)
            phases = [mat.update(u.insert, u.delete).statistics.instances_by_phase for u in updates for mat in mats]
            found.append([{name: count for name, count in phase.items() if name != "backward"} for phase in phases])
    assert found[0] == found[1]


def test_the_generator_makes_atoms_that_are_matched_together() -> None:
    with together(True):
        rules = [rule for seed in range(40) for rule in Program.parse(made(seed, 1).text).core]
        plans = [gather(plan(rule, pivot, NoStatistics()), NoStatistics()) for rule in rules for pivot in pivots(rule)]
    steps = [step for one in plans for step in one.steps if isinstance(step, Together)]
    assert len(steps) > 100
    assert any(len(step.ways) > 2 for step in steps)
