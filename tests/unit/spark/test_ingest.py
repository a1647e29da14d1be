"""Facts on their way into a warehouse: from files and DataFrames; what cannot be read is in the quarantine, and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.program import Program
from tidelog.spark.ingest import Ingested, ingest, records
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.terms import BlankNode, Iri
from tidelog.warehouse import Directory, reading

PROGRAM = Program.parse("path(?x, ?y) :- edge(?x, ?y) .")


def load(update: Transaction, predicate: str, source: Any, **options: Any) -> Ingested:
    found = ingest(update, source, **options)
    update.replace(predicate, found.frame.distinct().selectExpr("*", "true explicit", "0 rank"))
    return found


def held(path: Path, predicate: str) -> set[tuple[object, ...]]:
    """The facts as they are read without Spark."""
    directory, dictionary = Directory(path), Dictionary()
    columns = reading.facts(directory, directory.manifest(), dictionary)[predicate].columns
    return set(zip(*(dictionary.decode(column) for column in columns), strict=True))


def test_files_of_all_formats_become_one_table(spark: SparkSession, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.csv").write_text("x,1\ny,<urn:y>\nbad\n")
    (data / "b.tsv").write_text("t\t2.5\n")
    table = pa.table({"name": ["p", None, "q"], "age": pa.array([1, 2, 2**62], pa.int64())})
    pq.write_table(table, data / "c.parquet")
    pq.write_table(table.slice(0, 1), data / "d.parquet")
    warehouse = Warehouse.open(spark, str(tmp_path / "w"), PROGRAM)
    with warehouse.transaction() as update:
        found = load(update, "edge", data, arity=2)
    assert (found.records, found.bad) == (8, 2)
    expected = {("x", 1), ("y", Iri("urn:y")), ("t", 2.5), ("p", 1), ("q", 2**62)}
    assert held(tmp_path / "w", "edge") == expected
    quarantine = [(Path(row.source).name, row.line, row.reason, row.text) for row in warehouse.quarantine().collect()]
    assert sorted(quarantine) == [
        ("a.csv", 3, "1 column, where 2 are needed", "bad"),
        ("c.parquet", 2, "column 'name': a missing value (null) where a fact needs a value", '{"age":2}'),
    ]


def test_rdf_is_ingested_and_a_second_time_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "a.nt"
    file.write_text('_:x <urn:p> "v" .\n<urn:s> <urn:p> _:x .\nnonsense\n')
    warehouse = Warehouse.open(spark, str(tmp_path / "w"), PROGRAM)
    for _ in range(2):
        with warehouse.transaction() as update:
            found = load(update, "triple", str(file), arity=3)
        assert (found.records, found.bad) == (3, 1)
    held_now = held(tmp_path / "w", "triple")
    (blank,) = {term for fact in held_now for term in fact if isinstance(term, BlankNode)}
    assert held_now == {(blank, Iri("urn:p"), "v"), (Iri("urn:s"), Iri("urn:p"), blank)}
    assert warehouse.manifest.dictionary.rows == 4


def test_dataframes_are_ingested_with_their_bad_rows(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame(
        [("a", 1, "-"), ("<http://e.org/b>", 2, "-"), ("not an iri", 3, "-")], "x string, n int, y string"
    )
    warehouse = Warehouse.open(spark, str(tmp_path), PROGRAM)
    with warehouse.transaction() as update:
        found = load(update, "edge", frame, types=("iri", "int", "skip"), arity=2)
    assert (found.records, found.bad) == (3, 1)
    assert held(tmp_path, "edge") == {(Iri("a"), 1), (Iri("http://e.org/b"), 2)}
    (row,) = warehouse.quarantine().collect()
    assert tuple(row) == ("DataFrame", None, "not an iri is not an IRI", '{"x":"not an iri","n":3,"y":"-"}')


def test_a_schema_that_does_not_fit_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "b.parquet")
    (tmp_path / "c.csv").write_text("1,2\n")
    with pytest.raises(DataError, match=r"b\.parquet: has the columns a string, where .*a\.parquet has a int64"):
        records(spark, [tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(DataError, match="1 column, where the predicate has 2 arguments"):
        records(spark, tmp_path / "a.parquet", arity=2)
    with pytest.raises(DataError, match="files of 1 and 2 columns cannot be one table"):
        records(spark, [tmp_path / "a.parquet", tmp_path / "c.csv"])
    with pytest.raises(DataError, match="column 'a' has the type string, not int"):
        records(spark, tmp_path / "b.parquet", types=("int",))
    with pytest.raises(DataError, match="which format this is"):
        records(spark, __file__)
