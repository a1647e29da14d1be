"""The contract on the Spark engine: few cases, since Spark takes a tenth of a second for what takes the embedded engine none.

An update of a few facts is worked out in the driver, which asks Spark to match rules; where the driver takes next to nothing,
everything lies on the cluster.
"""

from __future__ import annotations

from random import Random

import pytest
from pyspark.sql import SparkSession

from tests.contract.cases import CASES
from tests.contract.combinations import SPARK
from tests.mirror import Mirror, facts_of
from tests.updates import Row, parse_update
from tidelog import Materialisation, Program, Spark

BY_NAME = {case.name: case for case in CASES}
QUICK = ("closure-nonlinear", "negation-flips", "arity-0", "updates-that-cancel", "redundant-rules")
ONCE = (
    "unreachable",
    "triples-in-strata",
    "repeated-variables",
    "constants-everywhere",
    "comparisons",
    "arithmetic",
    "arity-5",
)
THOROUGHLY = ("auto", "ranked", "dred", "fbf", "rematerialise")
EDGES = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) . end(?x) :- path(_, ?x), ~edge(?x, _) ."


def hold(name: str, engine: str | Spark, algorithm: str, updates: int | None = None) -> None:
    case = BY_NAME[name]
    program = Program.parse(case.program)
    mat = Materialisation(program, engine=engine, algorithm=algorithm)
    mirror = Mirror(program)
    mirror.compare(mat)
    for text in (case.facts, *case.updates[:updates]):
        update = parse_update(text, program.prefixes)
        mirror.check(mat, update, expected=mirror.update(update))


@pytest.mark.parametrize(("engine", "algorithm"), [("spark", algorithm) for algorithm in THOROUGHLY])
@pytest.mark.parametrize("name", QUICK)
def test_every_update_leaves_what_the_oracle_says(name: str, engine: str, algorithm: str) -> None:
    hold(name, engine, algorithm, updates=None if algorithm in ("ranked", "dred") else 3)


@pytest.mark.parametrize(("engine", "algorithm"), [("spark", algorithm) for algorithm in SPARK if algorithm not in THOROUGHLY])
@pytest.mark.parametrize("name", ["negation-flips", "updates-that-cancel"])
def test_the_first_updates_by_every_other_algorithm(name: str, engine: str, algorithm: str) -> None:
    hold(name, engine, algorithm, updates=2)


@pytest.mark.parametrize(("engine", "name"), [("spark", name) for name in ONCE])
def test_other_cases_by_one_algorithm(engine: str, name: str) -> None:
    hold(name, engine, ("ranked", "dred", "bf")[ONCE.index(name) % 3], updates=4)


@pytest.mark.parametrize("name", ["closure-left-linear", "negation-flips"])
def test_where_the_driver_takes_next_to_nothing(name: str, spark: SparkSession) -> None:
    """Sets are frames, facts lie in runs, and updates outgrow the driver."""
    hold(name, Spark(driver_facts=2), "ranked", updates=2)


def test_random_updates_by_both_engines(spark: SparkSession) -> None:
    """The same stream, with a node that most edges lead to; what the driver takes is exceeded by the first update only."""
    random = Random(7)

    def edges(count: int) -> list[Row]:
        return list({(random.randrange(30), 0 if random.random() < 0.4 else random.randrange(30)) for _ in range(count)})

    both = [Materialisation(EDGES, engine=engine) for engine in ("embedded", Spark(driver_facts=60))]
    known = edges(60)
    for insert, delete in [(known, []), (edges(2), known[:2]), (edges(1), known[2:5]), (known[:2], [])]:
        embedded, on_spark = (mat.update(insert={"edge": insert}, delete={"edge": delete}) for mat in both)
        assert facts_of(both[0]) == facts_of(both[1])
        for side in ("inserted", "deleted"):
            said = [{p: set(facts) for p, facts in getattr(one, side).items() if facts} for one in (embedded, on_spark)]
            assert said[0] == said[1]
    assert len(both[1]) == len(both[0]) > 150


def test_facts_in_and_out(spark: SparkSession) -> None:
    mat = Materialisation(EDGES, engine="spark")
    mat.update(insert={"edge": [(1, 2), (2, 3)]})
    assert {tuple(row) for row in mat["path"].to_spark().collect()} == {(1, 2), (2, 3), (1, 3)}
    mat.update(insert={"edge": [(3, "x")]})
    assert (1, "x") in {tuple(row) for row in mat["path"].to_spark().collect()}
    assert (1, "x") in mat["path"]
    assert mat.rank("path", (1, 3)) == 2
    assert set(mat.query("path(1, ?x), ~edge(1, ?x)")) == {(3,), ("x",)}
    assert "edge(1, 2)" in str(mat.explain("path", (1, 3)))


def test_a_rule_that_begins_with_an_atom_without_variables(spark: SparkSession) -> None:
    mat = Materialisation("p(?x) :- on(a), q(?x), ?x > 1 .", engine="spark", algorithm="rematerialise")
    mat.update(insert={"q": [(1,), (2,), (3,), (4,)]})
    assert not len(mat["p"])
    mat.update(insert={"on": [("a",)]})
    assert set(mat["p"]) == {(2,), (3,), (4,)}
