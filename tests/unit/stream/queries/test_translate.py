"""What rules a continuous query becomes, as rule text."""

from __future__ import annotations

import pytest

from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.translate import Translated, translate
from tidelog.stream.queries.tree import Count, Output, Time, Window
from tidelog.syntax.ast import Prefix, Source
from tidelog.syntax.formatter import format_source
from tidelog.terms import Iri

START = "PREFIX : <http://e/> REGISTER QUERY q AS "
STREAM = " FROM STREAM :s [RANGE 10s STEP 1s] "


def rules(translated: Translated) -> str:
    """The rules, with the prefix that the tests use."""
    text = format_source(Source((Prefix("", "http://e/"), *translated.rules)))
    return "\n".join(text.splitlines()[1:])


def of(select: str, where: str) -> str:
    return rules(translate(parse(f"{START}SELECT {select}{STREAM}WHERE {{ {where} }}")))


def test_the_query_of_the_paper() -> None:
    query = parse("""
        REGISTER QUERY LongRides COMPUTE EVERY 1sec AS
        PREFIX ex: <http://example/>
        SELECT DISTINCT ?user ?type ?x
        FROM <http://mobileservice.org/meansOfTransportation.rdf>
        FROM STREAM <http://mobileservice.org/positions.trdf>
        [RANGE 10sec STEP 1sec]
        WHERE {
        ?user ex:isIn ?x .
        ?user a ex:Commuter .
        ?x a ?type .
        ?user ex:remainingTravelTime ?t .
        FILTER (?t >= 30 )
        }""")
    translated = translate(query)
    assert rules(translated).splitlines() == [
        "LongRides(?user, ?type, ?x) :-",
        "    [?user, <http://example/isIn>, ?x],",
        "    [?user, rdf:type, <http://example/Commuter>],",
        "    [?x, rdf:type, ?type],",
        "    [?user, <http://example/remainingTravelTime>, ?t],",
        "    ?t >= 30 .",
    ]
    assert query.every == 1
    assert query.output is Output.RSTREAM
    assert query.windows == (Window(Iri("http://mobileservice.org/positions.trdf"), Time(10, 1)),)
    assert [constant.value for constant in query.static] == [Iri("http://mobileservice.org/meansOfTransportation.rdf")]
    assert (translated.columns, translated.places) == (("user", "type", "x"), (0, 1, 2))


def test_a_query_of_rsp_ql() -> None:
    query = parse("""
        PREFIX : <http://e/>
        REGISTER ISTREAM :hot AS
        SELECT ?room ?value
        FROM :building
        FROM NAMED WINDOW :now ON :readings [RANGE PT10S STEP PT1S]
        FROM NAMED WINDOW :hour ON :readings [RANGE PT1H TUMBLING]
        WHERE {
          ?sensor :in ?room .
          WINDOW :now { ?sensor :value ?value FILTER (?value > 30) }
          WINDOW :hour { ?sensor :value ?before }
          FILTER (?before < ?value)
        }""")
    translated = translate(query)
    assert rules(translated).splitlines() == [
        ":hot(?sensor, ?room, ?value, ?before) :-",
        "    [?sensor, :in, ?room],",
        "    :now(?sensor, :value, ?value),",
        "    :hour(?sensor, :value, ?before),",
        "    ?before < ?value,",
        "    ?value > 30 .",
    ]
    readings = Iri("http://e/readings")
    assert query.windows == (
        Window(readings, Time(10, 1), Iri("http://e/now")),
        Window(readings, Time(3600, 3600), Iri("http://e/hour")),
    )
    assert query.output is Output.ISTREAM
    assert (translated.columns, translated.places, translated.distinct) == (("room", "value"), (1, 2), False)


@pytest.mark.parametrize(
    ("select", "where", "expected"),
    [
        ("?x", "?x :p ?y", "q(?x, ?y) :- [?x, :p, ?y] ."),
        ("DISTINCT ?x", "?x :p ?y", "q(?x) :- [?x, :p, ?y] ."),
        ("REDUCED ?x", "?x :p ?y", "q(?x) :- [?x, :p, ?y] ."),
        ("*", "?x :p ?y", "q(?x, ?y) :- [?x, :p, ?y] ."),
        ("DISTINCT *", "?x :p [] . _:b ?q $y", "q(?x, ?q, ?y) :- [?x, :p, ?_1], [?_2, ?q, ?y] ."),
        ("?x ?x", "?x a :C", "q(?x) :- [?x, rdf:type, :C] ."),
        ("?_", "?_ :p [ :q ?_1 ]", "q(?_2, ?_3, ?_1) :- [?_2, :p, ?_3], [?_3, :q, ?_1] ."),
        ("*", "?x :p ?y , :b ; :q 1 ; .", "q(?x, ?y) :- [?x, :p, ?y], [?x, :p, :b], [?x, :q, 1] ."),
        ("*", "[ :p ?x ; :q ?y ]", "q(?_1, ?x, ?y) :- [?_1, :p, ?x], [?_1, :q, ?y] ."),
        ("*", "[ :p ?x ] :q ?y .", "q(?_1, ?x, ?y) :- [?_1, :p, ?x], [?_1, :q, ?y] ."),
        ("*", "_:a :p ?x . _:a :q ?y .", "q(?_1, ?x, ?y) :- [?_1, :p, ?x], [?_1, :q, ?y] ."),
        ("*", "_:a :p ?x FILTER (?x > 1) _:a :q ?x", "q(?_1, ?x) :- [?_1, :p, ?x], [?_1, :q, ?x], ?x > 1 ."),
        ("?x", "?x :p ()", "q(?x) :- [?x, :p, rdf:nil] ."),
        ("?x", "?x :p -1, +1, 1.50, .5, 1e3", 'q(?x) :- [?x, :p, -1], [?x, :p, "+1"^^xsd:integer], '
         '[?x, :p, "1.50"^^xsd:decimal], [?x, :p, ".5"^^xsd:decimal], [?x, :p, 1e3] .'),
        ("?x", "?x :p 'a', \"b\\n\", '''c'\n''', \"d\"@EN-gb", 'q(?x) :- [?x, :p, a], [?x, :p, "b\\n"], [?x, :p, "c\'\\n"], '
         '[?x, :p, "d"@en-gb] .'),
        ("?x", '?x :p "2026-01-01"^^xsd:date, TRUE', 'q(?x) :- [?x, :p, "2026-01-01"^^xsd:date], [?x, :p, true] .'),
        ("?x", "?x :p :a.b, :c\\-d, :e%41, <\\u00e9>", "q(?x) :- [?x, :p, :a.b], [?x, :p, :c-d], [?x, :p, <http://e/e%41>], "
         "[?x, :p, <é>] ."),
        ("*", "?x :p ?y FILTER (?x<?y&&?y>1)", "q(?x, ?y) :- [?x, :p, ?y], ?x < ?y, ?y > 1 ."),
        ("*", "?x :p ?y . FILTER (?y IN (1, 2.0) || ?y = :a)",
         "q(?x, ?y) :- [?x, :p, ?y], ?y = 1 .\nq(?x, ?y) :- [?x, :p, ?y], ?y = 2.0 .\nq(?x, ?y) :- [?x, :p, ?y], ?y = :a ."),
        ("*", "?x :p ?y . FILTER (?y NOT IN (1, 2))", "q(?x, ?y) :- [?x, :p, ?y], ?y != 1, ?y != 2 ."),
        ("*", "?x :p ?y . FILTER (?x * (?y + -2) <= 1.50 - 1)", "q(?x, ?y) :- [?x, :p, ?y], ?x * (?y + -2) <= 0.5 ."),
        ("?x", "?x :p ?y . FILTER (?y < '2026-01-01T00:00:00.000Z'^^xsd:dateTime)",
         'q(?x, ?y) :- [?x, :p, ?y], ?y < "2026-01-01T00:00:00Z"^^xsd:dateTime .'),
        ("?x", "?x :p ?y . FILTER (?y = '2026-01-01T00:00:00.000Z'^^xsd:dateTime)", 'q(?x, ?y) :- [?x, :p, ?y], '
         '?y <= "2026-01-01T00:00:00Z"^^xsd:dateTime, ?y >= "2026-01-01T00:00:00Z"^^xsd:dateTime .'),
        ("?x", "?x :p ?y . FILTER (?y != '2026-01-01'^^xsd:date)", 'q(?x, ?y) :- [?x, :p, ?y], ?y != "2026-01-01"^^xsd:date .'),
        ("?x", "?x :p ?y . FILTER (-?y > +1)", "q(?x, ?y) :- [?x, :p, ?y], 0 - ?y > 1 ."),
    ],
)  # fmt: skip
def test_rules(select: str, where: str, expected: str) -> None:
    assert " ".join(of(select, where).split()) == " ".join(expected.split())


def test_collections_are_lists_of_blank_nodes() -> None:
    assert " ".join(of("?x", "?x :p (1 [ :q ?y ])").split()) == (
        "q(?x, ?_1, ?_2, ?_3, ?y) :- [?x, :p, ?_1], [?_1, rdf:first, 1], [?_1, rdf:rest, ?_2], "
        "[?_2, rdf:first, ?_3], [?_3, :q, ?y], [?_2, rdf:rest, rdf:nil] ."
    )


def test_iris_are_resolved_against_the_base_declared_before_them() -> None:
    prologue = "BASE <http://e/a/> PREFIX p: <b/> REGISTER QUERY q AS BASE <http://f/>"
    query = parse(f"{prologue} SELECT * FROM STREAM <s> [TRIPLES 3] {{ <x> p:y ?z }}")
    assert query.windows == (Window(Iri("http://f/s"), Count(3)),)
    assert " ".join(rules(translate(query)).split()) == "q(?z) :- [<http://f/x>, <http://e/a/b/y>, ?z] ."


@pytest.mark.parametrize(
    ("extent", "meant"),
    [
        ("RANGE 10s STEP 1s", Time(10, 1)),
        ("range 10 sec step 500 ms", Time(10, 0.5)),
        ("RANGE 1.5m TUMBLING", Time(90, 90)),
        ("RANGE 2 minutes STEP 1 second", Time(120, 1)),
        ("RANGE P1DT2H3M4.5S STEP PT1H", Time(93784.5, 3600)),
        ("TRIPLES 100", Count(100)),
        ("RANGE TRIPLES 100", Count(100)),
    ],
)
def test_windows(extent: str, meant: Time | Count) -> None:
    query = parse(f"REGISTER QUERY q AS SELECT * FROM STREAM <s> [{extent}] {{ ?x ?y ?z }}")
    assert [window.extent for window in query.windows] == [meant]


@pytest.mark.parametrize(
    ("registration", "name", "output", "every"),
    [
        ("REGISTER QUERY q", "q", Output.RSTREAM, None),
        ("register stream stream computed every 2 sec", "stream", Output.RSTREAM, 2),
        ("REGISTER RSTREAM <http://e/out>", "http://e/out", Output.RSTREAM, None),
        ("REGISTER ISTREAM rdf:out COMPUTE EVERY PT1M", "http://www.w3.org/1999/02/22-rdf-syntax-ns#out", Output.ISTREAM, 60),
        ("REGISTER DSTREAM select", "select", Output.DSTREAM, None),
    ],
)
def test_registrations(registration: str, name: str, output: Output, every: float | None) -> None:
    query = parse(f"{registration} AS SELECT * FROM STREAM <s> [TRIPLES 1] {{ ?x ?y ?z }}")
    assert (query.name, query.output, query.every) == (name, output, every)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("?y < 9 && ?y NOT IN (1, :a, 2)", "?y < 9, ?y != 1, ?y != 2"),
        ("?y < 9 && ?y != 'a'", "?y < 9"),
        ("?y < 9 && (?y = :a || ?y = 3)", "?y < 9, ?y = 3"),
        ("?y < 9 && (?y < 'a' || ?y >= 3)", "?y < 9, ?y >= 3"),
    ],
)
def test_kinds_of_values_that_cannot_meet(condition: str, expected: str) -> None:
    """What always holds is left out, and so are alternatives that never hold."""
    made = " ".join(of("*", f"?x :p ?y FILTER ({condition})").split())
    assert made == f"q(?x, ?y) :- [?x, :p, ?y], {expected} ."
