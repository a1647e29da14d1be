"""`tidelog stream --query`: continuous queries over files of events."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Tidelog
from tests.unit.cli.test_stream import streaming

HOT = """
PREFIX : <http://e/>
REGISTER {output} hot AS
SELECT ?room ?t
FROM <house.ttl>
FROM STREAM :readings [RANGE 10s STEP 5s]
WHERE {{ ?sensor :reads ?t ; :in ?room . FILTER (?t > 30) }}
"""
HOUSE = "<http://e/s1> <http://e/in> <http://e/attic> . <http://e/s2> <http://e/in> <http://e/cellar> ."
ATTIC, CELLAR = {"term": "<http://e/attic>"}, {"term": "<http://e/cellar>"}
INTEGER, DECIMAL = "<http://www.w3.org/2001/XMLSchema#integer>", "<http://www.w3.org/2001/XMLSchema#decimal>"
READINGS = [(1, "s1", 35), (2, "s2", 12), (7, "s2", 40), (12, "s1", 36), (21, "s1", 20)]


@pytest.fixture
def house(workspace: Path) -> Path:
    for output in ("QUERY", "ISTREAM", "DSTREAM"):
        (workspace / f"{output.lower()}.rq").write_text(HOT.format(output=output))
    (workspace / "house.ttl").write_text(HOUSE)
    (workspace / "readings.nq").write_text(
        "".join(f'<http://e/{s}> <http://e/reads> "{t}"^^{INTEGER} "{time}"^^{DECIMAL} .\n' for time, s, t in READINGS)
    )
    (workspace / "readings.csv").write_text("time,s,t\n" + "".join(f"{time},{s},{t}\n" for time, s, t in READINGS))
    return workspace


def lines(out: str) -> list[tuple[float, list[Any]]]:
    return [(line["time"], [list(row.values()) for row in line["rows"]]) for line in map(json.loads, out.splitlines())]


def test_the_answers_are_lines(tidelog: Tidelog, house: Path) -> None:
    outcome = tidelog("stream", "--query", "query.rq", "--source", "readings.nq")
    assert outcome.code == 0, outcome.err
    assert lines(outcome.out) == [
        (5, [[ATTIC, 35]]),
        (10, [[ATTIC, 35], [CELLAR, 40]]),
        (15, [[ATTIC, 36], [CELLAR, 40]]),
        (20, [[ATTIC, 36]]),
        (25, []),
    ]
    assert json.loads(outcome.lines[0])["rows"] == [{"room": ATTIC, "t": 35}]
    assert "5 updates in" in outcome.err


def test_changes_of_the_answer(tidelog: Tidelog, house: Path) -> None:
    came = tidelog("stream", "--query", "istream.rq", "--source", "readings.nq")
    assert lines(came.out) == [(5, [[ATTIC, 35]]), (10, [[CELLAR, 40]]), (15, [[ATTIC, 36]])]
    went = tidelog("stream", "--query", "dstream.rq", "--source", "readings.nq")
    assert lines(went.out) == [(15, [[ATTIC, 35]]), (20, [[CELLAR, 40]]), (25, [[ATTIC, 36]])]


def test_rules_make_triples_of_tables(tidelog: Tidelog, house: Path) -> None:
    text = "[?s, <http://e/reads>, ?t] :- readings(?n, ?t), sensor(?n, ?s) .\n"
    (house / "table.rls").write_text(f"{text}sensor(s1, <http://e/s1>) . sensor(s2, <http://e/s2>) .\n")
    outcome = tidelog("stream", "table.rls", "--query", "istream.rq", "--source", "readings.csv")
    assert lines(outcome.out) == [(5, [[ATTIC, 35]]), (10, [[CELLAR, 40]]), (15, [[ATTIC, 36]])]


def test_graphs_may_stand_elsewhere(tidelog: Tidelog, house: Path) -> None:
    (house / "house.ttl").rename(house / "moved.ttl")
    arguments = ("stream", "--query", "istream.rq", "--source", "readings.nq")
    assert len(lines(tidelog(*arguments, "--graph", "house.ttl=moved.ttl").out)) == 3
    missing = tidelog(*arguments)
    assert missing.code == 1
    assert "house.ttl" in missing.err


def test_further_facts_need_no_program(tidelog: Tidelog, house: Path) -> None:
    (house / "bare.rq").write_text((house / "istream.rq").read_text().replace("FROM <house.ttl>", ""))
    outcome = tidelog("stream", "--query", "bare.rq", "--facts", "triple=house.ttl", "--source", "readings.nq")
    assert len(lines(outcome.out)) == 3
    assert "warning" not in outcome.err
    (house / "none.rls").write_text("p(?x) :- [?x, a, b] .\n")
    outcome = tidelog("stream", "none.rls", "--query", "bare.rq", "--facts", "triple=house.ttl", "--source", "readings.nq")
    assert len(lines(outcome.out)) == 3


def test_several_streams(tidelog: Tidelog, house: Path) -> None:
    (house / "two.rq").write_text(
        "PREFIX : <http://e/> REGISTER RSTREAM q COMPUTE EVERY 10s AS SELECT ?t ?u "
        "FROM NAMED WINDOW :a ON :one [RANGE PT30S STEP PT10S] FROM NAMED WINDOW :b ON :two [TRIPLES 1] "
        "{ WINDOW :a { ?s :reads ?t } WINDOW :b { ?s :reads ?u } FILTER (?u < ?t) }"
    )
    outcome = tidelog(
        "stream", "--query", "two.rq", "--source", "http://e/one=readings.nq", "--source", "http://e/two=readings.nq"
    )
    assert outcome.code == 0, outcome.err
    assert lines(outcome.out) == [(10, []), (20, []), (30, [[35, 20], [36, 20]])]
    for sources in (["readings.nq"], ["http://e/one=readings.nq"], ["http://e/one=a", "http://e/one=b"]):
        outcome = tidelog("stream", "--query", "two.rq", *(word for source in sources for word in ("--source", source)))
        assert outcome.code == 2
        assert "--source http://e/two=FILE" in outcome.err or "--source http://e/one=FILE" in outcome.err


def test_late_events(tidelog: Tidelog, house: Path) -> None:
    with (house / "readings.nq").open("a") as file:
        file.write(f'<http://e/s1> <http://e/reads> "99"^^{INTEGER} "3"^^{DECIMAL} .\n')
    outcome = tidelog("stream", "--query", "istream.rq", "--source", "readings.nq", "--late", "late.ndjson", "--lateness", "1s")
    assert "1 update came later than --lateness allows; they are in late.ndjson" in outcome.err
    assert lines(outcome.out) == [(5, [[ATTIC, 35]]), (10, [[CELLAR, 40]]), (15, [[ATTIC, 36]])]


def test_a_bad_query_is_shown(tidelog: Tidelog, house: Path) -> None:
    (house / "bad.rq").write_text(HOT.format(output="QUERY").replace("FILTER", "OPTIONAL {} FILTER"))
    outcome = tidelog("stream", "--query", "bad.rq", "--source", "readings.nq")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "bad.rq:7:41: error[unsupported]: `OPTIONAL` is not supported in continuous queries" in outcome.err


def test_a_bad_line_is_named_or_passed_over(tidelog: Tidelog, house: Path) -> None:
    text = (house / "readings.nq").read_text().splitlines()
    (house / "readings.nq").write_text("\n".join([text[0], "nonsense", *text[1:]]) + "\n")
    outcome = tidelog("stream", "--query", "istream.rq", "--source", "readings.nq")
    assert outcome.code == 1
    assert "readings.nq:2" in outcome.err
    skipping = tidelog("stream", "--query", "istream.rq", "--source", "readings.nq", "--on-bad-row", "skip")
    assert len(lines(skipping.out)) == 3


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
def test_nothing_is_said_of_a_time_that_has_not_come(house: Path) -> None:
    """At the end of the input the last window is over; who is interrupted knows only the answers until then."""
    (house / "every.rq").write_text(HOT.format(output="QUERY").replace(" AS", " COMPUTE EVERY 4s AS"))
    with streaming(house, "--query", "every.rq", "--source", "readings.nq", "--follow", program="") as process:
        assert process.stdout is not None
        before = "".join(process.stdout.readline() for _ in range(4))
        process.send_signal(signal.SIGINT)
        after, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [time for time, _ in lines(before)] == [8, 12, 16, 20]
    assert after == ""


def test_at_the_end_of_the_input_the_last_evaluation_is_made(tidelog: Tidelog, house: Path) -> None:
    (house / "every.rq").write_text(HOT.format(output="QUERY").replace(" AS", " COMPUTE EVERY 4s AS"))
    outcome = tidelog("stream", "--query", "every.rq", "--source", "readings.nq")
    assert [time for time, _ in lines(outcome.out)] == [8, 12, 16, 20, 24, 28]
    assert lines(outcome.out)[-2:] == [(24, [[ATTIC, 36]]), (28, [])]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--source", "readings.nq"], "Missing argument 'PROGRAM'"),
        (["query.rq", "--source", "readings.nq"], "query.rq is a query, by its name: --query query.rq"),
        (["paths.rls", "--source", "a", "--source", "b"], "several --source are for several streams"),
        (["paths.rls", "--source", "a", "--graph", "a=b"], "--graph is for queries"),
        (["--query", "query.rq", "--source", "readings.nq", "--window", "10s"], "a query has windows of its own"),
        (["--query", "query.rq", "--source", "readings.nq", "--changes", "out"], "of a query the answers are told"),
    ],
)
def test_options_that_make_no_sense_together(tidelog: Tidelog, house: Path, arguments: list[str], message: str) -> None:
    outcome = tidelog("stream", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
