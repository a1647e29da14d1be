"""`Materialisation.follow`: one update after another, and what becomes of those that cannot be applied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tidelog import Changes, DataError, Materialisation
from tidelog.io.updates import Lines, WrittenUpdate, read

PATHS = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."


@pytest.fixture
def mat() -> Materialisation:
    return Materialisation(PATHS)


def test_each_update_gives_its_changes(mat: Materialisation) -> None:
    first, second = mat.follow([{"insert": {"edge": [(1, 2), (2, 3)]}}, {"delete": {"edge": [(1, 2)]}}])
    assert (first.number, sorted(first.inserted["path"])) == (1, [(1, 2), (1, 3), (2, 3)])
    assert (second.number, sorted(second.deleted["path"])) == (2, [(1, 2), (1, 3)])


def test_an_update_is_asked_for_when_the_one_before_is_done(mat: Materialisation) -> None:
    def replies() -> Iterator[dict[str, dict[str, list[tuple[int, int]]]]]:
        yield {"insert": {"edge": [(1, 2)]}}
        assert (1, 2) in mat["path"]
        yield {"insert": {"edge": [(2, len(mat["path"]) + 2)]}}

    assert len(list(mat.follow(replies()))) == 2
    assert (1, 3) in mat["path"]


def test_anything_with_insert_and_delete_is_an_update(mat: Materialisation) -> None:
    (changes,) = mat.follow([WrittenUpdate(insert={"edge": [(1, 2)]})])
    assert isinstance(changes, Changes)
    assert (1, 2) in mat["path"]


def test_a_bad_update_raises_and_those_before_it_stand(mat: Materialisation) -> None:
    with pytest.raises(DataError, match="did you mean edge"):
        list(mat.follow([{"insert": {"edge": [(1, 2)]}}, {"insert": {"edge": [(5, 6)], "egde": [(3, 4)]}}]))
    assert list(mat["edge"]) == [(1, 2)]


def test_a_mapping_has_nothing_but_insert_and_delete(mat: Materialisation) -> None:
    with pytest.raises(DataError, match="not 'edge'"):
        list(mat.follow([{"edge": {"insert": []}}]))


def lines(*texts: bytes) -> Lines:
    return Lines("u.ndjson", texts)


def test_an_update_on_a_line_is_refused_with_its_place(mat: Materialisation) -> None:
    with pytest.raises(DataError) as raised:
        list(mat.follow(read([lines(b"{}", b'{"insert": [["edge", 1, 2], ["edge", 1]]}')], mat.bad_rows)))
    assert (raised.value.source, raised.value.row) == ("u.ndjson", 2)
    assert "insert edge, fact 2: 1 value" in raised.value.message
    assert len(mat) == 0


def test_bad_lines_are_skipped_on_request() -> None:
    mat = Materialisation(PATHS, on_bad_row="skip")
    given = lines(b'{"insert": [["edge", 1, 2], ["edge", 1]]}', b"?", b'{"insert": [["edge", 3, 4]]}')
    assert [changes.number for changes in mat.follow(read([given], mat.bad_rows))] == [3]
    assert list(mat["edge"]) == [(3, 4)]
    assert [bad.row for bad in mat.bad_rows] == [1, 2]


def test_facts_may_come_from_files(mat: Materialisation, tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.tsv"
    one.write_text("1,2\n")
    two.write_text("2\t3\n")
    mat.update(insert={"edge": [one, two]})
    assert sorted(mat["path"]) == [(1, 2), (1, 3), (2, 3)]
    mat.update(delete={"edge": one})
    assert list(mat["path"]) == [(2, 3)]


def test_a_bad_file_changes_nothing(mat: Materialisation, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("1,2\n3\n")
    with pytest.raises(DataError, match=r"bad\.csv:2"):
        mat.update(insert={"edge": tmp_path / "bad.csv"})
    with pytest.raises(DataError, match="no such file"):
        mat.update(insert={"edge": tmp_path / "none.csv"})
    assert len(mat) == 0


def test_no_file_holds_a_predicate_without_columns(tmp_path: Path) -> None:
    mat = Materialisation("wet :- raining .")
    with pytest.raises(DataError, match="raining has no columns"):
        mat.update(insert={"raining": tmp_path / "r.csv"})


@pytest.mark.parametrize("updates", [[5], {"insert": {"edge": [("a", "b")]}}, ["edge"]])
def test_what_is_no_update_is_said_to_be_none(mat: Materialisation, updates: Any) -> None:
    with pytest.raises(DataError, match="is not an update"):
        list(mat.follow(updates))
