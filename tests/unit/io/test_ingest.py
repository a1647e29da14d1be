"""Rows from a caller: what is welcome, and what is said about the rest."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import TERMS, same
from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.io.ingest import columns, nullary
from tidelog.terms import Term

Edge = namedtuple("Edge", "source target")


def ingested(data: Any, arity: int | None = None) -> list[tuple[Term, ...]]:
    dictionary = Dictionary()
    return list(zip(*map(dictionary.decode, columns(data, dictionary, arity=arity, source="edge")), strict=True))


def numbers() -> Iterator[int]:
    yield from (1, 2)


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ([("a", 1), ("b", 2.5)], [("a", 1), ("b", 2.5)]),
        ([["a", 1]], [("a", 1)]),
        ((("a", 1),), [("a", 1)]),
        ({("a", 1)}, [("a", 1)]),
        ([Edge("a", 1)], [("a", 1)]),
        (numbers(), [(1,), (2,)]),
        (["a", 1, True], [("a",), (1,), (True,)]),
        (range(2), [(0,), (1,)]),
        (np.array([[1, 2], [3, 4]]), [(1, 2), (3, 4)]),
        (np.array([1, 2], np.uint8), [(1,), (2,)]),
        (np.array([["a", "b"]]), [("a", "b")]),
        (np.array([["2024-01-01"]], "datetime64[s]"), [(datetime(2024, 1, 1),)]),
        (np.array(["a", 1], object), [("a",), (1,)]),
        (pa.table({"x": [1], "y": ["a"]}), [(1, "a")]),
        (pa.record_batch({"x": [1], "y": ["a"]}), [(1, "a")]),
        (pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), [pa.record_batch({"x": [1]})]), [(1,)]),
        (pa.array([1, 2]), [(1,), (2,)]),
        (pa.chunked_array([[1], [2]]), [(1,), (2,)]),
        (pa.table({"x": pa.array(["b", "b"]).dictionary_encode()}), [("b",), ("b",)]),
        (pl.DataFrame({"x": pl.Series(["b"], dtype=pl.Enum(["a", "b"]))}), [("b",)]),
        (pd.DataFrame({"x": [1], "y": ["a"]}, index=[7]), [(1, "a")]),
        (pd.DataFrame({"x": [1, "a"]}), [(1,), ("a",)]),
        (pd.DataFrame({"x": pd.to_datetime(["2024-01-01"]), "c": pd.Categorical(["a"])}), [(datetime(2024, 1, 1), "a")]),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), [(1, 2)]),
        (pd.Series(["a"]), [("a",)]),
        (pl.DataFrame({"x": [1], "y": ["a"], "z": [date(2024, 1, 1)], "b": [True]}), [(1, "a", date(2024, 1, 1), True)]),
        (pl.Series(["a"]), [("a",)]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_rows_come_in(data: Any, rows: list[tuple[Term, ...]]) -> None:
    found = ingested(data)
    assert len(found) == len(rows)
    assert all(same(a, b) for left, right in zip(found, rows, strict=True) for a, b in zip(left, right, strict=True))


BARE = "\n    hint: rows are tuples; only a predicate with one argument takes bare values"
KINDS = "\n    hint: values are str, int, float, bool, Decimal, date, datetime, time, Iri, BlankNode and Literal"
MISSING = "a missing value (null) where a fact needs a value"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([("a", 1), ("b",)], "edge:2: 1 value in ('b',), where 2 are needed"),
        ([("a", 1), ("b", 2, 3)], "edge:2: 3 values in ('b', 2, 3), where 2 are needed"),
        (["ab", "cd"], "edge:1: 'ab' is not a row" + BARE),
        ([("a", 1), "ab"], "edge:2: 'ab' is not a row" + BARE),
        ([{"x": 1}], "edge:1: {'x': 1} is not a row" + BARE),
        ("ab", "edge: 'ab' is not a collection of rows" + BARE),
        ({"a": 1}, "edge: {'a': 1} is not a collection of rows" + BARE),
        (None, "edge: None is not a collection of rows" + BARE),
        ([("a", 1), ("b", None)], "edge:2: column 2: None (NoneType) is not a value a fact can hold" + KINDS),
        ([("a", [1])], "edge:1: column 2: [1] (list) is not a value a fact can hold" + KINDS),
        (pa.table({"x": [1, 2], "y": ["a", None]}), f"edge:2: column 'y': {MISSING}"),
        (pl.DataFrame({"x": [1, None], "y": [1, 2]}), f"edge:2: column 'x': {MISSING}"),
        (pd.DataFrame({"x": [1.0, None], "y": [1, 2]}), f"edge:2: column 'x': {MISSING}"),
        (pd.DataFrame({"x": ["a", [1]], "y": [1, 2]}), "edge:2: column 1: [1] (list) is not a value a fact can hold" + KINDS),
        (
            pa.table({"x": [b"a"], "y": [1]}),
            "edge: column 'x': a column of Arrow type binary holds no values that a fact can hold",
        ),
        (
            pd.DataFrame({"x": pd.period_range("2024", periods=1), "y": [1]}),
            "edge: column 'x': a column of Arrow type extension<pandas.period<ArrowPeriodType>> holds no values that a fact"
            " can hold",
        ),
        (pa.table({"x": [1]}), "edge: 1 column, where 2 values a row are needed"),
        (np.zeros((2, 3), np.int64), "edge: 3 columns, where 2 values a row are needed"),
        (np.zeros((2, 2, 2)), "edge: an array of 3 dimensions is not a table"),
    ],
)
def test_rows_that_cannot_be_used(data: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        ingested(data, 2)
    assert str(caught.value) == message


def test_no_rows() -> None:
    assert [len(column) for column in columns([], Dictionary(), arity=2, source="edge")] == [0, 0]
    assert [len(column) for column in columns(pa.table({"x": []}), Dictionary(), arity=1, source="p")] == [0]


def test_predicates_without_arguments() -> None:
    assert nullary([()], "rain")
    assert not nullary([], "rain")
    with pytest.raises(DataError, match=re.escape("rain:1: (1,) is not the empty row ()")):
        nullary([(1,)], "rain")


@given(st.integers(1, 4).flatmap(lambda arity: st.lists(st.tuples(*[TERMS] * arity), min_size=1)))
def test_any_rows_round_trip(rows: list[tuple[Term, ...]]) -> None:
    found = ingested(rows, len(rows[0]))
    assert all(same(a, b) for left, right in zip(found, rows, strict=True) for a, b in zip(left, right, strict=True))


def test_nothing_heavy_is_imported_for_tuples() -> None:
    script = """if True:
        import sys
        from tidelog.facts.dictionary import Dictionary
        from tidelog.io.ingest import columns
        columns([("a", 1)], Dictionary(), arity=2, source="edge")
        print(*sorted({"pyarrow", "pandas", "polars", "pyoxigraph"} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
