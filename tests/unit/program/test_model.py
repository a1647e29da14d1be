"""Programs as values: what they hold, how they print, where they come from."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tidelog.errors import ProgramError
from tidelog.program import Program
from tidelog.syntax import ast
from tidelog.syntax.parser import parse, parse_atom, parse_body

TEXT = """\
@prefix ex: <http://example.org/> .
@import edge :- csv{resource = "edges.csv"} .
path(?x, ?y) :- edge(?x, ?y) .
start :- ~blocked .
path(a, b), ex:p("x") .
@export path :- csv{} .
@output path, start .
"""


def test_what_a_program_holds() -> None:
    program = Program.parse(TEXT)
    assert len(program.rules) == 2
    assert [atom.predicate for atom in program.facts] == ["path", "http://example.org/p"]
    assert [(i.predicate, i.format, i.path) for i in program.imports] == [("edge", "csv", "edges.csv")]
    assert [(e.predicate, e.path) for e in program.exports] == [("path", "path.csv")]
    assert program.outputs == ("path", "start")
    assert program.prefixes["ex"] == "http://example.org/"
    assert program.prefixes["rdf"].startswith("http://www.w3.org/")
    assert program.arities == {"path": 2, "edge": 2, "start": 0, "blocked": 0, "http://example.org/p": 1}


def test_a_program_prints_as_itself() -> None:
    program = Program.parse(TEXT)
    assert Program.parse(str(program)) == program
    assert hash(Program.parse(str(program))) == hash(program)


def test_a_program_from_a_file_knows_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "rules.rls"
    path.write_text("\ufeff" + TEXT, encoding="utf-8")
    program = Program.load(path)
    assert program == Program.parse(TEXT)
    assert program.directory == tmp_path
    assert program.source.file == str(path)


def test_other_syntaxes_enter_as_trees() -> None:
    x = ast.Variable("x")
    rule = ast.Rule((ast.Atom("p", (x,)),), (ast.Atom("q", (x,)),))
    assert str(Program.from_source(ast.Source((rule,)))) == "p(?x) :- q(?x) .\n"
    with pytest.raises(ProgramError, match="unsafe-variable"):
        Program.from_source(ast.Source((ast.Rule((ast.Atom("p", (x,)),), (ast.Atom("q", ()),)),)))


def test_rulewerk_sources_are_imports() -> None:
    assert parse('@source edge[2]: load-csv("e.csv") .') == parse(
        '@import edge :- csv{resource = "e.csv", format = (any, any)} .'
    )
    assert parse('@source t[3]: load-rdf("t.nt") .') == parse('@import t :- rdf{resource = "t.nt"} .')


def test_relative_iris() -> None:
    program = Program.parse("@base <http://example.org/a/> . p(<b>, <#c>, </d>, <../e>, <http://f/>) .")
    values = [str(term.value) for term in program.facts[0].terms if isinstance(term, ast.Constant)]
    assert values == [
        *["<http://example.org/a/b>", "<http://example.org/a/#c>", "<http://example.org/d>"],
        *["<http://example.org/e>", "<http://f/>"],
    ]


def test_an_iri_and_less_than_are_told_apart() -> None:
    (rule,) = Program.parse("p(?x) :- q(?x, ?y, ?z), ?x<?y,?y>?z, ?z != <http://e/>, 1<?x .").rules
    assert [part.operator for part in rule.body if isinstance(part, ast.Comparison)] == ["<", ">", "!=", "<"]


def test_queries() -> None:
    prefixes = {"ex": "http://e/"}
    assert parse_body("path(a, ?x), edge(?x, ex:b), ?x != a", prefixes) == parse_body(
        "path(a,?x),edge(?x,<http://e/b>),?x!=a ."
    )
    assert parse_atom("path(a, c)") == ast.Atom("path", (ast.Constant("a"), ast.Constant("c")))
    for text in ("", "p(a", "p(a) . q(b)", "zz:p(a)", 'p("a', "p(?x + 1)", "p(a) :- q(a)"):
        with pytest.raises(ProgramError):
            parse_body(text)
    with pytest.raises(ProgramError, match="one atom was expected"):
        parse_atom("p(a), q(b)")


def test_thousands_of_statements_are_no_wait() -> None:
    rules = "\n".join(f"[?x, type, c{i}] :- [?x, type, c{i + 1}], ~[?x, p{i}, _] ." for i in range(2_000))
    facts = "\n".join(f"edge({i}, {i + 1}) ." for i in range(2_000))
    start = time.process_time()
    program = Program.parse(f"{rules}\n{facts}")
    strata = program.stratify().strata
    assert time.process_time() - start < 20  # well under a second on a free machine
    assert len(strata) == 2_002


def test_rdf_has_as_many_terms_as_its_predicate() -> None:
    files = {"t": "nquads", "u": "turtle", "v": "nquads"}
    imports = "".join(f'@import {name} :- {syntax}{{resource = "data"}} .\n' for name, syntax in files.items())
    assert Program.parse(f"{imports}\np(?x) :- v(?x, _, _) .").arities == {"t": 4, "u": 3, "v": 3, "p": 1}
