"""A materialisation on Spark and what stands around it: DataFrames and large files in, a warehouse that follows each update."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tidelog as tl
from tidelog.spark import upkeep

RULES = """
    edge(a, b) . on :- edge(_, _) .
    path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
"""
PREDICATES = ("edge", "path", "on")


def held(mat: tl.Materialisation) -> dict[str, object]:
    return {p: (mat[p].sorted(), mat.explicit(p).sorted()) for p in PREDICATES}


def test_every_update_is_a_version_and_the_next_process_goes_on(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mat, embedded = tl.Materialisation(RULES, engine=tl.Spark(warehouse=tmp_path)), tl.Materialisation(RULES)
    frame = spark.createDataFrame([("b", "c"), ("c", 'x "y"')], "a string, b string")
    for number, (insert, delete) in enumerate([(frame, []), ([("c", 5)], [("a", "b")]), ([("a", "b")], [])]):
        mat.algorithm = "rematerialise" if number == 1 else "ranked"
        changes, expected = (one.update(insert={"edge": insert}, delete={"edge": delete}) for one in (mat, embedded))
        assert set(changes) == set(expected)
    opened = tl.Materialisation.open(tmp_path)
    assert held(opened) == held(mat) == held(embedded)
    assert opened.rank("path", ("a", 5)) == mat.rank("path", ("a", 5)) == 3

    with monkeypatch.context() as patch:
        patch.setattr("tidelog.spark.warehouse.Transaction.note", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            mat.update(insert={"edge": [("5", "lost")]})
    assert held(mat) == held(tl.Materialisation.open(tmp_path, engine="spark")) == held(embedded)

    with pytest.raises(tl.DataError, match="the warehouse is of another program"):
        tl.Materialisation("path(?x) :- edge(?x, ?x) .", engine=tl.Spark(warehouse=tmp_path))
    with pytest.raises(tl.DataError, match="updates go on from the latest version, not from 1"):
        tl.Materialisation.open(tmp_path, engine="spark", version=1)


def test_frames_without_a_warehouse(spark: SparkSession) -> None:
    mat = tl.Materialisation(RULES, engine=tl.Spark(driver_facts=1))
    for value in ("x", "z"):
        frame = spark.createDataFrame([("b", value), ("b", value), ("y", "a")], "a string, b string")
        mat.update(insert={"edge": frame})
    rows = {("a", "b"), ("a", "x"), ("a", "z"), ("b", "x"), ("b", "z"), ("y", "a"), ("y", "b"), ("y", "x"), ("y", "z")}
    assert {tuple(row) for row in mat["path"].to_spark().collect()} == set(mat["path"]) == rows
    embedded = tl.Materialisation(RULES)
    embedded.update(insert={"edge": frame})
    assert embedded["path"].sorted() == sorted(row for row in rows if "z" in row or not {"x", "z"} & set(row))


def test_what_does_not_fit_is_refused_and_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    mat = tl.Materialisation(RULES, engine=tl.Spark(warehouse=tmp_path))
    with pytest.raises(tl.DataError, match="3 columns, where the predicate has 2 arguments"):
        mat.update(insert={"edge": spark.createDataFrame([("a", "b", 1)], "a string, b string, c int")})
    with pytest.raises(tl.DataError, match="DataFrame: column 'b': a missing value"):
        mat.update(insert={"edge": spark.createDataFrame([("q", None)], "a string, b string")})
    with pytest.raises(tl.SetupError, match="for a time only are not kept in warehouses"):
        mat.update(insert={"edge": [("q", "r")]}, expires=7)
    assert mat["edge"].sorted() == [("a", "b")]
    assert tl.Materialisation.open(tmp_path)["edge"].sorted() == [("a", "b")]


def test_large_files_are_read_by_spark(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "LARGE", 0)
    (tmp_path / "edges.csv").write_text("b,c\nlonely\nc,7\n")
    program = tl.Program.parse(f'@import edge :- csv{{resource = "{tmp_path / "edges.csv"}"}} . {RULES}')
    with pytest.raises(tl.DataError, match=r"edges.csv:2: 1 column, where 2 are needed: 'lonely'"):
        tl.Materialisation(program, engine="spark")
    mat = tl.Materialisation(program, engine="spark", on_bad_row="skip")
    assert [(row.row, row.text) for row in mat.bad_rows] == [(2, "lonely")]
    assert mat["path"].sorted() == [("a", 7), ("a", "b"), ("a", "c"), ("b", 7), ("b", "c"), ("c", 7)]
