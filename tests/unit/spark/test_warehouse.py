"""A warehouse on Spark: what is written is read, by Spark and without it; an update is all or nothing."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tidelog.errors import DataError, InternalError
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.wide import home_of
from tidelog.program import Program
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.warehouse import Directory, reading

PROGRAM = Program.parse("path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .")
Edge = tuple[int, int]


def table(spark: SparkSession, facts: list[Edge], rank: int = 0) -> DataFrame:
    rows = [(*fact, rank == 0, rank) for fact in facts]
    return spark.createDataFrame(rows, "c0 bigint, c1 bigint, explicit boolean, rank int").coalesce(1)


def keys(spark: SparkSession, facts: list[Edge]) -> DataFrame:
    return spark.createDataFrame(facts, "c0 bigint, c1 bigint").coalesce(1)


def edges(warehouse: Warehouse) -> list[Edge]:
    return sorted((row.c0, row.c1) for row in warehouse.table("edge").collect())


def embedded(path: Path, version: int | None = None) -> list[tuple[object, ...]]:
    """The edges as they are read without Spark."""
    directory, dictionary = Directory(path), Dictionary()
    found = reading.facts(directory, directory.manifest(version), dictionary)["edge"]
    return sorted(zip(*(dictionary.decode(column) for column in found.columns), strict=True))


def test_segments_are_read_the_same_with_spark_and_without(spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.replace("edge", table(spark, [(n, n + 1) for n in range(10)]))
    steps = [([(0, 1), (1, 2)], [(0, 1)]), ([(0, 1)], []), ([], [(0, 1), (20, 21)])]
    expected = {(n, n + 1) for n in range(10)}
    for removed, added in steps:
        with warehouse.transaction() as update:
            update.change("edge", keys(spark, removed), table(spark, added))
        expected = (expected - set(removed)) | set(added)
        assert edges(warehouse) == embedded(tmp_path) == sorted(expected)
        assert warehouse.manifest.predicates["edge"].rows == len(expected)
    assert embedded(tmp_path, version=0) == [(n, n + 1) for n in range(10)]
    assert edges(Warehouse.open(spark, str(tmp_path), version=1)) == sorted({(n, n + 1) for n in range(10)} - {(1, 2)})


def test_a_table_that_has_changed_much_is_written_anew(spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.replace("edge", table(spark, [(1, 2), (2, 3)]))
        update.change("edge", keys(spark, [(1, 2)]), table(spark, [(5, 6)]))
    assert len(warehouse.manifest.predicates["edge"].segments) == 1
    assert edges(warehouse) == [(2, 3), (5, 6)]


def test_a_predicate_without_columns_holds_or_does_not(spark: SparkSession, tmp_path: Path) -> None:
    warehouse, schema = Warehouse.open(spark, str(tmp_path), PROGRAM), "explicit boolean, rank int"
    yes, no = spark.createDataFrame([(True, 0)], schema), spark.createDataFrame([], schema)
    counts = []
    for removed, added in ((no, yes), (no, no), (yes, no), (yes, yes)):
        with warehouse.transaction() as update:
            if "on" not in update.predicates:
                update.replace("on", no)
            update.change("on", removed, added)
        directory = Directory(tmp_path)
        found = reading.facts(directory, directory.manifest(), Dictionary())["on"]
        counts.append((warehouse.table("on").count(), len(found)))
    assert counts == [(1, 1), (1, 1), (0, 0), (1, 1)]


def test_terms_are_taken_in_once_and_decoded(spark: SparkSession, tmp_path: Path) -> None:
    texts = spark.createDataFrame([('"a"', "<urn:b>"), ('"a"', '"é\\n"')], "c0 string, c1 string")
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        assert (update.learn(texts, ["c0", "c1"]), update.learn(texts, ["c0", "c1"])) == (3, 0)
        assert (
            update.add_terms(
                spark.createDataFrame([(home_of('"a"'), '"a"'), (home_of('"c"'), '"c"')], "id bigint, text string")
            )
            == 1
        )
        update.replace("edge", table(spark, [(home_of('"a"'), home_of('"é\\n"')), (home_of('"c"'), 7)]))
    assert sorted((row.c0, row.c1) for row in warehouse.decoded("edge").collect()) == [
        ('"a"', '"é\\n"'),
        ('"c"', '"7"^^<http://www.w3.org/2001/XMLSchema#integer>'),
    ]
    assert sorted(embedded(tmp_path), key=str) == [("a", "é\n"), ("c", 7)]
    with pytest.raises(InternalError, match="were given one id"), warehouse.transaction() as update:
        update.add_terms(spark.createDataFrame([(home_of('"a"'), '"b"')], "id bigint, text string"))


def test_an_update_that_raises_never_happened(spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.replace("edge", table(spark, [(1, 2)]))
        update.record_batch("stream", 4)
        update.note("materialised", True)

    def broken(update: Transaction) -> None:
        update.replace("edge", table(spark, [(3, 4)]))
        update.record_batch("stream", 5)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), warehouse.transaction() as update:
        broken(update)
    again = Warehouse.open(spark, str(tmp_path), PROGRAM)
    assert (again.version, again.last_batch("stream"), again.notes) == (0, 4, {"materialised": True})
    assert edges(again) == edges(warehouse) == [(1, 2)]
    assert len(list((tmp_path / "data").iterdir())) == 1


def test_of_two_writers_one_is_told_that_it_comes_too_late(spark: SparkSession, tmp_path: Path) -> None:
    first, second = (Warehouse.open(spark, str(tmp_path), PROGRAM) for _ in range(2))
    with first.transaction() as update:
        update.note("by", "first")
    with pytest.raises(DataError, match="somebody else has made version 0"), second.transaction() as update:
        update.note("by", "second")
    assert Warehouse.open(spark, str(tmp_path)).notes == {"by": "first"}


def test_old_versions_are_vacuumed(spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    for number in range(3):
        with warehouse.transaction() as update:
            update.replace("edge", table(spark, [(number, number)]))
    orphan = tmp_path / "data" / "00000003-0123456789abcdef"
    orphan.mkdir()
    assert warehouse.vacuum(keep=2) == 1
    assert Directory(tmp_path).versions() == [1, 2]
    assert edges(Warehouse.open(spark, str(tmp_path), version=1)) == [(1, 1)]
    assert orphan.is_dir()
    assert Directory(tmp_path).vacuum(keep=1, orphans_after=-1) == 2
    assert edges(Warehouse.open(spark, str(tmp_path))) == [(2, 2)]


def test_another_programs_warehouse_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.note("made", True)
    same = Program.parse("% spelled otherwise\npath(?x,?z) :- path(?x, ?y), edge(?y, ?z).\npath(?x, ?y) :- edge(?x, ?y) .")
    assert Warehouse.open(spark, str(tmp_path), same).version == 0
    other = Program.parse("path(?x, ?y) :- edge(?x, ?y) . way(?x) :- edge(?x, _) .")
    message = r"another program: 1 rule only there, such as path\(\?x, \?z\) .*; 1 rule only here, such as way"
    with pytest.raises(DataError, match=message):
        Warehouse.open(spark, str(tmp_path), other)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("c0 bigint, explicit boolean, rank int", "the table has the columns c0 bigint, c1 bigint, explicit"),
        ("c0 string, c1 bigint, explicit boolean", "of type bigint, and not c0 string"),
        ("c0 bigint, c1 bigint, rank int", "have a column explicit"),
    ],
)
def test_a_frame_that_does_not_fit_is_refused(schema: str, message: str, spark: SparkSession, tmp_path: Path) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.replace("edge", table(spark, [(1, 2)]))
    with pytest.raises(DataError, match=message), warehouse.transaction() as update:
        update.replace("edge", spark.createDataFrame([], schema))
    assert Directory(tmp_path).versions() == [0]


KILLED = """
import os, signal, sys
from tidelog.spark.session import session
from tidelog.spark.warehouse import Warehouse
import tidelog.warehouse.directory as directory

spark = session("local[1]", settings={"spark.driver.memory": "1g"})
warehouse = Warehouse.open(spark, sys.argv[1])
link = os.link

def kill(*arguments):
    if sys.argv[2] == "after":
        link(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)

directory.os.link = kill
with warehouse.transaction() as update:
    update.replace("edge", spark.sql("select 7L c0, 7L c1, true explicit, 0 rank"))
    update.record_batch("stream", 1)
"""


@pytest.mark.parametrize(("when", "expected"), [("before", ([(1, 2)], 0)), ("after", ([(7, 7)], 1))])
def test_a_run_that_is_killed_in_the_commit_leaves_one_version_or_the_other(
    when: str, expected: tuple[list[Edge], int], spark: SparkSession, tmp_path: Path
) -> None:
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        update.replace("edge", table(spark, [(1, 2)]))
        update.record_batch("stream", 0)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), when], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    again = Warehouse.open(spark, str(tmp_path), PROGRAM)
    assert (edges(again), again.last_batch("stream")) == expected
    assert embedded(tmp_path) == expected[0]
    with again.transaction() as update:
        update.replace("edge", table(spark, [(8, 8)]))
    assert Directory(tmp_path).vacuum(keep=1, orphans_after=-1) == 2
    assert edges(again) == [(8, 8)]
