"""Hubs: with every fact treated as one, answers, ranks and numbers of instances are those of plain plans."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given

from tests import naive
from tests.generators import Case, cases
from tests.mirror import Mirror, explicit_of, facts_of, pairs, rank_in
from tests.updates import Update
from tidelog import Materialisation, Program
from tidelog.engines.embedded import existence

ALGORITHMS = ("ranked", "dred", "bf", "counting")
JOIN = "s(?y, ?z) :- r(?x, ?y), r(?x, ?z) ."
on_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)


@pytest.fixture(scope="module")
def everything_is_a_hub() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"FLOOR": 0, "EXPECTED": 0, "FIRST_WAVE": 1, "GROWTH": 2}.items():
            patch.setattr(existence, name, value)
        yield


@on_algorithms
@pytest.mark.usefixtures("everything_is_a_hub")
@given(case=cases(max_updates=4))
def test_facts_changes_and_witnesses_after_every_update(case: Case, algorithm: str) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program, algorithm=algorithm), Mirror(program)
    for update in (Update(case.facts, {}), *case.updates):
        mirror.check(mat, update, mirror.update(update))
        facts = facts_of(mat)
        assert pairs(facts) - pairs(explicit_of(mat)) <= naive.witnessed(program, facts, rank_in(mat))


@on_algorithms
@pytest.mark.usefixtures("everything_is_a_hub")
@given(case=cases(positive=True))
def test_each_instance_is_considered_once(case: Case, algorithm: str) -> None:
    mat = Materialisation(Program.parse(case.text), algorithm=algorithm, modules="standard")
    mat.update(insert=case.facts)
    explicit = explicit_of(mat)
    firing = naive.instances(mat.program, explicit) - naive.instances(mat.program, {}, own_facts=False)
    assert mat.update(delete=explicit).statistics.instances_by_phase.get("deletion", 0) == firing


@pytest.mark.parametrize("algorithm", ["ranked", "dred"])
def test_a_hub_is_proved_by_a_few_of_its_instances(algorithm: str) -> None:
    """Example 38: of b's thousands of instances one is enough, and what meets b is looked for from its own side."""
    spokes = 5000
    mat = Materialisation(JOIN, algorithm=algorithm)
    mat.update(insert={"r": [(f"a{n}", name) for n in range(spokes) for name in ("b", f"c{n}")]})
    changes = mat.update(delete={"r": [("a7", "b"), ("a8", "c8")]})
    assert sorted(changes.deleted["s"]) == [("b", "c7"), ("b", "c8"), ("c7", "b"), ("c8", "b"), ("c8", "c8")]
    assert changes.statistics.instances < 100
