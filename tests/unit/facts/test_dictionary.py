"""Ids stand for terms, one for one."""

from __future__ import annotations

import subprocess
import sys
import threading
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import TERMS, VALUES, same
from tidelog.errors import DataError
from tidelog.facts.dictionary import INLINE, ZERO, Dictionary, factorize
from tidelog.terms import BlankNode, Iri, Literal, Term, canonical

LOOKALIKES: list[Term] = [
    *(1, "1", 1.0, True, Decimal(1), Iri("1"), BlankNode("1"), Literal("1", "http://www.w3.org/2001/XMLSchema#byte")),
    *(0, 0.0, -0.0, False, float("nan"), "nan", ""),
    *(2**30, -(2**30), -(2**30) - 1, 2**64, float(2**64)),
    *(date(2024, 1, 1), datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC), time(0), time(0, tzinfo=UTC)),
    datetime(2024, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
]


def test_terms_that_look_alike_are_different() -> None:
    dictionary = Dictionary()
    ids = dictionary.encode(LOOKALIKES)
    assert len(set(ids.tolist())) == len(LOOKALIKES)
    assert all(map(same, dictionary.decode(ids), LOOKALIKES))


def test_small_integers_take_no_memory_and_keep_their_order() -> None:
    dictionary = Dictionary()
    ids = dictionary.encode([-(2**30), -1, 0, 1, 2**30 - 1])
    assert ids.tolist() == [INLINE, ZERO - 1, ZERO, ZERO + 1, 2**32 - 1]
    assert len(dictionary) == 0


def test_other_terms_are_numbered_as_they_come() -> None:
    assert Dictionary().encode(["b", "a", "b", 2**30, Iri("b")]).tolist() == [0, 1, 0, 2, 3]


@given(st.lists(VALUES))
def test_round_trip(values: list[Any]) -> None:
    dictionary = Dictionary()
    ids = dictionary.encode(values)
    terms = [canonical(value) for value in values]
    assert all(map(same, dictionary.decode(ids), terms))
    assert [dictionary.encode_one(value) for value in values] == ids.tolist()
    assert [dictionary.find_one(value) for value in values] == ids.tolist()


@given(st.lists(TERMS, min_size=1), st.integers(64, 200))
def test_bulk_and_single_agree(terms: list[Term], repeat: int) -> None:
    many = (terms * repeat)[: max(repeat, len(terms))]
    bulk, single = Dictionary(), Dictionary()
    ids = bulk.encode(many)
    assert ids.tolist() == [single.encode_one(term) for term in many]
    assert all(map(same, bulk.decode(ids), many))


def test_find_adds_nothing() -> None:
    dictionary = Dictionary()
    ids, known = dictionary.find(["a", 1, Iri("a")])
    assert known.tolist() == [False, True, False]
    assert ids[1] == ZERO + 1
    assert len(dictionary) == 0


def test_what_is_no_term_leaves_the_rest_intact() -> None:
    dictionary = Dictionary()
    with pytest.raises(DataError, match="None"):
        dictionary.encode(["a", None])  # type: ignore[list-item]
    with pytest.raises(DataError, match="half a surrogate"):
        dictionary.encode(["b", "\ud800"])
    ids = dictionary.encode(["c", "a"])
    assert dictionary.decode(ids) == ["c", "a"]


def test_readers_see_whole_terms_while_one_writes() -> None:
    dictionary, done, wrong = Dictionary(), threading.Event(), []

    def read() -> None:
        while not done.is_set():
            known = len(dictionary)
            wrong.extend(one for one in range(max(0, known - 50), known) if dictionary.decode_one(one) != f"t{one}")

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    dictionary.encode([f"t{number}" for number in range(50_000)])
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, -1, 2**31, -(2**63)]),
        pa.array([1, 2**64 - 1], pa.uint64()),
        pa.array([-128, 127], pa.int8()),
        pa.array([0.0, -0.0, float("nan"), 1.5]),
        pa.array(np.array([0.5, np.nan], np.float32)),
        pa.array([True, False, True]),
        pa.array(["a", "", "a", "ü"]),
        pa.array(["a", "b"], pa.string_view()),
        pa.array(["a", "b"], pa.large_string()),
        pa.array(["a", "b", "a"]).dictionary_encode(),
        pa.array([1, 2, 1]).dictionary_encode(),
        pa.array(["x", "a", "b"]).dictionary_encode().slice(1),
        pa.array(["a", "a", "b"]).slice(1),
        pa.array([True, False, True]).slice(1),
        pa.chunked_array([["a"], [], ["b", "a"]]),
        pa.array([Decimal("1.50"), Decimal("-2.00")]),
        pa.array([date(2024, 1, 1), date(1, 1, 1)]),
        pa.array([datetime(2024, 1, 1, 1, 2, 3)], pa.timestamp("s")),
        pa.array([datetime(2024, 1, 1, tzinfo=UTC)], pa.timestamp("ms", "+02:00")),
        pa.array([datetime(2024, 7, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        pa.array([10**9], pa.timestamp("ns")),
        pa.array([time(1, 2, 3, 4)]),
        pa.array([], pa.int64()),
        pa.chunked_array([], pa.string()),
    ],
    ids=lambda array: str(array.type),
)
def test_arrow_means_its_python_values(array: pa.Array) -> None:
    dictionary = Dictionary()
    ids = dictionary.encode_arrow(array)
    expected = [canonical(value) for value in array.to_pylist()]
    assert all(map(same, dictionary.decode(ids), expected))
    assert len(ids) == len(array)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (pa.array([1, None]), "2: a missing value (null) where a fact needs a value"),
        (pa.chunked_array([["a"], [None]]), "2: a missing value (null) where a fact needs a value"),
        (pa.array([None]), "1: a missing value (null) where a fact needs a value"),
        (pa.array([b"a"]), "a column of Arrow type binary holds no values that a fact can hold"),
        (pa.array([[1]]), "a column of Arrow type list<item: int64> holds no values that a fact can hold"),
        (
            pa.array([1], pa.timestamp("ns")),
            "a time that is finer than a microsecond or out of range (Casting from timestamp[ns] to timestamp[us] would lose "
            "data: 1)",
        ),
    ],
)
def test_arrow_that_holds_no_terms(array: pa.Array, message: str) -> None:
    with pytest.raises(DataError) as caught:
        Dictionary().encode_arrow(array)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("terms", "kind", "values"),
    [
        ([1, 2], "int64", [1, 2]),
        ([1, 2**40], "int64", [1, 2**40]),
        ([1, 2**70], "large_string", ["1", str(2**70)]),
        (["a", "b"], "large_string", ["a", "b"]),
        ([True, False], "bool", [True, False]),
        ([1.5, -0.0], "double", [1.5, -0.0]),
        ([date(2024, 1, 1)], "date32[day]", [date(2024, 1, 1)]),
        ([datetime(2024, 1, 1)], "timestamp[us]", [datetime(2024, 1, 1)]),
        ([datetime(2024, 1, 1, tzinfo=UTC)], "timestamp[us, tz=+00:00]", [datetime(2024, 1, 1, tzinfo=UTC)]),
        ([time(1)], "time64[us]", [time(1)]),
        ([Decimal("1.5"), Decimal("10")], "decimal128(3, 1)", [Decimal("1.5"), Decimal("10.0")]),
        ([Iri("http://a"), BlankNode("b")], "large_string", ["<http://a>", "_:b"]),
        (["a", "12", 12, Iri("http://a")], "large_string", ["a", '"12"', "12", "<http://a>"]),
        ([], "large_string", []),
    ],
)
def test_arrow_columns_have_the_natural_type(terms: list[Term], kind: str, values: list[object]) -> None:
    dictionary = Dictionary()
    column = dictionary.to_arrow(dictionary.encode(terms))
    assert (str(column.type), column.to_pylist()) == (kind, values)


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_factorize(numbers: list[int]) -> None:
    ids = np.array(numbers, np.uint32)
    distinct, inverse = factorize(ids)
    assert distinct.tolist() == sorted(set(numbers))
    assert distinct[inverse].tolist() == numbers


def test_scopes_are_different() -> None:
    dictionary = Dictionary()
    assert len({dictionary.fresh_scope() for _ in range(3)}) == 3


def test_pandas_is_not_imported_for_nothing() -> None:
    script = """if True:
        import sys
        from tidelog.facts.dictionary import Dictionary
        dictionary = Dictionary()
        ids = dictionary.encode([1, "a", 2.5, "b"] * 50)
        column = dictionary.to_arrow(ids)
        dictionary.encode_arrow(column)
        print("pandas" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
