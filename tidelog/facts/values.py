"""What conditions mean: comparing and calculating with terms, over whole columns of ids.

Numbers compare by value, whatever their type: `1`, `1.0` and `"01"^^xsd:integer` are equal, though they are three terms.
For all other terms `=` means the same term. `<`, `<=`, `>`, `>=` order numbers by value, strings by code point, booleans
(false first), dates, and times and datetimes, however they are written, among those with a zone and among those without one;
between anything else the condition does not hold. NaN equals nothing, not even itself.

Arithmetic is exact on integers and decimals (a quotient that is not an integer is a decimal of 28 digits); a double makes
the result a double. No result at all: an operand that is no number, a division by zero.

Columns of small integers never leave numpy. For other terms each *distinct* term is ranked among its kind once, and the
ranks are compared; calculations run once for each distinct pair.
"""

from __future__ import annotations

import operator as op
import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Context, Decimal
from typing import Any

import numpy as np

from tidelog.errors import DataError, LimitExceeded
from tidelog.facts.dictionary import INLINE, ZERO, Dictionary, Ids, Mask, factorize
from tidelog.terms import MAX_BITS, XSD, Literal, Term, canonical, decimal

Number = int | float | Decimal

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": op.eq,
    "!=": op.ne,
    "<": op.lt,
    "<=": op.le,
    ">": op.gt,
    ">=": op.ge,
}


def compare(dictionary: Dictionary, operator: str, left: Ids, right: Ids) -> Mask:
    """For each pair of terms, whether `left operator right` holds."""
    if len(left) == 0:
        return np.zeros(0, np.bool_)
    if _small(left) and _small(right):  # ids of small integers order as the integers
        return np.asarray(_COMPARE[operator](left, right), np.bool_)
    if operator not in ("=", "!="):
        return _compared(dictionary, operator, left, right)
    holds = np.asarray(_COMPARE[operator](left, right), np.bool_)
    unlike = (~(dictionary.distinct(left) & dictionary.distinct(right))).nonzero()[0]
    if len(unlike):
        holds[unlike] = _compared(dictionary, operator, left[unlike], right[unlike])
    return holds


def _compared(dictionary: Dictionary, operator: str, left: Ids, right: Ids) -> Mask:
    """`compare`, by value."""
    kinds, ranks = ranked(dictionary, np.concatenate([left, right]))
    kind, other, rank, against = kinds[: len(left)], kinds[len(left) :], ranks[: len(left)], ranks[len(left) :]
    same = (kind == other) & (kind != NONE) & (kind != NAN)
    if operator not in ("=", "!="):
        return np.asarray(same & _COMPARE[operator](rank, against), np.bool_)
    by_value = same & (kind == NUMBER)
    equal = np.where(by_value, rank == against, (left == right) & (kind != NAN))
    return np.asarray(equal if operator == "=" else ~equal, np.bool_)


def arithmetic(dictionary: Dictionary, operator: str, left: Ids, right: Ids) -> tuple[Ids, Mask]:
    """The ids of `left operator right`, and for which pairs there is a result; the other ids mean nothing."""
    if len(left) == 0:
        return np.zeros(0, np.uint32), np.zeros(0, np.bool_)
    if _small(left) and _small(right) and operator != "/":
        a, b = left.astype(np.int64) - ZERO, right.astype(np.int64) - ZERO
        return dictionary.encode_int64(_EXACT[operator](a, b)), np.ones(len(left), np.bool_)  # at most 2**60: fits
    pairs, inverse = np.unique((left.astype(np.uint64) << np.uint64(32)) | right, return_inverse=True)
    firsts = _numbers(dictionary, (pairs >> np.uint64(32)).astype(np.uint32))
    seconds = _numbers(dictionary, pairs.astype(np.uint32))
    results = [calculate(operator, a, b) for a, b in zip(firsts, seconds, strict=True)]
    valid = np.fromiter((result is not None for result in results), np.bool_, len(results))
    ids = dictionary.encode([0 if result is None else result for result in results])
    return ids[inverse], valid[inverse]


def calculate(operator: str, a: Number | None, b: Number | None) -> Number | None:
    """`a operator b` for two numbers; None where there is no result."""
    if a is None or b is None:
        return None
    try:
        if isinstance(a, float) or isinstance(b, float):
            return float(_EXACT[operator](float(a), float(b)))
        if operator == "/":
            return _quotient(a, b)
        if isinstance(a, int) and isinstance(b, int):
            return _bounded(int(_EXACT[operator](a, b)))
        return decimal(_DECIMAL[operator](_WIDE, Decimal(a), Decimal(b)))
    except (ArithmeticError, ValueError):
        return None


def number(term: Term) -> Number | None:
    """The number a term stands for, None if it is not one; NaN is a float like others."""
    if isinstance(term, bool):
        return None
    if isinstance(term, int | float | Decimal):
        return term
    return _literal_number(term) if isinstance(term, Literal) else None


def clock(term: Literal) -> datetime | date | time | None:
    """The date or time that a literal writes in another way than the usual, such as `12:00:00.000Z`; None if it is none.

    What is finer than a microsecond is none, either: cut off it would be another.
    """
    read, pattern = _CLOCKS.get(term.datatype, (None, _DATE_TEXT))
    written = pattern.fullmatch(term.lexical.strip(" \t\r\n"))
    if read is None or written is None:
        return None
    try:
        found = canonical(read(written.group()))
    except (ValueError, DataError):
        return None
    assert isinstance(found, datetime | date | time)
    return found


# --- comparing: kinds and ranks ---------------------------------------------------------------------------------------

NONE, NUMBER, NAN = 0, 1, 2  # the kinds that need telling apart; the others are numbered as they come


def ranked(dictionary: Dictionary, ids: Ids) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """For each id its kind, and its place in the order of that kind; equal numbers have equal places."""
    distinct, inverse = factorize(ids)
    kinds, ranks = np.zeros(len(distinct), np.int8), np.zeros(len(distinct), np.int64)
    groups: dict[str, list[tuple[Any, int]]] = {}
    for position, term in enumerate(dictionary.decode(distinct)):
        name, key = _order_key(term)
        groups.setdefault(name, []).append((key, position))
    for kind, (name, members) in enumerate(groups.items(), start=NAN + 1):
        positions = [position for _, position in members]
        kinds[positions] = {"": NONE, "number": NUMBER, "nan": NAN}.get(name, kind)
        if name not in ("", "nan"):
            ranks[positions] = _places([key for key, _ in members])
    return kinds[inverse], ranks[inverse]


def _places(keys: list[Any]) -> list[int]:
    places = {key: place for place, key in enumerate(sorted(set(keys)))}  # 1, 1.0 and Decimal(1) are one key here
    return [places[key] for key in keys]


def _order_key(term: Term) -> tuple[str, Any]:
    """The kind within which a term is ordered (empty: none), and what orders it there."""
    value = number(term)
    if value is not None:
        return ("nan", 0) if value != value else ("number", value)
    if isinstance(term, Literal):
        term = clock(term) or term
    if isinstance(term, datetime | time):
        return f"{type(term).__name__} {'local' if term.tzinfo is None else 'zoned'}", term
    return (type(term).__name__, term) if isinstance(term, str | bool | date) else ("", 0)


# --- calculating ------------------------------------------------------------------------------------------------------

_EXACT: dict[str, Callable[[Any, Any], Any]] = {"+": op.add, "-": op.sub, "*": op.mul, "/": op.truediv}
_DECIMAL: dict[str, Callable[[Context, Decimal, Decimal], Decimal]] = {
    "+": Context.add,
    "-": Context.subtract,
    "*": Context.multiply,
}
_WIDE = Context(prec=200)  # sums and products of decimals are exact up to 200 digits, then rounded
_QUOTIENT = Context(prec=28)


def _quotient(a: int | Decimal, b: int | Decimal) -> Number | None:
    if not b:
        return None
    if isinstance(a, int) and isinstance(b, int) and a % b == 0:
        return a // b
    return decimal(_QUOTIENT.divide(Decimal(a), Decimal(b)))


def _bounded(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise LimitExceeded(f"arithmetic made an integer of more than {MAX_BITS:,} bits; does a rule multiply without end?")
    return value


def _small(ids: Ids) -> bool:
    return int(ids.min()) >= INLINE


def _numbers(dictionary: Dictionary, ids: Ids) -> list[Number | None]:
    return [number(term) for term in dictionary.decode(ids)]


_RANGES: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}


def _literal_number(term: Literal) -> Number | None:
    name = term.datatype.removeprefix(XSD)
    if name == term.datatype or not (name in _RANGES or name in _FORMS):
        return None
    written = term.lexical.strip(" \t\r\n")  # XSD: blanks around a number do not belong to it
    if not _FORMS.get(name, _INTEGER_TEXT).fullmatch(written):
        return None
    try:
        if name in _RANGES:
            low, high = _RANGES[name]
            value = int(written)
            return value if (low is None or low <= value) and (high is None or value <= high) else None
        if name == "decimal":
            return decimal(Decimal(written))
        return float(written) if name == "double" else float(np.float32(written))
    except (ValueError, DataError):
        return None


_INTEGER_TEXT = re.compile(r"[+-]?[0-9]+")
_DECIMAL_TEXT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE_TEXT = re.compile(_DECIMAL_TEXT.pattern + r"(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN")
_FORMS = {"decimal": _DECIMAL_TEXT, "double": _DOUBLE_TEXT, "float": _DOUBLE_TEXT}
_DATE_TEXT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME_TEXT = re.compile(r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6}(?=0*(?:Z|[+-]|$))0*)?(?:Z|[+-][0-9]{2}:[0-9]{2})?")
_CLOCKS: dict[str, tuple[Callable[[str], object], re.Pattern[str]]] = {
    XSD + "date": (date.fromisoformat, _DATE_TEXT),
    XSD + "time": (time.fromisoformat, _TIME_TEXT),
    XSD + "dateTime": (datetime.fromisoformat, re.compile(f"{_DATE_TEXT.pattern}T{_TIME_TEXT.pattern}")),
}
