"""Tables and indexes survive a lack of memory: what they held before, they still find, and nothing is there twice."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tidelog.facts import index, table
from tidelog.facts.table import Table

FIRST, MORE = range(150), range(150, 190)

PLACES: list[tuple[ModuleType | type, str]] = [
    (index, "merge"),
    (index, "pack"),
    (table, "pack"),
    (table, "sorted_unique"),
    (table, "_longer"),
    (Table, "append"),
    (Table, "_grow"),
    (Table, "_slot_numbers"),
]


def columns(numbers: Sequence[int], arity: int, spread: int) -> list[Any]:
    base = np.array(numbers, np.uint32) * np.uint32(spread)
    return [base + np.uint32(column) for column in range(arity)]


def filled(arity: int, spread: int) -> Table:
    """A table that was asked and added to a few times, as tables are."""
    made = Table("p", arity)
    for start in range(0, len(FIRST), 30):
        made.intern_all(columns(FIRST[start : start + 30], arity, spread), 30)
        made.find(columns(FIRST, arity, spread), len(FIRST))
    return made


def holds_exactly(made: Table, numbers: Sequence[int], arity: int, spread: int) -> None:
    """Every fact has the row that holds it, and one row only."""
    wanted = columns(numbers, arity, spread)
    rows, known = made.find(wanted, len(numbers))
    assert known.all()
    assert len(set(rows.tolist())) == len(numbers)
    for own, column in zip(made.columns, wanted, strict=True):
        assert np.array_equal(own[rows], column)


LOST = {("merge", "sorted"), ("append", "slots")}
"""What is lost today: the runs that were being merged; slots that were being filled."""


@pytest.mark.parametrize("arity", [1, 2, 3])
@pytest.mark.parametrize("spread", [1, 1_000_003], ids=["slots", "sorted"])
@pytest.mark.parametrize(("owner", "name"), PLACES, ids=lambda value: getattr(value, "__name__", value))
def test_nothing_is_lost(owner: Any, name: str, spread: int, arity: int, monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(owner, name)
    for failing in range(1, 6):
        made, calls = filled(arity, spread), 0

        def striking(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == failing:  # noqa: B023
                raise MemoryError("on purpose")
            return original(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(owner, name, striking)
            for start in range(MORE.start, MORE.stop - 10, 10):
                try:
                    made.intern_all(columns(range(start - 10, start + 20), arity, spread), 30)
                except MemoryError:
                    break
        holds_exactly(made, FIRST, arity, spread)
        _, known = made.find(columns(range(10_000, 10_050), arity, spread), 50)
        assert not known.any()
        made.intern_all(columns(MORE, arity, spread), len(MORE))
        holds_exactly(made, [*FIRST, *MORE], arity, spread)
        present = list(zip(*(column[: made.count].tolist() for column in made.columns), strict=True))
        assert len(present) == len(set(present))
