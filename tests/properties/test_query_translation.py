"""The rules of a continuous query derive what SPARQL answers: held against pyoxigraph on random triples, duplicates counted."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.queries import sketch, triple
from tests.sparql import Row, Triple, answer, rows
from tidelog.errors import ProgramError
from tidelog.materialisation import Materialisation
from tidelog.program import Program
from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.translate import Translated, translate
from tidelog.syntax.ast import Source
from tidelog.terms import XSD, Iri, literal

WINDOWS = "FROM NAMED WINDOW :w ON :s [RANGE 9s STEP 1s] FROM NAMED WINDOW :v ON :s [TRIPLES 3]"


def by_rules(translated: Translated, triples: list[Triple], windows: dict[str, list[Triple]]) -> Counter[Row]:
    mat = Materialisation(Program.from_source(Source(translated.rules)))
    given = {"triple": triples, **windows}
    mat.update(insert={predicate: facts for predicate, facts in given.items() if predicate in mat})
    return rows(tuple(fact[place] for place in translated.places) for fact in mat[translated.predicate])


@pytest.mark.parametrize("seed", range(3))
def test_the_rules_answer_what_sparql_does(seed: int) -> None:
    rng = random.Random(seed)
    found = duplicates = refused = 0
    for _ in range(120):
        triples = [triple(rng) for _ in range(rng.randint(5, 30))]
        windows = {f"http://e/{name}": [triple(rng) for _ in range(rng.randint(0, 20))] for name in "wv"}
        text = sketch(rng, (":w", ":v")).text(WINDOWS) if rng.random() < 0.5 else sketch(rng).text("FROM STREAM :s [TRIPLES 9]")
        query = parse(text)
        expected = answer(text, query.selected, triples, windows)
        try:
            translated = translate(query)
        except ProgramError:  # what can never hold is refused
            assert not expected, text
            refused += 1
            continue
        made = by_rules(translated, triples, windows)
        assert made == expected, text
        found += bool(made)
        duplicates += any(count > 1 for count in made.values())
    assert found > 20
    assert duplicates > 2
    assert refused < 40


TIMES = ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.000Z", "2026-03-01T13:00:00+01:00", "2026-03-01T12:00:01Z"]


@pytest.mark.parametrize("operator", ["=", "<", "<=", ">", ">=", "IN"])
@pytest.mark.parametrize("constant", TIMES)
def test_times_are_compared_by_value(operator: str, constant: str) -> None:
    triples = [(Iri(f"http://e/s{n}"), Iri("http://e/p"), literal(text, XSD + "dateTime")) for n, text in enumerate(TIMES)]
    right = f'"{constant}"^^<{XSD}dateTime>'
    condition = f"?y IN ({right})" if operator == "IN" else f"?y {operator} {right}"
    text = f"PREFIX : <http://e/> REGISTER QUERY q AS SELECT ?x FROM STREAM :s [TRIPLES 9] {{ ?x :p ?y FILTER ({condition}) }}"
    assert by_rules(translate(parse(text)), triples, {}) == answer(text, ("x",), triples)
