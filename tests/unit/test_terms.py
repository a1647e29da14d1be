"""Each term has one representation, and N-Triples says it exactly."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import STRINGS, TERMS, VALUES, same
from tidelog.errors import DataError
from tidelog.notation import ntriples, parse_term, quoted
from tidelog.terms import RDF, XSD, BlankNode, Iri, Literal, Term, canonical, lexical_form, literal


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Literal("12", XSD + "integer"), 12),
        (Literal("a"), "a"),
        (Literal("true", XSD + "boolean"), True),
        (Literal("1", XSD + "boolean"), Literal("1", XSD + "boolean")),
        (Literal("01", XSD + "integer"), Literal("01", XSD + "integer")),
        (Literal("1.5", XSD + "decimal"), Decimal("1.5")),
        (Literal("1.50", XSD + "decimal"), Literal("1.50", XSD + "decimal")),
        (Literal("1.0E0", XSD + "double"), 1.0),
        (Literal("1.0", XSD + "double"), Literal("1.0", XSD + "double")),
        (Literal("2024-02-29", XSD + "date"), date(2024, 2, 29)),
        (Literal("20240229", XSD + "date"), Literal("20240229", XSD + "date")),
        (Literal("2024-01-01T00:00:00Z", XSD + "dateTime"), datetime(2024, 1, 1, tzinfo=UTC)),
        (Literal("12:00:00.5", XSD + "time"), time(12, 0, 0, 500_000)),
        (Literal("a", language="EN-gb"), Literal("a", RDF + "langString", "en-gb")),
        (Decimal("1.50"), Decimal("1.5")),
        (Decimal("-0.00"), Decimal(0)),
        (Decimal("1E+3"), Decimal(1000)),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (np.datetime64("2024-01-01"), date(2024, 1, 1)),
        (np.datetime64("2024-01-01T00:00:01", "ns"), datetime(2024, 1, 1, 0, 0, 1)),
        (Colour.RED, "red"),
        (datetime(2024, 1, 1, fold=1), datetime(2024, 1, 1)),
    ],
)
def test_one_representation(value: Any, expected: Term) -> None:
    found = canonical(value)
    assert type(found) is type(expected)
    assert found == expected


KINDS = "\n    hint: values are str, int, float, bool, Decimal, date, datetime, time, Iri, BlankNode and Literal"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "None (NoneType) is not a value a fact can hold" + KINDS),
        ([1], "[1] (list) is not a value a fact can hold" + KINDS),
        (b"a", "b'a' (bytes) is not a value a fact can hold" + KINDS),
        (1j, "1j (complex) is not a value a fact can hold" + KINDS),
        (
            Decimal("NaN"),
            "Decimal('NaN') (decimal.Decimal) is not a value a fact can hold: "
            "a decimal is finite; use float for infinities and NaN" + KINDS,
        ),
        pytest.param(1 << 20_000, "an integer of 20,001 bits is too long for a fact\n    hint: 13,280 bits at most", id="long"),
        ("\ud800", r"the string '\ud800' holds half a surrogate pair, which is not a character"),
        (Iri("a b"), '<a b> is not an IRI\n    hint: blanks, control characters and <>"{}|^`\\ cannot stand in an IRI'),
        (
            BlankNode("a b"),
            "_:a b is not a blank node\n    hint: a label is made of letters, digits, '_', '-' and inner dots",
        ),
        (
            Literal("a", language="?"),
            '\'?\' is not a language tag\n    hint: for example "chat"@fr or "colour"@en-GB',
        ),
        (
            datetime(2024, 1, 1, tzinfo=timezone(timedelta(seconds=1))),
            "datetime.datetime(2024, 1, 1, 0, 0, tzinfo=datetime.timezone(datetime.timedel... (datetime.datetime) "
            "is not a value a fact can hold: its offset from UTC is not in whole minutes up to 14 hours" + KINDS,
        ),
    ],
)
def test_what_is_no_term(value: object, message: str) -> None:
    with pytest.raises(DataError) as caught:
        canonical(value)
    assert str(caught.value) == message


@given(VALUES)
def test_canonical_is_final(value: Any) -> None:
    term = canonical(value)
    assert same(canonical(term), term)


@given(TERMS)
def test_ntriples_round_trip(term: Term) -> None:
    found = parse_term(ntriples(term))
    assert found is not None
    assert same(found, term)


@given(TERMS)
def test_a_literal_round_trip(term: Term) -> None:
    if not isinstance(term, Iri | BlankNode):
        assert same(literal(*lexical_form(term)), term)


@given(st.text())
def test_whatever_is_no_term_is_none(text: str) -> None:
    term = parse_term(text)
    assert term is None or isinstance(term, str | Iri | BlankNode | Literal | int | float | Decimal | date | time)


@given(STRINGS)
def test_quoted_strings_stand_on_one_line(text: str) -> None:
    assert re.fullmatch(r'"[^\n\r]*"', quoted(text))


@pytest.mark.parametrize(
    ("term", "written"),
    [
        (12, f'"12"^^<{XSD}integer>'),
        (True, f'"true"^^<{XSD}boolean>'),
        (Decimal("1.5"), f'"1.5"^^<{XSD}decimal>'),
        (Decimal(100), f'"100.0"^^<{XSD}decimal>'),
        (1500.0, f'"1.5E3"^^<{XSD}double>'),
        (-0.0, f'"-0.0E0"^^<{XSD}double>'),
        (float("inf"), f'"INF"^^<{XSD}double>'),
        ("a\n", '"a\\n"'),
        (Iri("http://a"), "<http://a>"),
        (BlankNode("b"), "_:b"),
        (canonical(Literal("a", language="en")), '"a"@en'),
        (datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-1))), f'"2024-01-01T00:00:00-01:00"^^<{XSD}dateTime>'),
        (date(1, 1, 1), f'"0001-01-01"^^<{XSD}date>'),
    ],
)
def test_as_text(term: Term, written: str) -> None:
    assert ntriples(term) == written
