"""`tidelog query` and `tidelog explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Tidelog


def test_answers_are_a_table_with_the_variables_on_top(tidelog: Tidelog) -> None:
    outcome = tidelog("query", "paths.rls", "path(?long_name, ?y), ~edge(?long_name, ?y)")
    assert outcome.code == 0
    assert outcome.lines == ["?long_name  ?y", "a           c"]


def test_a_question_without_variables_is_true_or_false(tidelog: Tidelog) -> None:
    assert tidelog("query", "paths.rls", "path(a, c)").lines == ["true"]
    assert tidelog("query", "paths.rls", "path(c, _)").lines == ["false"]


def test_answers_as_csv(tidelog: Tidelog) -> None:
    assert tidelog("query", "paths.rls", "path(a, ?x)", "--format", "csv").lines == ['"x"', '"b"', '"c"']


def test_query_limit(tidelog: Tidelog) -> None:
    outcome = tidelog("query", "paths.rls", "path(?x, ?y)", "--limit", "2")
    assert len(outcome.lines) == 4
    assert "1 more" in outcome.lines[-1]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("pth(?x, ?y)", "did you mean path?"),
        ("path(?x)", "path"),
        ("path(?x, ", "<query>:1:9: error["),
        ("~path(?x, ?y)", "?x"),
        ("", "query"),
    ],
)
def test_a_wrong_question_is_explained(question: str, text: str, tidelog: Tidelog) -> None:
    outcome = tidelog("query", "paths.rls", question)
    assert outcome.code == 1
    assert text in outcome.err
    assert "bug" not in outcome.err


def test_a_proof_goes_down_to_explicit_facts(tidelog: Tidelog) -> None:
    outcome = tidelog("explain", "paths.rls", "path(a, c)")
    assert outcome.code == 0
    assert "edge(a, b)    (explicit)" in outcome.out
    assert "edge(b, c)    (explicit)" in outcome.out


def test_a_fact_that_does_not_hold_is_explained_with_exit_code_one(tidelog: Tidelog) -> None:
    outcome = tidelog("explain", "paths.rls", "path(c, a)")
    assert outcome.code == 1
    assert "does not hold" in outcome.out
    assert "fails: edge(c, a)" in outcome.out
    assert outcome.err == ""


def test_proofs_as_mermaid_and_json(tidelog: Tidelog) -> None:
    assert tidelog("explain", "paths.rls", "path(a, c)", "--format", "mermaid").lines[0] == "flowchart TD"
    proof = json.loads(tidelog("explain", "paths.rls", "path(a, c)", "--format", "json").out)
    assert proof["holds"] is True
    assert proof["fact"] == "path(a, c)"


@pytest.mark.parametrize(
    ("fact", "code", "text"),
    [
        ("path(?x, c)", 2, "variables"),
        ("path(a)", 1, "path has 2 columns"),
        ("pth(a, c)", 1, "did you mean path?"),
        ("path(a, c), edge(a, b)", 1, "one atom"),
        ("path(a,", 1, "<fact>:1:8: error["),
    ],
)
def test_a_wrong_fact_is_explained(fact: str, code: int, text: str, tidelog: Tidelog) -> None:
    outcome = tidelog("explain", "paths.rls", fact)
    assert outcome.code == code
    assert text in outcome.err


def test_prefixes_of_the_program_hold_for_questions_and_facts(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "t.rls").write_text("@prefix : <http://ex.org/> .\n[:a, :q, 1] . [?s, :p, ?o] :- [?s, :q, ?o] .")
    assert tidelog("query", "t.rls", "[?s, :p, ?o]").lines == ["?s  ?o", ":a  1"]
    assert tidelog("explain", "t.rls", "[:a, :p, 1]").code == 0
