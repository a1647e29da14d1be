"""Facts that a caller hands over, as columns of ids.

Whatever holds rows is welcome: tuples or lists in any iterable, bare values for a predicate of one argument, Arrow data (and
anything that offers itself as Arrow: Polars, DuckDB, recent pandas), pandas, a 2-D array of integers. Either every row can
be used or the caller gets a DataError that names the row and the value; nothing is stored before all of it is read.

The types are recognised by what they offer, so neither pandas nor Polars is imported here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io.bad_rows import plural

MISSING = "a missing value (null) where a fact needs a value"
_BARE_HINT = "rows are tuples; only a predicate with one argument takes bare values"


def columns(data: Any, dictionary: Dictionary, *, arity: int | None, source: str) -> list[Ids]:
    """The columns of `data` as ids; `arity` None means: whatever the data has."""
    if isinstance(data, np.ndarray):
        encoded = _from_array(data, dictionary, source)
    elif _is_pandas(data):
        encoded = _from_pandas(data, dictionary, source)
    elif hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        encoded = _from_arrow(data, dictionary, source)
    else:
        return _from_rows(data, dictionary, arity, source)
    if arity is not None and len(encoded) != arity:
        raise DataError(f"{plural(len(encoded), 'column')}, where {plural(arity, 'value')} a row are needed", source=source)
    return encoded


def nullary(data: Any, source: str) -> bool:
    """Whether `data`, rows for a predicate without arguments, holds the one fact there can be: the empty row."""
    rows = list(data) if isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping) else [data]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, tuple | list) or len(row):
            raise DataError(f"{_shown(row)} is not the empty row ()", source=source, row=number)
    return bool(rows)


# --- Python rows ------------------------------------------------------------------------------------------------------


def _from_rows(data: Any, dictionary: Dictionary, arity: int | None, source: str) -> list[Ids]:
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        raise DataError(f"{_shown(data)} is not a collection of rows", source=source, hint=_BARE_HINT)
    rows = data if isinstance(data, list) else list(data)
    if not rows:
        return [np.empty(0, np.uint32) for _ in range(arity or 0)]
    if not set(map(type, rows)) <= {tuple, list}:
        rows = _as_tuples(rows, arity, source)
    width = arity if arity is not None else len(rows[0])
    if set(map(len, rows)) != {width}:
        row, values = next((row, values) for row, values in enumerate(rows, 1) if len(values) != width)
        raise DataError(f"{plural(len(values), 'value')} in {_shown(values)}, where {width} are needed", source=source, row=row)
    lists = ([*map(itemgetter(position), rows)] for position in range(width))  # zip(*rows) takes six times as long
    return [_encode(dictionary, column, number, source) for number, column in enumerate(lists, 1)]


def _as_tuples(rows: list[Any], arity: int | None, source: str) -> list[Sequence[Any]]:
    """Rows that are not all plain tuples or lists: named tuples, table rows, or bare values."""
    bare = arity in (None, 1) and not any(isinstance(row, tuple | list) for row in rows)
    if bare:
        return [(row,) for row in rows]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, tuple | list):
            raise DataError(f"{_shown(row)} is not a row", source=source, row=number, hint=_BARE_HINT)
    return rows


def _encode(dictionary: Dictionary, column: Sequence[Any], number: int, source: str) -> Ids:
    try:
        return dictionary.encode(column)
    except DataError as error:
        for row, value in enumerate(column, 1):
            try:
                dictionary.encode_one(value)
            except DataError as found:
                raise DataError(f"column {number}: {found.message}", source=source, row=row, hint=found.hint) from None
        raise error


# --- tables -----------------------------------------------------------------------------------------------------------


def _from_array(data: np.ndarray[Any, Any], dictionary: Dictionary, source: str) -> list[Ids]:
    if data.ndim == 1:
        data = data.reshape(-1, 1)
    if data.ndim != 2:
        raise DataError(f"an array of {data.ndim} dimensions is not a table", source=source)
    if data.dtype.kind in "iu":
        return [dictionary.encode_int64(np.ascontiguousarray(data[:, number])) for number in range(data.shape[1])]
    lists = ([*column] if data.dtype.kind in "mM" else column.tolist() for column in data.T)  # tolist makes ints of times
    return [_encode(dictionary, column, number, source) for number, column in enumerate(lists, 1)]


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "to_numpy")


def _from_pandas(data: Any, dictionary: Dictionary, source: str) -> list[Ids]:
    import pyarrow as pa

    frame = data if data.ndim == 2 else data.to_frame()
    encoded = []
    for number in range(frame.shape[1]):
        series = frame.iloc[:, number]
        if missing := [row for row, gap in enumerate(series.isna().tolist(), 1) if gap]:
            raise DataError(f"column {str(series.name)!r}: {MISSING}", source=source, row=missing[0])
        try:
            if series.dtype == object:
                encoded.append(_encode(dictionary, series.tolist(), number + 1, source))
            else:
                encoded.append(_column(dictionary, pa.array(series, from_pandas=False), str(series.name), source))
        except pa.ArrowException as error:
            raise DataError(f"column {str(series.name)!r}: {error}", source=source) from error
    return encoded


def _from_arrow(data: Any, dictionary: Dictionary, source: str) -> list[Ids]:
    import pyarrow as pa

    try:
        table = data if isinstance(data, pa.Table) else pa.table({"1": data} if _is_one_column(data) else data)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"{type(data).__name__} is not a table Arrow can read: {error}", source=source) from error
    return [_column(dictionary, column, name, source) for name, column in zip(table.column_names, table.columns, strict=True)]


def _is_one_column(data: Any) -> bool:
    """Whether the Arrow data is one array (of Polars: a Series) rather than a table."""
    import pyarrow as pa

    if isinstance(data, pa.Array | pa.ChunkedArray):
        return True
    schema = data.__arrow_c_schema__ if hasattr(data, "__arrow_c_schema__") else None
    return schema is None and not hasattr(data, "columns") and hasattr(data, "to_arrow")


def _column(dictionary: Dictionary, column: Any, name: str, source: str) -> Ids:
    try:
        return dictionary.encode_arrow(column)
    except DataError as error:
        raise DataError(f"column {name!r}: {error.message}", source=source, row=error.row, hint=error.hint) from None


# --- words for messages -----------------------------------------------------------------------------------------------


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
