"""Columns of any DataFrame as terms: texts in N-Triples, or integers as they are.

What a value means is what it means to the embedded engine: a string is a string, a date a date, the integer 12 the integer
12. Integers, booleans and strings, which are nearly all, are put into words by Spark's built-in functions; the rarer kinds
(doubles, decimals, dates and times) by the embedded engine's own code on Arrow batches, so that both engines write
`1.5E0` and mean the same term.

A value that no fact can hold (null, a date before the year 1, a string that is not UTF-8) becomes null, and a reason says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sf
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
)

from tidelog.errors import DataError
from tidelog.facts import arrow
from tidelog.facts.dictionary import Dictionary
from tidelog.io import cells
from tidelog.io.ingest import MISSING
from tidelog.notation import ntriples, parse_term
from tidelog.terms import XSD

_INTEGERS = (ByteType, ShortType, IntegerType, LongType)
_BY_ARROW = (FloatType, DoubleType, DecimalType, DateType, TimestampType, TimestampNTZType)
_DECLARED: dict[str, tuple[type[DataType], ...]] = {
    "string": (StringType,),
    "int": _INTEGERS,
    "integer": _INTEGERS,
    "float": (FloatType, DoubleType),
    "double": (FloatType, DoubleType),
    "decimal": (DecimalType,),
    "bool": (BooleanType,),
    "boolean": (BooleanType,),
    "date": (DateType,),
    "datetime": (TimestampType, TimestampNTZType),
}
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_CONTROLS = [chr(code) for code in (*range(0x20), 0x7F) if chr(code) not in _ESCAPES]
_UNSAFE = '[\\x00-\\x1f"\\\\\\x7f]'


class Texts(NamedTuple):
    """A column of terms, and why there is none."""

    value: Column
    """The text in N-Triples, or the integer; null where there is no term."""
    reason: Column
    """Why there is no term; null where there is one."""


def texts(frame: DataFrame, column: str, kind: str = "any") -> Texts:
    """The terms of a column; `kind` demands a type (as in `@import`), or says that strings are IRIs (`iri`) or N-Triples."""
    type_, here = frame.schema[column].dataType, sf.col(f"`{column}`")
    if kind in ("iri", "ntriples") and isinstance(type_, StringType):
        return _read(here, _iris if kind == "iri" else _terms, f"is not {'an IRI' if kind == 'iri' else 'a term in N-Triples'}")
    if kind != "any" and not isinstance(type_, _DECLARED.get(kind, ())):
        raise DataError(f"column {column!r} has the type {type_.simpleString()}, not {kind}")
    reason = sf.when(here.isNull(), sf.lit(f"column {column!r}: {MISSING}"))
    if isinstance(type_, _INTEGERS):
        return Texts(here.cast("bigint"), reason)
    if isinstance(type_, BooleanType):
        return Texts(sf.concat(sf.lit('"'), here.cast("string"), sf.lit(f'"^^<{XSD}boolean>')), reason)
    if isinstance(type_, StringType):
        broken = sf.when(~sf.is_valid_utf8(here), sf.lit(f"column {column!r}: text that is not UTF-8"))
        return Texts(sf.when(sf.is_valid_utf8(here), quoted(here)), sf.coalesce(reason, broken))
    if isinstance(type_, _BY_ARROW):
        return _read(here, _by_arrow, "is beyond what a fact can hold")
    raise DataError(f"column {column!r} has the type {type_.simpleString()}, which holds no values that a fact can hold")


def quoted(string: Column) -> Column:
    """A string as N-Triples writes it."""
    safe = string
    for character, escape in (_ESCAPES | {control: f"\\u{ord(control):04X}" for control in _CONTROLS}).items():
        safe = sf.replace(safe, sf.lit(character), sf.lit(escape))
    return sf.concat(sf.lit('"'), sf.when(string.rlike(_UNSAFE), safe).otherwise(string), sf.lit('"'))


def _read(here: Column, convert: Callable[[pa.Array], pa.Array], wrong: str) -> Texts:
    """The terms that a function on Arrow batches makes, and makes null of what is none."""
    value = sf.arrow_udf(convert, StringType())(here)  # type: ignore[attr-defined]  # the stubs lack it
    missing = sf.when(here.isNull(), sf.lit(MISSING))
    return Texts(value, sf.coalesce(missing, sf.when(value.isNull(), sf.concat(here.cast("string"), sf.lit(f" {wrong}")))))


def _by_arrow(values: pa.Array) -> pa.Array:
    if pa.types.is_timestamp(values.type) and values.type.tz is not None:
        values = values.cast(pa.timestamp("us", "UTC"))  # an instant; the session's zone is no part of it
    return _each(values, lambda some: _in_words(some))


def _in_words(values: pa.Array) -> pa.Array:
    dictionary = Dictionary()
    return arrow.texts(dictionary, dictionary.encode_arrow(values), ntriples)


def _each(values: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> pa.Array:
    """Convert all at once, or one by one if there is something among them that cannot be."""
    try:
        return convert(values).cast(pa.string())
    except (DataError, pa.ArrowException, ValueError, OverflowError):
        return pa.array([_one(values.slice(row, 1), convert) for row in range(len(values))], pa.string())


def _one(value: pa.Array, convert: Callable[[pa.Array], pa.Array]) -> str | None:
    try:
        return str(convert(value)[0].as_py())
    except (DataError, pa.ArrowException, ValueError, OverflowError):
        return None


def _iris(values: pa.Array) -> pa.Array:
    return _distinct(values, lambda cell: ntriples(cells.read_as("iri", cell)))


def _terms(values: pa.Array) -> pa.Array:
    def show(cell: str) -> str | None:
        term = parse_term(cell)
        return None if term is None else ntriples(term)

    return _distinct(values, show)


def _distinct(values: pa.Array, show: Callable[[str], str | None]) -> pa.Array:
    def attempt(cell: str | None) -> str | None:
        try:
            return None if cell is None else show(cell)
        except DataError:
            return None

    coded = values.dictionary_encode()
    return pa.array(list(map(attempt, coded.dictionary.to_pylist())), pa.string()).take(coded.indices)
