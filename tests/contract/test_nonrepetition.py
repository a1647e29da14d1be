"""No rule instance is considered twice in one direction of an update, however many of its body facts change.

Rematerialisation is left out, which has nothing but a forward phase, and rewriting, which evaluates a program of its own.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.contract.combinations import COMBINATIONS
from tests.updates import parse_update
from tidelog import Materialisation

INCREMENTAL = [pair for pair in COMBINATIONS if pair[1] in {"ranked", "dred", "fbf", "bf", "counting"}]


class Step(NamedTuple):
    name: str
    program: str
    before: str
    update: str
    undone: int
    """Instances that fire before the update only."""
    applied: int
    """Instances that fire after the update only."""


STEPS = (
    Step("one fact matches two atoms", "p(?x, ?z) :- e(?x, ?y), e(?y, ?z) .", "", "+e(a, a)", 0, 1),
    Step("and goes", "p(?x, ?z) :- e(?x, ?y), e(?y, ?z) .", "+e(a, a)", "-e(a, a)", 1, 0),
    Step("three atoms change", "p(?x) :- e(?x, ?y), f(?y, ?z), g(?z) .", "", "+e(a, b) +f(b, c) +g(c)", 0, 1),
    Step("and go", "p(?x) :- e(?x, ?y), f(?y, ?z), g(?z) .", "+e(a, b) +f(b, c) +g(c)", "-e(a, b) -f(b, c) -g(c)", 1, 0),
    Step("two negated facts appear", "p(?x) :- s(?x), ~n(?x), ~m(?x) .", "+s(a)", "+n(a) +m(a)", 1, 0),
    Step("and vanish", "p(?x) :- s(?x), ~n(?x), ~m(?x) .", "+s(a) +n(a) +m(a)", "-n(a) -m(a)", 0, 1),
    Step("positive and negated at once", "p(?x) :- s(?x), ~n(?x) .", "+n(a)", "+s(a) -n(a)", 0, 1),
    Step("and back", "p(?x) :- s(?x), ~n(?x) .", "+s(a)", "-s(a) +n(a)", 1, 0),
    Step("never, though each atom changes", "p(?x) :- s(?x), ~n(?x) .", "", "+s(a) +n(a)", 0, 0),
    Step("old meets new", "p(?x, ?z) :- e(?x, ?y), e(?y, ?z) .", "+e(b, c)", "+e(a, b) -e(b, c)", 0, 0),
    Step("one negated fact in two atoms", "p(?x, ?y) :- s(?x), s(?y), ~n(?x), ~n(?y) .", "+s(a) +s(b)", "+n(a) +n(b)", 4, 0),
)


@pytest.mark.parametrize(("engine", "algorithm"), INCREMENTAL)
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_each_instance_once_in_each_direction(step: Step, engine: str, algorithm: str) -> None:
    mat = Materialisation(step.program, engine=engine, algorithm=algorithm, modules="standard")
    mat.update(insert=parse_update(step.before).insert)
    update = parse_update(step.update)
    phases = mat.update(insert=update.insert, delete=update.delete).statistics.instances_by_phase
    assert (phases.get("deletion", 0), phases.get("addition", 0)) == (step.undone, step.applied)
