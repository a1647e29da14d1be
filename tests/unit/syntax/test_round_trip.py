"""Whatever is printed parses to the same tree again: of generated trees, of generated texts, and of texts with comments."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidelog import terms
from tidelog.syntax import ast
from tidelog.syntax.formatter import format_source, format_statement
from tidelog.syntax.parser import parse
from tidelog.terms import BlankNode, Iri, Term

NAMES = st.sampled_from(["p", "q", "edge", "my-table", "Größe", "x1", "true", "a b", "not", "triple"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
IRIS = st.sampled_from(
    [
        "http://example.org/a",
        "http://example.org/ns#b-1",
        terms.RDF + "type",
        terms.XSD + "date",
        "urn:x:y",
        "http://e/a.",
        "http://e/",
    ]
)
ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=5, minutes=30)), timezone(-timedelta(hours=3))])
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20)


@st.composite
def literals(draw: st.DrawFn) -> Term:
    if draw(st.booleans()):
        return terms.literal(draw(TEXTS), language=draw(st.sampled_from(["en", "de-at"])))
    return terms.literal(draw(TEXTS | st.sampled_from(["01", "1", "2024-02-30"])), draw(IRIS | st.just(terms.XSD + "integer")))


TERMS: st.SearchStrategy[Term] = st.one_of(
    NAMES.filter(lambda name: name.isascii()),
    TEXTS,
    st.booleans(),
    st.integers(),
    st.floats(),
    DECIMALS.map(terms.decimal),
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(),
    IRIS.map(Iri),
    st.sampled_from(["b0", "x.y", "1"]).map(BlankNode),
    literals(),
)
CONSTANTS = TERMS.map(terms.canonical).map(ast.Constant)
VARIABLES = st.sampled_from(["x", "y", "_", "x1", "_1"]).map(ast.Variable)
ATOM_TERMS = VARIABLES | CONSTANTS
PREDICATES = st.sampled_from(["p", "edge", "triple", "Größe", "http://example.org/p", terms.RDF + "value", "true"])
ATOMS = st.builds(ast.Atom, PREDICATES, st.lists(ATOM_TERMS, max_size=4).map(tuple))
EXPRESSIONS = st.recursive(
    ATOM_TERMS,
    lambda inner: st.builds(ast.Arithmetic, st.sampled_from("+-*/"), inner, inner),
    max_leaves=8,
)
COMPARISONS = st.builds(ast.Comparison, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), EXPRESSIONS, EXPRESSIONS)
BODIES = st.lists(ATOMS | COMPARISONS | ATOMS.map(ast.Negation), min_size=1, max_size=4).map(tuple)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "format": st.lists(st.sampled_from(["int", "string", "skip"]), min_size=1).map(tuple),
        "delimiter": st.sampled_from([";", "|", '"']),
        "ignore_headers": st.booleans(),
    },
)
PATHS = TEXTS.filter(bool)
STATEMENTS = st.one_of(
    st.builds(ast.Rule, st.lists(ATOMS, min_size=1, max_size=2).map(tuple), BODIES),
    st.builds(ast.Fact, st.builds(ast.Atom, PREDICATES, st.lists(CONSTANTS, max_size=3).map(tuple))),
    st.builds(ast.Import, PREDICATES, st.just("csv"), PATHS, OPTIONS),
    st.builds(ast.Export, PREDICATES, st.just("tsv"), PATHS, OPTIONS),
    st.builds(ast.Output, PREDICATES),
)
DECLARATIONS = st.lists(
    st.sampled_from(
        [("", "http://example.org/"), ("ns", "http://example.org/ns#"), ("xsd", "http://other/"), ("e", "http://e/")]
    ),
    unique_by=lambda pair: pair[0],
).map(lambda pairs: [ast.Prefix(*pair) for pair in pairs])


@given(DECLARATIONS, st.lists(STATEMENTS, max_size=5))
@settings(max_examples=300, deadline=None)
def test_a_printed_tree_parses_to_itself(prefixes: list[ast.Prefix], statements: list[ast.Statement]) -> None:
    source = ast.Source((*prefixes, *statements))
    assert parse(format_source(source)) == source


def test_constants_are_told_apart_as_terms_are() -> None:
    noon = datetime(2024, 1, 1, 12, tzinfo=UTC)
    one, other = ast.Constant(noon), ast.Constant(noon.astimezone(timezone(timedelta(hours=1))))
    assert one != other
    assert ast.Constant(0.0) != ast.Constant(-0.0)
    assert ast.Constant(float("nan")) == ast.Constant(float("nan"))
    assert len({ast.Constant(value) for value in (1, 1.0, True, Decimal(1), "1")}) == 5


@given(CONSTANTS, CONSTANTS)
@settings(deadline=None)
def test_equal_constants_have_equal_hashes(left: ast.Constant, right: ast.Constant) -> None:
    assert left != right or hash(left) == hash(right)
    assert left == ast.Constant(left.value)


# Texts, which say the same thing in many ways

SPACE = st.sampled_from([" ", "", "  ", "\n", "\t", " % note\n", "\r\n", "\n\n\n"])
SOLID = st.sampled_from([" ", "\n", ' % why . "\n', "\n\n"])
SPELLED = st.sampled_from(
    [
        *["a", "Alice", '"a"', '"two words"', '"\\u0041\\n\\"%"', '"chat"@FR', '"2024-01-01"^^xsd:date', '"x"^^<http://e/t>'],
        *["12", "-3", "- 3", "1.50", "-0.0", "1e6", "2.5E-3", "true"],
        *["<http://e/%20x>", "ex:local-1.2", ":C", "rdf:type", "_:b1", "ex:"],
    ]
)
TERM = st.one_of(st.sampled_from(["?x", "?y", "_"]), SPELLED)


@st.composite
def joined(draw: st.DrawFn, items: st.SearchStrategy[str], mark: str = ",", most: int = 3) -> str:
    return f"{draw(SPACE)}{mark}{draw(SPACE)}".join(draw(st.lists(items, min_size=1, max_size=most)))


@st.composite
def atoms(draw: st.DrawFn) -> str:
    if draw(st.booleans()):
        return f"{draw(st.sampled_from(['p', 'ex:q', '<http://e/r>']))}({draw(SPACE)}{draw(joined(TERM))}{draw(SPACE)})"
    return draw(st.sampled_from(["s", "t()", "[?x, rdf:type, :C]", "[ a,?y , _ ]"]))


EXPRESSION = st.recursive(
    TERM,
    lambda inner: (
        st.builds("{} {} {}".format, inner, st.sampled_from("+-*/"), inner)
        | st.builds("({})".format, inner)
        | st.builds("-{}".format, inner)
    ),
    max_leaves=5,
)
CONDITION = st.builds("{} {} {}".format, EXPRESSION, st.sampled_from(["=", "!=", "<", "<=", ">", ">="]), EXPRESSION)


@st.composite
def programs(draw: st.DrawFn) -> str:
    heading = "@prefix ex: <http://e/> .\n@prefix : <http://c/> . % here\n"
    statements = []
    for _ in range(draw(st.integers(0, 4))):
        heads = draw(joined(atoms(), most=2))
        body = draw(joined(st.one_of(atoms(), atoms().map("~{}".format), CONDITION)))
        statements.append(heads if draw(st.booleans()) else f"{heads}{draw(SPACE)}:-{draw(SPACE)}{body}")
    return heading + "".join(f"{draw(SOLID)}{statement}{draw(SOLID)}.{draw(SOLID)}" for statement in statements)


@given(programs())
@settings(max_examples=300, deadline=None)
def test_a_formatted_text_means_the_same_and_keeps_its_comments(text: str) -> None:
    tree = parse(text)
    formatted = format_source(tree)
    again = parse(formatted)
    assert again == tree
    assert format_source(again) == formatted
    assert formatted.count("% note") == text.count("% note")
    assert formatted.count("% why") == text.count("% why")


@pytest.mark.parametrize(
    "statement",
    [
        "path(?x, ?z) :- path(?x, ?y), ~edge(?y, _), ?x != ?z .",
        '[?s, rdf:type, owl:Class] :- [?s, ?p, "x"@en] .',
        'p(-3, 1.50, 2e3, "a", a, "2024-01-01"^^xsd:date) .',
        "q(?z) :- p(?x, ?y), ?z = (?x + 1) * -?y - (2 - ?x) .".replace("-?y", "(0 - ?y)"),
        '@import edge :- csv{resource = "edges.csv", format = (int, string, skip), delimiter = ";", ignore_headers = true} .',
        '@export path :- parquet{resource = "out.parquet"} .',
        "@output path .",
        "@base <http://example.org/> .",
        "goal() :- ~p(a) .",
    ],
)
def test_the_uniform_layout(statement: str) -> None:
    (parsed,) = parse(statement).statements
    assert format_statement(parsed) == statement


LAYOUT = """\
% A program.
% Two lines.

@prefix ex: <http://e/> .   % namespaces
p(a),p( b ).


% before q
q(?x):-p(?x), % inside
  r(?x)
  % still inside
  .   % after
s. t. % of t
% the end
"""
LAID_OUT = """\
% A program.
% Two lines.

@prefix ex: <http://e/> .  % namespaces
p(a) .
p(b) .

% before q
% inside
% still inside
q(?x) :- p(?x), r(?x) .  % after
s() .
t() .  % of t
% the end
"""


def test_comments_and_paragraphs_survive() -> None:
    assert format_source(parse(LAYOUT)) == LAID_OUT


def test_a_long_rule_takes_a_line_for_each_literal() -> None:
    body = ", ".join(f"predicate_number_{i}(?x)" for i in range(6))
    (rule,) = parse(f"p(?x) :- {body} .").statements
    assert format_statement(rule).split("\n")[1] == "    predicate_number_0(?x),"


ORDINARY: list[tuple[Callable[[], Term], str]] = [
    (lambda: "a", "a"),
    (lambda: "true", '"true"'),
    (lambda: "", '""'),
    (lambda: "a\u202e\x1b[0m\nb", '"a\u202e\\u001B[0m\\nb"'),
    (lambda: 12, "12"),
    (lambda: Decimal("150"), "150.0"),
    (lambda: 1.5, "1.5E0"),
    (lambda: float("nan"), '"NaN"^^xsd:double'),
    (lambda: float("-inf"), '"-INF"^^xsd:double'),
    (lambda: date(2024, 1, 2), '"2024-01-02"^^xsd:date'),
    (lambda: datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC), '"2024-01-02T03:04:05Z"^^xsd:dateTime'),
    (lambda: time(3, 4), '"03:04:00"^^xsd:time'),
    (lambda: Iri(terms.RDF + "type"), "rdf:type"),
    (lambda: Iri("http://e/x"), "<http://e/x>"),
    (lambda: terms.literal("01", terms.XSD + "integer"), '"01"^^xsd:integer'),
    (lambda: terms.literal("chat", language="fr"), '"chat"@fr'),
]


@pytest.mark.parametrize(("make", "text"), ORDINARY)
def test_terms_as_text(make: Callable[[], Term], text: str) -> None:
    from tidelog.syntax.formatter import format_term

    assert format_term(make()) == text
