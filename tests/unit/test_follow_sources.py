"""What `Materialisation.follow` can follow, and looking ahead: at what is there, and with errors in their place."""

from __future__ import annotations

import asyncio
import io
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

import tidelog as tl
from tests.streams import Arriving, at_once
from tidelog import Changes, DataError, Materialisation

PATHS = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."
Written = dict[str, Any]
UPDATES: list[Written] = [
    {"insert": {"edge": [(1, 2), (2, 3)]}},
    {"insert": {"edge": [(3, 4)]}},
    {"delete": {"edge": [(3, 4), (1, 2)]}},
    {"insert": {"edge": [(1, 3)]}, "delete": {"edge": [(9, 9)]}},
]
LINES = b"""{"insert": [["edge", 1, 2], ["edge", 2, 3]]}
{"insert": [["edge", 3, 4]]}
{"delete": [["edge", 3, 4], ["edge", 1, 2]]}
{"insert": [["edge", 1, 3]], "delete": [["edge", 9, 9]]}
"""
LAST = [(1, 3), (2, 3)]

by_every_marking = pytest.mark.parametrize("algorithm", ["bf-marking", "dred-marking", "ranked"])


@pytest.fixture
def mat() -> Materialisation:
    return Materialisation(PATHS, algorithm="bf-marking")


def marked(changes: Changes) -> tuple[int, int]:
    return changes.statistics.marked_explicit, changes.statistics.marked_derived


@by_every_marking
@pytest.mark.parametrize("kind", ["list", "generator", "iterator without look-ahead", "queue", "simple queue", "path", "file"])
def test_whatever_updates_come_from(kind: str, algorithm: str, tmp_path: Path) -> None:
    mat = Materialisation(PATHS, algorithm=algorithm)
    path = tmp_path / "u.ndjson"
    path.write_bytes(LINES)
    things: queue.Queue[Written | None] | queue.SimpleQueue[Written | None]
    things = queue.Queue() if kind == "queue" else queue.SimpleQueue()
    for update in (*UPDATES, None):
        things.put(update)
    with path.open("rb") as file:
        source: Any = {
            "list": UPDATES,
            "generator": iter(UPDATES),
            "iterator without look-ahead": iter(UPDATES),
            "queue": things,
            "simple queue": things,
            "path": path,
            "file": file,
        }[kind]
        options = {"look_ahead": 0} if "without" in kind else {}
        assert [changes.number for changes in mat.follow(source, **options)] == [1, 2, 3, 4]
    assert sorted(mat["path"]) == LAST


@by_every_marking
def test_updates_that_come_asynchronously(algorithm: str) -> None:
    mat = Materialisation(PATHS, algorithm=algorithm)

    async def updates() -> AsyncIterator[Written]:
        for update in UPDATES:
            await asyncio.sleep(0)
            yield update

    async def numbers() -> list[int]:
        return [changes.number async for changes in mat.follow(updates())]

    assert asyncio.run(numbers()) == [1, 2, 3, 4]
    assert sorted(mat["path"]) == LAST


def test_an_error_of_an_asynchronous_source_comes_in_its_place(mat: Materialisation) -> None:
    async def updates() -> AsyncIterator[Written]:
        yield UPDATES[0]
        raise ValueError("on purpose")

    async def follow() -> None:
        async for changes in mat.follow(updates()):
            assert changes.number == 1

    with pytest.raises(ValueError, match="on purpose"):
        asyncio.run(follow())
    assert len(mat["path"]) == 3


def test_text_in_memory_is_a_file_too(mat: Materialisation) -> None:
    assert len(list(mat.follow(io.StringIO(LINES.decode())))) == 4
    assert sorted(mat["path"]) == LAST


def test_a_growing_file(mat: Materialisation, tmp_path: Path) -> None:
    path = tmp_path / "u.ndjson"
    first, *others = LINES.splitlines(keepends=True)
    path.write_bytes(first)
    source = tl.growing(path)
    numbers = []
    for changes in mat.follow(source):
        numbers.append(changes.number)
        if others:
            with path.open("ab") as file:
                file.write(others.pop(0))
        else:
            threading.Timer(0.05, source.stop).start()
    assert numbers == [1, 2, 3, 4]
    assert sorted(mat["path"]) == LAST


def test_the_next_update_is_marked_when_it_is_there(mat: Materialisation) -> None:
    """Edge 3-4 is inserted by the second update, which sees that the third deletes it."""
    assert [marked(changes) for changes in mat.follow(at_once(UPDATES))] == [(0, 0), (2, 3), (0, 0), (0, 0)]


def test_it_is_looked_for_again_and_again() -> None:
    found = 0
    for looks in range(20):
        mat = Materialisation(PATHS, algorithm="bf-marking")
        source = Arriving(UPDATES, [looks] * 4)
        list(mat.follow(source))
        found += source.seen > 0
    assert found > 2


def test_nobody_waits_for_the_next_update(mat: Materialisation) -> None:
    asked = threading.Event()

    def updates() -> Iterator[Written]:
        yield UPDATES[0]
        assert asked.wait(30)
        yield UPDATES[1]

    stream = mat.follow(updates())
    assert next(stream).number == 1
    asked.set()
    assert next(stream).number == 2


@pytest.mark.parametrize(
    "bad",
    [
        {"insert": {"egde": [(1, 2)]}},
        {"delete": {"edge": [(1, 2, 3)]}},
        {"edge": [(1, 2)]},
        {"insert": {"edge": Path("none.csv")}},
        {"insert": {"edge": 7}},
    ],
)
def test_what_is_wrong_with_an_update_is_said_in_its_turn(bad: Written, mat: Materialisation) -> None:
    stream = mat.follow([*UPDATES[:2], bad, UPDATES[2]])
    assert [next(stream).number, next(stream).number] == [1, 2]
    with pytest.raises(DataError):
        next(stream)
    assert len(mat["edge"]) == 3


def test_a_bad_line_is_told_in_its_turn(mat: Materialisation, tmp_path: Path) -> None:
    path = tmp_path / "u.ndjson"
    path.write_bytes(LINES.replace(b'{"delete"', b"oops", 1))
    stream = mat.follow(path)
    assert [next(stream).number, next(stream).number] == [1, 2]
    with pytest.raises(DataError, match=r"u\.ndjson:3"):
        next(stream)


def test_a_relation_says_what_it_holds_when_its_turn_comes(mat: Materialisation) -> None:
    updates: list[Written] = [*UPDATES[:2], {"delete": {"edge": mat["edge"]}}]
    *_, last = mat.follow(updates)
    assert sorted(last.deleted["edge"]) == [(1, 2), (2, 3), (3, 4)]
