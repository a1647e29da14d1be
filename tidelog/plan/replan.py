"""Whether the rules should be split anew: when the facts are no longer those that a layout was chosen for.

Zhang et al. (2023), section 7, leave open what to do when a decomposition is no longer the best. Here the sizes of what complex
rules match are compared between updates; where one has changed fourfold, the rules are laid out for the facts of today, and
the layouts compared, the present one by what its nodes really hold. The new one is adopted if it is expected to cost less by
far: building its nodes, and ranks for them, takes as long as materialising anew, which pays over the updates to come.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.plan.eliminate import STORED, Expected, join_cost
from tidelog.plan.estimates import Estimates
from tidelog.plan.hypergraph import Hypergraph
from tidelog.plan.layout import Layout
from tidelog.plan.planner import Statistics

_DRIFT = 4.0
_FEW = 1_000
"""Sizes below this count as this: what is small has not drifted far."""
_BETTER = 4.0
"""A layout is adopted if the present one is expected to cost so many times as much,"""
_FLOOR = 100_000
"""and at least so many bindings."""


def drifted(before: Mapping[str, int], now: Mapping[str, int]) -> str | None:
    """The predicate whose size has changed most, if that is far."""
    factor = {predicate: max(size, _FEW) / max(before.get(predicate, 0), _FEW) for predicate, size in now.items()}
    most = max(factor, key=lambda predicate: max(factor[predicate], 1 / factor[predicate]), default=None)
    return most if most is not None and max(factor[most], 1 / factor[most]) >= _DRIFT else None


def cost_now(layout: Layout, statistics: Statistics) -> float:
    """What a layout is expected to cost with the facts of today."""
    expected = Expected(statistics)
    cost = sum(join_cost(rule, expected, frozenset({rule.head.predicate})) for rule in layout.complex)
    nodes = set(layout.hidden) - {shadow.edges for shadow in layout.shadows}
    for stratum in layout.strata.strata:
        for rule in stratum.rules:
            if rule.head.predicate in nodes:
                graph = Hypergraph(rule.positive)
                cost += Estimates(graph, statistics).join(graph.all_atoms).work + STORED * statistics.matches(rule.head, ())
    return cost


def is_better(cost: float, present: float) -> bool:
    """Whether a layout of this cost is worth building in the place of the present one."""
    return present > max(_FLOOR, _BETTER * cost)
