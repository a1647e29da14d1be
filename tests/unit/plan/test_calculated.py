"""Whether facts with calculated values can be derived is asked of each body once, not once for each value."""

from __future__ import annotations

import pytest

from tidelog import Materialisation, Program
from tidelog.plan.calculated import calculated_columns, plan_from_rest
from tidelog.plan.model import Bind, Match, Role
from tidelog.plan.planner import NoStatistics

SUMS = "s(?x, ?s) :- a(?x, ?y), b(?x, ?z), ?s = ?y + ?z ."


@pytest.mark.parametrize("algorithm", ["ranked", "dred", "bf"])
@pytest.mark.parametrize("rule", [SUMS, "s(?s) :- a(?x, ?y), b(?x, ?z), ?s = ?y + ?z .", "s(?s, ?x, ?s) " + SUMS[9:]])
def test_one_pass_through_the_body_for_all_values(rule: str, algorithm: str) -> None:
    mat = Materialisation(rule, algorithm=algorithm)
    many, few = [(0, 100 * n) for n in range(200)], [(0, n) for n in range(20)]
    mat.update(insert={"a": many, "b": few})
    changes = mat.update(delete={"b": few[:2]})
    assert len(changes.deleted["s"]) == 400
    assert changes.statistics.bindings < 30_000  # 400 times 3,600 if each value had a pass of its own


def test_the_plan_starts_from_the_rest_and_ends_at_the_head() -> None:
    (rule,) = Program.parse(SUMS).core
    first, *middle, last = plan_from_rest(rule, NoStatistics()).steps
    assert calculated_columns(rule) == (1,)
    assert isinstance(first, Match)
    assert "s" not in first.binds
    assert any(isinstance(step, Bind) and step.variable == "s" for step in middle)
    assert last == Match(rule.head, Role.CHANGE, (0, 1), None)
