"""What conditions mean, pair by pair and for whole columns."""

from __future__ import annotations

import operator as op
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import TERMS, same
from tidelog.errors import LimitExceeded
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.values import arithmetic, compare, number
from tidelog.terms import XSD, Iri, Literal, Term, canonical

OPERATORS = {"=": op.eq, "!=": op.ne, "<": op.lt, "<=": op.le, ">": op.gt, ">=": op.ge}
ONE = Literal("01", XSD + "integer")
NAN = float("nan")


def holding(left: Term, right: Term) -> str:
    """The operators that hold between two terms."""
    dictionary = Dictionary()
    a, b = dictionary.encode([left]), dictionary.encode([right])
    return " ".join(operator for operator in OPERATORS if compare(dictionary, operator, a, b)[0])


def calculated(operator: str, left: Term, right: Term) -> Term | None:
    dictionary = Dictionary()
    ids, valid = arithmetic(dictionary, operator, dictionary.encode([left]), dictionary.encode([right]))
    return dictionary.decode(ids)[0] if valid[0] else None


EQUAL, LESS, MORE, OTHER = "= <= >=", "!= < <=", "!= > >=", "!="


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (1, 1, EQUAL),
        (1, 2, LESS),
        (2**30 + 1, 2**30, MORE),
        (1, 1.0, EQUAL),
        (1, Decimal(1), EQUAL),
        (1, ONE, EQUAL),
        (2**53 + 1, float(2**53), MORE),
        (Decimal("0.1"), 0.1, LESS),
        (0.0, -0.0, EQUAL),
        (NAN, NAN, OTHER),
        (NAN, 1, OTHER),
        (float("inf"), 10**400, MORE),
        (Literal("INF", XSD + "float"), float("inf"), EQUAL),
        (Literal("0.1", XSD + "float"), float(np.float32(0.1)), EQUAL),
        (Literal("300", XSD + "byte"), 300, OTHER),
        (Literal("x", XSD + "integer"), 1, OTHER),
        (Literal(" 7 ", XSD + "int"), 7, EQUAL),
        (Literal("1.50", XSD + "decimal"), Decimal("1.5"), EQUAL),
        ("a", "a", EQUAL),
        ("a", "b", LESS),
        ("Z", "a", LESS),
        ("\uffff", "\U00010000", LESS),
        ("1", 1, OTHER),
        (True, 1, OTHER),
        (False, True, LESS),
        (date(2024, 1, 1), date(2024, 1, 2), LESS),
        (date(2024, 1, 1), datetime(2024, 1, 1), OTHER),
        (datetime(2024, 1, 1), datetime(2024, 1, 2), LESS),
        (datetime(2024, 1, 1), datetime(2024, 1, 2, tzinfo=UTC), OTHER),
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "!= <= >="),
        (Literal("2024-01-01T00:00:00.000Z", XSD + "dateTime"), datetime(2024, 1, 1, tzinfo=UTC), "!= <= >="),
        (Literal("2024-01-01T00:00:00.5000000Z", XSD + "dateTime"), datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC), LESS),
        (Literal("2024-01-01T00:00:00+00:00", XSD + "dateTime"), datetime(2024, 1, 1, 0, 0, 1, tzinfo=UTC), LESS),
        (Literal("2024-01-01T00:00:00.0000001Z", XSD + "dateTime"), datetime(2024, 1, 2, tzinfo=UTC), OTHER),
        (Literal("20240101T000000Z", XSD + "dateTime"), datetime(2024, 1, 2, tzinfo=UTC), OTHER),
        (Literal("2024-13-01T00:00:00.0Z", XSD + "dateTime"), datetime(2024, 1, 2, tzinfo=UTC), OTHER),
        (Literal(" 2024-01-01 ", XSD + "date"), date(2024, 1, 2), LESS),
        (Literal("01:00:00.0", XSD + "time"), time(2), LESS),
        (Literal("01:00:00.0", "http://example.org/time"), time(2), OTHER),
        (time(1), time(2), LESS),
        (Iri("http://a"), Iri("http://a"), "="),
        (Iri("http://a"), Iri("http://b"), OTHER),
        (canonical(Literal("a", language="en")), canonical(Literal("b", language="en")), OTHER),
    ],
)
def test_compare(left: Term, right: Term, expected: str) -> None:
    assert holding(left, right) == expected
    assert holding(right, left) == {LESS: MORE, MORE: LESS}.get(expected, expected)


@given(st.lists(st.tuples(TERMS, TERMS)), st.sampled_from(list(OPERATORS)))
def test_columns_compare_as_pairs_do(pairs: list[tuple[Term, Term]], operator: str) -> None:
    dictionary = Dictionary()
    left, right = dictionary.encode([pair[0] for pair in pairs]), dictionary.encode([pair[1] for pair in pairs])
    assert compare(dictionary, operator, left, right).tolist() == [operator in holding(*pair).split() for pair in pairs]


NUMBERS = st.integers() | st.floats() | st.decimals(allow_nan=False, allow_infinity=False, places=3)


@given(NUMBERS.map(canonical), NUMBERS.map(canonical))
def test_numbers_compare_by_exact_value(left: Any, right: Any) -> None:
    if all(abs(float(value)) < float("inf") for value in (left, right)):
        a, b = Fraction(left), Fraction(right)
        assert holding(left, right) == " ".join(name for name, test in OPERATORS.items() if test(a, b))


@pytest.mark.parametrize(
    ("operator", "left", "right", "expected"),
    [
        ("+", 1, 2, 3),
        ("-", 1, 2, -1),
        ("*", 2**30 - 1, 2**30 - 1, (2**30 - 1) ** 2),
        ("*", 2**70, 2**70, 2**140),
        ("+", 2**30 - 1, 1, 2**30),
        ("/", 6, 3, 2),
        ("/", 1, 4, Decimal("0.25")),
        ("/", 1, 3, Decimal("0.3333333333333333333333333333")),
        ("/", -7, 2, Decimal("-3.5")),
        ("/", Decimal(6), 3, Decimal(2)),
        ("+", 1, Decimal("0.5"), Decimal("1.5")),
        ("+", Decimal("1E40"), Decimal("1E-40"), Decimal(f"1{0:040}.{1:040}")),
        ("+", 1, 0.5, 1.5),
        ("*", Decimal("0.5"), 2.0, 1.0),
        ("/", 1.0, 4, 0.25),
        ("+", ONE, 1, 2),
        ("/", 1, 0, None),
        ("/", 1.0, 0, None),
        ("/", Decimal(1), Decimal(0), None),
        ("+", 10**400, 0.5, None),
        ("+", "1", 1, None),
        ("+", True, 1, None),
        ("+", date(2024, 1, 1), 1, None),
        ("*", 1e308, 10, float("inf")),
    ],
)
def test_arithmetic(operator: str, left: Term, right: Term, expected: Term | None) -> None:
    found = calculated(operator, left, right)
    assert found is None if expected is None else same(found, expected)


@given(st.lists(st.tuples(TERMS, TERMS)), st.sampled_from("+-*/"))
def test_columns_calculate_as_pairs_do(pairs: list[tuple[Term, Term]], operator: str) -> None:
    dictionary = Dictionary()
    left, right = dictionary.encode([pair[0] for pair in pairs]), dictionary.encode([pair[1] for pair in pairs])
    ids, valid = arithmetic(dictionary, operator, left, right)
    found = [term if fine else None for term, fine in zip(dictionary.decode(ids), valid.tolist(), strict=True)]
    assert all(map(same, found, [calculated(operator, *pair) for pair in pairs]))


@given(st.lists(st.tuples(st.integers(-(2**31), 2**31), st.integers(-(2**31), 2**31))), st.sampled_from("+-*"))
def test_integers_are_exact(pairs: list[tuple[int, int]], operator: str) -> None:
    dictionary = Dictionary()
    left, right = dictionary.encode([pair[0] for pair in pairs]), dictionary.encode([pair[1] for pair in pairs])
    ids, valid = arithmetic(dictionary, operator, left, right)
    assert valid.all()
    exact = {"+": op.add, "-": op.sub, "*": op.mul}[operator]
    assert dictionary.decode(ids) == [exact(a, b) for a, b in pairs]


def test_runaway_multiplication_is_stopped() -> None:
    with pytest.raises(LimitExceeded, match="more than 13,280 bits"):
        calculated("*", 2**10_000, 2**10_000)


@given(TERMS)
def test_number_is_total(term: Term) -> None:
    assert number(term) is None or isinstance(number(term), int | float | Decimal)
