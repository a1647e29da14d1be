"""What beside plain maintenance runs on Spark: marking. The embedded engine says what has to come out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.mirror import Mirror, net
from tests.streams import Arriving
from tests.updates import Update, parse_update
from tidelog import Changes, Materialisation, Program, Spark

CHAIN = "p(?x, ?y) :- e(?x, ?y) . p(?x, ?z) :- p(?x, ?y), e(?y, ?z) . end(?x) :- p(_, ?x), ~e(?x, _) ."
STREAM = (
    "+e(a, b) +e(b, c) +e(c, d) +e(a, x) +e(x, c)",
    "-e(a, b) +e(d, a)",
    "-e(x, c) +e(a, b)",
    "-e(d, a) -e(c, d) +p(c, d)",
    "+e(c, d) -p(c, d) -e(b, c)",
)
MARKED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bf-marking, shared": ("bf-marking", {"marks": "shared"}),
    "dred-marking": ("dred-marking", {}),
    "dred-marking, positive": ("dred-marking", {"positive_marks": True}),
}


@pytest.mark.parametrize("options", MARKED)
def test_marks_are_those_of_the_embedded_engine(options: str, spark: SparkSession) -> None:
    """Whenever the next update comes into sight: at once, late, or not at all."""
    algorithm, more = MARKED[options]
    program = Program.parse(CHAIN)
    mirror = Mirror(program)
    updates = [parse_update(text) for text in STREAM]
    both = [Materialisation(program, engine=engine, algorithm=algorithm, **more) for engine in ("embedded", "spark")]
    marked = 0
    for embedded, on_spark, update in zip(*(mat.follow(Arriving(updates, [0, 0, 1, 3])) for mat in both), updates, strict=True):
        expected = mirror.update(update)
        mirror.compare(both[1])
        assert (net(on_spark.inserted), net(on_spark.deleted)) == expected
        assert counted(on_spark) == counted(embedded)
        marked += on_spark.statistics.marked_derived
    assert marked


def counted(changes: Changes) -> tuple[int, int, Mapping[str, int], Mapping[str, int]]:
    """Marks and work; where nothing was done there may be no entry."""
    told = changes.statistics
    work = [{k: n for k, n in phases.items() if n} for phases in (told.instances_by_phase, told.applications_by_phase)]
    return told.marked_explicit, told.marked_derived, work[0], work[1]


def test_marks_where_facts_lie_on_the_cluster(spark: SparkSession) -> None:
    """The marked facts are in runs, which the next update has to ask for."""
    program = Program.parse(CHAIN)
    mat, mirror = (
        Materialisation(program, engine=Spark(driver_facts=12), algorithm="bf-marking", marks="shared"),
        Mirror(program),
    )
    updates = [parse_update(text) for text in STREAM[:3]]
    for update, _ in zip(updates, mat.follow(Arriving(updates, [0] * 3)), strict=True):
        mirror.update(update)
        mirror.compare(mat)


def test_rewriting_where_facts_lie_on_the_cluster(spark: SparkSession) -> None:
    """The maintenance predicates outgrow the driver; what changes does not."""
    program = Program.parse(CHAIN)
    mat, mirror = Materialisation(program, engine=Spark(driver_facts=12)), Mirror(program)
    mat.update(insert={"e": [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]})
    mirror.update(Update({"e": [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]}, {}))
    mat.algorithm = "rewriting"
    update = Update({"e": [(5, 7)]}, {"e": [(4, 5)]})
    mirror.check(mat, update, mirror.update(update))
    assert mat.statistics.algorithm == "rewriting"


def test_counts_are_those_of_the_embedded_engine(spark: SparkSession) -> None:
    """Rule instances undone and applied, where all counters lie in the driver."""
    program = Program.parse(CHAIN)
    mirror = Mirror(program)
    mats = [
        Materialisation(program, engine=engine, algorithm="counting", modules="standard") for engine in ("embedded", "spark")
    ]
    for text in STREAM[:4]:
        update = parse_update(text)
        mirror.update(update)
        told = [mat.update(insert=update.insert, delete=update.delete) for mat in mats]
        mirror.compare(mats[1])
        assert counted(told[0])[2] == counted(told[1])[2]
    assert mats[1].statistics.algorithm == "counting"


def test_counting_where_facts_lie_on_the_cluster(spark: SparkSession) -> None:
    """Counters are made there; those that change come to the driver, and go back when they are many."""
    program = Program.parse(CHAIN)
    mat, mirror = Materialisation(program, engine=Spark(driver_facts=8), algorithm="rematerialise"), Mirror(program)
    for text in STREAM[:3]:
        update = parse_update(text)
        mirror.check(mat, update, mirror.update(update))
        mat.algorithm = "counting"
