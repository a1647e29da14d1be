"""What an engine evaluates in place of a program's rules: the same rules, but for closures, which are rewritten over their
edges (`tidelog.plan.closing`), and complex ones, which are split into nodes.

Which rules are complex, and how they are best split, depends on the facts, so a layout is made when the first given facts are
known, and again whenever all is materialised anew. `combined` splits the rules of three atoms and more for which the estimates
say that it pays; `hypertree` every rule whose body has several atoms, as far as that makes nodes; `standard` none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.plan.closing import Closed, Forest, Shadow, close
from tidelog.plan.derived import expect_derived
from tidelog.plan.eliminate import join_cost, untouched
from tidelog.plan.modules import COMBINED, HYPERTREE, Assignment, closures_in
from tidelog.plan.nodes import NodeRules
from tidelog.plan.planner import Statistics
from tidelog.plan.reduce import Overlaps, reduced
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
    splits: tuple[Split, ...] = ()
    """How rules were split."""
    complex: tuple[CoreRule, ...] = ()
    """The rules that may be split, as they are evaluated: those that were split over nodes, the others as they were written."""
    matched: frozenset[str] = frozenset()
    """The predicates whose sizes say what is best."""
    cost: float = 0.0
    """What these rules and their nodes are expected to cost."""
    shadows: tuple[Shadow, ...] = ()
    forests: tuple[Forest, ...] = ()
    """What the engine keeps for closures."""


@dataclass(frozen=True, slots=True)
class Layouts:
    """The layouts that a program may have: `single` as in `stratify`."""

    program: Program
    assignment: Assignment
    single: bool = False

    @property
    def vary(self) -> bool:
        """Whether the best one depends on the facts."""
        return bool(complex_rules(self.program.core, self.assignment))

    def first(self) -> Layout:
        """The layout before there are facts: nothing is split."""
        return with_closures(self.program, self.assignment, self.single)

    def fitting(self, statistics: Statistics) -> Layout:
        """The layout for facts of these statistics."""
        return lay_out(self.program, self.assignment, self.single, statistics) if self.vary else self.first()

    def without_closures(self) -> Layouts:
        return replace(self, assignment=replace(self.assignment, taken=()))


def complex_rules(rules: Sequence[CoreRule], assignment: Assignment) -> list[CoreRule]:
    """The rules that the choice of modules may split; from the rules alone, so that most programs are done here."""
    if assignment.choice not in (COMBINED, HYPERTREE):
        return []
    least = 2 if assignment.choice == HYPERTREE else 3
    return [rule for rule in rules if len(rule.positive) >= least and assignment.of(rule) is None]


def whole(strata: Stratification) -> Layout:
    """The layout that splits nothing."""
    return Layout(strata, {})


def with_closures(program: Program, assignment: Assignment, single: bool) -> Layout:
    """The layout that rewrites closures and splits nothing: it does not depend on the facts."""
    closed = _closed(program, assignment, single)
    if not closed.shadows:
        return whole(program.stratify(single))
    strata = stratify([*closed.over_edges(program.core), *closed.rules], single=single, kept=closed.kept)
    return Layout(strata, closed.hidden, shadows=closed.shadows, forests=closed.forests)


def _closed(program: Program, assignment: Assignment, single: bool) -> Closed:
    found = closures_in(program.core, assignment, single=single)
    return close([closure for closure, _ in found], _names(program))


def _names(program: Program) -> set[str]:
    heads = {rule.head.predicate for rule in program.core}  # among them hidden ones
    return heads | set(program.arities)


def lay_out(program: Program, assignment: Assignment, single: bool, statistics: Statistics) -> Layout:
    """The layout of a program's rules for facts of these statistics; `single` as in `stratify`."""
    closed = _closed(program, assignment, single)
    rules = closed.over_edges(program.core)
    nodes = NodeRules(_names(program) | set(closed.hidden))
    candidates = complex_rules(rules, assignment)
    heads = {rule.head.predicate for rule in program.core}
    expected = expect_derived(rules, candidates, statistics)
    made: dict[int, CoreRule] = {}
    splits: list[Split] = []
    cost = 0.0
    for rule in candidates:
        split = best_split(rule, expected, nodes, if_it_pays=assignment.choice == COMBINED)
        if split is None:
            cost += join_cost(rule, expected, frozenset({rule.head.predicate}))
        else:
            nodes, expected = split.nodes, split.expected
            splits.append(split)
            made[id(rule)] = split.rule
            cost += split.cost
        if isinstance(statistics, Overlaps):
            whole = untouched(made.get(id(rule), rule), expected, nodes)
            if (found := reduced(whole, statistics, heads)) is not None:
                nodes, expected, made[id(rule)] = found.nodes, found.expected, found.rule
                cost += found.cost
    over_nodes = [*(made.get(id(rule), rule) for rule in rules), *closed.rules, *nodes.rules.values()]
    return Layout(
        stratify(over_nodes, single=single, kept=closed.kept) if made or closed.rules else program.stratify(single),
        closed.hidden | nodes.hidden,
        tuple(splits),
        tuple(made.get(id(rule), rule) for rule in candidates),
        frozenset(atom.predicate for rule in candidates for atom in rule.positive),
        cost,
        closed.shadows,
        closed.forests,
    )
