"""Plans as text, for `tidelog check` and for people who wonder why a rule is slow."""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.plan.model import Bind, Match, Pivot, Place, Plan, Refuse, Role, Step, Together
from tidelog.plan.planner import NoStatistics, Statistics, pivots, plan
from tidelog.plan.together import gather
from tidelog.program.normal import CoreRule
from tidelog.syntax.formatter import format_atom, format_expression, format_literal
from tidelog.syntax.names import PREDECLARED

_IN = {Role.ALL: "", Role.CHANGE: " in the change", Role.OUTSIDE: " outside the change"}


def describe(
    rule: CoreRule, statistics: Statistics | None = None, prefixes: Mapping[str, str] = PREDECLARED
) -> list[tuple[str, list[str]]]:
    """The plans of a rule: for each place where work on it can start, the steps in their order."""
    places = [Pivot(Place.ANYWHERE), *pivots(rule), Pivot(Place.HEAD)]
    statistics = statistics or NoStatistics()
    made = [gather(plan(rule, pivot, statistics), statistics) for pivot in places]
    return [(_start(one, prefixes), [_step(step, prefixes) for step in one.steps]) for one in made]


def _start(one: Plan, prefixes: Mapping[str, str]) -> str:
    pivot = one.pivot
    if pivot.place is Place.POSITIVE:
        return f"when {format_atom(one.rule.positive[pivot.position], prefixes)} changes"
    if pivot.place is Place.NEGATIVE:
        return f"when ~{format_atom(one.rule.negative[pivot.position], prefixes)} changes"
    return "to derive given facts" if pivot.place is Place.HEAD else "from scratch"


def _step(step: Step, prefixes: Mapping[str, str]) -> str:
    if isinstance(step, Match):
        return f"{_how(step)} {format_atom(step.atom, prefixes)}{_IN[step.role]}"
    if isinstance(step, Together):
        return f"whichever has fewest: {' & '.join(_step(way, prefixes) for way in step.ways)}"
    if isinstance(step, Refuse):
        return f"refuse {format_atom(step.atom, prefixes)}{_IN[step.role]}"
    if isinstance(step, Bind):
        return f"bind ?{step.variable} = {format_expression(step.expression, prefixes)}"
    return f"test {format_literal(step.comparison, prefixes)}"


def _how(step: Match) -> str:
    """Whether a match starts the plan, scans, probes an index on some columns, or looks up a whole fact."""
    if step.role is Role.CHANGE:
        return "start"
    if len(step.bound) == len(step.atom.terms):
        return "look up"
    return f"probe on {', '.join(str(column + 1) for column in step.bound)}:" if step.bound else "scan"
