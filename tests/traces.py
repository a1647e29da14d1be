"""Traces by brute force: every rule instance that fires, and the iteration of the seminaive algorithm that it fires in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from tests import naive
from tests.naive import Row, ground
from tests.oracle import Facts
from tidelog import Materialisation, Program
from tidelog.terms import Term

Fact = tuple[str, Row]
Trace = Counter[tuple[Fact, int]]
"""How often each fact was derived in each iteration of its stratum; explicit facts once in the first."""


class Firing(NamedTuple):
    """A ground rule instance and its iteration."""

    rule: int
    binding: frozenset[tuple[str, Term]]
    head: Fact
    iteration: int


def firings(program: Program, explicit: Facts, strata: str = "granular") -> set[Firing]:
    """Algorithm 2 of the paper: an instance fires in the iteration after the one in which its last own-stratum fact appears."""
    stratification = program.stratify(single=strata == "single")
    facts = naive.Table(naive.with_hidden(program, naive.materialise(program, explicit, own_facts=False)))
    rounds = dict.fromkeys(explicit_pairs(explicit), 1)
    waiting = []
    for number, rule in enumerate(program.core):
        own = [rule.positive[place] for place in stratification.recursive_positions(rule)]
        for binding in naive.bindings(naive.body_of(rule), facts, facts):
            found = Firing(number, frozenset(binding.items()), ground(rule.head, binding), 0)
            waiting.append((found, [ground(atom, binding) for atom in own]))
    fired: set[Firing] = set()
    iteration = 1
    while waiting:
        now = [(found, body) for found, body in waiting if all(rounds.get(fact, iteration) < iteration for fact in body)]
        waiting = [(found, body) for found, body in waiting if any(rounds.get(fact, iteration) >= iteration for fact in body)]
        for found, _ in now:
            rounds.setdefault(found.head, iteration)
            fired.add(found._replace(iteration=iteration))
        iteration += 1
    return fired


def trace(explicit: Facts, fired: set[Firing]) -> Trace:
    return Counter((firing.head, firing.iteration) for firing in fired) + Counter(
        (fact, 1) for fact in explicit_pairs(explicit)
    )


def explicit_pairs(explicit: Mapping[str, set[Row]]) -> set[Fact]:
    return {(predicate, row) for predicate, rows in explicit.items() for row in rows}


def kept_trace(mat: Materialisation) -> Trace:
    """The trace that a materialisation keeps."""
    engine = mat._engine
    assert not engine.algebra.trace.stale
    found: Trace = Counter()
    for table in engine.store:
        rows, iterations, counts = engine.algebra.trace.items(table)
        columns = [engine.dictionary.decode(column[rows]) for column in table.columns]
        for place, (iteration, count) in enumerate(zip(iterations, counts, strict=True)):
            assert count > 0
            found[(table.predicate, tuple(column[place] for column in columns)), int(iteration)] = int(count)
    return found
