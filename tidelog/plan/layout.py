"""What an engine evaluates in place of a program's rules: the same rules, but for complex ones, which are split into nodes.

Which rules are complex, and how they are best split, depends on the facts, so a layout is made when the first given facts are
known, and again whenever all is materialised anew. `combined` splits the rules of three atoms and more for which the estimates
say that it pays; `hypertree` every rule whose body has several atoms, as far as that makes nodes; `standard` none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tidelog.plan.eliminate import Expected
from tidelog.plan.modules import COMBINED, HYPERTREE, Assignment
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import Statistics
from tidelog.plan.split import Split, best_split
from tidelog.program import Program
from tidelog.program.normal import CoreRule
from tidelog.program.stratify import Stratification, stratify


@dataclass(frozen=True, slots=True)
class Layout:
    """The rules to evaluate, by strata."""

    strata: Stratification
    hidden: Mapping[str, int]
    """The predicates of nodes, with how many columns each has."""
    splits: tuple[Split, ...]
    """How rules were split."""
    complex: tuple[CoreRule, ...]
    """The rules that may be split, as they are evaluated: those that were split over nodes, the others as they were written."""
    matched: frozenset[str]
    """The predicates whose sizes say what is best."""
    cost: float
    """What these rules and their nodes are expected to cost."""


def complex_rules(rules: Sequence[CoreRule], assignment: Assignment) -> list[CoreRule]:
    """The rules that the choice of modules may split; from the rules alone, so that most programs are done here."""
    if assignment.choice not in (COMBINED, HYPERTREE):
        return []
    least = 2 if assignment.choice == HYPERTREE else 3
    return [rule for rule in rules if len(rule.positive) >= least and assignment.of(rule) is None]


def whole(strata: Stratification) -> Layout:
    """The layout that splits nothing."""
    return Layout(strata, {}, (), (), frozenset(), 0.0)


def lay_out(program: Program, assignment: Assignment, single: bool, statistics: Statistics) -> Layout:
    """The layout of a program's rules for facts of these statistics; `single` as in `stratify`."""
    rules = program.core
    nodes = NodeRules({atom.predicate for rule in rules for atom in (rule.head, *rule.positive, *rule.negative)})
    candidates = complex_rules(rules, assignment)
    expected = Expected(statistics)
    made: dict[int, CoreRule] = {}
    splits: list[Split] = []
    cost = 0.0
    for rule in candidates:
        split = best_split(rule, expected, nodes)
        if split is not None and (assignment.choice == HYPERTREE or split.pays):
            nodes, expected = split.nodes, split.expected
            splits.append(split)
            made[id(rule)] = split.rule
        cost += split.cost if id(rule) in made and split else split.plain if split else 0.0
    return Layout(
        stratify([*(made.get(id(rule), rule) for rule in rules), *nodes.rules.values()], single=single)
        if splits
        else program.stratify(single),
        nodes.hidden,
        tuple(splits),
        tuple(made.get(id(rule), rule) for rule in candidates),
        frozenset(atom.predicate for rule in candidates for atom in rule.positive),
        cost,
    )
