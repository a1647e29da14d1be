"""`--engine spark`: the same commands, the same lines, on Spark; and what is said where that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.unit.cli.conftest import Tidelog
from tidelog.cli.failures import exit_code

ON_SPARK = ("--engine", "spark", "--master", "local[2]")
UPDATES = '{"insert": [["edge", "c", "d"]]}\n{"delete": [["edge", "b", "c"]]}\n'


def test_run_prints_what_the_embedded_engine_prints(tidelog: Tidelog, workspace: Path, spark: SparkSession) -> None:
    (workspace / "updates.ndjson").write_text(UPDATES)
    (workspace / "more.csv").write_text("c,1\n")
    arguments = ("run", "paths.rls", "--facts", "edge=more.csv", "--update", "updates.ndjson", "--changes", "-")
    embedded, on_spark = tidelog(*arguments), tidelog(*arguments, *ON_SPARK)
    assert (on_spark.code, on_spark.out) == (0, embedded.out)
    assert on_spark.err.startswith("9 facts: 3 given, 6 derived, in ")
    assert "2 updates in " in on_spark.err
    assert "now 6 facts: 3 given, 3 derived" in on_spark.err
    assert tidelog("run", "paths.rls", *ON_SPARK).out == tidelog("run", "paths.rls").out


def test_stream_tells_the_same_changes(tidelog: Tidelog, workspace: Path, spark: SparkSession) -> None:
    (workspace / "updates.ndjson").write_text(UPDATES)
    arguments = ("stream", "paths.rls", "--source", "updates.ndjson")
    assert tidelog(*arguments, *ON_SPARK).out == tidelog(*arguments).out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "paths.rls", "--master", "local[2]"), "add --engine spark"),
        (("stream", "--query", "paths.rls", "--source", "-", "--engine", "spark"), "leave --engine spark out"),
    ],
)
def test_options_that_make_no_sense_together(tidelog: Tidelog, arguments: tuple[str, ...], text: str) -> None:
    outcome = tidelog(*arguments)
    assert outcome.code == 2
    assert text in outcome.err


def test_without_pyspark_one_line_says_what_to_install(tidelog: Tidelog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.session.find_spec", lambda name: None)
    outcome = tidelog("run", "paths.rls", "--engine", "spark")
    assert outcome.code == 1
    assert outcome.err.splitlines()[1:] == ["    hint: pip install 'tidelog[spark]'"]


def test_without_java_one_sentence_says_so(tidelog: Tidelog, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tidelog.spark.session.borrowed", lambda master: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    outcome = tidelog("run", "paths.rls", "--engine", "spark")
    assert (outcome.code, len(outcome.err.splitlines())) == (1, 2)
    assert "Spark needs Java, and there is none" in outcome.err


def test_a_master_that_is_none(tidelog: Tidelog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.spark.session.borrowed", lambda master: None)
    outcome = tidelog("run", "paths.rls", "--engine", "spark", "--master", "locale[2]")
    assert outcome.code == 1
    assert "'locale[2]' is no master of Spark's" in outcome.err


def test_what_spark_gives_up_is_told_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    from pyspark.errors import PySparkException

    def command() -> int:
        raise PySparkException("An error occurred while calling o1.\n: org.apache.spark.SparkException: no disk\n\tat a.b(c)")

    assert exit_code(command) == 1
    assert capsys.readouterr().err.splitlines() == [
        "error: Spark gave up: org.apache.spark.SparkException: no disk; the update that was under way is not applied",
        "    hint: run again with TIDELOG_TRACEBACK=1 to see all that Spark says",
    ]


def test_a_warehouse_is_kept_and_gone_on_from(tidelog: Tidelog, workspace: Path, spark: SparkSession) -> None:
    kept = ("--warehouse", "kept")
    first = tidelog("run", "paths.rls", *ON_SPARK, *kept)
    assert (first.code, first.out, first.err.splitlines()[1:]) == (0, "", ["kept is at version 0"])
    (workspace / "updates.ndjson").write_text(UPDATES)
    told = tidelog("stream", "paths.rls", "--source", "updates.ndjson", *ON_SPARK, *kept)
    assert [line[:12] for line in told.lines] == ['{"update": 1', '{"update": 2']
    assert told.err.splitlines()[-1] == "kept is at version 2, on from version 0"
    assert tidelog("query", "paths.rls", "path(?x, ?y)", *kept).lines == ["?x  ?y", "a   b", "c   d"]
    assert tidelog("run", "paths.rls", *ON_SPARK, *kept, "--limit", "5").lines == ["path(a, b) .", "path(c, d) ."]
    more = tidelog("run", "paths.rls", *ON_SPARK, *kept, "--facts", "edge=more.csv")
    assert (more.code, "--update insert:NAME=FILE" in more.err) == (2, True)
    (workspace / "other.rls").write_text("p(?x) :- q(?x) .")
    other = tidelog("run", "other.rls", *ON_SPARK, *kept)
    assert (other.code, "the warehouse is of another program" in other.err) == (1, True)


def test_a_warehouse_needs_spark_to_be_kept(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--warehouse", "kept")
    assert (outcome.code, "`tidelog query` and `explain` read one without; add --engine spark" in outcome.err) == (2, True)
