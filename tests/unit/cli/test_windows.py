"""`tidelog stream --window`: NDJSON, triples and tables with times; late updates to the side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Tidelog
from tests.unit.cli.test_stream import KNOWS, SECOND, feed, triples

ALARMS = """
    hot(?r) :- reading(?s, ?c), in(?s, ?r), ?c > 50 .
    alarm(?r) :- hot(?r), ~acknowledged(?r) .
"""


def event(time: float, *rows: Any, part: str = "insert") -> str:
    return json.dumps({"time": time, part: [["edge", *row] for row in rows]})


EVENTS = "\n".join([event(1, "pq"), event(4, "rs"), event(2, "qr"), event(30, "xy"), event(3, "zz"), event(31, "yz")]) + "\n"


def told(out: str) -> list[tuple[float, int, int]]:
    """When, and how much appeared and vanished."""
    return [(line["time"], len(line["insert"]), len(line["delete"])) for line in feed(out)]


def test_updates_through_a_window(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(EVENTS)
    arguments = ("stream", "paths.rls", "--source", "u.ndjson", "--window", "10s/1s", "--lateness", "5s")
    outcome = tidelog(*arguments, "--late", "late.ndjson")
    assert outcome.code == 0
    assert told(outcome.out)[:3] == [(1, 2, 0), (2, 3, 0), (4, 4, 0)]
    assert told(outcome.out)[3:] == [(11, 0, 4), (12, 0, 3), (14, 0, 2), (30, 2, 0), (31, 3, 0)]
    assert (workspace / "late.ndjson").read_text() == event(3, "zz").replace("3,", "3.0,") + "\n"
    assert "1 update came later than --lateness allows; they are in late.ndjson" in outcome.err
    again = tidelog("run", "paths.rls", "--update", "late.ndjson", "--changes", "-")
    assert [line["explicit"]["insert"] for line in feed(again.out)] == [[["edge", "z", "z"]]]
    assert "--late FILE keeps such" in tidelog(*arguments).err


def test_a_window_of_the_last_facts(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text("\n".join(['{"insert": [["edge", 1, 2]]}', '{"insert": [["edge", 2, 3]]}']))
    outcome = tidelog("stream", "paths.rls", "--source", "u.ndjson", "--window", "1")
    assert [line["delete"] for line in feed(outcome.out)] == [[], [["edge", 1, 2], ["path", 1, 2]]]


def test_triples_with_a_time(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "knows.rls").write_text(KNOWS)
    lines = triples(*(f"{pair} {SECOND.format(second)}" for pair, second in (("ab", 1), ("bc", 2), ("cd", 4))))
    (workspace / "t.nq").write_text(lines)
    outcome = tidelog("stream", "knows.rls", "--source", "t.nq", "--window", "2s/1s")
    assert [counts[1:] for counts in told(outcome.out)] == [(1, 0), (2, 0), (0, 2), (1, 1)]


def sensors(workspace: Path, *rows: str) -> tuple[str, ...]:
    (workspace / "alarms.rls").write_text(ALARMS)
    (workspace / "in.csv").write_text("s1,kitchen\ns2,cellar\n")
    (workspace / "reading.csv").write_text("\n".join(["time,sensor,celsius", *rows]) + "\n")
    return "stream", "alarms.rls", "--facts", "in=in.csv", "--source", "reading.csv", "--window", "10s/1s"


def test_a_table_of_sensor_events(tidelog: Tidelog, workspace: Path) -> None:
    rows = ("2026-03-01T12:00:00Z,s1,61.5", "2026-03-01T12:00:04Z,s1,21", "2026-03-01T12:00:12Z,s2,70", "1772366415,s2,20")
    outcome = tidelog(*sensors(workspace, *rows))
    assert outcome.code == 0
    lines = feed(outcome.out)
    assert [[fact for fact in line["insert"] if fact[0] == "alarm"] for line in lines] == [
        [["alarm", "kitchen"]],
        [],
        [],
        [["alarm", "cellar"]],
        [],
        [],
    ]
    assert [line["time"] - lines[0]["time"] for line in lines] == [0, 4, 10, 12, 14, 15]
    assert ["alarm", "kitchen"] in lines[2]["delete"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("12:00,s1,20", "'12:00' is no time"),
        ("5,s1", "2 cells, where the header has 3"),
    ],
)
def test_a_bad_row_stops_with_its_place_or_is_skipped(row: str, text: str, tidelog: Tidelog, workspace: Path) -> None:
    arguments = sensors(workspace, "1,s1,60", row, "20,s2,60")
    stopped = tidelog(*arguments)
    assert stopped.code == 1
    assert "reading.csv:3: " in stopped.err
    assert text in stopped.err
    skipped = tidelog(*arguments, "--on-bad-row", "skip")
    assert skipped.code == 0
    assert "1 bad row was skipped" in skipped.err
    assert len(feed(skipped.out)) == 3


@pytest.mark.parametrize("more", [(), ("--on-bad-row", "skip")])
def test_a_table_without_a_time_cannot_be_read(more: tuple[str, ...], tidelog: Tidelog, workspace: Path) -> None:
    arguments = sensors(workspace, "1,s1,60")
    outcome = tidelog(*arguments, "--time-column", "at", *more)
    assert outcome.code == 1
    assert "reading.csv:1: no column is 'at', of time, sensor, celsius" in outcome.err
    assert tidelog(*arguments, "--time-column", "celsius").code == 0


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"insert": [["edge", 1, 2]]}', "needs a time"),
        ('{"time": 3, "insert": [["egde", 1, 2]]}', "did you mean edge"),
        ('{"time": 3, "insert": [["edge", 1]]}', "where 2 are needed"),
    ],
)
def test_an_update_that_no_window_can_take(line: str, text: str, tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(f"{event(1, 'ab')}\n{line}\n{event(2, 'bc')}\n")
    arguments = ("stream", "paths.rls", "--source", "u.ndjson", "--window", "10s/1s")
    stopped = tidelog(*arguments)
    assert stopped.code == 1
    assert "u.ndjson:2: " in stopped.err
    assert text in stopped.err
    skipped = tidelog(*arguments, "--on-bad-row", "skip")
    assert (skipped.code, len(feed(skipped.out))) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--window", "10x"), "'10x' is no length of time"),
        (("--window", "1s/2s"), "a window's step"),
        (("--lateness", "soon", "--window", "1s"), "'soon' is no length of time"),
        (("--lateness", "1s"), "--lateness and --late are for windows"),
        (("--late", "x.ndjson"), "--lateness and --late are for windows"),
        (("--window", "5", "--lateness", "1s"), "lateness is"),
        (("--source-format", "csv", "--predicate", "egde"), "did you mean edge"),
    ],
)
def test_what_makes_no_sense_is_said_at_once(arguments: tuple[str, ...], text: str, tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(EVENTS)
    outcome = tidelog("stream", "paths.rls", "--source", "u.ndjson", *arguments)
    assert outcome.code != 0
    assert text in " ".join(outcome.err.split())
    assert outcome.out == ""


DOORS = """
    intrusion(?d) :- just_opened(?d), ~badge(?d) .
    seldom(?d) :- opened_lately(?d), ~badge(?d) .
    @output intrusion . @output seldom .
"""
SEVERAL = [
    *("--window", "doors:2s/1s,opened=just_opened"),
    *("--window", "doors:1h/1s,opened=opened_lately"),
    *("--window", "badges:10s/1s"),
]


def test_several_windows_over_several_streams(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "doors.rls").write_text(DOORS)
    (workspace / "opened.csv").write_text("time,door\n1,north\n5,south\n")
    (workspace / "badge.csv").write_text("time,door\n2,north\n30,south\n")
    sources = ["--source", "doors=opened.csv", "--source", "badges=badge.csv"]
    outcome = tidelog("stream", "doors.rls", *sources, *SEVERAL, "--changes", "out")
    assert outcome.code == 0, outcome.err
    head = "time,update,change,explicit,c0"
    intrusions = ["1.0,1,1,false,north", "2.0,2,-1,false,north", "5.0,4,1,false,south", "7.0,5,-1,false,south"]
    assert (workspace / "out/intrusion.csv").read_text().splitlines() == [head, *intrusions]
    seldom = [*intrusions[:3], "12.0,6,1,false,north", "30.0,7,-1,false,south"]
    assert (workspace / "out/seldom.csv").read_text().splitlines() == [head, *seldom]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--source", "a", "--window", "10s,p"], "'10s,p': behind the window's length names are changed by PREDICATE=NEW"),
        (["--source", "a", "--window", "10s,p=q,p=r"], "each once"),
        (["--source", "a", "--window", "10s", "--window", "x:10s"], "each --window names its own"),
        (["--source", "a", "--source", "b", "--window", "10s"], "several --source are for several streams"),
        (["--source", "x=a", "--source", "b", "--window", "x:10s", "--window", "y:1s"], "--source b: each stream"),
        (["--source", "x=a", "--window", "x:10s", "--window", "y:1s"], "the stream y is looked at, too: --source y=FILE"),
    ],
)
def test_streams_and_windows_that_do_not_fit(arguments: list[str], text: str, tidelog: Tidelog, workspace: Path) -> None:
    outcome = tidelog("stream", "paths.rls", *arguments)
    assert outcome.code == 2
    assert text in " ".join(outcome.err.split())
