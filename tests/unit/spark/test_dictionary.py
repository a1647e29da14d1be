"""Terms to ids and back: exact under collisions, the same in every run, integers as they are."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.facts.wide import WIDE, home_of, homes
from tidelog.notation import ntriples
from tidelog.spark.dictionary import SCHEMA, decoded, displaced, encoded, home, new_terms
from tidelog.terms import Iri, Literal

XSD = "http://www.w3.org/2001/XMLSchema#"
TERMS = [0, 12, -5, WIDE - 1, WIDE, -WIDE, -WIDE - 1, 10**18, 10**30, "12", "", "é\n", 1.5, True, Iri("http://e.org/a")]
ODD = [
    Literal("012", XSD + "integer"),
    Literal("+1", XSD + "integer"),
    Literal("12", XSD + "int"),
    Literal("12", "urn:xinteger"),
]
TEXTS = [ntriples(term) for term in [*TERMS, *ODD]]


def frame_of(spark: SparkSession, texts: list[str]) -> DataFrame:
    return spark.createDataFrame([(text,) for text in texts], "c0 string")


def learn(known: dict[str, int], texts: list[str], bits: int, spark: SparkSession) -> dict[str, int]:
    """The dictionary with more terms, checked for what must always hold."""
    moved = spark.createDataFrame(away(known, bits), SCHEMA) if away(known, bits) else None
    found = new_terms(frame_of(spark, texts), ["c0"], table(known, spark), moved, bits)
    new = {row.text: row.id for row in found.frame.collect()}
    larger = known | new
    assert known.items() <= larger.items()
    assert (found.number, found.displaced) == (len(new), len(away(new, bits)))
    assert len(set(larger.values())) == len(larger) == len({t for t in [*known, *texts] if home_of(t) >= WIDE})
    return larger


def table(known: dict[str, int], spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(id_, text) for text, id_ in known.items()], SCHEMA)


def away(known: dict[str, int], bits: int) -> list[tuple[int, str]]:
    return [(id_, text) for text, id_ in known.items() if id_ != home_of(text, bits)]


def test_plain_python_and_spark_give_the_same_ids(spark: SparkSession) -> None:
    rows = frame_of(spark, TEXTS).select("c0", home(sf.col("c0")).alias("id")).collect()
    assert [row.id for row in rows] == homes([row.c0 for row in rows]).tolist()


def test_integers_stay_as_they_are(spark: SparkSession) -> None:
    numbers = [0, 12, -5, WIDE - 1, -WIDE, WIDE, -WIDE - 1]
    frame = spark.createDataFrame([(number,) for number in numbers], "c0 bigint")
    ids = [row.c0 for row in encoded(frame, ["c0"]).collect()]
    assert ids == homes([ntriples(number) for number in numbers]).tolist()
    found = new_terms(frame, ["c0"], spark.createDataFrame([], SCHEMA))
    assert sorted(row.text for row in found.frame.collect()) == sorted(map(ntriples, [WIDE, -WIDE - 1]))


@pytest.mark.parametrize("bits", [4, 61])
def test_terms_come_back_as_they_went_in_however_many_collide(bits: int, spark: SparkSession) -> None:
    first, second = TEXTS[3:], [*TEXTS[::2], '"new"', '"newer"', '"newest"']
    known = learn({}, first, bits, spark)
    known = learn(known, second, bits, spark)
    assert bool(away(known, bits)) == (bits == 4)
    dictionary = table(known, spark)
    moved = displaced(dictionary, bits) if bits == 4 else None
    ids = encoded(frame_of(spark, [*first, *second]).select("c0", sf.col("c0").alias("text")), ["c0"], moved, bits)
    back = decoded(ids, ["c0"], dictionary).collect()
    assert sorted(row.text for row in back) == sorted([*first, *second])
    assert all(row.c0 == row.text for row in back)


def test_ids_do_not_depend_on_the_run_or_the_order_of_rows(spark: SparkSession) -> None:
    empty = spark.createDataFrame([], SCHEMA)
    runs = [
        {(row.id, row.text) for row in new_terms(frame_of(spark, texts), ["c0"], empty, bits=3).frame.collect()}
        for texts in (TEXTS[4:10], TEXTS[9:3:-1])
    ]
    assert runs[0] == runs[1]
