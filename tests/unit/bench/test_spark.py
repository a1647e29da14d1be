"""The benchmark of the Spark engine: all systems find the same closures, and the tables say when they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from tidelog.bench.graphs import random_graph
from tidelog.bench.options import Options
from tidelog.bench.spark import part, systems, tables
from tidelog.bench.spark.systems import Found, chains, stars
from tidelog.bench.spark.worker import Task, work

LOCAL = part.LOCAL


def test_all_systems_find_the_same_closure(spark: SparkSession) -> None:
    edges = random_graph(12, 18)["edge"]
    found = {
        (system, master): systems.closure(master, system, edges)
        for system, master in (("spark", LOCAL), ("loop", LOCAL), ("embedded", None))
    }
    assert len({(one.facts, one.checksum) for one in found.values()}) == 1
    for system in ("spark", "loop"):
        rounds = found[system, LOCAL].rounds
        assert sum(one.facts for one in rounds) in (found["embedded", None].facts, found["embedded", None].facts - len(edges))
        assert sum(one.work.jobs for one in rounds if one.work is not None) >= len(rounds)
    section = tables.closures(12, 18, found, full=False)
    assert len(section.rows) == 3
    assert not section.problems
    wrong = {**found, ("embedded", None): replace(found["embedded", None], checksum=1)}
    assert "found different closures" in tables.closures(12, 18, wrong, full=False).problems[0]
    assert tables.rounds(found)[0].rows[0][:2] == ("1", f"{found['spark', LOCAL].rounds[0].facts:,}")


def test_chains_and_stars_are_what_they_say() -> None:
    assert chains(3, 2, 3).tolist() == [[9, 10], [10, 11], [12, 13], [13, 14]]
    for hubs in (1, 3):
        graph = stars(9, hubs)
        assert len(graph) == 9 + 2 * hubs
        assert len(set(graph[: 2 * hubs, 1].tolist())) == len(set(graph[2 * hubs :, 0].tolist())) == hubs
    found = systems.closure(None, "embedded", stars(9, 3))
    assert found.facts == 9 + 6 + 2 * 9


def test_small_updates_are_the_same_on_the_embedded_engine() -> None:
    found = systems.updates(None, 5, 4, 2)
    assert found.answers == ((6, 0), (0, 6)) * 2
    assert len(found.updates) == 2
    assert Found.from_json(found.to_json()) == found


def test_what_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def instead(tasks: list[Task], timeout: float) -> list[Found | str]:
        return [work(task) if task["master"] is None else "no Java" for task in tasks]

    monkeypatch.setattr(part, "measured", instead)
    sections = part.spark(Options(size="tiny"), lambda text: None)
    assert sections[0].problems == ("spark, local[2]: no Java", "loop, local[2]: no Java")
    assert [row[0] for row in sections[0].rows] == ["embedded"]
    assert len(sections[1].rows) == len(part.SIZES["tiny"].chains)
