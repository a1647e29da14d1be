"""The choice between maintaining and materialising anew."""

from __future__ import annotations

from tidelog.maintain.algebra import Statistics
from tidelog.maintain.choice import ANEW, MAINTAIN, Chooser


def took(instances: int) -> Statistics:
    return Statistics(instances_by_phase={"forward": instances})


def chooser(seconds: float = 1.0, explicit: int = 1000, instances: int = 50_000) -> Chooser:
    made = Chooser()
    made.learn_full(took(instances), seconds, explicit)
    return made


def test_first_facts_are_materialised() -> None:
    assert Chooser().choose(0, 5, 0).algorithm == ANEW


def test_a_small_change_is_maintained_and_a_large_one_is_not() -> None:
    assert chooser().choose(1000, 1, 1).algorithm == MAINTAIN
    assert chooser().choose(1000, 0, 900).algorithm == ANEW
    assert chooser().choose(1000, 50_000, 0).algorithm == ANEW


def test_deleting_is_expected_to_cost_more_than_inserting() -> None:
    assert chooser().choose(1000, 300, 0).algorithm == MAINTAIN
    assert chooser().choose(1000, 0, 300).algorithm == ANEW


def test_it_learns_that_deletions_are_dear_here() -> None:
    learning = chooser()
    assert learning.choose(1000, 0, 50).algorithm == MAINTAIN
    learning.learn_update(took(100_000), 2.0, 1000, 0, 50)
    assert learning.choose(1000, 0, 50).algorithm == ANEW
    assert learning.choose(1000, 50, 0).algorithm == MAINTAIN


def test_it_learns_that_insertions_are_cheap_here() -> None:
    learning = chooser()
    assert learning.choose(1000, 5000, 0).algorithm == ANEW
    learning.learn_update(took(100), 0.05, 1000, 100, 0)
    assert learning.choose(1000, 5000, 0).algorithm == MAINTAIN


def test_one_dear_fact_says_little_of_many_others() -> None:
    """Maintaining them is tried, but not for long; and if that fails, it is not tried again."""
    learning = chooser()
    learning.learn_update(took(30_000), 0.6, 1000, 0, 1)
    tried = learning.choose(1000, 0, 30)
    assert tried.algorithm == MAINTAIN
    assert "tried" in tried.reason
    assert tried.budget is not None
    assert tried.budget < 0.5 * 50_000
    learning.learn_abandoned(tried.budget, 1000, 0, 30)
    assert learning.choose(1000, 0, 30).algorithm == ANEW


def test_what_seemed_too_dear_is_tried_again_some_day() -> None:
    learning = chooser()
    learning.learn_update(took(25_000), 0.5, 1000, 0, 20)
    chosen = [learning.choose(1000, 0, 20).algorithm for _ in range(50)]
    assert chosen[0] == ANEW
    assert chosen[-1] == MAINTAIN


def test_insertions_and_deletions_of_one_update_share_what_it_took() -> None:
    learning = chooser()
    learning.learn_update(took(4_000), 0.01, 1000, 10, 10)
    inserted, deleted = learning.insert.seen[4][1], learning.delete.seen[4][1]
    assert inserted + deleted == 4_000
    assert deleted == 3 * inserted


def test_nobody_chooses_to_save_next_to_nothing() -> None:
    quick = chooser(seconds=0.0003)
    assert quick.choose(1000, 0, 900).algorithm == MAINTAIN


def test_the_budget_is_in_proportion_to_a_whole_materialisation() -> None:
    assert Chooser().choose(10, 1, 0).budget is None
    small, large = (chooser(instances=n).choose(1000, 1, 0).budget for n in (100_000, 1_000_000))
    assert small is not None
    assert large is not None
    assert 5 * small < large < 10 * small
