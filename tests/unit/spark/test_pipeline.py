"""The pipeline: what it holds is what the embedded engine derives, after every update, batch, crash and restart."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import tidelog as tl
from tidelog.notation import ntriples
from tidelog.program import Program
from tidelog.spark import pipeline as module
from tidelog.spark import writing
from tidelog.spark.pipeline import Pipeline, reading
from tidelog.spark.stream import follow, signed

RULES = """
    path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
    lonely(?x) :- node(?x), ~path(?x, ?x) . on :- node(_) . edge(start, 1) .
"""
Edges = list[tuple[object, object]]
PREDICATES = ("edge", "node", "path", "lonely", "on")


def frame(spark: SparkSession, rows: Edges) -> DataFrame:
    texts = [tuple(map(ntriples, row)) for row in rows]
    return spark.createDataFrame(texts, "a string, b string").coalesce(1)


def edges(spark: SparkSession, rows: Edges) -> dict[str, object]:
    return {"edge": reading(frame(spark, rows), types=("ntriples", "ntriples"))}


def held(directory: Path) -> dict[str, object]:
    """What a warehouse holds, as the embedded engine opens it."""
    return everything(tl.Materialisation.open(directory))


def everything(mat: tl.Materialisation) -> dict[str, object]:
    return {p: (mat[p].sorted(), mat.explicit(p).sorted()) for p in PREDICATES if p in mat}


@pytest.mark.parametrize("engine", ["embedded", "spark"])
def test_random_updates_hold_what_the_embedded_engine_derives(
    engine: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mat, some = tl.Materialisation(RULES), random.Random(4)
    pipeline = Pipeline(spark, tmp_path, Program.parse(RULES), engine=engine)
    terms: list[object] = ["a", "b", 1, 2**65, tl.Iri("http://e.org/x")]
    for step in range(3):
        monkeypatch.setattr(writing, "FEW", 0 if step == 2 else 1000)
        pipeline.algorithm = ("auto", "ranked", "rematerialise")[step]
        insert, delete = ([(some.choice(terms), some.choice(terms)) for _ in range(3)] for _ in range(2))
        nodes = [] if step else [("a",), (1,)]
        changes = mat.update(insert={"edge": insert, "node": nodes}, delete={"edge": delete})
        given = {} if step else {"node": spark.createDataFrame([('"a"',), (ntriples(1),)], "n string")}
        named = {predicate: reading(rows, types=("ntriples",)) for predicate, rows in given.items()}
        done = pipeline.update(edges(spark, insert) | named, edges(spark, delete))
        assert held(tmp_path) == everything(mat)
        if step:
            assert done.inserted == {p: len(changes.inserted[p]) for p in changes.inserted}
            assert done.deleted == {p: len(changes.deleted[p]) for p in changes.deleted}
            told = {(row.change, row.c0, row.c1) for row in pipeline.warehouse.changes("path").collect()}
            assert told == {(sign, *map(ntriples, fact)) for sign, p, fact in changes if p == "path"}
        if step == 0:  # a restart
            pipeline = Pipeline(spark, tmp_path, Program.parse(RULES), engine=engine)


def test_bad_records_are_counted_and_imports_are_read_once(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("from;to\na;1\nlonely\n1;2\n")
    (tmp_path / "paths.rls").write_text(
        '@import edge :- csv{resource = "edges.csv", delimiter = ";", ignore_headers = true} .\n'
        "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .\n"
    )
    pipeline = Pipeline(spark, tmp_path / "w", Program.load(tmp_path / "paths.rls"))
    done = pipeline.update()
    assert (done.version, done.records, done.bad, dict(done.inserted)) == (0, 3, 1, {"edge": 2, "path": 3})
    assert pipeline.update().inserted == {}
    (row,) = pipeline.warehouse.quarantine().collect()
    assert (Path(row.source).name, row.line, row.text) == ("edges.csv", 3, "lonely")


def test_a_replayed_batch_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    pipeline = Pipeline(spark, tmp_path, Program.parse(RULES))
    assert pipeline.update(edges(spark, [("a", "b")]), batch=("s", 0)).version == 0
    for again in (pipeline, Pipeline(spark, tmp_path, Program.parse(RULES))):
        replayed = again.update(edges(spark, [("x", "y")]), batch=("s", 0))
        assert (replayed.version, replayed.statistics) == (0, None)
    assert pipeline.update(edges(spark, [("x", "y")]), batch=("other", 0)).version == 1


def test_an_update_that_fails_leaves_warehouse_and_engine_together(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipeline = Pipeline(spark, tmp_path, Program.parse(RULES))
    pipeline.update(edges(spark, [("a", "b")]))
    before = held(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(module.Transaction, "note", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            pipeline.update(edges(spark, [("b", "lost")]))
    assert held(tmp_path) == before
    done = pipeline.update(edges(spark, [("b", "c")]))
    assert (done.version, dict(done.inserted)) == (1, {"edge": 1, "path": 2})


def test_a_stream_of_changes_deletes_too(spark: SparkSession, tmp_path: Path) -> None:
    source = tmp_path / "in"
    schema = "a string, b string, change int"
    pipeline = Pipeline(spark, tmp_path / "w", Program.parse(RULES))
    for number, rows in enumerate([[("a", "b", 1), ("b", "c", 1)], [("a", "b", -1), ("c", "d", 1)]]):
        spark.createDataFrame(rows, schema).coalesce(1).write.mode("append").json(str(source))
        stream = spark.readStream.schema(schema).json(str(source))
        follow(pipeline, stream, "edge", name="s", checkpoint=tmp_path / "c", trigger={"availableNow": True}).awaitTermination()
        assert pipeline.warehouse.last_batch("s") == number
    assert tl.Materialisation.open(tmp_path / "w").explicit("edge").sorted() == [("b", "c"), ("c", "d"), ("start", 1)]
    with pytest.raises(tl.DataError, match="is not a streaming DataFrame"):
        follow(pipeline, spark.range(3), "edge", name="t", checkpoint=tmp_path / "d")


def test_of_deltas_change_data_the_last_word_counts(spark: SparkSession) -> None:
    schema = "a string, _change_type string, _commit_version bigint, _commit_timestamp timestamp"
    said = [
        ("new", "insert", 1),
        ("gone", "delete", 2),
        ("back", "delete", 1),
        ("back", "insert", 2),
        ("short", "insert", 1),
        ("short", "delete", 3),
        ("old", "update_preimage", 4),
        ("next", "update_postimage", 4),
        ("same", "update_preimage", 5),
        ("same", "update_postimage", 5),
    ]
    insert, delete = signed(spark.createDataFrame([(*row, None) for row in said], schema).coalesce(1))
    assert delete is not None
    assert insert.columns == delete.columns == ["a"]
    assert sorted(row.a for row in insert.collect()) == ["back", "new", "next", "same"]
    assert sorted(row.a for row in delete.collect()) == ["gone", "old", "short"]
