"""Streams of updates in which facts hold for a time, and what must hold then: by clingo from the facts alive, by plain search.

The mirror keeps, for each explicit fact, until when it was given. What follows at a time is asked of the oracle, from the
explicit facts whose time is not over. How long a fact holds is found by trying all rule instances, over and over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from random import Random

from hypothesis import strategies as st

from tests import naive, oracle
from tests.generators import Case
from tests.mirror import difference, explicit_of, facts_of, net
from tests.naive import Table, bindings, body_of, ground
from tests.oracle import Facts, Row, without_empty
from tests.updates import Data, Update
from tidelog import Changes, Materialisation, Program

Fact = tuple[str, Row]


@dataclass(frozen=True)
class Step:
    """Time moves on to `now`, then the update."""

    now: float
    update: Update
    expires: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    """For each fact that is inserted, in order; None for good."""
    release: Data = field(default_factory=dict)

    def apply(self, mat: Materialisation) -> Changes:
        update = self.update
        return mat.advance(self.now, update.insert, update.delete, expires=self.expires, release=self.release)


def times_for(case: Case, seed: int) -> list[Step]:
    """The case's updates with times; at some of them only time moves on."""
    random, now = Random(seed), 0.0
    steps: list[Step] = []
    for update in (Update(case.facts, {}), *case.updates):
        static = random.choice((0.0, 0.3, 0.8))
        expires = {
            predicate: [None if random.random() < static else now + random.randint(0, 6) for _ in rows]
            for predicate, rows in update.insert.items()
        }
        release = update.delete if random.random() < 0.2 else {}
        steps.append(Step(now, Update(update.insert, {} if release else update.delete), expires, release))
        now += random.choice((0, 0, 1, 1, 2, 3))
        if random.random() < 0.3:
            steps.append(Step(now, Update({}, {})))
    return [*steps, Step(now + 3, Update({}, {})), Step(now + 20, Update({}, {}))]


seeds = st.integers(0, 2**20)


class TimedMirror:
    """The explicit facts with the times until which they were given, and what follows."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.until: dict[Fact, float] = {
            (predicate, row): inf for predicate, rows in oracle.explicit_facts(program, {}).items() for row in rows
        }
        self.facts = self.from_scratch()

    @property
    def explicit(self) -> Facts:
        found: Facts = {}
        for predicate, row in self.until:
            found.setdefault(predicate, set()).add(row)
        return found

    def from_scratch(self) -> Facts:
        return without_empty(oracle.from_scratch(self.program, self.explicit, own_facts=False))

    def step(self, step: Step) -> tuple[Facts, Facts]:
        """What the step must insert and delete, net."""
        for predicate, rows in step.update.delete.items():
            for row in rows:
                self.until.pop((predicate, row), None)
        for predicate, rows in step.release.items():
            for row in rows:
                if self.until.get((predicate, row), inf) < inf:
                    del self.until[predicate, row]
        for predicate, rows in step.update.insert.items():
            for row, until in zip(rows, step.expires.get(predicate, [None] * len(rows)), strict=True):
                fact = predicate, row
                self.until[fact] = max(self.until.get(fact, -inf), inf if until is None else until)
        self.until = {fact: until for fact, until in self.until.items() if until > step.now}
        before, self.facts = self.facts, self.from_scratch()
        return difference(self.facts, before), difference(before, self.facts)

    def check(self, mat: Materialisation, step: Step, expected: tuple[Facts, Facts]) -> None:
        changes = step.apply(mat)
        assert facts_of(mat) == self.facts
        assert explicit_of(mat) == self.explicit
        assert (net(changes.inserted), net(changes.deleted)) == expected
        assert changes.time == mat.now == step.now

    def expiries(self) -> dict[Fact, float]:
        """How long each fact holds if only positive body facts expire: the latest of the earliest in a body, by trying."""
        known = Table(naive.with_hidden(self.program, self.facts))
        rules = [rule for rule in self.program.core if rule.head.predicate not in self.program.hidden]
        expiry = {(predicate, row): -inf for predicate, rows in self.facts.items() for row in rows} | self.until
        while True:
            before = dict(expiry)
            for rule in rules:
                for binding in bindings(body_of(rule), known, known):
                    head = ground(rule.head, binding)
                    earliest = min((expiry[ground(atom, binding)] for atom in rule.positive), default=inf)
                    expiry[head] = max(expiry[head], earliest)
            if expiry == before:
                return expiry
