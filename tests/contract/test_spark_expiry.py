"""Facts that hold for a time on the Spark engine: step by step what the oracle says holds, and how long by plain search."""

from __future__ import annotations

from math import inf

import pytest
from pyspark.sql import SparkSession

from tests.timed import Step, TimedMirror
from tests.updates import Update
from tidelog import Materialisation, Program, Spark

PATHS = """
    path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
    far(?x) :- path(?x, ?y), ~edge(?x, ?y), ?y > 3 .
"""
STEPS = (
    Step(0, Update({"edge": [(1, 2), (2, 3), (3, 4), (1, 3)], "path": [(4, 5)]}, {}), {"edge": [5, 9, None, 3], "path": [6]}),
    Step(2, Update({"edge": [(4, 1), (1, 2)]}, {}), {"edge": [8, 7]}),
    Step(3, Update({"edge": [(3, 4)]}, {"edge": [(3, 4)]}), {"edge": [4]}),
    Step(4, Update({"edge": [(3, 4)], "path": [(4, 5)]}, {"edge": [(4, 1)]})),
    Step(7, Update({"edge": [(9, 8)]}, {}), {"edge": [6]}, {"edge": [(3, 4), (2, 3)]}),
    Step(20, Update({}, {})),
)


@pytest.mark.parametrize("few", [5000, 6])
def test_every_step_leaves_what_the_oracle_says(few: int, spark: SparkSession) -> None:
    """Where the driver takes next to nothing, most steps are derived anew, on the cluster."""
    program = Program.parse(PATHS)
    mat = Materialisation(program, engine=Spark(driver_facts=few), algorithm="expiry")
    mirror = TimedMirror(program)
    for step in STEPS if few > 100 else STEPS[:4]:
        mirror.check(mat, step, mirror.step(step))
        expected = mirror.expiries()
        for predicate, row in sorted(expected, key=str)[:: max(1, len(expected) // 3)]:  # each is a question to the cluster
            assert mat.expiry(predicate, row) == expected[predicate, row], f"{predicate}{row}"


def test_other_algorithms_take_what_expires_as_deleted(spark: SparkSession) -> None:
    program = Program.parse(PATHS)
    mat, mirror = Materialisation(program, engine="spark"), TimedMirror(program)
    for step, algorithm in zip(STEPS, ("ranked", "expiry", "bf", "auto", "dred", "auto"), strict=True):
        mat.algorithm = algorithm
        mirror.check(mat, step, mirror.step(step))
    assert mat.expiry("edge", (9, 8)) is None
    mat.update(insert={"edge": [(9, 8)]})
    assert mat.expiry("path", (9, 8)) == inf
    assert "edge(9, 8)" in str(mat.explain("path", (9, 8)))


def test_what_a_negated_fact_gives_way_to_does_not_expire_with_it(spark: SparkSession) -> None:
    mat = Materialisation("ok(?s) :- sensor(?s), ~hot(?s) . sensor(a) .", engine="spark", algorithm="expiry")
    mat.advance(1, {"hot": ["a"]}, expires=3)
    assert len(mat["ok"]) == 0
    for now in (3, 4, 5):
        mat.advance(now)
        assert mat["ok"].sorted() == [("a",)]
    assert mat.expiry("ok", ("a",)) == float("inf")
