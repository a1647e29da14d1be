"""Continuous queries over random streams, held after every evaluation against SPARQL (pyoxigraph) on what the windows then
hold; where there are rules, on what follows from that (clingo)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.oracle import from_scratch
from tests.queries import DISTINCT, VALUES, sketch, triple
from tests.sparql import Row, Triple, answer, rows
from tidelog.continuous import ContinuousQuery
from tidelog.program import Program
from tidelog.stream.queries.parser import parse
from tidelog.stream.queries.tree import Output
from tidelog.terms import Term

STREAMS = ("http://e/one", "http://e/two")
Event = tuple[int, str, Triple]


@dataclass(frozen=True, slots=True)
class Seen:
    """A window as the oracle understands it: times are whole seconds."""

    stream: str
    range: int
    step: int
    count: int
    name: str

    @classmethod
    def random(cls, rng: random.Random, name: str) -> Seen:
        step = rng.choice([1, 2, 3, 5])
        count = rng.randint(1, 9) if rng.random() < 0.25 else 0
        return cls(rng.choice(STREAMS), step * rng.choice([1, 2, 3, 6]), step, count, name)

    def text(self) -> str:
        extent = f"TRIPLES {self.count}" if self.count else f"RANGE {self.range}s STEP {self.step}s"
        extent = f"RANGE {self.range}s TUMBLING" if self.range == self.step and not self.count else extent
        named = f"NAMED WINDOW :{self.name} ON" if self.name else "STREAM"
        return f"FROM {named} <{self.stream}> [{extent}]"

    def content(self, events: list[Event], time: int) -> list[Triple]:
        mine = [(moment, triple) for moment, stream, triple in events if stream == self.stream and moment <= time]
        if self.count:
            return [triple for _, triple in mine[-self.count :]]
        tick = time // self.step * self.step
        return [triple for moment, triple in mine if tick - self.range < moment <= tick]


def events_of(rng: random.Random, length: int, values: list[Term] = VALUES) -> list[Event]:
    """Some things happen, no two at the same time."""
    times = sorted(rng.sample(range(1, 2 * length), length))
    return [(time, rng.choice(STREAMS), triple(rng, values)) for time in times]


def given(events: list[Event], windows: list[Seen]) -> dict[str, list[dict[str, object]]]:
    """The streams that the windows look at, as updates."""
    return {
        name: [{"time": time, "insert": {"triple": [triple]}} for time, stream, triple in events if stream == name]
        for name in {window.stream for window in windows}
    }


Expected = Callable[[int], Counter[Row]]
"""What the answer is at a time."""


def check(query: ContinuousQuery, streams: dict[str, list[dict[str, object]]], expected_at: Expected) -> int:
    """Each answer says what is so then, and how that differs from the one before. Returns how many rows were told."""
    before: Counter[Row] = Counter()
    number = 0
    last: int | None = None
    output, every = query.query.output, query.query.every
    for told in query.follow(streams):
        assert told.time is not None
        assert told.time == int(told.time)
        time = int(told.time)
        now = expected_at(time)
        assert rows(told.inserted) == now - before
        assert rows(told.deleted) == before - now
        assert rows(told.rows) == {Output.RSTREAM: now, Output.ISTREAM: now - before, Output.DSTREAM: before - now}[output]
        if every:
            assert time % every == 0
            assert last is None or time == last + every
        else:  # in between, nothing was missed
            assert all(expected_at(moment) == before for moment in range(time if last is None else last + 1, time))
        number += len(told.rows)
        before, last = now, time
    return number


def by_sparql(
    text: str, windows: list[Seen], static: list[Triple], events: list[Event], rules: Program | None = None
) -> Callable[[tuple[str, ...], int], Counter[Row]]:
    """The answer of a query, of these columns, at a time; worked out once for the same contents."""

    known: dict[str, Counter[Row]] = {}

    def of(columns: tuple[str, ...], time: int) -> Counter[Row]:
        inside = [(window, window.content(events, time)) for window in windows]
        if repr(inside) not in known:
            default = [*static, *(triple for window, content in inside if not window.name for triple in content)]
            follows: Iterable[Any] = default if rules is None else from_scratch(rules, {"triple": default})["triple"]
            named = {f"http://e/{window.name}": content for window, content in inside if window.name}
            known[repr(inside)] = answer(text, columns, follows, named)
        return known[repr(inside)]

    return of


def drawn(rng: random.Random, windows: list[Seen], static: list[Triple], events: list[Event]) -> str:
    """A query that finds something at some time, if one is soon found."""
    every = rng.choice([0, 0, 1, 4])
    clauses = " ".join(["FROM :static", *(window.text() for window in windows)])
    for _ in range(10):
        parts = sketch(rng, tuple(f":{window.name}" for window in windows if window.name))
        text = parts.text(clauses, f"COMPUTE EVERY {every}s" if every else "")
        expected = by_sparql(text, windows, static, events)
        columns = parse(text).selected
        if any(expected(columns, time) for time in (15, 30, 45)):
            break
    return text


def random_windows(rng: random.Random) -> list[Seen]:
    names = rng.choice([("",), ("",), ("", ""), ("w",), ("w", "v"), ("w", "")])
    windows = [Seen.random(rng, name) for name in names]
    if all(window.count for window in windows):  # such windows take events as they come, whenever they happened
        return [replace(window, stream=STREAMS[0]) for window in windows]
    return windows


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_those_of_sparql_on_the_windows(seed: int) -> None:
    rng = random.Random(seed)
    number = 0
    for _ in range(5):
        windows, static, events = random_windows(rng), [triple(rng) for _ in range(rng.randint(0, 4))], events_of(rng, 25)
        text = drawn(rng, windows, static, events)
        query = ContinuousQuery(text, graphs={"http://e/static": static})
        expected = by_sparql(text, windows, static, events)
        number += check(query, given(events, windows), lambda time: expected(query.columns, time))  # noqa: B023
    assert number > 20


RULES = """
    [?x, <http://e/p0>, ?z] :- [?x, <http://e/p0>, ?y], [?y, <http://e/p0>, ?z] .
    near(?x, ?y) :- [?x, <http://e/p1>, ?y], [?y, <http://e/p1>, ?x] .
    [?x, <http://e/p1>, ?z] :- near(?x, ?y), [?y, <http://e/p0>, ?z] .
"""
NEGATION = """
    [?x, <http://e/p2>, yes] :- [?x, <http://e/p0>, ?y], ~[?y, <http://e/p0>, _] .
"""


@pytest.mark.parametrize("seed", range(3))
def test_rules_hold_for_what_is_in_the_windows(seed: int) -> None:
    rng = random.Random(seed)
    number = 0
    rules = Program.parse(RULES)
    for _ in range(3):
        windows = [Seen.random(rng, "") for _ in range(rng.choice([1, 1, 2]))]
        if all(window.count for window in windows):
            windows = [replace(windows[0], count=0)]
        static, events = [triple(rng, DISTINCT) for _ in range(rng.randint(0, 4))], events_of(rng, 20, DISTINCT)
        text = drawn(rng, windows, static, events)
        query = ContinuousQuery(text, rules=rules, graphs={"http://e/static": static})
        expected = by_sparql(text, windows, static, events, rules)
        number += check(query, given(events, windows), lambda time: expected(query.columns, time))  # noqa: B023
    assert number > 2


@pytest.mark.parametrize("seed", range(2))
def test_rules_may_negate_what_is_in_the_windows(seed: int) -> None:
    rng = random.Random(seed)
    rules = Program.parse(RULES + NEGATION)
    window, static, events = Seen.random(rng, ""), [triple(rng, DISTINCT) for _ in range(3)], events_of(rng, 30, DISTINCT)
    text = f"PREFIX : <http://e/> REGISTER DSTREAM q AS SELECT ?x {window.text()} {{ ?x :p2 ?y . ?x :p0 ?z }}"
    query = ContinuousQuery(text, rules=rules)
    query.update(insert={"triple": static})
    expected = by_sparql(text, [window], static, events, rules)
    assert check(query, given(events, [window]), lambda time: expected(query.columns, time)) > 5


@pytest.mark.parametrize("seed", range(3))
def test_rules_hold_within_windows_that_have_names(seed: int) -> None:
    """What is in a window, and what is static, are together all that follows from both; an empty window stays empty."""
    rng = random.Random(seed)
    rules = Program.parse(RULES)
    window = replace(Seen.random(rng, "w"), count=0, range=6, step=2)
    static, events = [triple(rng, DISTINCT) for _ in range(5)], events_of(rng, 25, DISTINCT)
    text = f"PREFIX : <http://e/> REGISTER ISTREAM q AS SELECT * FROM :static {window.text()} {{ WINDOW :w {{ ?x ?y ?z }} }}"
    query = ContinuousQuery(text, rules=rules, graphs={"http://e/static": static})
    background = from_scratch(rules, {"triple": static})["triple"]
    more = 0
    for told in query.follow(given(events, [window])):
        assert told.time is not None
        content = set(window.content(events, int(told.time)))
        inside = set(query.materialisation["http://e/w"])
        assert content <= inside
        assert inside | background == from_scratch(rules, {"triple": {*static, *content}})["triple"]
        assert content or not inside
        assert set(query.materialisation["triple"]) == background
        more += len(inside - content)
    assert more > 5
