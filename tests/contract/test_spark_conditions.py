"""Comparing and calculating with all kinds of terms on the Spark engine: what the embedded engine makes of them."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pytest
from pyspark.sql import SparkSession

from tests.updates import Row
from tidelog import DataError, Materialisation
from tidelog.engines.spark.engine import SparkEngine
from tidelog.facts.wide import home_of
from tidelog.notation import ntriples
from tidelog.terms import XSD, Literal

RULES = """
    less(?x, ?y) :- n(?x), n(?y), ?x < ?y . same(?x, ?y) :- n(?x), n(?y), ?x = ?y . other(?x) :- n(?x), ?x != 2, ?x >= 1.5 .
    result(?x, ?y, ?s, ?q) :- m(?x), m(?y), ?s = ?x * ?y - 1, ?q = ?x / ?y .
"""
NUMBERS = (1, 2, Decimal("2.0"), 2.0, 1.5, Decimal("-0.5"), float("nan"), float("inf"), 2**62, 2**70, -(2**62) - 1)
OTHERS = ("a", "b", "2", True, date(2024, 1, 2), datetime(2024, 1, 2, 3), Literal("02", XSD + "integer"))
EVERYTHING: list[Row] = [(term,) for term in (*NUMBERS, *OTHERS)]


def test_conditions_mean_what_they_mean_on_the_embedded_engine(spark: SparkSession) -> None:
    mats = [Materialisation(RULES, engine=engine) for engine in ("embedded", "spark")]
    for algorithm, insert, delete in (
        ("rematerialise", {"n": EVERYTHING, "m": [(Decimal("0.25"),), (2**61 + 1,), ("x",)]}, {}),
        ("dred", {"m": [(0.5,)]}, {"n": [(2.0,)]}),
    ):
        for mat in mats:
            mat.algorithm = algorithm
            mat.update(insert=insert, delete=delete)
        embedded, on_spark = (written(mat) for mat in mats)
        assert on_spark == embedded
    assert len(mats[1]["less"]) > 30


def written(mat: Materialisation) -> dict[str, list[str]]:
    """The facts as text: `2`, `2.0` and `Decimal("2.0")` are one value in Python, and NaN is not even itself."""
    return {predicate: sorted(map(repr, mat[predicate])) for predicate in mat.predicates}


def test_a_product_that_no_long_can_hold(spark: SparkSession) -> None:
    """Rules of a program meet its own facts, before there is any update."""
    rules = "n(4611686018427387903) . m(7, 2) . sq(?y) :- n(?x), ?y = ?x * ?x . q(?z) :- m(?x, ?y), ?z = ?x / ?y ."
    mat = Materialisation(rules, engine="spark")
    assert set(mat["sq"]) == {((2**62 - 1) ** 2,)}
    assert set(mat["q"]) == {(Decimal("3.5"),)}


def test_terms_that_the_driver_has_never_met(spark: SparkSession) -> None:
    """They are asked of the dictionary table; without one, the update is refused and nothing of it is kept."""
    wide = home_of(ntriples("zebra"))
    mat = Materialisation('late(?x) :- n(?x), ?x > "m" .', engine="spark", algorithm="rematerialise")
    engine = mat._engine
    assert isinstance(engine, SparkEngine)
    engine.load({"n": spark.createDataFrame([(wide, True, 0)], "c0 long, explicit boolean, rank int")})
    with pytest.raises(DataError, match="neither this process nor a dictionary table knows"):
        mat.update(insert={"n": [("a",)]})
    assert len(mat["n"]) == 1
    engine.terms.lookup = lambda ids: dict.fromkeys(ids, "zebra")
    mat.update(insert={"n": [("a",)]})
    assert set(mat["late"]) == {("zebra",)}
