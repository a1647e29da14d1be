"""An update that is stopped half-way, by Ctrl-C or for want of memory, leaves everything as it was, and the next one works."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.combinations import COMBINATIONS
from tests.faults import fault
from tests.mirror import Mirror, explicit_of, facts_of, pairs, rank_in
from tests.oracle import Facts
from tests.updates import Row, parse_update
from tidelog import Materialisation, Program
from tidelog.engines.embedded.algebra import EmbeddedAlgebra

PROGRAM = """
    path(?x, ?y) :- edge(?x, ?y) .
    path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
    node(?x), node(?y) :- edge(?x, ?y) .
    apart(?x, ?y) :- node(?x), node(?y), ~path(?x, ?y) .
    corner(?x, ?y, ?z) :- edge(?x, ?y), edge(?y, ?z) .
"""
FACTS = (
    "+edge(a, b) +edge(b, c) +edge(a, x) +edge(x, c) +edge(c, d) +edge(d, b) +path(b, d) +apart(q, q) +edge(1, 2) +edge(2, 3)"
)
STOPPED = "-edge(a, b) -path(b, d) +edge(d, e) +edge(e, a) -edge(2, 3) +edge(100, 200) +corner(z, z, z)"
STOPPED_UPDATE = parse_update(STOPPED)
LATER = ("-edge(x, c) -edge(b, c) +edge(2, 3)", STOPPED, "+edge(a, b) +edge(b, c) -edge(100, 200) -corner(z, z, z)")
ERRORS = (KeyboardInterrupt, MemoryError)

by_every_algorithm = pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)


class State(NamedTuple):
    facts: Facts
    explicit: Facts
    ranks: dict[tuple[str, Row], int]


def state(mat: Materialisation) -> State:
    facts, rank = facts_of(mat), rank_in(mat)
    return State(facts, explicit_of(mat), {fact: rank(*fact) for fact in pairs(facts)})


class Run:
    """A materialisation with a mirror that knows what it must hold."""

    def __init__(self, engine: str, algorithm: str) -> None:
        program = Program.parse(PROGRAM)
        self.mat, self.mirror = Materialisation(program, engine=engine, algorithm=algorithm), Mirror(program)
        for text in (FACTS, STOPPED, FACTS):
            self.update(text)
        self.before = state(self.mat)

    def update(self, text: str) -> None:
        update = parse_update(text)
        self.mirror.check(self.mat, update, self.mirror.update(update))

    def stop(self, error: type[BaseException]) -> bool:
        """Run the update that is to be stopped; whether it was."""
        try:
            self.mat.update(insert=STOPPED_UPDATE.insert, delete=STOPPED_UPDATE.delete)
        except error:
            return True
        return False

    def check_nothing_happened(self) -> None:
        assert state(self.mat) == self.before
        self.check_life_goes_on()

    def check_life_goes_on(self) -> None:
        for text in LATER:
            self.update(text)


@by_every_algorithm
@settings(max_examples=max(8, settings().max_examples // 10))
@given(place=st.floats(0, 1, exclude_max=True), error=st.sampled_from(ERRORS))
def test_stopped_at_any_line(engine: str, algorithm: str, place: float, error: type[BaseException]) -> None:
    """All of it or nothing: what is stopped when facts have begun to appear and vanish, is done."""
    run = Run(engine, algorithm)
    with fault(error, at=1 + int(place * lines(engine, algorithm))):
        run.stop(error)
    if facts_of(run.mat) == run.before.facts:
        run.check_nothing_happened()
    else:
        run.mirror.update(parse_update(STOPPED))
        run.mirror.compare(run.mat)
        run.check_life_goes_on()


@cache
def lines(engine: str, algorithm: str) -> int:
    """How many lines of Tidelog the update runs that is to be stopped."""
    run = Run(engine, algorithm)
    with fault() as counting:
        assert not run.stop(KeyboardInterrupt)
    return counting.lines


@by_every_algorithm
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("method", ["derive", "provable", "set_ranks", "add", "end_round", "commit"])
def test_stopped_in_the_algebra(
    engine: str, algorithm: str, method: str, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or after each call of one of its methods."""
    original = getattr(EmbeddedAlgebra, method)
    calls = limit = 0

    def striking(self: EmbeddedAlgebra, *arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == limit:
            raise error("on purpose")
        result = original(self, *arguments, **options)
        if calls == -limit:
            raise error("on purpose")
        return result

    run = Run(engine, algorithm)
    monkeypatch.setattr(EmbeddedAlgebra, method, striking)
    assert not run.stop(error)
    total = calls
    run.mirror.update(parse_update(STOPPED))
    for limit in {1, -1, total // 2, -(total // 2), total, -total} - {0} if total else ():
        run.update(FACTS)
        run.before = state(run.mat)
        calls = 0
        assert run.stop(error)
        limit = 0
        assert state(run.mat) == run.before
        run.check_life_goes_on()
