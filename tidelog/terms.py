"""Terms: the values that facts are made of.

A term is a plain Python value wherever one says it exactly: `str`, `int`, `bool`, `float`, `Decimal`, `date`, `datetime`,
`time`. RDF terms that have no exact Python value have a type of their own here: `Iri`, `BlankNode`, and `Literal` for
language-tagged strings, for datatypes Python does not have, and for lexical forms that are not the canonical one (so
`"01"^^xsd:integer` survives a round trip).

Two terms are the same if they have the same type and the same value: `1`, `"1"`, `1.0` and `True` are four terms.
One term has one representation, and `canonical` finds it: `Literal("12", XSD + "integer")` is `12`, `Decimal("1.50")` is
`Decimal("1.5")`, a NumPy scalar is its Python value. How terms are written as text stands in `tidelog.notation`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any, TypeAlias, cast

from tidelog.errors import DataError

XSD = "http://www.w3.org/2001/XMLSchema#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"


@dataclass(frozen=True, slots=True)
class Iri:
    value: str

    def __str__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True)
class BlankNode:
    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Literal:
    """An RDF literal that no Python value says exactly."""

    lexical: str
    datatype: str = XSD + "string"
    language: str | None = None


Term: TypeAlias = str | int | bool | float | Decimal | date | datetime | time | Iri | BlankNode | Literal

# Python prints integers of up to 4,300 digits; a longer one could be held but never shown.
MAX_BITS = 13_280
_MAX_DIGITS = 4_000

_LETTER = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
IRI_PATTERN = '[^\\x00-\\x20<>"{}|^`\\\\\ud800-\udfff]*'
_INNER = f"{_LETTER}_0-9\\-\u00b7\u0300-\u036f\u203f-\u2040"
BLANK_PATTERN = f"[{_LETTER}_0-9](?:[{_INNER}.]*[{_INNER}])?"
LANGUAGE_PATTERN = "[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*"
_IRI, _BLANK, _LANGUAGE = re.compile(IRI_PATTERN), re.compile(BLANK_PATTERN), re.compile(LANGUAGE_PATTERN)


# --- one representation for each term ---------------------------------------------------------------------------------


def canonical(value: object) -> Term:
    """The term that a Python value stands for; DataError if it stands for none."""
    kind = type(value)
    if kind in _AS_IS:
        return cast(Term, value)
    rule = _RULES.get(kind)
    if rule is not None:
        return cast(Term, rule(value))
    if _is_numpy(value):
        return canonical(_from_numpy(value))
    for base, convert in _SUBCLASSES:
        if isinstance(value, base):
            return canonical(convert(value))
    raise unsupported(value)


def unsupported(value: object, why: str | None = None) -> DataError:
    name = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    text = repr(value)
    text = text if len(text) <= 80 else text[:77] + "..."
    kinds = "str, int, float, bool, Decimal, date, datetime, time, Iri, BlankNode and Literal"
    return DataError(f"{text} ({name}) is not a value a fact can hold{f': {why}' if why else ''}", hint=f"values are {kinds}")


def literal(lexical: str, datatype: str | None = None, language: str | None = None) -> Term:
    """The term of an RDF literal: a Python value if the lexical form is the canonical one, else a `Literal`."""
    if language is not None:
        if not _LANGUAGE.fullmatch(language):
            raise DataError(f"{language!r} is not a language tag", hint='for example "chat"@fr or "colour"@en-GB')
        return Literal(text(lexical), RDF + "langString", language.lower())
    if datatype is None or datatype == XSD + "string":
        return text(lexical)
    read = _READERS.get(datatype)
    value = read(lexical) if read is not None else None
    if value is not None and lexical_form(value)[0] == lexical:
        return cast(Term, value)
    return Literal(text(lexical), iri(datatype).value)


def lexical_form(term: Term) -> tuple[str, str, str | None]:
    """The lexical form, datatype and language of a term that RDF calls a literal."""
    if isinstance(term, Literal):
        return term.lexical, term.datatype, term.language
    name, write = _WRITERS[type(term)]
    return write(term), XSD + name, None


def text(value: str) -> str:
    """`value` itself; a string that UTF-8 cannot say is not a term."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise DataError(f"the string {value!r} holds half a surrogate pair, which is not a character") from error
    return value


def iri(value: str) -> Iri:
    if not _IRI.fullmatch(value):
        raise DataError(f"<{value}> is not an IRI", hint='blanks, control characters and <>"{}|^`\\ cannot stand in an IRI')
    return Iri(value)


def blank(label: str) -> BlankNode:
    if not _BLANK.fullmatch(label):
        raise DataError(f"_:{label} is not a blank node", hint="a label is made of letters, digits, '_', '-' and inner dots")
    return BlankNode(label)


# --- canonical values, by type ----------------------------------------------------------------------------------------

# A context that never rounds: a Decimal is normalised exactly or an error is raised.
_EXACT = Context(prec=20_000, Emax=999_999, Emin=-999_999, traps=[Inexact, InvalidOperation])


def decimal(value: Decimal) -> Decimal:
    """Without trailing zeros and without a negative zero: 1.50 and 1.5 are one term."""
    if not value.is_finite():
        raise unsupported(value, "a decimal is finite; use float for infinities and NaN")
    if not value:
        return Decimal(0)
    if abs(value.adjusted()) > _MAX_DIGITS or len(value.as_tuple().digits) > _MAX_DIGITS:
        raise unsupported(value, f"more than {_MAX_DIGITS:,} digits")
    return value.normalize(_EXACT)


def _integer(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        raise DataError(f"an integer of {value.bit_length():,} bits is too long for a fact", hint=f"{MAX_BITS:,} bits at most")
    return value


def _zone(value: datetime | time) -> timezone | None:
    """The zone as a fixed offset, so that equal offsets are equal whatever zone database they came from."""
    offset = value.utcoffset()
    if offset is None:
        return None
    if offset % timedelta(minutes=1) or abs(offset) > timedelta(hours=14):
        raise unsupported(value, "its offset from UTC is not in whole minutes up to 14 hours")
    return UTC if not offset else timezone(offset)


def _datetime(value: datetime) -> datetime:
    return value if value.tzinfo is None and not value.fold else value.replace(tzinfo=_zone(value), fold=0)


def _time(value: time) -> time:
    if value.tzinfo is not None and value.utcoffset() is None:
        raise unsupported(value, "its time zone has no offset without a date")
    return value if value.tzinfo is None and not value.fold else value.replace(tzinfo=_zone(value), fold=0)


def _is_numpy(value: object) -> bool:
    """Whether it is a numpy scalar; who has one has imported numpy, and who has not need not wait for it here."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _from_numpy(value: Any) -> object:
    import numpy as np

    if isinstance(value, np.datetime64):
        exact = value.astype("datetime64[us]")
        if np.isnat(value) or exact != value:
            raise unsupported(value, "missing, or finer than a microsecond")
        return exact.item() if np.datetime_data(value.dtype)[0] != "D" else exact.item().date()
    plain = value.item()
    if isinstance(plain, np.generic):
        raise unsupported(value)
    return plain


def _from_datetime(value: Any) -> object:
    if getattr(value, "nanosecond", 0) or value != value:  # pandas: Timestamp with nanoseconds, NaT
        raise unsupported(value, "missing, or finer than a microsecond")
    parts = (value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond)
    return datetime(*parts, tzinfo=value.tzinfo, fold=value.fold)


_AS_IS = {bool, float, date}
_RULES: dict[type, Any] = {
    str: text,
    int: _integer,
    Decimal: decimal,
    datetime: _datetime,
    time: _time,
    Iri: lambda term: iri(term.value),
    BlankNode: lambda term: blank(term.label),
    Literal: lambda term: literal(term.lexical, term.datatype, term.language),
}
_SUBCLASSES: tuple[tuple[type, Any], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (Decimal, Decimal),
    (datetime, _from_datetime),
    (date, lambda value: date(value.year, value.month, value.day)),
)


# --- lexical forms ----------------------------------------------------------------------------------------------------


def _double_text(value: float) -> str:
    """XSD's canonical double: one digit before the point, at least one after, an exponent."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "-INF"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    shown = "".join(map(str, digits)).rstrip("0") or "0"
    power = int(exponent) + len(digits) - 1 if any(digits) else 0
    return f"{'-' if sign else ''}{shown[0]}.{shown[1:] or '0'}E{power}"


def _decimal_text(value: Decimal) -> str:
    plain = f"{value:f}"
    return plain if "." in plain else plain + ".0"


def _clock_text(value: datetime | time) -> str:
    shown = value.replace(tzinfo=None).isoformat()
    if value.microsecond:
        shown = shown.rstrip("0")
    offset = value.utcoffset()
    if offset is None:
        return shown
    return shown + (value.isoformat()[-6:] if offset else "Z")


def _attempt(read: Callable[[str], object]) -> Callable[[str], Term | None]:
    def attempt(lexical: str) -> Term | None:
        try:
            return cast(Term, read(lexical)) if len(lexical) <= _MAX_DIGITS and lexical.isascii() else None
        except (ValueError, ArithmeticError, DataError):
            return None

    return attempt


_DOUBLES = {"INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}


def _double(lexical: str) -> float:
    value = _DOUBLES.get(lexical)
    return value if value is not None else float(lexical)


_READERS: dict[str, Any] = {
    XSD + "integer": _attempt(lambda lexical: _integer(int(lexical))),
    XSD + "decimal": _attempt(lambda lexical: decimal(Decimal(lexical))),
    XSD + "double": _attempt(_double),
    XSD + "boolean": {"true": True, "false": False}.get,
    XSD + "date": _attempt(date.fromisoformat),
    XSD + "dateTime": _attempt(lambda lexical: canonical(datetime.fromisoformat(lexical))),
    XSD + "time": _attempt(lambda lexical: canonical(time.fromisoformat(lexical))),
}
_WRITERS: dict[type, tuple[str, Any]] = {
    str: ("string", str),
    int: ("integer", str),
    Decimal: ("decimal", _decimal_text),
    float: ("double", _double_text),
    bool: ("boolean", lambda value: "true" if value else "false"),
    date: ("date", date.isoformat),
    datetime: ("dateTime", _clock_text),
    time: ("time", _clock_text),
}
