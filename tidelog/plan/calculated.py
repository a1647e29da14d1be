"""Plans from the head of a rule that calculates some of it: what is calculated is compared in the end.

    s(?x, ?s) :- a(?x, ?y), b(?x, ?z), ?s = ?y + ?z .

To ask which of many s(x, s) can be derived, a plan that starts from each has nothing from its ?s on the way: it would go
through the same body for every s of one x. So a plan starts from each x once, calculates what there is, and looks the heads up
among those that were asked about.
"""

from __future__ import annotations

from dataclasses import replace

from tidelog.plan.model import Match, Pivot, Place, Plan, Role
from tidelog.plan.planner import Statistics, definitions, plan
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Variable


def calculated_columns(rule: CoreRule) -> tuple[int, ...]:
    """The columns of a rule's head whose value the rule calculates."""
    names = set(definitions(rule).values())
    return tuple(column for column, term in enumerate(rule.head.terms) if isinstance(term, Variable) and term.name in names)


def plan_from_rest(rule: CoreRule, statistics: Statistics, *, first: int | None = None) -> Plan:
    """The plan from the rest of the head, which ends with a look-up of the whole head; `first` as in `plan`."""
    columns = calculated_columns(rule)
    terms = (Variable(f"any {column}") if column in columns else term for column, term in enumerate(rule.head.terms))
    rest = replace(rule, head=replace(rule.head, terms=tuple(terms)))  # no rule has a variable with a space in its name
    made = plan(rest, Pivot(Place.HEAD), statistics, first=first)
    end = Match(rule.head, Role.CHANGE, tuple(range(len(rule.head.terms))), None)
    return Plan(rule, made.pivot, (*made.steps, end))
