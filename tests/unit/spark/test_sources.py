"""Files as Spark data sources: what is read, what is bad and where, whatever the ranges and the tasks."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from tidelog.spark.sources import register

RDF = """\
# a comment
<http://e.org/a> <http://e.org/p> _:b .
<http://e.org/a> <http://e.org/p> "A\\u0042\\n" .

nonsense
_:b <http://e.org/p> "chat"@FR .
<http://e.org/a> <http://e.org/p> "01"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e.org/a> "p" "o" .
<http://e.org/last> <http://e.org/p> "no newline" ."""
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"


@pytest.fixture(autouse=True)
def _registered(spark: SparkSession) -> None:
    register(spark)


def terms(frame: DataFrame) -> list[tuple[str, ...]]:
    return sorted(tuple(row)[:-1] for row in frame.where("bad is null").collect())


def bad(frame: DataFrame) -> list[tuple[str, int, str]]:
    found = (row.bad for row in frame.where("bad is not null").collect())
    return sorted((Path(row.source).name, row.line, row.text) for row in found)


@pytest.mark.parametrize("split", [60, 10_000])
def test_every_record_is_read_or_bad_wherever_a_file_is_cut(split: int, spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.nt"
    path.write_text(RDF)
    frame = spark.read.format("rdf").option("split", str(split)).load(str(path))
    read = terms(frame)
    assert [(s.replace("http://e.org/", ""), o) for s, _, o in read if s.startswith("<")] == [
        ("<a>", '"01"' + INTEGER),
        ("<a>", '"AB\\n"'),
        ("<a>", read[0][0] if read[0][0].startswith("_") else read[-1][0]),
        ("<last>", '"no newline"'),
    ]
    assert [o for s, _, o in read if s.startswith("_:")] == ['"chat"@fr']
    assert bad(frame) == [("a.nt", 5, "nonsense"), ("a.nt", 8, '<http://e.org/a> "p" "o" .')]


def test_quads_have_their_graph_and_packed_files_are_read(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a.nq.gz"
    path.write_bytes(gzip.compress(b"<urn:s> <urn:p> <urn:o> <urn:g> .\n<urn:s> <urn:p> <urn:o> .\nwrong\n"))
    frame = spark.read.format("rdf").option("arity", "4").option("split", "5").load(str(path))
    assert [row[3] for row in terms(frame)] == ['"default"', "<urn:g>"]
    assert bad(frame) == [("a.nq.gz", 3, "wrong")]


def test_blank_nodes_stay_apart_between_files_and_the_same_between_reads(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("_:x <urn:p> _:x .\n")
    (tmp_path / "b.nt").write_text("_:x <urn:p> _:x .\n")
    (tmp_path / "c.ttl").write_text("[] <urn:p> [ <urn:q> 1 ] .")
    (tmp_path / "d.ttl").write_text("[] <urn:p> [ <urn:q> 1 ] .")
    read = [terms(spark.read.format("rdf").load(str(tmp_path))) for _ in range(2)]
    assert read[0] == read[1]
    assert len(read[0]) == 6
    assert len({term for triple in read[0] for term in triple if term.startswith("_:")}) == 2 + 2 * 2


def test_a_document_that_breaks_is_one_bad_record(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "good.ttl").write_text("<urn:s> <urn:p> 1.50 .")
    (tmp_path / "bad.ttl").write_text("<urn:s> <urn:p> 1 .\n<urn:s> <urn:p> .\n")
    frame = spark.read.format("rdf").load(str(tmp_path))
    assert terms(frame) == [("<urn:s>", "<urn:p>", '"1.50"^^<http://www.w3.org/2001/XMLSchema#decimal>')]
    assert bad(frame) == [("bad.ttl", 2, "")]


def test_delimited_files_are_read_as_the_embedded_engine_reads_them(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('x,1\n"two\nlines",1.5\nlonely\n007,true\n')
    frame = spark.read.format("delimited").load(str(tmp_path / "*.csv"))
    xsd = "^^<http://www.w3.org/2001/XMLSchema#"
    assert terms(frame) == [
        ('"007"', f'"true"{xsd}boolean>'),
        ('"two\\nlines"', f'"1.5E0"{xsd}double>'),
        ('"x"', f'"1"{xsd}integer>'),
    ]
    assert bad(frame) == [("a.csv", 4, "lonely")]


def test_declared_types_make_bad_records_of_what_does_not_fit(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name;age;note\nann;7;-\nbob;seven;-\n")
    reader = spark.read.format("delimited").option("format", "string,int,skip").option("delimiter", ";")
    frame = reader.option("ignore_headers", "true").load(str(tmp_path / "a.csv"))
    assert terms(frame) == [('"ann"', '"7"' + INTEGER)]
    assert bad(frame) == [("a.csv", 3, "bob;seven;-")]


@pytest.mark.parametrize(
    ("path", "message"),
    [("none.nt", "no such file"), ("*.nt", "there are no files"), ("s3a://bucket/x.nt", "not on a file system")],
)
def test_what_cannot_be_found_is_said(path: str, message: str, spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=message):
        spark.read.format("rdf").load(path if "://" in path else str(tmp_path / path)).collect()
