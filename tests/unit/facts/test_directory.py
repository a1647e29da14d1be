"""A directory finds what a binary search finds, however keys are spread."""

from __future__ import annotations

import numpy as np
import pytest

from tidelog.facts.index import Run, Runs
from tidelog.facts.kernel import Keys, directory

HIGHEST = 2**64 - 1


def even(count: int) -> Keys:
    keys = np.random.default_rng(count).integers(0, HIGHEST, count, dtype=np.uint64, endpoint=True)
    keys[:2] = 0, HIGHEST
    return np.sort(keys)


def probes(keys: Keys) -> Keys:
    rng = np.random.default_rng(1)
    absent = rng.integers(0, HIGHEST, 500, dtype=np.uint64, endpoint=True)
    return np.concatenate((rng.choice(keys, 500), absent, np.array([0, 1, HIGHEST - 1, HIGHEST], np.uint64)))


@pytest.mark.parametrize("count", [100, 33_000, 100_003])
@pytest.mark.parametrize("twice", [False, True], ids=["distinct", "repeated"])
def test_places_are_those_of_a_binary_search(count: int, twice: bool) -> None:
    keys = np.sort(np.repeat(even(count), 2)) if twice else even(count)
    found = directory(keys)
    assert found is not None
    wanted = probes(keys)
    assert np.array_equal(found.places(keys, wanted), np.searchsorted(keys, wanted))


def test_keys_that_crowd_together_have_no_directory() -> None:
    assert directory(np.arange(100_000, dtype=np.uint64)) is None


def test_a_run_of_hashes_gets_its_directory_when_much_is_looked_for() -> None:
    keys = even(40_000)
    run, runs = Run(keys, np.zeros(len(keys), np.uint32)), Runs(exact=False)
    wanted = probes(keys)
    assert np.array_equal(runs.places(run, wanted[:3]), np.searchsorted(keys, wanted[:3]))
    assert run.directory is None
    assert np.array_equal(runs.places(run, wanted), np.searchsorted(keys, wanted))
    assert run.directory is not None
    assert run.nbytes > keys.nbytes + run.rows.nbytes


def test_exact_keys_are_searched_as_before() -> None:
    keys = even(40_000)
    run, runs = Run(keys, np.zeros(len(keys), np.uint32)), Runs()
    assert np.array_equal(runs.places(run, probes(keys)), np.searchsorted(keys, probes(keys)))
    assert run.directory is None
