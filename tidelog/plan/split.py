"""The best way to split a rule into nodes: by decomposition, by elimination, or by one and then the other.

All are judged by the same costs: the bindings of the joins in nodes and of the rule over nodes, and what nodes hold. The costs
by which a decomposition is chosen among others (`plan.decompose`) know nothing of recursion and of storing facts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from tidelog.plan.decompose import decompose
from tidelog.plan.eliminate import Expected, OverNodes, eliminate, over_nodes, untouched
from tidelog.plan.nodes import NodeRules
from tidelog.program.normal import CoreRule

_PAYS = 2.0
"""A rule is split if one join of its body is expected to cost so many times as much,"""
_FLOOR = 100_000
"""and at least so many bindings: below that, any join is done in no time."""
_CLEARLY = 0.9


class How(Enum):
    """What a split comes from."""

    DECOMPOSITION = "hypertree decomposition"
    ELIMINATION = "elimination of variables"
    BOTH = "elimination of variables, and hypertree decomposition of the rest"


@dataclass(frozen=True, slots=True)
class Split:
    """A rule over nodes, in the place of another."""

    how: How
    rule: CoreRule
    nodes: NodeRules
    """Those there were, and those of this rule."""
    expected: Expected
    """What is expected of these nodes."""
    cost: float
    plain: float
    """What one join of the whole body is expected to cost."""

    @property
    def pays(self) -> bool:
        """Whether the rule is better split, as far as the estimates can tell."""
        return self.plain > max(_FLOOR, _PAYS * self.cost)


def best_split(rule: CoreRule, expected: Expected, nodes: NodeRules, *, if_it_pays: bool = False) -> Split | None:
    """The split that is expected to cost least, the simpler of two that cost about the same; None if there is none."""
    if if_it_pays and untouched(rule, expected, nodes).rest <= _FLOOR:
        return None  # without a search, which takes longer than that join
    best: Split | None = None
    for split in splits(rule, expected, nodes):
        if best is None or split.cost < _CLEARLY * best.cost:
            best = split
    return best if best is None or best.pays or not if_it_pays else None


def splits(rule: CoreRule, expected: Expected, nodes: NodeRules) -> Iterator[Split]:
    """All that there are, the simplest first."""
    whole = untouched(rule, expected, nodes)
    yield from _decomposed(How.DECOMPOSITION, whole, whole.rest)
    eliminated = eliminate(rule, expected, nodes)
    if eliminated.rule is not rule:
        yield _split(How.ELIMINATION, eliminated, whole.rest)
        yield from _decomposed(How.BOTH, eliminated, whole.rest)


def _decomposed(how: How, now: OverNodes, plain: float) -> Iterator[Split]:
    """The rule split by its decomposition, if that makes nodes."""
    decomposition = decompose(now.rule, now.expected)
    if decomposition is not None:
        nodes = now.nodes.copy()
        rule = nodes.split(decomposition)
        if rule is not now.rule:
            yield _split(how, over_nodes(now, rule, nodes), plain)


def _split(how: How, made: OverNodes, plain: float) -> Split:
    return Split(how, made.rule, made.nodes, made.expected, made.total, plain)
