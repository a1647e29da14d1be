"""Directories that are no warehouses, or of another format; manifests that come whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog.errors import DataError
from tidelog.program import Program
from tidelog.warehouse import Directory, Manifest, Segment, Table
from tidelog.warehouse.directory import file_name, rules_of

RULES = "p(?x) :- q(?x) .\n"


def commit(path: Path, version: int = 0) -> Manifest:
    return Directory(path).commit(Manifest(version, RULES))


def test_a_manifest_comes_back_as_it_was(tmp_path: Path) -> None:
    table = Table({"c0": "bigint", "explicit": "boolean"}, (Segment(("data/x/a.parquet",), rows=3), Segment((), ("b",), 0, 1)))
    manifest = Manifest(0, RULES, {"q": table}, batches={"s": 3}, notes={"n": [1, "a"]})
    made = Directory(tmp_path).commit(manifest)
    assert Directory(tmp_path).manifest() == made
    assert made.predicates == manifest.predicates
    assert (table.rows, table.keys) == (2, ("c0",))
    assert made.files() == {"data/x/a.parquet", "b"}
    assert made.made_by.startswith("Tidelog ")


def test_a_version_is_made_once(tmp_path: Path) -> None:
    commit(tmp_path)
    with pytest.raises(DataError, match="somebody else has made version 0"):
        commit(tmp_path)
    assert [file.name for file in (tmp_path / "manifests").iterdir()] == ["00000000.json"]


def test_a_draft_of_a_manifest_is_no_version(tmp_path: Path) -> None:
    commit(tmp_path)
    (tmp_path / "manifests" / ".00000001.json.ab12").write_text('{"format": ')
    assert Directory(tmp_path).versions() == [0]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "something else", "format_version": 1}', '"x"'])
def test_a_file_that_is_no_manifest(text: str, tmp_path: Path) -> None:
    commit(tmp_path)
    (tmp_path / "manifests" / "00000001.json").write_text(text)
    with pytest.raises(DataError, match="is not a manifest of a Tidelog warehouse"):
        Directory(tmp_path).manifest()
    assert Directory(tmp_path).manifest(0).rules == RULES


def test_another_format_is_refused_by_its_number(tmp_path: Path) -> None:
    commit(tmp_path)
    file = tmp_path / "manifests" / "00000000.json"
    written = json.loads(file.read_text())
    file.write_text(json.dumps({**written, "format_version": 2, "made_by": "Tidelog 9.0", "unheard": "of"}))
    with pytest.raises(DataError, match=r"format 2, made by Tidelog 9\.0; this Tidelog reads format 1"):
        Directory(tmp_path).manifest()
    file.write_text(json.dumps({name: value for name, value in written.items() if name != "predicates"}))
    with pytest.raises(DataError, match="is not a complete manifest"):
        Directory(tmp_path).manifest()


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(DataError, match=r"is not a warehouse: it holds holiday\.jpg"):
        Directory(tmp_path).versions()
    with pytest.raises(DataError, match="is a file, not a warehouse"):
        Directory(tmp_path / "holiday.jpg").versions()
    with pytest.raises(DataError, match="mounted here"):
        Directory("s3a://bucket/warehouse")


def test_versions_that_are_not_there(tmp_path: Path) -> None:
    assert Directory(tmp_path / "none").versions() == []
    with pytest.raises(DataError, match="there is no warehouse"):
        Directory(tmp_path / "none").manifest()
    commit(tmp_path, 3)
    with pytest.raises(DataError, match="version 2 is not there"):
        Directory(tmp_path).manifest(2)


def test_rules_are_kept_with_the_prefixes_they_need() -> None:
    prefix, more = "% why\n@prefix ex: <http://e.org/> .\n", '@import q :- csv{resource = "q.csv"} .\nq(1) .\n'
    text = f"{prefix}{more}ex:p(?x) :- q(?x), ~r(?x, ex:a) .\n"
    program = Program.parse(text)
    assert Program.parse(rules_of(program)).rules == program.rules
    assert not Program.parse(rules_of(program)).facts


def test_names_of_predicates_are_names_of_files() -> None:
    names = ["edge", "http://e.org/p", "..", "a/b", "é" * 100, "é" * 101]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(len(name) < 150 and "/" not in name and not name.startswith(".") for name in made)
