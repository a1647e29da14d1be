"""Every algorithm on every engine keeps every program's materialisation as the oracle has it, update by update.

Which algorithms and engines there are stands in `combinations.py`; a gap would be a strict expected failure.
"""

from __future__ import annotations

import pytest

from tests.contract.cases import CASES, Case
from tests.contract.combinations import ALGORITHMS, COMBINATIONS
from tests.mirror import Mirror
from tests.naive import instances
from tests.updates import parse_update, rule_text
from tidelog import Materialisation, Program
from tidelog.materialisation import ALGORITHMS as OFFERED


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_update_leaves_what_the_oracle_says(case: Case, engine: str, algorithm: str, strata: str) -> None:
    program = Program.parse(case.program)
    mat = Materialisation(program, engine=engine, algorithm=algorithm, strata=strata)
    mirror = Mirror(program)
    mirror.compare(mat)
    for text in (case.facts, *case.updates):
        update = parse_update(text, program.prefixes)
        mirror.check(mat, update, expected=mirror.update(update))


@pytest.mark.parametrize("engine", ALGORITHMS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_materialising_considers_each_rule_instance_once(case: Case, engine: str) -> None:
    program = Program.parse(case.program)
    program = Program.parse(case.program + rule_text(parse_update(case.facts, program.prefixes).insert))
    assert Materialisation(program, engine=engine, modules="standard").statistics.instances == instances(program, {})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_updates_change_something(case: Case) -> None:
    """A case whose updates do nothing would test nothing."""
    program = Program.parse(case.program)
    mirror = Mirror(program)
    steps = [mirror.update(parse_update(text, program.prefixes)) for text in (case.facts, *case.updates)]
    assert any(deleted for _, deleted in steps)
    assert any(inserted for inserted, _ in steps)


def test_every_algorithm_that_is_offered_is_held_to_the_contract() -> None:
    assert {algorithm for _, algorithm in COMBINATIONS} == set(OFFERED)
