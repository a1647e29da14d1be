"""Data of some hundreds and thousands of facts: what a handful never reaches, such as indexes of several runs."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from tests.contract.combinations import COMBINATIONS
from tests.mirror import Step, steps
from tests.modules import splitting_eagerly
from tests.updates import Row, Update
from tidelog import Materialisation, Program
from tidelog.terms import Term


class Larger(NamedTuple):
    name: str
    program: str
    predicate: str
    arity: int
    values: int
    facts: int


CASES = (
    Larger("closure", "p(?x, ?y) :- e(?x, ?y) . p(?x, ?z) :- p(?x, ?y), e(?y, ?z) .", "e", 2, 150, 200),
    Larger("nonlinear-closure", "p(?x, ?y) :- e(?x, ?y) . p(?x, ?z) :- p(?x, ?y), p(?y, ?z) .", "e", 2, 80, 90),
    Larger("dense-closure", "p(?x, ?y) :- e(?x, ?y) . p(?x, ?z) :- e(?x, ?y), p(?y, ?z) .", "e", 2, 40, 400),
    Larger("siblings", "s(?x, ?y) :- e(?x, ?p), e(?y, ?p) . s(?x, ?y) :- e(?x, ?p), s(?p, ?q), e(?y, ?q) .", "e", 2, 90, 120),
    Larger("negation", "q(?x) :- e(?x, ?y), ~e(?y, _) . r(?x, ?y) :- e(?x, ?y), ~e(?y, ?x), ~q(?y) .", "e", 2, 60, 500),
    Larger("wide", "w(?b, ?a, ?e) :- v(?a, ?b, ?c, ?d, ?e), v(?b, ?a, _, ?d, _), ~v(?e, ?e, _, _, _) .", "v", 5, 12, 3000),
    Larger(
        "triples", "[?x, a, ?z] :- [?x, a, ?y], [?y, a, ?z] . [?y, b, ?x] :- [?x, c, ?y], ~[?x, d, ?y] .", "triple", 3, 14, 900
    ),
)


COMPLEX = (
    Larger(
        "petals",
        "p(?x, ?z) :- e(?x, ?a), e(?a, ?y), e(?x, ?b), e(?b, ?y), e(?y, ?z) . p(?x, ?z) :- p(?x, ?y), p(?y, ?z), e(?z, ?x) .",
        *("e", 2, 60, 200),
    ),
    *(case for case in CASES if case.name in ("siblings", "wide")),
)


@cache
def story(case: Larger) -> list[Step]:
    return steps(Program.parse(case.program), updates(Random(case.name), case))


@pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_larger_data(case: Larger, engine: str, algorithm: str) -> None:
    mat = Materialisation(case.program, engine=engine, algorithm=algorithm)
    for step in story(case):
        step.check(mat)


@pytest.mark.parametrize(("engine", "algorithm"), COMBINATIONS)
@pytest.mark.parametrize("case", COMPLEX, ids=lambda case: case.name)
def test_larger_data_in_nodes(case: Larger, engine: str, algorithm: str) -> None:
    with splitting_eagerly():
        mat = Materialisation(case.program, engine=engine, algorithm=algorithm, modules="hypertree")
        for step in story(case):
            step.check(mat)
    assert mat.nodes.facts


def updates(random: Random, case: Larger) -> list[Update]:
    """All facts in three portions, then many small updates and one that deletes half."""
    known = rows(random, case, case.facts)
    steps = [Update({case.predicate: known[i::3]}, {}) for i in range(3)]
    for _ in range(6):
        new = rows(random, case, 3)
        steps.append(Update({case.predicate: new}, {case.predicate: random.sample(known, 3)}))
        known += new
    return [*steps, Update({}, {case.predicate: known[::2]}), Update({case.predicate: known[::4]}, {})]


def rows(random: Random, case: Larger, count: int) -> list[Row]:
    """Rows of ints, strings and, in the middle of a triple, one of a few names."""
    values: list[Term] = [value if value % 2 else f"n{value}" for value in range(case.values)]
    columns = [["a", "b", "c", "d"] if case.predicate == "triple" and i == 1 else values for i in range(case.arity)]
    return list({tuple(random.choice(column) for column in columns): None for _ in range(count)})
