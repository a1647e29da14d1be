"""What is said about queries that cannot be maintained: where, what, and the way out."""

from __future__ import annotations

import pytest

from tidelog.errors import ProgramError
from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.translate import translate

NOT = " not supported in continuous queries"
STREAM = "FROM STREAM <s> [RANGE 10s STEP 1s]"


def problems(text: str) -> list[tuple[str, str, str]]:
    """The code, the marked text and the message of each problem."""
    with pytest.raises(ProgramError) as raised:
        translate(parse(text))
    lines = text.split("\n")
    return [
        (p.code, lines[p.line - 1][p.column - 1 : (p.end_column or p.column + 1) - 1], p.message) for p in raised.value.problems
    ]


UNSUPPORTED = [
    ("?x <p> ?y OPTIONAL { ?x <q> ?z }", "OPTIONAL", "`OPTIONAL` is"),
    ("{ ?x <p> ?y } UNION { ?x <q> ?y }", "{", "a group within a group is"),
    ("?x <p> ?y MINUS { ?x <q> ?z }", "MINUS", "`MINUS` is"),
    ("GRAPH <g> { ?x <p> ?y }", "GRAPH", "`GRAPH` is"),
    ("?x <p> ?y SERVICE <g> { ?x <p> ?y }", "SERVICE", "`SERVICE` is"),
    ("?x <p> ?y BIND (?y + 1 AS ?z)", "BIND", "`BIND` is"),
    ("?x <p> ?y VALUES ?x { 1 }", "VALUES", "`VALUES` is"),
    ("?x <p> ?y FILTER NOT EXISTS { ?x <q> ?z }", "NOT", "`NOT EXISTS` is"),
    ("?x <p> ?y FILTER (NOT EXISTS { ?x <q> ?z })", "NOT", "`NOT EXISTS` is"),
    ("?x <p> ?y FILTER EXISTS { ?x <q> ?z }", "EXISTS", "`EXISTS` is"),
    ("?x <p> ?y FILTER regex(?y, 'a')", "regex", "the function `regex` is"),
    ("?x <p> ?y FILTER (STRLEN(?y) > 1)", "STRLEN", "the function `STRLEN` is"),
    ("?x <p> ?y FILTER (bound(?y) && ?y > 1)", "bound", "the function `bound` is"),
    ("?x <p> ?y FILTER (xsd:integer(?y) > 1)", "(", "the function `xsd:integer` is"),
    ("?x <p> ?y FILTER <f>(?y)", "<f>", "the function `<f>` is"),
    ("?x <p> ?y FILTER (!(?y > 1))", "!", "`!` is"),
    ("?x <p>/<q> ?y", "/", "a property path is"),
    ("?x <p>|<q> ?y", "|", "a property path is"),
    ("?x <p>* ?y", "*", "a property path is"),
    ("?x <p>+ ?y", "+", "a property path is"),
    ("?x <p>? ?y", "?", "a property path is"),
    ("?x ^<p> ?y", "^", "a property path is"),
    ("?x (<p>) ?y", "(", "a property path is"),
    ("?x !<p> ?y", "!", "a property path is"),
    ("?x a/<p> ?y", "/", "a property path is"),
    ("?x <p> ?y } LIMIT 3 #", "LIMIT", "`LIMIT` is"),
    ("?x <p> ?y } GROUP BY ?x #", "GROUP", "`GROUP BY` is"),
    ("?x <p> ?y } HAVING (?x > 1) #", "HAVING", "`HAVING` is"),
    ("?x <p> ?y } ORDER BY ?x #", "ORDER", "`ORDER BY` is"),
]


@pytest.mark.parametrize(("where", "marked", "message"), UNSUPPORTED, ids=[where for where, _, _ in UNSUPPORTED])
def test_constructs_of_sparql_are_named(where: str, marked: str, message: str) -> None:
    [(code, shown, said)] = problems(f"REGISTER QUERY q AS SELECT ?x {STREAM}\nWHERE {{ {where} }}")
    assert (code, shown, said) == ("unsupported", marked, message + NOT)


@pytest.mark.parametrize(
    ("text", "code", "marked", "message"),
    [
        ("SELECT ?x {}", "syntax", "SELECT", "`SELECT` was not expected here; BASE, PREFIX or REGISTER was"),
        ("REGISTER q AS", "syntax", "q", "`q` was not expected here; DSTREAM, ISTREAM, QUERY, RSTREAM or STREAM was"),
        ("REGISTER QUERY q AS CONSTRUCT {}", "unsupported", "CONSTRUCT", f"`CONSTRUCT` is{NOT}"),
        ("REGISTER QUERY q AS SELECT (?x + 1 AS ?y) {}", "unsupported", "(", f"an expression in SELECT is{NOT}"),
        ("REGISTER QUERY q AS SELECT COUNT(*) {}", "unsupported", "COUNT", f"`COUNT` is{NOT}"),
        ("REGISTER QUERY q AS SELECT ?x FROM NAMED <g> {}", "unsupported", "<g>", f"`FROM NAMED` for a graph is{NOT}"),
        ("REGISTER QUERY q AS SELECT ?x { ?x <p> ?y }", "no-window", "q", "the query looks at no stream"),
    ],
)
def test_registrations(text: str, code: str, marked: str, message: str) -> None:
    assert problems(text) == [(code, marked, message)]


@pytest.mark.parametrize(
    ("extent", "code", "marked", "message"),
    [
        ("RANGE 1s", "syntax", "]", "`]` was not expected here; STEP or TUMBLING was"),
        ("RANGE 1 year TUMBLING", "invalid-duration", "year", "`year` is not a unit of time"),
        ("RANGE P1M TUMBLING", "invalid-duration", "P1M", "`P1M` is not a length of time"),
        ("TRIPLES 0", "invalid-window", "0", "a window does not hold 0 triples"),
        (
            "RANGE 1s STEP 2s",
            "invalid-window",
            "<s>",
            "this window moves on by more than it holds, and would pass over what is between",
        ),
        ("10s", "syntax", "10", "`10` was not expected here; RANGE or TRIPLES was"),
    ],
)
def test_extents(extent: str, code: str, marked: str, message: str) -> None:
    assert problems(f"REGISTER QUERY q AS SELECT * FROM STREAM <s> [{extent}] {{ ?x <p> ?y }}") == [(code, marked, message)]


@pytest.mark.parametrize(
    ("where", "code", "marked", "message"),
    [
        ("?x <p> ?y ?z <q> 1", "syntax", "?z", "`?z` was not expected here; FILTER, WINDOW, `,`, `.`, `;` or `}` was"),
        ("?x <p> 'a }", "unclosed-string", "'a }", "this string is not closed"),
        ("?x p:q p:r", "unknown-prefix", "p:q", "the prefix `p:` is not declared"),
        ("?x <p> '\\q'", "invalid-escape", "'\\q'", "`\\q` is not an escape sequence"),
        ("?x <p> - 1", "syntax", "- 1", "a blank stands between `-` and its number"),
        ("", "no-pattern", "q", "WHERE has no triple pattern"),
        ("?x <p> ?y FILTER (?z > 1)", "unbound-variable", "?z", "the variable `?z` has no value: it is in no pattern in WHERE"),
        ("?x <p> ?y FILTER (?y)", "unsupported", "?y", f"a value that stands for a condition is{NOT}"),
        ("?x <p> ?y FILTER ((?y > 1) = true)", "unsupported", "?y > 1", f"a condition whose outcome is a value is{NOT}"),
        ("?x <p> ?y FILTER (?y IN ())", "never", "?y IN ()", "this condition never holds: nothing is IN ()"),
        ("?x <p> ?y FILTER (?y > 'a'@en)", "type-mismatch", "?y > 'a'@en", "`>` compares by an order, and a literal has none"),
    ],
)
def test_conditions_and_patterns(where: str, code: str, marked: str, message: str) -> None:
    assert problems(f"REGISTER QUERY q AS SELECT * {STREAM}\n{{ {where}\n}}") == [(code, marked, message)]


@pytest.mark.parametrize(
    ("name", "select", "code", "marked", "message"),
    [
        ("triple", "?x", "taken-name", "triple", "`triple` is the name of something else"),
        ("q", "?valu", "unbound-variable", "?valu", "the variable `?valu` of SELECT is in no pattern"),
    ],
)
def test_names(name: str, select: str, code: str, marked: str, message: str) -> None:
    assert problems(f"REGISTER QUERY {name} AS SELECT {select} {STREAM} {{ ?x <p> ?value }}") == [(code, marked, message)]


def test_too_many_alternatives() -> None:
    filter_ = f"FILTER ({' || '.join(['?y = 1'] * 60)})"
    [(code, _, message)] = problems(f"REGISTER QUERY q AS SELECT * {STREAM} {{ ?x <p> ?y {filter_} {filter_} }}")
    assert (code, message) == ("too-many", "these are more than 256 alternatives")


def test_windows_with_names() -> None:
    text = "REGISTER QUERY q AS SELECT ?x FROM NAMED WINDOW <w> ON <s> [TRIPLES 1] FROM NAMED WINDOW <v> ON <s> [TRIPLES 2]\n"
    found = problems(text + "{ WINDOW <u> { ?x <p> ?y } WINDOW <w> { FILTER (?x > 1) } }")
    assert [(code, shown) for code, shown, _ in found] == [
        ("unused-window", "<v>"),
        ("unknown-window", "<u>"),
        ("no-pattern", "<w>"),
        ("unbound-variable", "?x"),
    ]


def test_what_is_bound_in_a_window_is_not_bound_in_another() -> None:
    text = "REGISTER QUERY q AS SELECT ?x FROM NAMED WINDOW <w> ON <s> [TRIPLES 1]\n"
    found = problems(text + "{ _:a <q> ?y . WINDOW <w> { ?x <p> _:a FILTER (?y > 1) } }")
    assert [(code, shown) for code, shown, _ in found] == [("blank-node", "_:a"), ("unbound-variable", "?y")]


def test_the_message_shows_the_place() -> None:
    with pytest.raises(ProgramError) as raised:
        parse(f"REGISTER QUERY q AS\nSELECT ?x {STREAM}\nWHERE {{ ?x <p> ?y .\n  OPTIONAL {{ ?x <q> ?z }} }}", file="q.rq")
    assert str(raised.value).splitlines() == [
        "q.rq:4:3: error[unsupported]: `OPTIONAL` is not supported in continuous queries",
        "      OPTIONAL { ?x <q> ?z } }",
        "      ^^^^^^^^",
        "    hint: register a second query for what is optional",
    ]
