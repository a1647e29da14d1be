"""Every algorithm on every engine, with every choice of modules, keeps every program's materialisation as the oracle has it,
update by update.

Which algorithms, engines and modules there are stands in `combinations.py`; a gap would be a strict expected failure.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.contract.cases import CASES, Case
from tests.contract.combinations import ALGORITHMS, COMBINATIONS, MODULES
from tests.mirror import Mirror, Step, steps
from tests.modules import splitting_eagerly
from tests.naive import instances
from tests.updates import parse_update, rule_text
from tidelog import Materialisation, Program
from tidelog.materialisation import ALGORITHMS as OFFERED
from tidelog.plan.modules import MODULES as OFFERED_MODULES
from tidelog.plan.modules import SYMMETRIC, TRANSITIVE, assign


def with_modules() -> list[object]:
    """Every case with every choice of modules; with those of closures where there are some."""
    cores = [Program.parse(case.program).core for case in CASES]
    return [
        pytest.param(case, modules, id=f"{case.name}-{modules}")
        for case, core in zip(CASES, cores, strict=True)
        for modules in MODULES
        if modules not in (SYMMETRIC, TRANSITIVE) or assign(core, modules).taken
    ]


@cache
def story(case: Case) -> list[Step]:
    program = Program.parse(case.program)
    return steps(program, [parse_update(text, program.prefixes) for text in (case.facts, *case.updates)])


@pytest.mark.parametrize("strata", ["granular", "single"])
@pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)
@pytest.mark.parametrize(("case", "modules"), with_modules())
def test_every_update_leaves_what_the_oracle_says(case: Case, modules: str, engine: str, algorithm: str, strata: str) -> None:
    program = Program.parse(case.program)
    with splitting_eagerly():
        mat = Materialisation(program, engine=engine, algorithm=algorithm, strata=strata, modules=modules)
        Mirror(program).compare(mat)
        for step in story(case):
            step.check(mat)


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
    assert set(MODULES) == set(OFFERED_MODULES)


@pytest.mark.parametrize("modules", [name for name in MODULES if name != "standard"])
def test_every_choice_of_modules_evaluates_some_cases_in_its_own_way(modules: str) -> None:
    """Where it leaves all rules to join plans, the contract says nothing of it."""
    own = 0
    for case in CASES:
        with splitting_eagerly():
            mat = Materialisation(Program.parse(case.program), modules=modules)
            mat.update(insert=story(case)[0].update.insert)
        own += bool(mat._engine.hidden)
    assert own >= {"symmetric-transitive": 2, "transitive": 4}.get(modules, 6)
