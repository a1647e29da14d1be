"""Worst-case optimal steps: a variable that several atoms restrict is bound by all of them together.

Ngo, Re, Rudra: Skew Strikes Back (2014), generic join. A plan that takes one atom at a time begins the last edge of a triangle
with all neighbours of ?y, even where ?x has two and ?y a million:

    knows(?x, ?y), knows(?y, ?z), knows(?z, ?x)

Matched together, the two atoms with ?z give each binding of ?x and ?y as many candidates as the smaller of both has *for that
binding*, and the other one is asked about these. So no step makes more bindings than the worst case of the join has, which
for a triangle of n edges is n to the power of 3/2. It does so for every pivot, and roles stay with their atoms, so that
each instance is still found once. It takes one more probe for each binding; atoms that match a few facts only, on average, or
many more than the others, are left alone.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.plan.model import Match, Plan, Role, Step, Together
from tidelog.plan.planner import Statistics, bound_columns, variables
from tidelog.syntax.ast import Variable

_MANY = 4.0
"""An atom that is expected to match fewer facts is matched by itself."""
_COMPARABLE = 64.0
"""An atom that is expected to match so many times as many as another is no place to begin."""


def gather(plan: Plan, statistics: Statistics) -> Plan:
    """The plan with the atoms matched together for which that is expected to pay."""
    left = list(plan.steps)
    steps: list[Step] = []
    known: set[str] = set()
    while left:
        step = left.pop(0)
        if isinstance(step, Match) and step.role is not Role.CHANGE:
            others = _others(step, left, known, statistics)
            if others:
                left = [one for one in left if not any(one is taken for taken in others)]
                ways = (step, *(replace(one, bound=bound_columns(one.atom, known)) for one in others))
                steps.append(Together(ways))
                known |= variables(step.atom)
                continue
        steps.append(step)
        known |= step.binds
    return replace(plan, steps=tuple(steps))


def _others(first: Match, later: list[Step], known: set[str], statistics: Statistics) -> list[Match]:
    """The later atoms that bind the same one variable as this, and nothing else."""
    name = _one_new(first, known)
    matches = statistics.matches(first.atom, first.bound)
    if name is None or matches < _MANY:
        return []
    return [
        step
        for step in later
        if isinstance(step, Match)
        and _one_new(step, known) == name
        and statistics.matches(step.atom, bound_columns(step.atom, known)) <= _COMPARABLE * matches
    ]


def _one_new(step: Match, known: set[str]) -> str | None:
    """The variable that a probe for an atom would bind, if it is just one, in one column."""
    new = [term.name for term in step.atom.terms if isinstance(term, Variable) and term.name not in known]
    return new[0] if len(new) == 1 and len(step.atom.terms) > 1 else None
