"""Both engines agree, after every step, on the same random programs and streams, whatever algorithms take turns.

The embedded engine is held to the oracle elsewhere. A step takes Spark half a second, so there are few examples by default.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.contract.combinations import SPARK
from tests.generators import Case, cases
from tests.mirror import explicit_of, facts_of, net
from tests.timed import Step, seeds, times_for
from tests.updates import Update
from tidelog import Materialisation, Program, Spark

FEW = st.sampled_from([5000, 5000, 12])
"""What the driver takes: in the end next to nothing, so that facts lie on the cluster and updates outgrow the driver."""


@pytest.mark.usefixtures("spark")
@settings(max_examples=max(2, settings().max_examples // 10))
@given(case=cases(max_updates=8), few=FEW, data=st.data())
def test_the_same_stream_by_the_same_algorithms(case: Case, few: int, data: st.DataObject) -> None:
    steps = [Step(0.0, update) for update in (Update(case.facts, {}), *case.updates)]
    hold(case, steps, few, data, timed=False)


@pytest.mark.usefixtures("spark")
@settings(max_examples=max(2, settings().max_examples // 10))
@given(case=cases(max_updates=4), seed=seeds, few=FEW, data=st.data())
def test_the_same_stream_of_facts_that_hold_for_a_time(case: Case, seed: int, few: int, data: st.DataObject) -> None:
    hold(case, times_for(case, seed), few, data, timed=True)


def hold(case: Case, steps: list[Step], few: int, data: st.DataObject, *, timed: bool) -> None:
    program, strata = Program.parse(case.text), data.draw(st.sampled_from(["granular", "single"]))
    engines = ("embedded", Spark(driver_facts=few))
    embedded, on_spark = (Materialisation(program, engine=engine, strata=strata) for engine in engines)
    for step in steps:
        algorithm = data.draw(st.sampled_from([*SPARK, "expiry", "expiry"] if timed else SPARK))
        changes = []
        for mat in (embedded, on_spark):
            mat.algorithm = algorithm
            made = step.apply(mat) if timed else mat.update(insert=step.update.insert, delete=step.update.delete)
            changes.append((net(made.inserted), net(made.deleted)))
        assert facts_of(on_spark) == facts_of(embedded)
        assert explicit_of(on_spark) == explicit_of(embedded)
        assert changes[1] == changes[0]


def test_every_algorithm_takes_part(spark: SparkSession) -> None:
    assert {"counting", "rewriting", "expiry", "bf-marking", "dred-marking", "fbf", "auto"} < set(SPARK)
