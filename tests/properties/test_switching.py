"""All algorithms take turns on one living materialisation: each finds what it needs as the others left it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import naive
from tests.contract.combinations import ALGORITHMS
from tests.generators import Case, cases
from tests.mirror import Mirror, explicit_of, facts_of, pairs, rank_in
from tests.updates import Update
from tidelog import Materialisation, Program

TURNS = 6
on_every_engine = pytest.mark.parametrize("engine", ALGORITHMS)
both_strata = st.sampled_from(["granular", "single"])


@st.composite
def turns(draw: st.DrawFn, engine: str) -> Sequence[str]:
    return draw(st.lists(st.sampled_from(ALGORITHMS[engine]), min_size=TURNS + 1, max_size=TURNS + 1))


@on_every_engine
@given(case=cases(max_updates=TURNS), strata=both_strata, data=st.data())
def test_any_algorithm_may_follow_any_other(case: Case, engine: str, strata: str, data: st.DataObject) -> None:
    program = Program.parse(case.text)
    mat, mirror = Materialisation(program, engine=engine, strata=strata), Mirror(program)
    for algorithm, update in zip(data.draw(turns(engine)), (Update(case.facts, {}), *case.updates), strict=False):
        mat.algorithm = algorithm
        mirror.check(mat, update, mirror.update(update))


@on_every_engine
@given(case=cases(max_updates=TURNS), strata=both_strata, data=st.data())
def test_every_fact_keeps_a_witness_of_lower_rank(case: Case, engine: str, strata: str, data: st.DataObject) -> None:
    """What ranked maintenance rests on, read now and then: ranks that were not kept are restored first."""
    program = Program.parse(case.text)
    mat = Materialisation(program, engine=engine, strata=strata)
    for algorithm, update in zip(data.draw(turns(engine)), (Update(case.facts, {}), *case.updates), strict=False):
        mat.algorithm = algorithm
        mat.update(insert=update.insert, delete=update.delete)
        if data.draw(st.booleans()):
            facts = facts_of(mat)
            found = naive.witnessed(program, facts, rank_in(mat), single_stratum=strata == "single")
            assert pairs(facts) - pairs(explicit_of(mat)) <= found
