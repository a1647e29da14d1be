"""`tidelog check` and `tidelog fmt`: programs without running them."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import PATHS, Tidelog


def test_check_shows_strata_recursive_rules_and_plans(tidelog: Tidelog) -> None:
    outcome = tidelog("check", "paths.rls")
    assert outcome.code == 0
    assert outcome.lines[0] == "2 rules in 2 strata, no problems found"
    assert "stratum 1, only given facts: edge" in outcome.lines
    assert "stratum 2, recursive" in outcome.lines
    assert "  * path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ." in outcome.lines
    assert any("when edge(?y, ?z) changes" in line for line in outcome.lines)


def test_check_of_a_program_without_rules(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "facts.rls").write_text("p(1) . q(2) .")
    assert tidelog("check", "facts.rls").lines == ["no rules, 2 facts, no problems found"]


def test_check_without_plans(tidelog: Tidelog) -> None:
    assert not any("changes" in line for line in tidelog("check", "paths.rls", "--no-plans").lines)


def test_check_with_a_single_stratum(tidelog: Tidelog) -> None:
    assert tidelog("check", "paths.rls", "--strata", "single").lines[0] == "2 rules in 1 stratum, no problems found"


def test_check_shows_rules_as_written_and_the_helping_ones(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "n.rls").write_text("p(?x) :- q(?x), ~r(?x, _) .")
    out = tidelog("check", "n.rls").out
    assert "p(?x) :- q(?x), ~r(?x, _) ." in out
    assert "r__any_1(?x) :- r(?x, ?_1) ." in out


def test_check_shows_the_decomposition_of_a_cyclic_rule(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "c.rls").write_text(
        "p(?x, ?y) :- a(?x, ?u), b(?u, ?y), c(?x, ?v), d(?v, ?y) .\nq(?x) :- a(?x, ?y), b(?y, ?z) ."
    )
    out = tidelog("check", "c.rls").out
    assert "hypertree width 2, estimated cost 2,100,000, against 2.0e+08 for one join of the whole body" in out
    assert "- a(?x, ?u); b(?u, ?y) -> ?x, ?y, about 10,000" in out
    assert "- c(?x, ?v); d(?v, ?y) -> ?x, ?y, about 10,000" in out
    assert "hypertree width 1: acyclic" in out


def test_check_shows_the_rules_over_nodes(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "c.rls").write_text("x(?u, ?w) :- in(?p, ?u), of(?p, ?v), in(?q, ?v), of(?q, ?w), in(?r, ?w), of(?r, ?u) .")
    out = tidelog("check", "c.rls").out
    assert "evaluated over nodes, by elimination of variables" in out
    assert "  x__1(?u, ?v) :- in(?p, ?u), of(?p, ?v) ." in out


def test_check_shows_atoms_that_are_matched_together(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "t.rls").write_text("t(?x) :- e(?x, ?y), e(?y, ?z), e(?z, ?x) .")
    out = tidelog("check", "t.rls").out
    assert "scan e(?x, ?y); whichever has fewest: probe on 1: e(?y, ?z) & probe on 2: e(?z, ?x)" in out


def test_check_draws_decompositions(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "c.rls").write_text("p(?x, ?y) :- a(?x, ?u), b(?u, ?y), c(?x, ?v), d(?v, ?y) .")
    lines = tidelog("check", "c.rls", "--format", "mermaid").lines
    assert lines[0] == "graph TD"
    assert "    r1n1 --- r1n2" in lines


def test_check_says_when_a_body_is_too_large_to_decompose(tidelog: Tidelog, workspace: Path) -> None:
    body = ", ".join(f"e(?x{i}, ?x{j})" for i in range(8) for j in range(i))
    (workspace / "c.rls").write_text(f"p(?x1) :- {body} .")
    assert "hypertree width not determined: 28 body atoms have too many combinations" in tidelog("check", "c.rls").out


def test_check_reports_every_problem(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "wrong.rls").write_text("p(?x) :- q(?y) .\np(a) :- .\nq(a, b) .\n")
    outcome = tidelog("check", "wrong.rls")
    assert outcome.code == 1
    assert all(f"wrong.rls:{line}:" in outcome.err for line in (1, 2, 3))


def test_fmt_prints_the_formatted_program(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "ugly.rls").write_text("p( ?x ):-q(?x).q( a ).")
    assert tidelog("fmt", "ugly.rls").lines == ["p(?x) :- q(?x) .", "q(a) ."]


def test_fmt_check_fails_for_what_it_would_change_and_changes_nothing(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "ugly.rls").write_text("p(a).")
    outcome = tidelog("fmt", "--check", "ugly.rls", "paths.rls")
    assert outcome.code == 1
    assert outcome.err.splitlines() == ["would format ugly.rls"]
    assert (workspace / "ugly.rls").read_text() == "p(a)."


def test_fmt_write_changes_what_differs_and_then_nothing(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "ugly.rls").write_text("p(a).")
    assert tidelog("fmt", "--write", "ugly.rls", "paths.rls").err.splitlines() == ["formatted ugly.rls"]
    assert (workspace / "ugly.rls").read_text() == "p(a) .\n"
    assert (workspace / "paths.rls").read_text() == PATHS
    assert tidelog("fmt", "--check", "ugly.rls").code == 0


def test_fmt_writes_nothing_if_any_file_is_no_program(tidelog: Tidelog, workspace: Path) -> None:
    (workspace / "ugly.rls").write_text("p(a).")
    (workspace / "wrong.rls").write_text("p(a")
    assert tidelog("fmt", "--write", "ugly.rls", "wrong.rls").code == 1
    assert (workspace / "ugly.rls").read_text() == "p(a)."


def test_fmt_check_and_write_exclude_each_other(tidelog: Tidelog) -> None:
    assert tidelog("fmt", "--check", "--write", "paths.rls").code == 2
