"""Readers in other threads see the state before an update or after it, never between."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import pytest

from tests.contract.combinations import COMBINATIONS
from tidelog import Materialisation
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids
from tidelog.terms import Term

SECONDS = 1.0
SIZE = 300
PROGRAM = """
    left(?x) :- on(?x) .
    right(?x) :- left(?x), ~off(?x) .
    chain(?x, ?y) :- on(?x), next(?x, ?y), on(?y) .
    chain(?x, ?z) :- chain(?x, ?y), chain(?y, ?z) .
    odd(?x) :- left(?x), ~right(?x) .
    odd(?x) :- right(?x), ~left(?x) .
"""
ON = [(f"x{i}",) for i in range(SIZE)]
NEXT = [(f"x{i}", f"x{i + 1}") for i in range(SIZE) if i % 4 != 3]
CHAIN = {(f"x{i}", f"x{j}") for i in range(SIZE) for j in range(i + 1, min(i - i % 4 + 4, SIZE))}

by_every_algorithm = pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)


def all_or_none(mat: Materialisation) -> None:
    """Relations: what is read at one moment is all there or not at all."""
    assert len(list(mat["left"])) in {0, SIZE}
    assert len(mat["right"]) in {0, SIZE}
    assert set(mat["chain"]) in (set(), CHAIN)
    assert mat["left"].to_arrow().num_rows in {0, SIZE}
    assert len(list(mat.explicit("on"))) in {0, SIZE}


def agreement(mat: Materialisation) -> None:
    """Queries: facts of several predicates agree, derived ones with explicit ones."""
    assert not mat.query("left(?x), ~on(?x)")
    assert not mat.query("on(?x), ~right(?x)")
    assert len(mat.query("on(?x), left(?x), right(?x)")) in {0, SIZE}
    assert len(mat.query("odd(?x)")) == 0


def membership(mat: Materialisation) -> None:
    """Single facts; and constants that no fact has, which the dictionary learns while updates teach it others."""
    rank = mat.rank("left", ("x1",))
    assert rank is None or rank > 0
    assert (f"y{time.perf_counter_ns()}",) not in mat["left"]
    assert not mat.query(f"left(y{time.perf_counter_ns()})")
    assert str(mat.explain("left", ("x1",))).startswith(("left(x1)    by", "left(x1) does not hold"))


@by_every_algorithm
def test_before_or_after_never_between(engine: str, algorithm: str) -> None:
    mat = Materialisation(PROGRAM, engine=engine, algorithm=algorithm)
    mat.update(insert={"next": NEXT, "on": ON})
    with reading(mat, all_or_none, agreement, membership) as failures:
        end, updates = time.monotonic() + SECONDS, 0
        while time.monotonic() < end and not failures:
            mat.update(delete={"on": ON})
            mat.update(insert={"on": ON, "off": [(f"never{updates}",)]})
            updates += 2
    assert not failures
    assert updates
    assert set(mat["chain"]) == CHAIN


def test_what_is_said_of_many_facts_is_said_of_one_moment() -> None:
    """How many facts hold, over all predicates; and how many a relation shows and counts."""
    names = [f"p{i}" for i in range(40)]
    mat = Materialisation(" ".join(f"{name}(?x) :- on(?x) ." for name in names))

    def count(mat: Materialisation) -> None:
        assert len(mat) in {0, 41}

    def show(mat: Materialisation) -> None:
        assert repr(mat["on"]) in {"<on/1: 0 facts>", "<on/1: 1 facts: (x)>"}
        html = mat["on"]._repr_html_()
        assert html.count("<td>") == html.count(" 1 facts")

    with reading(mat, count, show) as failures:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not failures:
            mat.update(insert={"on": ["x"]})
            mat.update(delete={"on": ["x"]})


def test_several_threads_may_update() -> None:
    """Updates wait for each other; the terms they bring are not mixed up."""
    mat = Materialisation("all(?x) :- one(?x) . all(?x) :- two(?x) . all(?x) :- three(?x) .")
    failures: list[BaseException] = []

    def write(predicate: str) -> None:
        try:
            for i in range(40):
                mat.update(insert={predicate: [(f"{predicate}{i}.{j}",) for j in range(50)]})
        except BaseException as error:
            failures.append(error)

    with switching_often():
        run_together([threading.Thread(target=write, args=(name,)) for name in ("one", "two", "three")])
    assert not failures
    for name in ("one", "two", "three"):
        assert set(mat[name]) == {(f"{name}{i}.{j}",) for i in range(40) for j in range(50)}
    assert set(mat["all"]) == {*mat["one"], *mat["two"], *mat["three"]}


def test_terms_are_added_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dictionary allows for one thread that adds terms; that is the one which holds the engine's lock."""
    mat = Materialisation("p(?x) :- q(?x), ~r(?x) .")
    original = Dictionary.encode
    free: list[bool] = []

    def try_lock() -> None:
        free.append(mat._engine.work.acquire(blocking=False))
        if free[-1]:
            mat._engine.work.release()

    def encode(self: Dictionary, terms: Iterable[Term]) -> Ids:
        other = threading.Thread(target=try_lock)
        other.start()
        other.join()
        return original(self, terms)

    monkeypatch.setattr(Dictionary, "encode", encode)
    mat.update(insert={"q": [("a",), ("b",)]})
    assert free
    assert not any(free)


@contextmanager
def reading(mat: Materialisation, *readers: Callable[[Materialisation], None]) -> Iterator[list[BaseException]]:
    """While this lasts, each reader reads on and on in a thread of its own; gives what goes wrong."""
    failures: list[BaseException] = []
    stop = threading.Event()

    def read(reader: Callable[[Materialisation], None]) -> None:
        try:
            while not stop.is_set() and not failures:
                reader(mat)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=read, args=(reader,)) for reader in readers]
    with switching_often():
        for thread in threads:
            thread.start()
        try:
            yield failures
        finally:
            stop.set()
            for thread in threads:
                thread.join()
    for failure in failures:
        raise failure


@contextmanager
def switching_often() -> Iterator[None]:
    """Threads take turns after microseconds rather than milliseconds."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def run_together(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
