"""The choice between maintaining and materialising anew."""

from __future__ import annotations

from tidelog.maintain.algebra import Statistics
from tidelog.maintain.choice import ANEW, MAINTAIN, Chooser


def chooser(seconds: float = 1.0, explicit: int = 1000, instances: int = 50_000) -> Chooser:
    made = Chooser()
    made.learn_full(Statistics(instances_by_phase={"forward": instances}), seconds, explicit)
    return made


def test_first_facts_are_materialised() -> None:
    assert Chooser().choose(0, 5, 0)[0] == ANEW


def test_a_small_change_is_maintained_and_a_large_one_is_not() -> None:
    assert chooser().choose(1000, 1, 1)[0] == MAINTAIN
    assert chooser().choose(1000, 0, 900)[0] == ANEW
    assert chooser().choose(1000, 50_000, 0)[0] == ANEW


def test_deleting_is_expected_to_cost_more_than_inserting() -> None:
    assert chooser().choose(1000, 300, 0)[0] == MAINTAIN
    assert chooser().choose(1000, 0, 300)[0] == ANEW


def test_it_learns_that_deletions_are_dear_here() -> None:
    learning = chooser()
    assert learning.choose(1000, 0, 50)[0] == MAINTAIN
    for _ in range(10):
        learning.learn_update(seconds=2.0, inserts=0, deletes=50)
    assert learning.choose(1000, 0, 50)[0] == ANEW
    assert learning.choose(1000, 50, 0)[0] == MAINTAIN


def test_it_learns_that_insertions_are_cheap_here() -> None:
    learning = chooser()
    assert learning.choose(1000, 5000, 0)[0] == ANEW
    for _ in range(10):
        learning.learn_update(seconds=0.05, inserts=100, deletes=0)
    assert learning.choose(1000, 5000, 0)[0] == MAINTAIN


def test_the_time_of_tiny_updates_says_nothing() -> None:
    learning = chooser()
    learning.learn_update(seconds=0.004, inserts=0, deletes=1)
    assert learning.delete == Chooser().delete


def test_the_budget_is_in_proportion_to_a_whole_materialisation() -> None:
    assert Chooser().budget() is None
    assert chooser(instances=1_000_000).budget() == 2_100_000
