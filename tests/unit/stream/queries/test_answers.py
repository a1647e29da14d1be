"""Rows that come and go, and the moments at which they are told."""

from __future__ import annotations

import pytest

from tidelog.stream.queries import answers
from tidelog.stream.queries.answers import Clock, Row, Rows
from tidelog.terms import Term


def shown(rows: Rows, some: list[Row]) -> list[tuple[Term, ...]]:
    return sorted((tuple(map(rows.dictionary.decode_one, row)) for row in some), key=repr)


def test_only_what_changes_come_to_together_is_told() -> None:
    rows = Rows([1])
    rows.add([("s1", "a"), ("s2", "a"), ("s3", "b")])
    rows.remove([("s3", "b")])
    come, gone = rows.evaluate()
    assert shown(rows, come) == [("a",), ("a",)]
    assert gone == []
    rows.remove([("s1", "a")])
    rows.add([("s4", "a"), ("s5", "c")])
    come, gone = rows.evaluate()
    assert (shown(rows, come), gone) == ([("c",)], [])
    assert shown(rows, rows.all()) == [("a",), ("a",), ("c",)]


def test_terms_that_are_gone_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_FEW", 10)
    rows = Rows([0])
    for number in range(100):
        rows.add([(f"new {number}",)])
        rows.remove([(f"new {number - 2}",)] if number > 1 else [])
        rows.evaluate()
        rows.tidy()
        assert len(rows.dictionary) <= 22
    assert shown(rows, rows.all()) == [("new 98",), ("new 99",)]


def moments(every: float, moves: list[float]) -> list[float]:
    clock, found = Clock(every), list[float]()
    for time in moves:
        found += clock.before(time)
        if clock.at(time):
            found.append(time)
    if (last := clock.last()) is not None:
        found.append(last)
    return found


def test_evaluations_are_at_multiples() -> None:
    assert moments(4, [1, 2, 9, 12, 13]) == [4, 8, 12, 16]
    assert moments(4, [8, 12]) == [8, 12]
    assert moments(5, [-7, -1, 0]) == [-5, 0]
    assert moments(4, []) == []


def test_multiples_of_a_tenth() -> None:
    moves = [number * 0.1 for number in range(1, 200)]
    assert moments(0.1, moves) == moves
    assert moments(0.3, moves) == pytest.approx([number * 0.3 for number in range(1, 68)])
