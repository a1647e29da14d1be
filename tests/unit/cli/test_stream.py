"""`tidelog stream`: updates in, changes out, until the source ends or somebody says stop."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Tidelog
from tests.unit.cli.test_command import COMMAND
from tests.unit.cli.test_updates import ADD, MOVE
from tidelog.cli.live import Live
from tidelog.materialisation import Materialisation

KNOWS = "[?x, <http://e/knows>, ?z] :- [?x, <http://e/knows>, ?y], [?y, <http://e/knows>, ?z] .\n"
SECOND = '"2026-01-01T00:00:0{}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def feed(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("algorithm", ["auto", "bf-marking", "dred-marking"])
def test_changes_of_a_file_of_updates(algorithm: str, tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(f"{ADD}\n\n{MOVE}\n")
    outcome = tidelog("stream", "paths.rls", "--source", "u.ndjson", "--algorithm", algorithm)
    assert outcome.code == 0
    same = tidelog("run", "paths.rls", "--update", "u.ndjson", "--changes", "-")
    assert feed(outcome.out) == feed(same.out)
    assert "2 updates in" in outcome.err


def test_tables_of_changes(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(f"{ADD}\n")
    outcome = tidelog("stream", "paths.rls", "--source", "u.ndjson", "--changes", "made")
    assert outcome.out == ""
    assert (workspace / "made" / "edge.csv").read_text().startswith("update,change,explicit")


def triples(*lines: str) -> str:
    return "".join(f"<http://e/{line[0]}> <http://e/knows> <http://e/{line[1]}>{line[2:]} .\n" for line in lines)


def test_triples_of_one_time_are_one_update(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "knows.rls").write_text(KNOWS)
    first, second = (" " + SECOND.format(second) for second in (1, 2))
    (workspace / "t.nt").write_text("# a comment\n" + triples("ab" + first, "bc" + first, "cd" + second, "de"))
    outcome = tidelog("stream", "knows.rls", "--source", "t.nt")
    assert [len(changes["explicit"]["insert"]) for changes in feed(outcome.out)] == [2, 1, 1]
    assert [len(changes["insert"]) for changes in feed(outcome.out)] == [3, 3, 4]
    one_by_one = tidelog("stream", "knows.rls", "--source", "t.nt", "--batch", "1")
    assert len(feed(one_by_one.out)) == 4


@pytest.mark.parametrize(
    ("name", "line", "text"),
    [
        ("u.ndjson", "oops", "not JSON"),
        ("u.ndjson", '{"insert": [["egde", 1, 2]]}', "did you mean edge"),
        ("u.ndjson", '{"time": "yesterday"}', "'yesterday' is no time"),
        ("t.nt", "<http://e/a> <http://e/b>", "not a line of N-Triples"),
        ("t.nt", "<http://e/a> <http://e/b> <http://e/c> <http://e/g> .", "no named graphs"),
        ("t.nt", '"a" <http://e/b> <http://e/c> .', "the subject is"),
        ("t.nt", '<http://e/a> <http://e/b> <http://e/c> "noon" .', "'noon' is no time"),
    ],
)
def test_a_bad_line_stops_with_its_place_or_is_skipped(
    name: str, line: str, text: str, tidelog: Tidelog, workspace: Path
) -> None:
    with (workspace / "paths.rls").open("a") as program:
        program.write(KNOWS)
    good = triples("ab") if name == "t.nt" else ADD + "\n"
    (workspace / name).write_text(f"{good}{line}\n{good}")
    stopped = tidelog("stream", "paths.rls", "--source", name, "--batch", "1")
    assert stopped.code == 1
    assert f"{name}:2: " in stopped.err
    assert text in stopped.err
    assert len(feed(stopped.out)) == 1
    skipped = tidelog("stream", "paths.rls", "--source", name, "--batch", "1", "--on-bad-row", "skip")
    assert skipped.code == 0
    assert len(feed(skipped.out)) == 2
    assert "1 bad row was skipped" in skipped.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("-", "--source", "-"), "not both"),
        (("paths.rls", "--source", "-", "--follow"), "--follow is for files"),
        (("paths.rls",), "--source"),
    ],
)
def test_what_cannot_be_meant_is_refused(words: tuple[str, ...], text: str, tidelog: Tidelog) -> None:
    outcome = tidelog("stream", *words)
    assert outcome.code == 2
    assert text in outcome.err


def test_a_missing_source_is_named(tidelog: Tidelog) -> None:
    for more in ([], ["--follow"]):
        outcome = tidelog("stream", "paths.rls", "--source", "none.ndjson", *more)
        assert outcome.code == 1
        assert "none.ndjson" in outcome.err


def streaming(workspace: Path, *words: str, program: str = "paths.rls", **options: Any) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    given = {"stdin": pipe, "stdout": pipe, "stderr": pipe, **options}
    return subprocess.Popen([*COMMAND, "stream", *program.split(), *words], cwd=workspace, text=True, **given)


@pytest.mark.skipif(os.name != "posix", reason="sends signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_follows_a_file_that_grows_until_it_is_told_to_stop(number: signal.Signals, workspace: Path) -> None:
    source = workspace / "u.ndjson"
    source.write_text("")
    with streaming(workspace, "--source", "u.ndjson", "--follow", "--algorithm", "bf-marking") as process:
        assert process.stdout is not None
        for position, line in enumerate((ADD, MOVE), 1):
            with source.open("a") as file:
                file.write(line[:10])
                file.flush()
                file.write(line[10:] + "\n")
            assert json.loads(process.stdout.readline())["update"] == position
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "2 updates in" in err


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal")
def test_a_terminal_shows_how_it_goes(workspace: Path) -> None:
    (workspace / "u.ndjson").write_text(f"{ADD}\n")
    terminal, end = pty.openpty()
    with streaming(workspace, "--source", "u.ndjson", stderr=end) as process:
        process.communicate(timeout=60)
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    assert "1 update, " in shown
    assert " a second, " in shown
    assert " facts, last: " in shown


def test_the_line_tells_the_lag_of_timed_updates(workspace: Path) -> None:
    mat = Materialisation("p(?x) :- q(?x) .")
    changes = mat.update(insert={"q": [(1,)]})
    live = Live(mat, lambda: 0.0)
    live.done(changes)
    assert ", lag 1," in live.text(changes, 1e9) or ", lag " in live.text(changes, 1e9)
