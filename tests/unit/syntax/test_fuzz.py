"""Any text at all is a program or a ProgramError, and every problem points into the text."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.problems import check_places
from tidelog.errors import ProgramError
from tidelog.program import Program

VALID = """\
@prefix ex: <http://example.org/> .
@base <http://base/> .
@import edge :- csv{resource = "edges.csv", format = (int, string, skip), delimiter = ";", ignore_headers = true} .
path(?x, ?y), seen(?x) :- edge(?x, ?y), ~blocked(?x, _), ?x < 3 * (?y - 1), ?y != "a\\n" . % comment
[?x, rdf:type, ex:C] :- path(?x, ?x), [?x, <rel>, "2024-01-01"^^xsd:date] .
edge(1, "x"@en, -2.50) .
@output path, seen .
"""
SOUP = [
    *[
        "?x",
        "?Y",
        "_",
        "a",
        "B",
        "p(",
        ")",
        "(",
        ",",
        ".",
        "..",
        "~",
        "!",
        ":-",
        "<-",
        "[",
        "]",
        "{",
        "}",
        "=",
        "!=",
        "<",
        "<=",
    ],
    *[
        ">",
        "+",
        "-",
        "*",
        "/",
        "^^",
        "@prefix",
        "@base",
        "@import",
        "@export",
        "@output",
        "@source",
        "@foo",
        "ex:",
        "ex:a",
        ":",
    ],
    *["<http://e/>", "<a", "<a>", '"s"', '"s', '"\\u12"', '"\\q"', '"x"@en', "1", "1.5", "1e5", "1e999999", "0.0", "true", "%"],
    *[
        "\n",
        "\t",
        "not",
        "p",
        "q()",
        "csv",
        "resource",
        "load-csv",
        "\u2028",
        "\x00",
        "\ud800",
        "é",
        "²",
        "_:b",
        "_x",
        "??",
        "...",
    ],
]


def attempt(text: str) -> None:
    try:
        program = Program.parse(text)
    except ProgramError as error:
        problems = error.problems
    else:
        assert Program.parse(str(program)) == program
        return
    check_places(problems, text)


@given(st.text(max_size=60))
@example("\ufeffp(a) .")
@example('p("\\ud800") .')
@example("p(\ud800) .")
@example('p("\ud800") . q(<\ud800>) . ?\ud800')
@example("@prefix : <> . :a(:b) .")
@example('p("99999-01-01"^^xsd:date, "2024-13-01"^^xsd:date, "25:00:00"^^xsd:time, "x"^^xsd:dateTime) .')
@settings(max_examples=200, deadline=None)
def test_random_text(text: str) -> None:
    attempt(text)


@given(st.lists(st.sampled_from(SOUP), max_size=25), st.sampled_from(["", " "]))
@settings(max_examples=400, deadline=None)
def test_token_soup(tokens: list[str], glue: str) -> None:
    attempt(glue.join(tokens))


@given(st.lists(st.tuples(st.integers(0, len(VALID)), st.integers(0, 6), st.sampled_from(["", *SOUP])), min_size=1, max_size=4))
@settings(max_examples=300, deadline=None)
def test_mutated_programs(edits: list[tuple[int, int, str]]) -> None:
    text = VALID
    for start, length, replacement in edits:
        text = text[:start] + replacement + text[start + length :]
    attempt(text)


@pytest.mark.parametrize(
    "text",
    [
        "p(?x) :- q(?x), ?x = " + "(" * 50_000 + "1" + ")" * 50_000 + " .",
        "p(?x) :- q(?x), ?x = " + "-" * 50_000 + "?x .",
        "p(?x) :- q(?x), ?x = 1" + " + ?x" * 50_000 + " .",
        "p(?x) :- q(?x), ?x = " + "(?x + " * 5_000 + "1" + ")" * 5_000 + " .",
        "p(" * 20_000,
        "[" * 20_000,
        "p(" + "9" * 5_000 + ") .",
        "p(" + "9" * 5_000 + ".5) .",
        "p(1e99999, 1e-99999) .",
        'p("' + "\\" * 20_000,
        "@" * 20_000,
        '"' * 20_001,
        "ex:a" + ".b" * 20_000,
        "p(a) " * 5_000,
        "p(a)\n" * 2_000,
        "p(" + ", ".join(["?x"] * 20_000) + ") :- q(?x) .",
    ],
    ids=lambda text: text[:24],
)
def test_extremes(text: str) -> None:
    attempt(text)


def test_a_program_cut_anywhere() -> None:
    for end in random.Random(0).sample(range(len(VALID)), 120):
        attempt(VALID[:end])
