"""Arrow columns to ids and back, a set at a time.

Encoding never visits the rows in Python where a column repeats itself: integers are one addition, floats go by their
bits, and of everything else only the distinct values are looked up. Decoding likewise makes each distinct term once.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.errors import DataError
from tidelog.facts.dictionary import INLINE, ZERO, Ids, factorize
from tidelog.notation import ntriples
from tidelog.syntax.formatter import format_term
from tidelog.terms import BlankNode, Iri, Literal, Term

if TYPE_CHECKING:
    from tidelog.facts.dictionary import Dictionary


def encode(dictionary: Dictionary, array: pa.Array | pa.ChunkedArray) -> Ids:
    """The ids of a column's values; DataError with the row number (from 1) where there is a null."""
    refuse_nulls(array)
    if not len(array):
        return np.empty(0, np.uint32)
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    encoded = [_encode_chunk(dictionary, chunk) for chunk in chunks]
    return encoded[0] if len(encoded) == 1 else np.concatenate(encoded)


def refuse_nulls(array: pa.Array | pa.ChunkedArray) -> None:
    if array.null_count:
        row = pc.index(array.is_null(), True).as_py()
        raise DataError("a missing value (null) where a fact needs a value", row=row + 1)


def _encode_chunk(dictionary: Dictionary, chunk: pa.Array) -> Ids:
    kind = chunk.type
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name in _EXTENSIONS:
        return _encode_chunk(dictionary, chunk.cast(pa.bool_()) if kind.extension_name == "arrow.bool8" else chunk.storage)
    if pa.types.is_integer(kind):
        return dictionary.encode_int64(to_numpy(chunk))
    if pa.types.is_floating(kind):
        return dictionary.encode_float64(to_numpy(chunk))
    if pa.types.is_dictionary(kind):
        if chunk.dictionary.null_count or len(chunk.dictionary) > len(chunk):  # may hold values that no row has
            used, codes = np.unique(to_numpy(chunk.indices), return_inverse=True)
            return encode(dictionary, _plain(chunk.dictionary).take(from_numpy(used)))[codes]
        return _take(dictionary, chunk.indices, chunk.dictionary)
    if pa.types.is_run_end_encoded(kind):
        return _encode_chunk(dictionary, pc.run_end_decode(chunk))
    if not any(test(kind) for test in _SCALARS):
        raise DataError(f"a column of Arrow type {kind} holds no values that a fact can hold")
    coded = _plain(chunk).dictionary_encode()
    return _take(dictionary, coded.indices, coded.dictionary)


def _plain(array: pa.Array) -> pa.Array:
    """An array of a type that Arrow can calculate with."""
    return array.cast(pa.large_string()) if pa.types.is_string_view(array.type) else array


def _take(dictionary: Dictionary, codes: pa.Array, values: pa.Array) -> Ids:
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_dictionary(values.type):
        ids = encode(dictionary, values)
    else:
        ids = dictionary.encode(_values(values))
    return cast(Ids, ids[to_numpy(codes)])


def _values(values: pa.Array) -> list[Any]:
    if pa.types.is_timestamp(values.type) or pa.types.is_time(values.type):
        zone = values.type.tz if pa.types.is_timestamp(values.type) else None
        exact = pa.timestamp("us", zone) if pa.types.is_timestamp(values.type) else pa.time64("us")
        try:
            values = values.cast(exact)
        except pa.ArrowInvalid as error:
            raise DataError(f"a time that is finer than a microsecond or out of range ({error})") from error
    try:
        return cast(list[Any], values.to_pylist())
    except (ValueError, OverflowError) as error:
        raise DataError(f"a column of Arrow type {values.type} holds a value Python cannot hold: {error}") from error


_EXTENSIONS = {"arrow.bool8", "arrow.json"}
"""Extension types whose storage says what they mean; a number of pandas' months, for one, does not say that it is a month."""

_SCALARS: tuple[Callable[[pa.DataType], bool], ...] = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_boolean,
    pa.types.is_decimal,
    pa.types.is_date,
    pa.types.is_timestamp,
    pa.types.is_time,
)


def decode(dictionary: Dictionary, ids: Ids) -> pa.Array:
    """A column of the terms: int64, string, bool, double, ... if all are of one kind.

    IRIs, blank nodes and literals become strings in N-Triples syntax; a mixture becomes strings in the rule language, where
    the string `12` is written `"12"`.
    """
    column = natural(dictionary, ids)
    if column is not None:
        return column
    kinds = set(map(type, dictionary.decode(factorize(ids)[0])))
    return texts(dictionary, ids, ntriples if kinds <= {Iri, BlankNode, Literal} else format_term)


def natural(dictionary: Dictionary, ids: Ids) -> pa.Array | None:
    """A column of the Arrow type that says exactly what the terms are, or None if there is none."""
    if not len(ids):
        return strings([])
    if int(ids.min()) >= INLINE:
        return from_numpy(ids.astype(np.int64) - ZERO)
    distinct, inverse = factorize(ids)
    terms = dictionary.decode(distinct)
    kinds = set(map(type, terms))
    build = _NATURAL.get(kinds.pop()) if len(kinds) == 1 else None
    try:
        return build(terms).take(from_numpy(inverse)) if build is not None else None
    except (pa.ArrowInvalid, OverflowError):  # an integer beyond 64 bits, a decimal beyond 76 digits
        return None


def texts(dictionary: Dictionary, ids: Ids, show: Callable[[Term], str]) -> pa.Array:
    """A column of strings, each distinct term put into words once."""
    distinct, inverse = factorize(ids)
    return strings([*map(show, dictionary.decode(distinct))]).take(from_numpy(inverse))


def _datetimes(terms: list[Any]) -> pa.Array:
    offsets = {term.utcoffset() for term in terms}
    if len(offsets) > 1:
        raise pa.ArrowInvalid("Arrow has one time zone for a column")
    return pa.array(terms, pa.timestamp("us", None if offsets == {None} else terms[0].isoformat()[-6:]))


def _times(terms: list[Any]) -> pa.Array:
    if any(term.tzinfo is not None for term in terms):
        raise pa.ArrowInvalid("Arrow has no time of day with a zone")
    return pa.array(terms, pa.time64("us"))


# --- numpy arrays and lists of strings as Arrow arrays, and back --------------------------------------------------------
# pa.array, Array.to_numpy and DataType.to_pandas_dtype import pandas (0.2 seconds) wherever it is installed, needed or not.

_FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""Arrow's names of number types, where they are not numpy's."""


def from_numpy(values: np.ndarray[Any, Any]) -> pa.Array:
    """An array of numbers as an Arrow array, without a copy."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])


def to_numpy(values: pa.Array) -> np.ndarray[Any, Any]:
    """An Arrow array of numbers or booleans without nulls as a numpy array, numbers without a copy."""
    if pa.types.is_boolean(values.type):
        return to_numpy(values.cast(pa.uint8())).view(np.bool_)
    buffer, name = values.buffers()[1], str(values.type)
    kind = np.dtype(_FLOATS.get(name, name))
    return np.frombuffer(buffer, kind, len(values), values.offset * kind.itemsize) if len(values) else np.empty(0, kind)


def strings(values: list[str]) -> pa.Array:
    """A list of strings as an Arrow array."""
    encoded = [value.encode() for value in values]
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(values)), out=offsets[1:])
    return pa.Array.from_buffers(pa.large_string(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))])


_NATURAL: dict[type, Callable[[list[Any]], pa.Array]] = {
    int: lambda terms: pa.array(terms, pa.int64()),
    bool: lambda terms: pa.array(terms, pa.bool_()),
    float: lambda terms: from_numpy(np.array(terms)),
    str: strings,
    Decimal: pa.array,
    date: lambda terms: pa.array(terms, pa.date32()),
    datetime: _datetimes,
    time: _times,
}


def release_memory() -> None:
    """Give back what Arrow keeps in reserve after a large load."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
