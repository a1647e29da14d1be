"""Columns of DataFrames as terms: they mean what they mean to the embedded engine."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

from tidelog.errors import DataError
from tidelog.notation import ntriples
from tidelog.spark.texts import texts
from tidelog.terms import Iri

VALUES = [
    ("string", ["a", "", "é", 'say "hi"\\', "tab\t\x00\x1f\x7f\r\n"]),
    ("boolean", [True, False]),
    ("double", [1.5, -0.0, 1e300, 2e-3, float("inf"), float("-inf"), float("nan"), 12.0]),
    ("decimal(20,5)", [Decimal("1.50000"), Decimal("0"), Decimal("-12345678.9")]),
    ("date", [date(2024, 2, 29), date(1, 1, 1)]),
    ("timestamp_ntz", [datetime(2024, 2, 29, 12, 30, 15, 250000)]),
]


@pytest.mark.parametrize(("kind", "values"), VALUES)
def test_a_value_means_what_it_means_to_the_embedded_engine(kind: str, values: list[object], spark: SparkSession) -> None:
    frame = spark.createDataFrame([(number, value) for number, value in enumerate(values)], f"n int, v {kind}")
    found = texts(frame, "v")
    rows = frame.select("n", found.value.alias("text"), found.reason.alias("reason")).orderBy("n").collect()
    assert [row.reason for row in rows] == [None] * len(values)
    assert [row.text for row in rows] == [ntriples(_canonical(value)) for value in values]


def _canonical(value: object) -> object:
    from tidelog.terms import canonical

    return canonical(value)


def test_a_timestamp_is_an_instant_whatever_the_zone_of_the_session(spark: SparkSession) -> None:
    frame = spark.sql("select timestamp '2024-06-01 12:00:00 America/New_York' v")
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        (row,) = frame.select(texts(frame, "v").value.alias("text")).collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert row.text == '"2024-06-01T16:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def test_small_integers_are_left_alone(spark: SparkSession) -> None:
    frame = spark.sql("select 7Y a, 7S b, 7 c, 7L d")
    row = frame.select(*(texts(frame, name).value.alias(name) for name in frame.columns)).first()
    assert tuple(row) == (7, 7, 7, 7)


def test_strings_may_stand_for_other_terms(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [("http://e.org/a", "_:b"), ("no iri", "no term"), ("<http://e.org/a>", '"\\u0041"')], "a string, b string"
    )
    iri, term = texts(frame, "a", "iri"), texts(frame, "b", "ntriples")
    rows = frame.select(iri.value, term.value, iri.reason, term.reason).collect()
    wanted = ntriples(Iri("http://e.org/a"))
    assert sorted(map(tuple, rows), key=str) == [
        (wanted, '"A"', None, None),
        (wanted, "_:b", None, None),
        (None, None, "no iri is not an IRI", "no term is not a term in N-Triples"),
    ]


def test_what_no_fact_can_hold_has_a_reason(spark: SparkSession) -> None:
    frame = spark.sql("select cast(null as string) a, date '-0044-03-15' b, cast(x'ff' as string) c, cast(null as bigint) d")
    reasons = [texts(frame, name).reason for name in frame.columns]
    row = frame.select(*(sf.coalesce(reason, sf.lit("fine")) for reason in reasons)).first()
    assert [part.partition(": ")[2] or part for part in row] == [
        "a missing value (null) where a fact needs a value",
        "-0044-03-15 is beyond what a fact can hold",
        "text that is not UTF-8",
        "a missing value (null) where a fact needs a value",
    ]


@pytest.mark.parametrize(
    ("sql", "kind", "message"),
    [("array(1)", "any", "array<int>, which holds no values"), ("1", "iri", "int, not iri"), ("'a'", "int", "string, not int")],
)
def test_a_column_of_the_wrong_type_is_refused(sql: str, kind: str, message: str, spark: SparkSession) -> None:
    with pytest.raises(DataError, match=message):
        texts(spark.sql(f"select {sql} v"), "v", kind)
