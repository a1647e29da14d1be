"""Terms for Hypothesis: every kind of term, with a liking for those that are easily mistaken for others."""

from __future__ import annotations

from datetime import timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from tidelog.terms import XSD, BlankNode, Iri, Literal, canonical

TRICKY = [
    *["", "12", "007", "-0", "+1", " 1", "1 ", "1e5", "1.5", "1.", ".5", "0x10", "1e999", "9" * 5000, "1_000", "\u0661"],
    *["true", "True", "false", "inf", "nan", "NaN", "null", "<a>", "<a b>", "_:b", "_:", "<", '"', '""', '"a"', "'a'"],
    *['"a"@en', '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "\\", "\\n", "a\nb", "\r", "\r\n", "\n", ",", "\t"],
    *["\ufeff", "\ufeffa", "\x00", "\x7f", "\u2028", "\x85", "a,b", 'say "hi"', " ", "\U0001f30a", "#", "# a", "@prefix"],
]
SCALARS = st.characters(exclude_categories=["Cs"])
STRINGS = st.sampled_from(TRICKY) | st.text(SCALARS, max_size=8) | st.text("\"',\t\r\n\\<>_:@^0123456789-.eE true", max_size=8)
IRIS = st.builds(
    lambda rest: Iri("http://example.org/" + rest), st.text(SCALARS, max_size=6).filter(lambda s: not set(s) & UNSAFE)
)
UNSAFE = set('<>"{}|^`\\ ') | {chr(code) for code in range(0xA0)} - {chr(code) for code in range(0x21, 0x7F)} | set("%[]")
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
LITERALS = st.builds(Literal, STRINGS, st.just(""), st.sampled_from(["en", "de-CH", "EN"])) | st.builds(
    Literal,
    STRINGS | st.sampled_from(["1", "01", "1.50", "-0", "INF", "2024-01-01", "24:00:00"]),
    st.sampled_from([XSD + name for name in ("integer", "decimal", "double", "byte", "date", "boolean", "dateTime", "float")]),
)
VALUES: st.SearchStrategy[Any] = st.one_of(
    STRINGS,
    st.integers() | st.sampled_from([2**30, 2**30 - 1, -(2**30), -(2**30) - 1, 2**63, -(2**63), 2**64, 10**17]),
    st.booleans(),
    st.floats(),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30),
    st.dates(),
    st.datetimes() | st.datetimes(timezones=ZONES),
    st.times() | st.times(timezones=ZONES),
    IRIS,
    st.from_regex(r"\A[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_-])?\Z", fullmatch=True).map(BlankNode),
    LITERALS,
)
TERMS = VALUES.map(canonical)


def same(left: Any, right: Any) -> bool:
    """Whether two canonical terms are one; `==` alone would merge 1, 1.0 and True."""
    return type(left) is type(right) and repr(left) == repr(right)
