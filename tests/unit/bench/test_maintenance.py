"""The maintenance benchmark: what it samples, computes and checks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tidelog.bench.maintenance import comparison, plot, scalability
from tidelog.bench.maintenance.instances import ALGORITHMS, INSTANCES, Instance, clique, find_instance
from tidelog.bench.maintenance.job import DELETE, INSERT, Job, Measured, disagreements, run
from tidelog.bench.maintenance.sampling import SAMPLINGS, uniform, walk
from tidelog.bench.maintenance.statistics import Estimate, crossing, scores


@pytest.mark.parametrize("sampling", [uniform, walk])
def test_a_smaller_sample_begins_a_larger(sampling) -> None:
    rows = np.stack([np.arange(100), (np.arange(100) * 7 + 1) % 130], axis=1)
    large = sampling(rows, 60, 5)
    assert len({tuple(row) for row in large.tolist()}) == 60
    assert (sampling(rows, 20, 5) == large[:20]).all()
    assert len(sampling(rows, 1000, 5)) == 100


def test_a_walk_follows_edges() -> None:
    rows = np.stack([np.arange(50), np.arange(50) + 1], axis=1)
    steps = walk(rows, 10, 3)
    assert sum(a == b for a, b in zip(steps[1:, 0], steps[:-1, 1], strict=True)) > 5


def test_the_clique_stays_whole_without_its_extra_edges_and_breaks_without_the_bridge() -> None:
    rows = clique(40, 60)["same"]
    assert components(rows[rows[:, 0] > rows[:, 1]]) == 1
    (bridge,) = SAMPLINGS["breaking"](rows, 1, 0)
    assert components(rows[(rows != bridge).any(axis=1)]) == 2
    extra = SAMPLINGS["keeping"](rows, 5, 0)
    assert (extra[:, 0] < extra[:, 1]).all()


def components(rows: np.ndarray) -> int:
    parent = list(range(int(rows.max()) + 1))

    def root(node: int) -> int:
        return node if parent[node] == node else root(parent[node])

    for left, right in rows.tolist():
        parent[root(left)] = root(right)
    return len({root(node) for node in range(len(parent))})


def test_the_mean_and_its_interval() -> None:
    estimate = Estimate.of([1.0, 2.0, 3.0])
    assert estimate.mean == 2
    assert estimate.half == pytest.approx(1.96 / math.sqrt(3))
    assert math.isnan(Estimate.of([1.0]).half)


def test_scores_are_relative_to_the_best() -> None:
    assert scores({"a": 2.0, "b": 6.0}) == {"a": 1.0, "b": 3.0}


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(1, 1, 10), (10, 10, 10)], 10),
        ([(1, 1, 10), (100, 100, 10)], 10),
        ([(1, 1, 10), (10, 2, 10)], None),
        ([(5, 20, 10), (10, 30, 10)], 5),
    ],
)
def test_where_curves_cross(points: list[tuple[float, float, float]], expected: float | None) -> None:
    assert crossing(points) == (None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("instance", INSTANCES, ids=lambda instance: instance.name)
def test_all_algorithms_agree_on_every_state(instance: Instance) -> None:
    series = run(Job(instance.name, instance.sizes["tiny"], ALGORITHMS, (instance.update["tiny"],), samples=1), 120)
    assert series.problems == ()
    assert {m.algorithm for m in series.measured} == set(ALGORITHMS)
    assert {m.kind for m in series.measured} == {DELETE, INSERT}


def test_a_difference_is_told() -> None:
    def after(algorithm: str, checksum: int) -> Measured:
        return Measured(algorithm, DELETE, 1, 0, 0.1, 0.1, 5, {}, 10, checksum)

    assert disagreements([after("ranked", 1), after("dred", 1)]) == []
    assert disagreements([after("ranked", 1), after("dred", 2)])


def test_a_job_that_fails_says_so() -> None:
    series = run(Job("Join", {"spokes": 5}, ("nothing",), (1,)), 60)
    assert "nothing" in series.problems[0]


def test_break_even_points_and_their_picture() -> None:
    (job, *_) = scalability.jobs([find_instance("Join")], "tiny", ("ranked",), 1)
    series = run(job, 120)
    assert series.problems == ()
    tables = {section.title.partition(".")[0]: section for section in scalability.sections([series])}
    assert tables["Table 7"].rows
    assert plot.figure_8([series]).count("<polyline") == 2


@pytest.mark.parametrize("job", [job for job in comparison.jobs("tiny", 2) if job.sizes == (1,)], ids=lambda job: job.instance)
def test_peers_count_the_same_facts(job: Job) -> None:
    found = [comparison.run(job, system, 60) for system in comparison.systems(())]
    assert found[0].counts
    assert not [one.note for one in found if "failed" in one.note]
    (section,) = comparison.sections(found)
    assert section.problems == ()
    assert section.rows
