"""Filling and emptying a materialisation by updates considers each rule instance exactly once each way.

Without negation every instance fires for good as facts come, and for the last time as they go, whatever the algorithm.
"""

from __future__ import annotations

import pytest
from hypothesis import given

from tests import naive
from tests.contract.test_nonrepetition import INCREMENTAL
from tests.generators import Case, cases
from tests.mirror import explicit_of
from tidelog import Materialisation, Program


@pytest.mark.parametrize(("engine", "algorithm"), INCREMENTAL)
@given(case=cases(positive=True))
def test_filling_and_emptying_considers_each_instance_once(case: Case, engine: str, algorithm: str) -> None:
    mat = Materialisation(Program.parse(case.text), engine=engine, algorithm=algorithm, modules="standard")
    mat.update(insert=case.facts)
    explicit = explicit_of(mat)
    emptied = mat.update(delete=explicit).statistics.instances_by_phase
    filled = mat.update(insert=explicit).statistics.instances_by_phase
    firing = naive.instances(mat.program, explicit) - naive.instances(mat.program, {}, own_facts=False)
    assert emptied.get("deletion", 0) == firing
    assert filled.get("addition", 0) == firing
