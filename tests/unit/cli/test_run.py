"""`tidelog run`: what it prints, what it writes, what it says about bad rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.unit.cli.conftest import Tidelog


def test_derived_facts_are_printed_in_rule_syntax_and_in_order(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls")
    assert outcome.code == 0
    assert outcome.lines == ["path(a, b) .", "path(a, c) .", "path(b, c) ."]
    assert "5 facts: 2 given, 3 derived" in outcome.err


def test_output_directives_choose_the_predicates(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "out.rls").write_text("@output p .\np(1) . p(-2) . p(1.5) . p(a) . q(?x) :- p(?x) .")
    assert tidelog("run", "out.rls").lines == ["p(-2) .", "p(1) .", "p(1.5) .", "p(a) ."]


def test_a_program_of_facts_alone_shows_them(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "facts.rls").write_text('q("two words") . p() .')
    assert tidelog("run", "facts.rls").lines == ["p() .", 'q("two words") .']


def test_what_is_printed_is_a_program_again(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "terms.rls").write_text(
        '@prefix ex: <http://ex.org/> .\np(?x) :- q(?x) . q(ex:a), q("x\\"y\\n"@en), q(1e9), q(true) .'
    )
    printed = tidelog("run", "terms.rls").out
    (workspace / "again.rls").write_text("@prefix ex: <http://ex.org/> .\n" + printed)
    assert tidelog("run", "again.rls").out == printed


def test_limit_says_how_many_are_left_out(tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--limit", "1")
    assert outcome.lines[0] == "path(a, b) ."
    assert outcome.lines[1].startswith("% ... and 2 more path facts")
    assert len(tidelog("run", "paths.rls", "--limit", "0").lines) == 3


def test_facts_come_from_files(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "more.csv").write_text("c,d\n")
    (workspace / "more.tsv").write_text("d\te\n")
    outcome = tidelog("run", "paths.rls", "--facts", "edge=more.csv", "--facts", "edge=more.tsv")
    assert "path(a, e) ." in outcome.lines


def test_a_misspelt_predicate_is_noticed(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "more.csv").write_text("c,d\n")
    assert "did you mean edge?" in tidelog("run", "paths.rls", "--facts", "egde=more.csv").err


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        ("edge", 2, "NAME=FILE"),
        ("=more.csv", 2, "NAME=FILE"),
        ("edge=", 2, "NAME=FILE"),
        ("edge=more.xls", 1, "known endings"),
        ("edge=none.csv", 1, "error: none.csv: no such file"),
        ("e dge=none.csv", 2, "'e dge' is not the name of a predicate"),
    ],
)
def test_a_wrong_facts_argument_is_explained(value: str, code: int, text: str, tidelog: Tidelog) -> None:
    outcome = tidelog("run", "paths.rls", "--facts", value)
    assert outcome.code == code
    assert text in outcome.err


def test_imports_are_looked_for_beside_the_program_or_in_the_input_directory(tidelog: Tidelog, workspace: Path) -> None:
    for name, row in (("a", "1"), ("b", "2")):
        (workspace / name).mkdir()
        (workspace / name / "q.csv").write_text(row + "\n")
    (workspace / "a" / "p.rls").write_text('@import q :- csv { resource = "q.csv" } .\np(?x) :- q(?x) .')
    assert tidelog("run", "a/p.rls").lines == ["p(1) ."]
    assert tidelog("run", "a/p.rls", "--input", "b").lines == ["p(2) ."]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_out_writes_a_file_for_each_output(form: str, tidelog: Tidelog, workspace: Path) -> None:
    outcome = tidelog("run", "paths.rls", "--out", "made/here", "--format", form)
    assert outcome.code == 0
    assert outcome.out == ""
    file = workspace / "made" / "here" / f"path.{form}"
    assert str(file.relative_to(workspace)) in outcome.err
    if form == "csv":
        assert sorted(file.read_text().splitlines()) == ["a,b", "a,c", "b,c"]
    else:
        assert pq.read_table(file).num_rows == 3


def test_out_writes_triples(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "t.rls").write_text("@prefix : <http://ex.org/> .\n[:a, :q, 1] . [?s, :p, ?o] :- [?s, :q, ?o] .")
    assert tidelog("run", "t.rls", "--out", "made", "--format", "nt").code == 0
    assert len((workspace / "made" / "triple.nt").read_text().splitlines()) == 2


def test_predicates_that_are_iris_get_file_names(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "i.rls").write_text("<http://ex.org/p>(a) . <http://ex.org/P>(b) .")
    assert tidelog("run", "i.rls", "--out", "made").code == 0
    assert sorted(file.name for file in (workspace / "made").iterdir()) == ["http_ex_org_P.csv", "http_ex_org_p_2.csv"]


def test_exports_are_carried_out_with_and_without_out(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "e.rls").write_text('@export p :- csv { resource = "sub/p.csv" } .\np(1) .')
    assert tidelog("run", "e.rls").code == 0
    assert (workspace / "sub" / "p.csv").read_text() == "1\n"
    assert tidelog("run", "e.rls", "--out", "made").code == 0
    assert (workspace / "made" / "sub" / "p.csv").exists()


def test_a_bad_row_stops_everything_and_is_named(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "more.csv").write_text("c,d\nonly one\n")
    outcome = tidelog("run", "paths.rls", "--facts", "edge=more.csv")
    assert outcome.code == 1
    assert outcome.out == ""
    assert "more.csv:2:" in outcome.err
    assert "--on-bad-row skip" in outcome.err


def test_bad_rows_are_skipped_counted_and_written_on_request(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "more.csv").write_text("c,d\nonly one\n")
    outcome = tidelog("run", "paths.rls", "--facts", "edge=more.csv", "--on-bad-row", "skip")
    assert outcome.code == 0
    assert "path(a, d) ." in outcome.lines
    assert "1 bad row was skipped" in outcome.err
    assert "only one" in (workspace / "bad-rows.csv").read_text()


def test_stats_tell_what_was_done(tidelog: Tidelog) -> None:
    shown = tidelog("run", "paths.rls", "--stats").err
    assert "rule instances" in shown
    assert "rounds" in shown
    assert "path" in shown


@pytest.mark.parametrize("strata", ["granular", "single"])
def test_strata_do_not_change_the_answer(strata: str, tidelog: Tidelog) -> None:
    assert len(tidelog("run", "paths.rls", "--strata", strata).lines) == 3


def test_a_program_with_problems_is_not_run(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "wrong.rls").write_text("p(?x) :- q(?y) .\np(?x) :- r(?x), ~p(?x) .\n")
    outcome = tidelog("run", "wrong.rls")
    assert outcome.code == 1
    assert "wrong.rls:1:3" in outcome.err
    assert "wrong.rls:2:" in outcome.err
    assert "2 problems found" in outcome.err


def test_a_missing_program_is_a_usage_error(tidelog: Tidelog) -> None:
    assert tidelog("run", "none.rls").code == 2
