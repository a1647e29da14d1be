"""What the text of one cell means, and how a term is written into a cell.

A cell of type `any` is read on its own, whatever other rows hold: `12` is an integer, `1.5` and `1e3` are doubles, `true`
and `false` booleans, `<http://example.org/a>`, `_:b`, `"text"@en` and `"2024-01-01"^^<...#date>` what they are in
N-Triples; all else is a string, as it stands. Only what an integer prints as is an integer: `007`, `+1`, ` 1` are strings,
because a number would lose what was written. `show` is the inverse: a string that looks like something else is written
in quotes, `"12"`.

The declared types (`int`, `date`, ...) are more generous, `007` is the integer 7, and refuse what does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from tidelog.errors import DataError
from tidelog.notation import ntriples, parse_term, quoted
from tidelog.terms import Iri, Term, canonical, iri

INTEGER = r"(?:0|-?[1-9][0-9]*)"
DOUBLE = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)"

# The same in the dialect of Arrow's regular expressions, for whole columns at once: no number here can overflow.
SHORT_INTEGER = r"0|-?[1-9][0-9]{0,17}"
SHORT_DOUBLE = r"-?(?:0|[1-9][0-9]{0,99})(?:\.[0-9]{1,100}(?:[eE][+-]?[0-9]{1,2})?|[eE][+-]?[0-9]{1,2})"
BOOLEAN = r"true|false"
STRING_OR_BOOLEAN = r"[^-0-9<_\"](?s:.*)|"

_INTEGER, _DOUBLE = re.compile(INTEGER), re.compile(DOUBLE)
_NUMBER_START, _TERM_START = frozenset("-0123456789"), frozenset('<_"')
_INFINITE = float("inf"), float("-inf")


def read_any(cell: str) -> Term:
    """The term that a cell of type `any` means."""
    first = cell[:1]
    if first in _NUMBER_START:
        return _number(cell)
    if first in _TERM_START:
        term = parse_term(cell)
        return cell if term is None else term
    return cell == "true" if cell in ("true", "false") else cell


def show(term: Term) -> str:
    """The cell that `read_any` reads as this term."""
    if isinstance(term, str):
        read = read_any(term)
        return term if type(read) is str and read == term else quoted(term)
    if isinstance(term, bool):
        return "true" if term else "false"
    if isinstance(term, int) or (isinstance(term, float) and term - term == 0):
        return repr(term)
    return ntriples(term)


def _number(cell: str) -> Term:
    if _INTEGER.fullmatch(cell):
        try:
            return canonical(int(cell))
        except (ValueError, DataError):  # thousands of digits
            return cell
    if _DOUBLE.fullmatch(cell):
        value = float(cell)
        return cell if value in _INFINITE else value
    return cell


# --- declared types ---------------------------------------------------------------------------------------------------


def _strict(pattern: str, convert: Callable[[str], Any]) -> Callable[[str], Term]:
    compiled = re.compile(pattern)

    def read(cell: str) -> Term:
        if not compiled.fullmatch(cell):
            raise ValueError(cell)
        return canonical(convert(cell))

    return read


def _iri(cell: str) -> Iri:
    found = iri(cell[1:-1] if cell.startswith("<") and cell.endswith(">") else cell)
    if not found.value:
        raise ValueError(cell)
    return found


_DECIMAL = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_INT = _strict(r"[+-]?[0-9]+", int)
_FLOAT = _strict(rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?|[+-]?(?:inf|INF|Infinity)|NaN|nan", float)
_BOOL = _strict("true|false|True|False|TRUE|FALSE", lambda cell: cell.lower() == "true")
TYPES: dict[str, Callable[[str], Term]] = {
    "any": read_any,
    "string": str,
    "int": _INT,
    "integer": _INT,
    "float": _FLOAT,
    "double": _FLOAT,
    "decimal": _strict(_DECIMAL, Decimal),
    "bool": _BOOL,
    "boolean": _BOOL,
    "iri": _iri,
    "date": _strict(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat),
    "datetime": _strict(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ].*", datetime.fromisoformat),
}
SKIP = "skip"


def read_as(kind: str, cell: str) -> Term:
    """The term that a cell of a declared type means; DataError if it does not fit."""
    try:
        return TYPES[kind](cell)
    except (ValueError, ArithmeticError, DataError):
        article = "an" if kind[0] in "aei" else "a"
        raise DataError(f"{cell!r} is not {article} {kind}") from None
