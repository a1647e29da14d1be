"""`tidelog run --update ... --changes ...`: which updates, what they change, and what becomes of bad ones."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.unit.cli.conftest import Tidelog
from tidelog.materialisation import ALGORITHMS

COMMAND = [sys.executable, "-m", "tidelog.cli"]
ADD, MOVE = '{"insert": [["edge", "c", "d"]]}', '{"delete": [["edge", "a", "b"]], "insert": [["edge", "d", "e"]]}'


@pytest.fixture(autouse=True)
def _files(workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(f"{ADD}\n{MOVE}\n")
    (workspace / "new.csv").write_text("c,d\n")
    (workspace / "gone.csv").write_text("a,b\n")


def feed(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_updates_are_applied_before_the_facts_are_printed(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--update", "u.ndjson")
    assert outcome.code == 0
    assert [line.removesuffix(" .") for line in outcome.lines] == [
        *("path(b, c)", "path(b, d)", "path(b, e)", "path(c, d)", "path(c, e)", "path(d, e)"),
    ]
    assert "5 facts: 2 given, 3 derived" in outcome.err
    assert "2 updates in" in outcome.err
    assert "8 facts appeared, 4 vanished; now 9 facts: 3 given, 6 derived" in outcome.err


def test_the_feed_tells_exactly_what_appeared_and_vanished(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "-")
    first, second = feed(outcome.out)
    assert first == {
        "update": 1,
        "insert": [["edge", "c", "d"], ["path", "a", "d"], ["path", "b", "d"], ["path", "c", "d"]],
        "delete": [],
        "explicit": {"insert": [["edge", "c", "d"]], "delete": []},
    }
    assert second["delete"] == [["edge", "a", "b"], ["path", "a", "b"], ["path", "a", "c"], ["path", "a", "d"]]
    assert second["explicit"] == {"insert": [["edge", "d", "e"]], "delete": [["edge", "a", "b"]]}


def test_an_update_that_changes_nothing_has_its_line(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "n.ndjson").write_text('{"insert": [["edge", "a", "b"]], "delete": [["edge", "x", "y"]]}\n')
    (line,) = feed(tidelog("run", "paths.rls", "--update", "n.ndjson", "--changes", "-").out)
    assert line == {"update": 1, "insert": [], "delete": [], "explicit": {"insert": [], "delete": []}}


def test_terms_of_every_kind_go_through_the_feed(tidelog: Tidelog, workspace: Path) -> None:
    terms = ["é", 1, 1.0, True, {"term": "<http://ex.org/a>"}, {"term": '"1.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'}]
    (workspace / "t.ndjson").write_text(json.dumps({"insert": [["edge", "a", term] for term in terms]}) + "\n")
    (line,) = feed(tidelog("run", "paths.rls", "--update", "t.ndjson", "--changes", "-").out)
    found = [fact[2] for fact in line["explicit"]["insert"]]
    assert sorted(map(repr, found)) == sorted(map(repr, terms))


def test_the_feed_of_one_program_is_the_updates_of_the_next(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "first.rls").write_text("@output path .\n" + (workspace / "paths.rls").read_text())
    (workspace / "next.rls").write_text("from(?x) :- path(?x, _) .")
    (workspace / "feed.ndjson").write_text(tidelog("run", "first.rls", "--update", "u.ndjson", "--changes", "-").out)
    lines = feed(tidelog("run", "next.rls", "--update", "feed.ndjson", "--changes", "-").out)
    assert [fact for fact in lines[0]["insert"] if fact[0] == "from"] == [["from", "a"], ["from", "b"], ["from", "c"]]
    assert [fact for fact in lines[1]["delete"] if fact[0] == "from"] == [["from", "a"]]


def test_output_directives_choose_what_the_feed_tells(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "out.rls").write_text("@output path .\n" + (workspace / "paths.rls").read_text())
    lines = feed(tidelog("run", "out.rls", "--update", "u.ndjson", "--changes", "-").out)
    assert {fact[0] for line in lines for fact in line["insert"] + line["delete"]} == {"path"}
    assert lines[0]["explicit"] == {"insert": [], "delete": []}


def test_the_feed_as_tables(tidelog: Tidelog, workspace: Path) -> None:
    outcome = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "made/feed")
    assert outcome.lines  # the facts are printed as without a feed
    rows = list(csv.reader((workspace / "made" / "feed" / "edge.csv").open()))
    assert rows[0] == ["update", "change", "explicit", "c0", "c1"]
    assert rows[1:] == [["1", "1", "true", "c", "d"], ["2", "-1", "true", "a", "b"], ["2", "1", "true", "d", "e"]]
    paths = list(csv.DictReader((workspace / "made" / "feed" / "path.csv").open()))
    assert len(paths) == 9
    assert {row["explicit"] for row in paths} == {"false"}
    assert "path.csv (9 changes)" in outcome.err


def test_the_feed_as_parquet(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "n.ndjson").write_text('{"insert": [["edge", 1, 2]]}\n{"delete": [["edge", 1, 2], ["edge", "b", "c"]]}\n')
    assert tidelog("run", "paths.rls", "--update", "n.ndjson", "--changes", "made", "--format", "parquet").code == 0
    rows = pq.read_table(workspace / "made" / "edge.parquet").to_pylist()
    assert [(row["update"], row["change"], row["explicit"]) for row in rows] == [(1, 1, True), (2, -1, True), (2, -1, True)]


def test_every_predicate_of_the_feed_has_its_table_even_without_changes(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "n.rls").write_text("wet :- raining . p(1) .")
    (workspace / "n.ndjson").write_text('{"insert": [["raining"]]}\n')
    for form in ("csv", "parquet"):
        assert tidelog("run", "n.rls", "--update", "n.ndjson", "--changes", form, "--format", form).code == 0
        assert sorted(file.stem for file in (workspace / form).iterdir()) == ["p", "raining", "wet"]
    assert (workspace / "csv" / "p.csv").read_text() == "update,change,explicit,c0\n"
    assert (workspace / "csv" / "wet.csv").read_text() == "update,change,explicit\n1,1,false\n"
    assert pq.read_table(workspace / "parquet" / "p.parquet").num_rows == 0


@pytest.mark.parametrize("tables", ["delete:edge=gone.csv,insert:edge=new.csv", "insert:edge=new.csv,delete:edge=gone.csv"])
def test_tables_make_one_update(tables: str, tidelog: Tidelog) -> None:
    (line,) = feed(tidelog("run", "paths.rls", "--update", tables, "--changes", "-").out)
    assert line["explicit"] == {"insert": [["edge", "c", "d"]], "delete": [["edge", "a", "b"]]}


def test_updates_of_both_kinds_in_the_order_given(tidelog: Tidelog) -> None:
    words = ("--update", "delete:edge=gone.csv", "--update", "u.ndjson", "--update", "insert:edge=gone.csv")
    lines = feed(tidelog("run", "paths.rls", *words, "--changes", "-").out)
    assert [line["update"] for line in lines] == [1, 2, 3, 4]
    assert lines[0]["explicit"]["delete"] == lines[3]["explicit"]["insert"] == [["edge", "a", "b"]]
    assert lines[2]["explicit"]["delete"] == []


def test_names_with_prefixes_and_file_names_with_commas(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "i.rls").write_text("@prefix ex: <http://ex.org/> .\nex:p(?x) :- ex:q(?x) .\n<http://ex.org/?a=b>(1) .")
    (workspace / "a,b.csv").write_text("1\n")
    tables = "insert:ex:q=a,b.csv,insert:<http://ex.org/?a=b>=a,b.csv,delete:ex:q=a,b.csv"
    (line,) = feed(tidelog("run", "i.rls", "--update", tables, "--changes", "-").out)
    assert line["insert"] == [["http://ex.org/p", 1], ["http://ex.org/q", 1]]


def test_rdf_files_are_updates_of_triples(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "t.rls").write_text("@prefix : <http://ex.org/> .\n[?s, :p, ?o] :- [?s, :q, ?o] .")
    (workspace / "new.nt").write_text("<http://ex.org/a> <http://ex.org/q> <http://ex.org/b> .\n")
    assert tidelog("run", "t.rls", "--update", "insert:triple=new.nt").lines == [
        "[:a, :p, :b] .",
        "[:a, :q, :b] .",
    ]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_gives_the_same_feed(algorithm: str, tidelog: Tidelog) -> None:
    usual = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "-").out
    outcome = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "-", "--algorithm", algorithm, "--stats")
    assert outcome.out == usual
    if algorithm != "auto":
        assert outcome.err.count(f"by {algorithm} (as asked)") == 2


def test_an_unknown_algorithm_is_a_usage_error(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--algorithm", "magic")
    assert outcome.code == 2
    assert "'ranked'" in outcome.err


def test_stats_tell_of_each_update_what_it_took_and_why(tidelog: Tidelog) -> None:
    shown = tidelog("run", "paths.rls", "--update", "u.ndjson", "--stats").err
    first, second = (line for line in shown.splitlines() if line.startswith("update "))
    assert first.startswith("update 1: 4 appeared, 0 vanished, by ")
    assert second.startswith("update 2: 4 appeared, 4 vanished, by ")
    for word in ("(", "rule instance", "round", " ms"):
        assert word in first


# --- what can be wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        ("none.ndjson", 1, "none.ndjson: no such file"),
        (".", 1, "is a directory"),
        ("new.csv", 2, "insert:NAME=new.csv or delete:NAME=new.csv"),
        ("edge=new.csv", 2, "write insert:edge=new.csv or delete:edge=new.csv"),
        ("insert:edge", 2, "not of the form insert:NAME=FILE"),
        ("insert:=new.csv", 2, "not of the form insert:NAME=FILE"),
        ("insert:edge=new.csv,delete:edge", 2, "'delete:edge' is not of the form"),
        ("insert:egde=new.csv", 1, "did you mean edge?"),
        ("insert:edge=none.csv", 1, "none.csv: no such file"),
        ("insert:edge=u.ndjson", 1, "the name does not say which format"),
    ],
)
def test_a_wrong_update_argument_is_explained_before_anything_runs(value: str, code: int, text: str, tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--update", value)
    assert outcome.code == code
    assert text in outcome.err
    assert outcome.out == ""
    assert "derived" not in outcome.err


def test_changes_without_updates_is_a_usage_error(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--changes", "-")
    assert outcome.code == 2
    assert "add --update FILE" in outcome.err


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("oops", "not JSON"),
        ('{"insert": [["edge", 1, 2], ["edge", 1]]}', "insert edge, fact 2: 1 value in (1,), where 2 are needed"),
        (
            '{"insert": [["edge", 1, 2]], "delete": [["egde", 1, 2]]}',
            "no rule, fact or import of the program has the predicate 'egde' (did you mean edge?)",
        ),
    ],
)
def test_a_bad_line_stops_the_run_and_what_came_before_it_stands(
    line: str, text: str, tidelog: Tidelog, workspace: Path
) -> None:
    (workspace / "bad.ndjson").write_text(f"{ADD}\n\n{line}\n{MOVE}\n")
    outcome = tidelog("run", "paths.rls", "--update", "bad.ndjson", "--changes", "-", "--out", "made")
    assert outcome.code == 1
    assert [change["update"] for change in feed(outcome.out)] == [1]
    assert f"bad.ndjson:3: {text}" in outcome.err
    assert "1 update before it stands" in outcome.err
    assert not (workspace / "made").exists()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_tables_of_a_stopped_run_hold_what_came_before(form: str, tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "bad.ndjson").write_text(f"{ADD}\noops\n")
    assert tidelog("run", "paths.rls", "--update", "bad.ndjson", "--changes", "made", "--format", form).code == 1
    file = workspace / "made" / f"edge.{form}"
    assert (len(file.read_text().splitlines()) - 1 if form == "csv" else pq.read_table(file).num_rows) == 1


def test_bad_lines_are_skipped_counted_and_written_on_request(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "bad.ndjson").write_text(f'{ADD}\noops\n{{"insert": [["edge", 1, 2], ["edge", 1]]}}\n{MOVE}\n')
    outcome = tidelog("run", "paths.rls", "--update", "bad.ndjson", "--changes", "-", "--on-bad-row", "skip")
    assert outcome.code == 0
    assert [change["update"] for change in feed(outcome.out)] == [1, 4]
    assert "2 bad rows were skipped" in outcome.err
    rows = list(csv.DictReader((workspace / "bad-rows.csv").open()))
    assert [(row["source"], row["row"]) for row in rows] == [("bad.ndjson", "2"), ("bad.ndjson", "3")]


def test_bad_rows_of_tables_are_skipped_one_by_one(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "dirty.csv").write_text("c,d\nonly one\nd,e\n")
    outcome = tidelog("run", "paths.rls", "--update", "insert:edge=dirty.csv")
    assert outcome.code == 1
    assert "dirty.csv:2:" in outcome.err
    outcome = tidelog("run", "paths.rls", "--update", "insert:edge=dirty.csv", "--on-bad-row", "skip")
    assert "path(a, e) ." in outcome.lines
    assert "only one" in (workspace / "bad-rows.csv").read_text()


def test_a_directory_that_cannot_be_made_is_named(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "file").write_text("")
    outcome = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "file/feed")
    assert outcome.code == 1
    assert "file/feed" in outcome.err
    assert "bug" not in outcome.err


# --- streams ----------------------------------------------------------------------------------------------------------


def test_updates_from_standard_input(tidelog: Tidelog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{ADD}\noops".encode())))
    outcome = tidelog("run", "paths.rls", "--update", "-", "--changes", "-")
    assert len(outcome.lines) == 1
    assert "<standard input>:2: not JSON" in outcome.err


def test_the_program_from_standard_input(tidelog: Tidelog, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO((workspace / "paths.rls").read_text()))
    assert len(tidelog("run", "-").lines) == 3
    monkeypatch.setattr(sys, "stdin", io.StringIO("p(?x) :- q(?y) ."))
    assert "<standard input>:1:3: error[" in tidelog("run", "-").err
    assert tidelog("run", "-", "--update", "-").code == 2


def streaming(workspace: Path, *words: str) -> subprocess.Popen[str]:
    """A run that waits for updates on its standard input."""
    pipe = subprocess.PIPE
    command = [*COMMAND, "run", "paths.rls", "--update", "-", "--changes", *words]
    return subprocess.Popen(command, cwd=workspace, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_changes_are_told_as_soon_as_an_update_arrives(workspace: Path) -> None:
    with streaming(workspace, "-") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number, line in enumerate((ADD, MOVE), 1):
            process.stdin.write(line + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["update"] == number
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_ctrl_c_ends_a_stream_with_its_tables_written(form: str, workspace: Path) -> None:
    with streaming(workspace, "made", "--format", form, "--stats", "--on-bad-row", "skip") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(f"oops\n{ADD}\n")
        process.stdin.flush()
        while not process.stderr.readline().startswith("update 2"):
            pass
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "stopped by Ctrl-C" in err
    assert "1 bad row was skipped" in err
    file = workspace / "made" / f"edge.{form}"
    assert (len(file.read_text().splitlines()) - 1 if form == "csv" else pq.read_table(file).num_rows) == 1
