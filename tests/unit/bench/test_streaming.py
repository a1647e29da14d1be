"""The benchmark of `tidelog stream`: what it sends, and what it makes of the answer."""

from __future__ import annotations

from tidelog.bench.options import Options
from tidelog.bench.streaming import Moment, Replay, Setting, readings, run, section
from tidelog.io.bad_rows import BadRows
from tidelog.io.updates import Lines
from tidelog.rdf.stream import Triples

HOUR = Setting(10_000, 60, 600)


def test_readings_are_triples_of_one_second() -> None:
    lines = [line.encode() for line in readings(30, 7).splitlines()]
    update = Triples(Lines("readings", lines), BadRows()).take(wait=True)
    assert update.time == 1_772_366_407
    assert len(set(update.insert["triple"])) == len(lines) == 30


def test_a_stream_goes_through_the_command() -> None:
    (found,) = run(Options(size="tiny"), lambda text: None)
    assert not found.problems
    assert len(found.rows) == 10
    assert "3,000 triples" in found.notes[0]
    assert "10 updates" in found.notes[1]


def moments(*resident: int) -> tuple[Moment, ...]:
    return tuple(Moment(60 * (n + 1), 50.0 * (n + 1), megabytes * 10**6) for n, megabytes in enumerate(resident))


def test_memory_is_judged_once_the_window_has_been_full_for_a_while() -> None:
    steady = section(HOUR, Replay(moments(100, 300, 500, 600, 580, 600, 590, 610, 600, 600), 500, 200, "", False))
    growing = section(HOUR, Replay(moments(*range(100, 1100, 100)), 500, 200, "", False))
    assert [verdict.met for verdict in steady.verdicts] == [True, True]
    assert [verdict.met for verdict in growing.verdicts] == [True, False]


def test_what_is_too_slow_or_fails_is_said() -> None:
    slow = section(HOUR, Replay(moments(*[600] * 10), 700, 200, "", False))
    failed = section(HOUR, Replay((), 1, 1, "no such option", True))
    assert [verdict.met for verdict in slow.verdicts] == [False, True]
    assert (failed.problems, failed.verdicts) == (("no such option",), ())
