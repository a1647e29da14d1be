"""Warehouses of Delta Lake tables, in a process of their own: Spark takes Delta's jars when it starts.

The jars are those in the directory that TIDELOG_DELTA_JARS names, or Maven fetches them once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tidelog.errors import SetupError
from tidelog.facts.dictionary import Dictionary
from tidelog.program import Program
from tidelog.spark.delta import settings
from tidelog.spark.session import session
from tidelog.spark.warehouse import Warehouse
from tidelog.warehouse import Directory, Manifest, reading

VERSION = "4.4.0"
JARS = ("delta-spark_4.2_2.13", "delta-storage")


@pytest.fixture(scope="module")
def jars() -> Path:
    """A directory with the jars of Delta."""
    given = os.environ.get("TIDELOG_DELTA_JARS")
    if given:
        return Path(given)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tidelog" / f"delta-{VERSION}"
    missing = [jar for jar in JARS if not (cache / f"{jar}-{VERSION}.jar").exists()]
    maven = shutil.which("mvn")
    if missing and maven is None:
        pytest.skip("needs the jars of Delta, in TIDELOG_DELTA_JARS, or Maven to fetch them")
    for jar in missing:
        arguments = [f"-Dartifact=io.delta:{jar}:{VERSION}", f"-DoutputDirectory={cache}"]
        done = subprocess.run([str(maven), "-q", "-B", "dependency:copy", *arguments], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"needs the jars of Delta, which Maven could not fetch: {done.stdout[-300:]}")
    return cache


SCRIPT = """
import sys
from tidelog.program import Program
from tidelog.spark.session import session
from tidelog.spark.warehouse import Warehouse

path, jars = sys.argv[1:]
small = {"spark.driver.memory": "1g", "spark.databricks.delta.snapshotPartitions": "1"}
spark = session("local[1]", settings=small, delta=jars)
program = Program.parse("path(?x, ?y) :- edge(?x, ?y) .")

def table(facts):
    return spark.createDataFrame([(*fact, True, 0) for fact in facts], "c0 bigint, c1 bigint, explicit boolean, rank int")

def edges(**options):
    return sorted((row.c0, row.c1) for row in Warehouse.open(spark, path, **options).table("edge").collect())

warehouse = Warehouse.open(spark, path, program)
assert warehouse.manifest.storage == "delta"
with warehouse.transaction() as update:
    update.replace("edge", table([(1, 2), (2, 3), (3, 4)]))
    update.learn(spark.sql("select '<urn:a>' c0"), ["c0"])
try:
    with warehouse.transaction() as update:
        update.replace("edge", table([(9, 9)]))
        update.learn(spark.sql("select '<urn:lost>' c0"), ["c0"])
        raise KeyboardInterrupt
except KeyboardInterrupt:
    pass
assert edges() == [(1, 2), (2, 3), (3, 4)]
again = Warehouse.open(spark, path, program)
with again.transaction() as update:  # the tables stand at versions that no manifest names
    update.change("edge", spark.sql("select 1L c0, 2L c1 union select 2L, 3L").toArrow(), table([(2, 3), (4, 5)]).toArrow())
    update.learn(spark.sql("select '<urn:b>' c0"), ["c0"])
assert edges() == [(2, 3), (3, 4), (4, 5)], edges()
assert edges(version=0) == [(1, 2), (2, 3), (3, 4)]
assert sorted(row.text for row in again.dictionary().collect()) == ["<urn:a>", "<urn:b>"]
assert spark.read.format("delta").load(path + "/tables/edge").count() == 3
"""


def test_delta_tables_are_changed_in_one_step_and_put_back_after_a_crash(jars: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "w"), str(jars)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    directory, dictionary = Directory(tmp_path / "w"), Dictionary()
    found = reading.facts(directory, directory.manifest(), dictionary)["edge"]
    assert sorted(zip(*(dictionary.decode(column) for column in found.columns), strict=True)) == [(2, 3), (3, 4), (4, 5)]


def test_a_session_without_delta_says_what_is_missing(spark: SparkSession, tmp_path: Path) -> None:
    Directory(tmp_path).commit(Manifest(0, "p(?x) :- q(?x) .", storage="delta"))
    with pytest.raises(SetupError, match=r"session\(delta=True\)"):
        Warehouse.open(spark, tmp_path).dictionary()
    with pytest.raises(SetupError, match=r"session\(delta=True\)"):
        session(delta=True)
    with pytest.raises(SetupError, match="there is no jar of Delta in"):
        settings(tmp_path)
    assert Warehouse.open(spark, tmp_path / "new", Program.parse("p(?x) :- q(?x) .")).manifest.storage == "parquet"
