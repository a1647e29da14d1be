"""Facts that hold for a time: how times are given, what is refused, and that nothing of a refused update happens."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any

import numpy as np
import pytest

from tidelog import Materialisation
from tidelog.errors import DataError

RULES = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) . go() :- ready() ."
EDGES = [("a", "b"), ("b", "c")]


@pytest.fixture
def mat() -> Materialisation:
    return Materialisation(RULES)


def test_nobody_has_told_the_time(mat: Materialisation) -> None:
    changes = mat.update(insert={"edge": EDGES})
    assert (mat.now, changes.time) == (None, None)
    assert mat.expiry("path", ("a", "c")) == inf
    assert mat.expiry("path", ("c", "a")) is None


@pytest.mark.parametrize(
    "expires",
    [
        7,
        7.0,
        {"edge": 7},
        {"edge": [9, 7]},
        {"edge": (None, 7)},
        {"edge": np.array([8.0, 7.0])},
        {"edge": [7, 9], "ready": None},
    ],
)
def test_one_time_for_all_or_one_for_each(expires: Any, mat: Materialisation) -> None:
    mat.update(insert={"edge": EDGES, "ready": [()]}, expires=expires)
    assert mat.expiry("path", ("a", "c")) == 7
    assert ("a", "c") in mat["path"]
    mat.advance(7)
    assert ("a", "c") not in mat["path"]
    assert (() in mat["go"]) == isinstance(expires, dict)


def test_dates_are_seconds_since_1970(mat: Materialisation) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    mat.update(insert={"edge": EDGES}, expires=noon + timedelta(seconds=1.5))
    assert mat.advance(noon).time == mat.now == 1772366400
    assert mat.expiry("edge", ("a", "b")) == 1772366401.5
    assert len(mat.advance(noon + timedelta(seconds=2)).deleted["path"]) == 3


@pytest.mark.parametrize(
    ("expires", "text"),
    [
        (True, "True is no time"),
        ("soon", "'soon' is no time"),
        (float("nan"), "nan is no time"),
        (2**60, "too large a time"),
        ({"edge": [1]}, "there are 2 facts and 1 times"),
        ({"egde": 1}, "nothing is inserted into egde"),
        ({"path": [1]}, "nothing is inserted into path"),
        ({"edge": [1, "x"]}, "'x' is no time"),
    ],
)
def test_times_that_are_none(expires: Any, text: str, mat: Materialisation) -> None:
    with pytest.raises(DataError, match=text):
        mat.update(insert={"edge": EDGES}, expires=expires)
    assert len(mat) == 0


@pytest.mark.parametrize(
    ("now", "text"), [(4, "already, not 4"), (inf, "not for ever"), ("noon", "is no time"), (None, "no time")]
)
def test_moments_that_are_none(now: Any, text: str, mat: Materialisation) -> None:
    mat.advance(5)
    with pytest.raises(DataError, match=text):
        mat.advance(now, insert={"edge": EDGES})
    assert (mat.now, len(mat)) == (5, 0)
    assert mat.advance(5, insert={"edge": EDGES}).time == 5


def test_what_is_over_when_it_comes_never_holds(mat: Materialisation) -> None:
    mat.advance(5)
    assert not mat.update(insert={"edge": EDGES}, expires=5)
    assert not mat.update(insert={"edge": EDGES}, expires=-inf)
    changes = mat.update(insert={"edge": EDGES}, expires={"edge": [5, 6]})
    assert list(changes.inserted["edge"]) == [("b", "c")]


def test_of_a_fact_given_twice_in_one_update_the_later_time_counts(mat: Materialisation) -> None:
    mat.update(insert={"edge": [("a", "b"), ("a", "b"), ("b", "c"), ("b", "c")]}, expires={"edge": [3, 8, 9, None]})
    assert [mat.expiry("edge", edge) for edge in EDGES] == [8, inf]


@pytest.mark.parametrize("algorithm", ["expiry", "ranked", "rematerialise"])
def test_release_spares_what_was_given_for_good(algorithm: str, mat: Materialisation) -> None:
    mat.algorithm = algorithm
    mat.update(insert={"edge": EDGES}, expires={"edge": [None, 9]})
    assert set(mat.advance(1, release={"edge": EDGES}).deleted["edge"]) == {("b", "c")}
    assert set(mat["edge"]) == {("a", "b")}


def test_a_materialisation_without_times_has_nothing_of_them(mat: Materialisation) -> None:
    mat.update(insert={"edge": EDGES})
    mat.algorithm = "expiry"
    assert len(mat.update(delete={"edge": EDGES}).deleted["path"]) == 3
    assert all(table.times is None for table in mat._engine.store)


def test_the_statistics_say_why_expiry_was_chosen(mat: Materialisation) -> None:
    mat.update(insert={"edge": [(n, n + 1) for n in range(100)]}, expires=50)
    statistics = mat.advance(1, insert={"edge": [(500, 501)]}, expires=60).statistics
    assert statistics.algorithm == "expiry"
    assert "for a time only" in statistics.reason
    assert mat.advance(50).statistics.instances == 0  # nothing was looked at to drop five thousand facts
    assert len(mat) == 2
