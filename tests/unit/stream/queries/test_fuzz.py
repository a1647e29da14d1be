"""Any text at all is a query that can be maintained, or a ProgramError, and every problem points into the text."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.problems import check_places
from tidelog.errors import ProgramError
from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.translate import translate

VALID = """\
PREFIX ex: <http://example.org/> BASE <http://base/>
REGISTER ISTREAM ex:out COMPUTE EVERY 1s AS # comment
SELECT DISTINCT ?x $y FROM <static.ttl> FROM STREAM <s> [RANGE 10s STEP 1s] FROM NAMED WINDOW ex:w ON <s> [RANGE PT1M TUMBLING]
WHERE {
  ?x a ex:C ; ex:p [ ex:q ?y , "x"@en ] , ( 1 2.5 -3e0 ) . _:b ex:r '''long "string"\\n'''^^ex:type .
  FILTER (?y > 3 * (?y - 1) && ?x != "a" || ?y NOT IN (1, ex:a, true)) .
  WINDOW ex:w { ?x ex:value ?z . FILTER (-?z <= 5) }
}
"""
_WORDS = """
    ? $ ?x ?Y _: _:b [] [ ] ( ) { } . , ; ; * + - / ! | ^ ^^ = != < <= > >= && || & a b # \\ % @ ~ é ² "s" 's' "s \"\"\" @en
    REGISTER QUERY STREAM ISTREAM q AS SELECT DISTINCT FROM NAMED WINDOW ON RANGE STEP TUMBLING TRIPLES WHERE FILTER IN NOT
    PREFIX BASE COMPUTE EVERY 1s 10 PT1S P1M 5 1.5 1e5 .5 1e999999 true ex: ex:a : ex:a.b. <http://e/> <a <a> <\\u00e9> <\\q>
    "x"@en OPTIONAL UNION EXISTS COUNT regex "\\u12" "\\q" "1"^^xsd:integer
"""
SOUP = [*_WORDS.split(), "'''a\nb'''", "\n", "\t", "\x00", "\ud800", "\u2028"]


def attempt(text: str) -> None:
    try:
        translated = translate(parse(text))
    except ProgramError as error:
        problems = error.problems
    else:
        assert translated.rules
        return
    check_places(problems, text)


@given(st.text(max_size=60))
@example("\ufeffREGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y ?z }")
@example("REGISTER QUERY \ud800 AS")
@example('REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y "\ud800" }')
@example('REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y "x"^^<a b> }')
@example("REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y ?z FILTER (1/0 = 1 || 1 < 2 || ?x = ?x + 'a') }")
@settings(max_examples=150, deadline=None)
def test_random_text(text: str) -> None:
    attempt(text)


@given(st.lists(st.sampled_from(SOUP), max_size=25), st.sampled_from(["", " "]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_token_soup(tokens: list[str], glue: str, started: bool) -> None:
    start = "REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y ?z " if started else ""
    attempt(start + glue.join(tokens) + (" }" if started else ""))


@given(st.lists(st.tuples(st.integers(0, len(VALID)), st.integers(0, 6), st.sampled_from(["", *SOUP])), max_size=4))
@settings(max_examples=250, deadline=None)
def test_mutated_queries(edits: list[tuple[int, int, str]]) -> None:
    text = VALID
    for start, length, replacement in edits:
        text = text[:start] + replacement + text[start + length :]
    attempt(text)


def test_the_text_that_is_mutated_is_a_query() -> None:
    assert len(translate(parse(VALID)).rules) == 2


START = "REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES 1] { ?x ?y ?z "


@pytest.mark.parametrize(
    "text",
    [
        START + "FILTER (" + "(" * 20_000 + "1" + ")" * 20_000 + ") }",
        START + "FILTER (" + "-" * 20_000 + "?x = 1) }",
        START + "FILTER (" + "(?x = 1) || " * 5_000 + "?x = 2) }",
        START + "FILTER (?x IN (" + "1, " * 5_000 + "2)) }",
        START + "FILTER (?x = 1) " * 2_000 + "}",
        START + "FILTER (?x = " + "9" * 5_000 + ") }",
        START + "FILTER (?x = " + "9" * 3_000 + " * " + "9" * 3_000 + ") }",
        START + "[" * 20_000,
        START + "." + "?x ?y [ ?p " * 150 + "1" + " ]" * 150 + "}",
        START + ". ?x ?y ?z " * 500 + "}",
        START + "{" * 20_000,
        START + '"' * 20_001,
        START + '"""' + "\n" * 5_000,
        "PREFIX " * 5_000,
        "REGISTER QUERY q AS SELECT * FROM STREAM <s> [RANGE " + "9" * 5_000 + "s TUMBLING] { ?x ?y ?z }",
        "REGISTER QUERY q AS SELECT * FROM STREAM <s> [RANGE PT" + "9" * 5_000 + "S TUMBLING] { ?x ?y ?z }",
        "REGISTER QUERY q AS SELECT * FROM STREAM <s> [TRIPLES " + "9" * 5_000 + "] { ?x ?y ?z }",
        "REGISTER QUERY q AS SELECT * FROM STREAM <s> [RANGE 0s TUMBLING] { ?x ?y ?z }",
    ],
    ids=lambda text: text[len(START) : len(START) + 24],
)
def test_extremes(text: str) -> None:
    attempt(text)


def test_a_query_cut_anywhere() -> None:
    for end in random.Random(0).sample(range(len(VALID)), 120):
        attempt(VALID[:end])
