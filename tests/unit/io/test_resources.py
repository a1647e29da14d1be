"""One call for every format: which format, which options, and what is said about wrong ones."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terms import TERMS, same
from tidelog import io
from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary
from tidelog.io import files
from tidelog.io.bad_rows import BadRows
from tidelog.syntax.ast import Export, Import
from tidelog.terms import Iri, Term

Table = list[tuple[Term, ...]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("resources")


def load(folder: Path, name: str, form: str | None = None, arity: int | None = None, **options: Any) -> Table:
    dictionary = Dictionary()
    resource = Import("p", form or io.format_of(name), name, options)
    columns = io.read(resource, dictionary, arity=arity, directory=folder)
    return list(zip(*map(dictionary.decode, columns), strict=True))


def save(folder: Path, name: str, table: Table, form: str | None = None, **options: Any) -> Path:
    dictionary = Dictionary()
    columns = [dictionary.encode(column) for column in zip(*table, strict=True)]
    return io.write(Export("p", form or io.format_of(name), name, options), columns, dictionary, directory=folder)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", "csv"),
        ("a.tsv.gz", "tsv"),
        ("A.PARQUET", "parquet"),
        ("a.nt", "ntriples"),
        ("a.nq.gz", "nquads"),
        ("a.ttl", "turtle"),
        ("a.trig", "trig"),
        ("a.owl", "rdfxml"),
    ],
)
def test_the_name_says_the_format(name: str, form: str) -> None:
    assert io.format_of(name) == form


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "deep/er/t.parquet"])
@given(table=st.integers(1, 3).flatmap(lambda arity: st.lists(st.tuples(*[TERMS] * arity), min_size=1, max_size=10)))
def test_tables_round_trip(folder: Path, name: str, table: Table) -> None:
    assert save(folder, name, table) == folder / name
    found = load(folder, name, arity=len(table[0]))
    assert all(same(a, b) for left, right in zip(found, table, strict=True) for a, b in zip(left, right, strict=True))
    assert len(found) == len(table)


def test_parquet_columns_are_natural(folder: Path) -> None:
    moment = datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=1)))
    path = save(folder, "n.parquet", [(1, "a", Decimal("1.50"), Iri("http://a"), moment)])
    kinds = [str(kind) for kind in pq.read_table(path).schema.types]
    assert kinds == ["int64", "large_string", "decimal128(2, 1)", "large_string", "timestamp[us, tz=+01:00]"]


def test_parquet_with_declared_types(folder: Path) -> None:
    pq.write_table(pa.table({"a": ["http://a", "<http://b>"], "b": [1, 2], "c": [None, "x"]}), folder / "d.parquet")
    assert load(folder, "d.parquet", format=("iri", "int", "skip")) == [(Iri("http://a"), 1), (Iri("http://b"), 2)]


def test_options_reach_the_reader(folder: Path) -> None:
    (folder / "o.csv").write_text("name;age\nann;030\n")
    found = load(folder, "o.csv", delimiter=";", ignore_headers=True, format=("string", "int"))
    assert found == [("ann", 30)]
    save(folder, "o2.csv", [("a", 1)], delimiter=";")
    assert (folder / "o2.csv").read_text() == "a;1\n"


@pytest.mark.parametrize(
    ("name", "form", "options", "message"),
    [
        (
            "t.csv",
            "csv",
            {"colour": 1},
            "unknown option 'colour'\n    hint: csv has the options resource, delimiter, format, ignore_headers",
        ),
        (
            "t.csv",
            "xls",
            {},
            "unknown format 'xls'\n    hint: formats: csv, tsv, parquet, jsonld, nquads, ntriples, rdf, rdfxml, trig, turtle",
        ),
        (
            "t.csv",
            "csv",
            {"format": ("number",)},
            "unknown column type 'number'\n    hint: types: any, string, int, integer, float, double, decimal, bool, boolean, "
            "iri, date, datetime, skip",
        ),
        ("t.csv", "csv", {"format": ("int", "skip")}, "the format keeps 1 column, the predicate has 2 arguments"),
        ("t.csv", "csv", {"delimiter": "||"}, "the delimiter '||' is not one ASCII character"),
        ("t.parquet", "parquet", {"format": ("int", "int")}, "column 'b' has the type string, not int"),
        ("t.parquet", "parquet", {"format": ("int",)}, "2 columns, where the format has 1"),
        ("t.parquet", "parquet", {"format": ("int", "skip")}, "1 column, where the predicate has 2 arguments"),
        (
            "null.parquet",
            "parquet",
            {},
            "2: column 'a': a missing value (null) where a fact needs a value: 'None, y'\n    hint: to load the other rows,"
            " skip bad rows: on_bad_row='skip', on the command line --on-bad-row skip",
        ),
        ("t.nt", "rdf", {}, "RDF has triples or quads, a predicate with 2 arguments cannot hold them"),
        ("t.csv", "rdf", {"base": "http://x/"}, "RDF has triples or quads, a predicate with 2 arguments cannot hold them"),
    ],
)
def test_wrong_resources(folder: Path, name: str, form: str, options: dict[str, object], message: str) -> None:
    (folder / "t.csv").write_text("1,2\n")
    (folder / "t.nt").write_text("")
    pq.write_table(pa.table({"a": [1], "b": ["x"]}), folder / "t.parquet")
    pq.write_table(pa.table({"a": [1, None], "b": ["x", "y"]}), folder / "null.parquet")
    with pytest.raises(DataError) as caught:
        load(folder, name, form, 2, **options)
    assert str(caught.value) in (f"{folder / name}: {message}", f"{folder / name}:{message}")


def test_bad_rows_of_parquet_can_be_skipped(folder: Path) -> None:
    """Missing values, texts that are no IRIs, times finer than a microsecond; what else is wrong is wrong with the file."""
    table = pa.table(
        {
            "a": ["http://a", "not an iri", None, "http://b", "http://c"],
            "b": pa.array([0, 1000, 1000, 1, 2000], pa.timestamp("ns")),
        }
    )
    pq.write_table(table, folder / "bad.parquet")
    bad_rows, dictionary = BadRows("skip"), Dictionary()
    resource = Import("p", "parquet", "bad.parquet", {"format": ("iri", "any")})
    columns = io.read(resource, dictionary, arity=2, directory=folder, bad_rows=bad_rows)
    assert [dictionary.decode(column) for column in columns] == [
        [Iri("http://a"), Iri("http://c")],
        [datetime(1970, 1, 1), datetime(1970, 1, 1, microsecond=2)],
    ]
    assert [(bad.row, bad.reason) for bad in bad_rows] == [
        (2, "column 'a': 'not an iri' is not an iri"),
        (3, "column 'a': a missing value (null) where a fact needs a value"),
        (4, "column 'b': a time that is finer than a microsecond"),
    ]
    assert [bad.text.partition(",")[0] for bad in bad_rows] == ["not an iri", "None", "http://b"]


def test_a_file_that_is_not_parquet(folder: Path) -> None:
    (folder / "fake.parquet").write_text("1,2\n")
    with pytest.raises(DataError, match=r"fake\.parquet: is not a Parquet file that can be read"):
        load(folder, "fake.parquet")


def test_names_and_formats_that_cannot_be_written(folder: Path) -> None:
    with pytest.raises(DataError, match=r"notes\.txt: the name does not say which format this is"):
        io.format_of("notes.txt")
    with pytest.raises(DataError, match=r"cannot write turtle\n    hint: write csv, tsv, parquet, ntriples or nquads"):
        save(folder, "t.ttl", [(Iri("http://a"), Iri("http://b"), 1)])
    (folder / "plain").write_text("")
    with pytest.raises(DataError, match="cannot be written"):
        save(folder, "plain/t.csv", [(1,)])


def test_progress_is_told(folder: Path) -> None:
    (folder / "p.csv").write_text("1,2\n3,4\n")
    told: list[tuple[int, int | None]] = []
    io.read(Import("p", "csv", "p.csv"), Dictionary(), arity=2, directory=folder, progress=lambda *seen: told.append(seen))
    assert told == [(2, 2)]


def test_blocks_end_with_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = b"a\nbb\n\nccccccccccc\nd"
    (folder / "lines.txt").write_bytes(text)
    for size in range(1, 20):
        monkeypatch.setattr(files, "BLOCK", size)
        blocks = list(files.line_blocks(folder / "lines.txt"))
        assert b"".join(blocks) == text + b"\n"
        assert all(block.endswith(b"\n") for block in blocks)


def test_importing_is_light() -> None:
    script = "import sys, tidelog.io; print(*sorted({'pyarrow', 'pandas', 'polars', 'pyoxigraph'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
