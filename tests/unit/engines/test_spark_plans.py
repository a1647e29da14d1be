"""What Spark is asked to do in a round: the facts derived so far stay where they are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from tidelog import Materialisation, Spark
from tidelog.engines.spark.frames import Cluster, Held

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CLOSURE = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The plans of each job that keeps frames, one line for each operator."""
    seen: list[list[str]] = []
    hold_all = Cluster.hold_all

    def recording(cluster: Cluster, data: Sequence[DataFrame], *sums: str) -> list[Held]:
        held = hold_all(cluster, data, *sums)
        seen.extend(_physical(one).splitlines() for one in data)
        return held

    monkeypatch.setattr(Cluster, "hold_all", recording)
    return seen


def _physical(data: Any) -> str:
    text: str = data._jdf.queryExecution().executedPlan().toString()
    return text


def test_rounds_do_not_move_the_runs(spark: SparkSession, plans: list[list[str]]) -> None:
    layers = [range(start, start + 6) for start in range(0, 600, 100)]
    edges = [(a, b) for here, there in itertools.pairwise(layers) for a in here for b in there]
    mat = Materialisation(CLOSURE, engine=Spark(driver_facts=100))
    loaded = mat.update(insert={"edge": edges})
    assert len(mat["path"]) == len(loaded.inserted["path"]) == 36 * 15
    rounds = [plan for plan in plans if any("ShuffledHashJoin" in line for line in plan)]
    assert len(rounds) == 5
    assert sum(any("Union" in line for line in plan) for plan in rounds) == 4, "from the second on there is more than one run"
    for plan in rounds:
        assert_runs_stay(plan)
    lost = mat.update(delete={"edge": edges[-36:]}).deleted["path"]
    assert len(lost) == len(set(lost)) == 36 * 5
    assert len(set(loaded.inserted["path"])) == 36 * 15, "what was told before can still be read"


def test_negation_does_not_move_the_runs(spark: SparkSession, plans: list[list[str]]) -> None:
    mat = Materialisation("one_way(?x, ?y) :- road(?x, ?y), ~back(?y, ?x) .", engine=Spark(driver_facts=100))
    roads = [(a, b) for a in range(12) for b in range(100, 110)]
    mat.update(insert={"road": roads, "back": [(b, a) for a, b in roads[:105]]})
    assert set(mat["one_way"]) == set(roads[105:])
    (plan,) = (plan for plan in plans if any("ShuffledHashJoin" in line for line in plan))
    assert_runs_stay(plan)


def test_heads_that_turn_facts_round_do_not_move_the_runs(spark: SparkSession, plans: list[list[str]]) -> None:
    mat = Materialisation("both(?x, ?y) :- road(?x, ?y) . both(?y, ?x) :- both(?x, ?y) .", engine=Spark(driver_facts=100))
    roads = [(a, b) for a in range(12) for b in range(100, 110)]
    mat.update(insert={"road": roads})
    assert len(mat["both"]) == 240
    rounds = [plan for plan in plans if any("ShuffledHashJoin" in line for line in plan)]
    assert len(rounds) == 2
    for plan in rounds:
        assert_runs_stay(plan)


def assert_runs_stay(plan: list[str]) -> None:
    """What is asked about moves and becomes the hash table; the runs it is asked of do not move."""
    (join,) = (number for number, line in enumerate(plan) if "ShuffledHashJoin" in line)
    (exchange,) = (number for number, line in enumerate(plan) if number > join and "Exchange hashpartitioning" in line)
    (runs,) = (number for number, line in enumerate(plan) if number > join and line.find("+- ") == _indent(plan[join]) + 3)
    assert "BuildLeft" in plan[join]
    assert exchange < runs


def _indent(line: str) -> int:
    return line.find("+- ")
