"""Windows: what they hold at each tick, out of order and late, over several streams, and what leaves the last so many facts."""

from __future__ import annotations

from collections import deque
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tidelog as tl
from tests.mirror import facts_of
from tidelog import Window
from tidelog.errors import DataError
from tidelog.stream.durations import duration, ticks
from tidelog.stream.windows import Slide, Slides

RULES = """
    near(?x, ?y) :- seen(?x, ?y) .
    near(?x, ?z) :- near(?x, ?y), seen(?y, ?z) .
    quiet(?x) :- place(?x), ~seen(?x, _) .
"""


def event(time: float, *rows: Any, **more: Any) -> dict[str, Any]:
    return {"time": time, "insert": {"seen": list(rows)}, **more}


def held(windows: Any, events: list[dict[str, Any]], **options: Any) -> list[tuple[float | None, set[Any]]]:
    """What of `seen` holds after each slide."""
    mat = tl.Materialisation(RULES)
    return [(changes.time, set(mat["seen"])) for changes in mat.follow(tl.windowed(events, windows, **options))]


def test_a_fact_enters_at_the_tick_after_it_happened_and_leaves_when_the_range_is_over() -> None:
    events = [event(0.5, ("a", "b")), event(3, ("b", "c")), event(20, ("c", "d"))]
    assert held("10s/1s", events) == [
        (1, {("a", "b")}),
        (3, {("a", "b"), ("b", "c")}),
        (11, {("b", "c")}),
        (13, set()),
        (20, {("c", "d")}),
    ]


def test_a_tumbling_window_holds_one_range_after_the_other() -> None:
    events = [event(1, ("a", "b")), event(10, ("b", "c")), event(11, ("c", "d")), event(31, ("d", "e"))]
    assert held("10s", events) == [(10, {("a", "b"), ("b", "c")}), (20, {("c", "d")}), (30, set()), (40, {("d", "e")})]


def test_a_continuous_window_moves_when_something_enters_or_leaves() -> None:
    events = [event(0.5, ("a", "b")), event(0.75, ("b", "c")), event(2, ("c", "d"))]
    assert held(Window.continuous(1), events) == [
        (0.5, {("a", "b")}),
        (0.75, {("a", "b"), ("b", "c")}),
        (1.5, {("b", "c")}),
        (1.75, set()),
        (2, {("c", "d")}),
    ]


def test_the_last_facts_make_room_for_each_other() -> None:
    events = [event(0, ("a", "b")), event(0, ("b", "c"), ("a", "b")), event(0, ("c", "d")), event(0, ("d", "e"))]
    assert [facts for _, facts in held("3", events)] == [
        {("a", "b")},
        {("a", "b"), ("b", "c")},
        {("b", "c"), ("a", "b"), ("c", "d")},
        {("a", "b"), ("c", "d"), ("d", "e")},
    ]


def test_what_was_given_for_good_does_not_leave_with_a_window() -> None:
    mat = tl.Materialisation(RULES)
    mat.update(insert={"seen": [("a", "b")]})
    events = [event(0, ("a", "b")), event(0, ("b", "c")), event(0, ("c", "d"))]
    for _ in mat.follow(tl.windowed(events[:2], "1")):
        mat.update(insert={"seen": [("b", "c")]})  # while it is in the window
    for _ in mat.follow(tl.windowed(events, "1")):
        pass
    assert set(mat["seen"]) == {("a", "b"), ("b", "c"), ("c", "d")}


def test_events_out_of_order_are_waited_for() -> None:
    events = [event(1, ("a", "b")), event(4, ("d", "e")), event(2, ("b", "c")), event(9, ("e", "f"))]
    in_order = sorted(events, key=lambda update: update["time"])
    assert held("3s/1s", events, lateness="2s") == held("3s/1s", in_order)


def test_what_is_late_goes_to_the_side_and_is_counted() -> None:
    late: list[Any] = []
    events = [event(1, ("a", "b")), event(10, ("b", "c")), event(4, ("x", "y")), event(8, ("c", "d"))]
    mat = tl.Materialisation(RULES)
    windowed = tl.windowed(events, "10s/1s", lateness=2, late=late.append)
    times = [changes.time for changes in mat.follow(windowed)]
    assert (windowed.late, late) == (1, [events[2]])
    assert times == [1, 8, 10]
    assert set(mat["seen"]) == {("a", "b"), ("b", "c"), ("c", "d")}


def test_of_a_fact_seen_again_the_later_time_counts() -> None:
    assert held("2s/1s", [event(1, ("a", "b")), event(2, ("a", "b")), event(9, ("z", "z"))])[-2:] == [
        (4, set()),
        (9, {("z", "z")}),
    ]


def test_a_deletion_ends_a_fact_at_once_and_the_last_word_counts() -> None:
    gone = {"time": 2, "delete": {"seen": [("a", "b")]}}
    assert held("9s/1s", [event(1, ("a", "b")), gone])[-1] == (2, set())
    assert held("9s/5s", [event(1, ("a", "b")), gone])[-1] == (5, set())
    again = event(3, ("a", "b"), ("b", "c"))
    assert held("9s/5s", [event(1, ("a", "b")), gone, again, event(13, ("x", "x"))]) == [
        (5, {("a", "b"), ("b", "c")}),
        (10, {("a", "b"), ("b", "c")}),  # when what was deleted would have left
        (15, {("x", "x")}),
    ]


def test_several_windows_over_one_stream_have_predicates_of_their_own() -> None:
    rules = "gone(?x) :- today(?x), ~now(?x) ."
    windows = [Window.sliding(2, 1, into={"seen": "now"}), Window.sliding(10, 5, into={"seen": "today"})]
    mat = tl.Materialisation(rules)
    events = [event(1, "a"), event(4, "b"), event(5, "c")]
    found = [(changes.time, facts_of(mat)) for changes in mat.follow(tl.windowed(events, windows))]
    assert found[0] == (1, {"now": {("a",)}})
    assert found[-1] == (5, {"now": {("b",), ("c",)}, "today": {("a",), ("b",), ("c",)}, "gone": {("a",)}})
    with pytest.raises(ValueError, match="need `into`"):
        tl.windowed([], ["10s/1s", "1s"])


def test_streams_wait_for_each_other() -> None:
    windows = [Window.sliding(4, 1, stream="left"), Window.sliding(2, 1, stream="right", into={"seen": "place"})]
    mat = tl.Materialisation(RULES)
    left, right = [event(1, ("a", "b")), event(6, ("b", "c"))], [event(2, "a"), event(3, "b")]
    found = [
        (changes.time, facts_of(mat).get("quiet", set()))
        for changes in mat.follow(tl.windowed({"left": iter(left), "right": iter(right)}, windows))
    ]
    assert found == [(1, set()), (2, set()), (3, {("b",)}), (4, {("b",)}), (5, set()), (6, set())]
    with pytest.raises(ValueError, match="sources for the streams"):
        tl.windowed({"left": left}, windows)


def test_every_step_has_its_slide_on_demand() -> None:
    slides = Slides(["2s/1s"], every_step=True)
    assert slides.add(event(1, "a")) == []
    assert [slide.now for slide in slides.add(event(6, "b"))] == [1, 2, 3, 4, 5]
    assert [slide.now for slide in slides.advance(7)] == [6, 7]
    assert [slide.now for slide in slides.end()] == []


def test_nothing_may_come_any_more() -> None:
    slides = Slides("10s/1s", lateness=100)
    assert slides.add(event(1, "a")) == []
    [slide] = slides.advance(1)
    assert slide == Slide(1, {"seen": ["a"]}, {}, {"seen": [11]}, {}, 1)
    assert slides.add(event(1, "b")) == []
    assert slides.late == 1


def test_a_file_of_updates(tmp_path: Path) -> None:
    path = tmp_path / "events.ndjson"
    path.write_text('{"time": 1, "insert": [["seen", 1, 2]]}\n{"time": "1970-01-01T00:00:05Z", "insert": [["seen", 2, 3]]}\n')
    mat = tl.Materialisation(RULES)
    assert [(changes.time, len(mat)) for changes in mat.follow(tl.windowed(path, "10s/1s"))] == [(1, 2), (5, 5)]


def test_an_update_without_a_time_is_refused() -> None:
    mat = tl.Materialisation(RULES)
    with pytest.raises(DataError, match="needs a time"):
        list(mat.follow(tl.windowed([{"insert": {"seen": [("a", "b")]}}], "1s")))


# --- random streams ---------------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**20),
    size=st.sampled_from([(4, 1), (4, 4), (3, 2), (5, 0), (0.3, 0.1)]),
    lateness=st.sampled_from([0, 1, 3]),
    algorithm=st.sampled_from(["auto", "expiry", "ranked"]),
)
def test_at_every_tick_the_window_holds_what_happened_in_its_range(
    seed: int, size: tuple[float, float], lateness: float, algorithm: str
) -> None:
    random = Random(seed)
    unit = size[1] or 1
    times = [round(random.randint(0, 15) * unit / 2, 3) for _ in range(14)]
    times.sort(key=lambda time: time + random.choice((0, 0, lateness, 2 * lateness)) * random.random())
    events = [event(time, (random.choice("abc"), random.choice("abcd"))) for time in times]
    window, late = Window.sliding(*size), []
    mat = tl.Materialisation(RULES, algorithm=algorithm)
    mat.update(insert={"place": list("abcd")})
    slides, too_late = [], expected_late(events, lateness)
    taken = [update for update in events if not any(update is other for other in too_late)]
    for changes in mat.follow(tl.windowed(events, window, lateness=lateness, late=late.append)):
        expected = inside(window, taken, changes.time)
        assert set(mat["seen"]) == expected, f"at {changes.time}"
        fresh = tl.Materialisation(RULES)
        fresh.update(insert={"place": list("abcd"), "seen": sorted(expected)})
        assert facts_of(mat) == facts_of(fresh)
        slides.append(changes.time)
    assert slides == sorted(set(slides))
    assert late == too_late


def expected_late(events: list[dict[str, Any]], lateness: float) -> list[dict[str, Any]]:
    late, latest = [], float("-inf")
    for update in events:
        if update["time"] < latest - lateness:
            late.append(update)
        latest = max(latest, update["time"])
    return late


def inside(window: Window, events: list[dict[str, Any]], time: float | None) -> set[Any]:
    assert time is not None
    reached = [(window.tick(update["time"]), window.tick(update["time"] + window.range), update) for update in events]
    return {row for enters, leaves, update in reached if enters <= time < leaves for row in update["insert"]["seen"]}


@given(seed=st.integers(0, 2**20), count=st.integers(1, 5))
def test_the_last_facts_by_a_plain_deque(seed: int, count: int) -> None:
    random = Random(seed)
    last: deque[Any] = deque(maxlen=count)
    mat = tl.Materialisation(RULES)
    slides = Slides(Window.last(count))
    for _ in range(12):
        rows = [(random.choice("abc"), random.choice("ab")) for _ in range(random.randint(0, 3))]
        gone = [(random.choice("abc"), random.choice("ab"))] if random.random() < 0.2 else []
        for removed in gone:
            last = deque((row for row in last if row != removed), maxlen=count)
        last.extend(rows)
        for slide in slides.add({"insert": {"seen": rows}, "delete": {"seen": gone}}):
            mat.update(delete=slide.delete)
            list(mat.follow([slide]))
        assert set(mat["seen"]) == set(last)


# --- lengths of time --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        *(("10s", 10), ("500ms", 0.5), ("1.5m", 90), ("2h", 7200), ("1d", 86400), ("7", 7), ("3 sec", 3)),
        *(("PT10S", 10), ("PT1M30S", 90), ("P1DT1H", 90000), (timedelta(minutes=1), 60), (2.5, 2.5)),
    ],
)
def test_lengths_of_time(written: Any, seconds: float) -> None:
    assert duration(written) == seconds


@pytest.mark.parametrize("text", ["", "s", "10x", "P", "PT", "10s/11s", "0s", "0", "10s/", "1/2/3", "-1s"])
def test_windows_that_are_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"length of time|window"):
        Window.parse(text)


def test_a_multiple_but_for_rounding_is_one() -> None:
    assert [ticks(k / 10, 0.1) for k in range(20)] == [k * 0.1 for k in range(20)]
    assert ticks(1.11, 0.1) == 12 * 0.1
    assert ticks(1772366400.5, 1) == 1772366401
