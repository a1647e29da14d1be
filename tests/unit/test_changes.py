"""Changes as tables, and relations written to files."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tidelog import Materialisation


@pytest.fixture
def mat() -> Materialisation:
    mat = Materialisation("p(?x) :- q(?x) . any :- q(_) .")
    mat.update(insert={"q": [1]})
    return mat


def test_changes_as_arrow_say_what_they_are(mat: Materialisation) -> None:
    changes = mat.update(insert={"q": [2]}, delete={"q": [1]})
    assert changes.to_arrow("p").to_pylist() == [
        {"c0": 1, "change": -1, "explicit": False},
        {"c0": 2, "change": 1, "explicit": False},
    ]
    assert changes.to_arrow("q").column("explicit").to_pylist() == [True, True]


def test_what_appears_may_have_another_type_than_what_vanishes(mat: Materialisation) -> None:
    changes = mat.update(insert={"q": ["two"]}, delete={"q": [1]})
    table = changes.to_arrow("q")
    assert table.column("c0").to_pylist() == ["1", "two"] or table.column("c0").to_pylist() == ["1", '"two"']
    assert table.column("change").to_pylist() == [-1, 1]


def test_changes_of_a_predicate_without_columns(mat: Materialisation) -> None:
    changes = mat.update(delete={"q": [1]})
    assert changes.to_arrow("any").to_pylist() == [{"holds": True, "change": -1, "explicit": False}]


def test_a_predicate_without_changes_has_an_empty_table(mat: Materialisation) -> None:
    assert mat.update(insert={"q": [1]}).to_arrow("q").num_rows == 0


@pytest.mark.parametrize(("name", "content"), [("q.csv", "1\n2\n"), ("q.tsv", "1\n2\n")])
def test_a_relation_writes_itself(name: str, content: str, mat: Materialisation, tmp_path: Path) -> None:
    mat.update(insert={"q": [2]})
    assert mat["q"].write(tmp_path / name).read_text() == content


def test_a_relation_in_parquet_has_its_column_names(mat: Materialisation, tmp_path: Path) -> None:
    assert pq.read_table(mat["q"].write(tmp_path / "made", "parquet")).to_pylist() == [{"c0": 1}]
    assert pq.read_table(mat["any"].write(tmp_path / "any.parquet")).to_pylist() == [{"holds": True}]


def test_the_ids_of_a_relation_are_those_of_its_dictionary(mat: Materialisation) -> None:
    relation = mat["q"]
    assert relation.dictionary.decode(relation.ids()[0]) == [1]
