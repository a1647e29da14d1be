"""Choose the order of a plan: greedily the atom that is expected to multiply the bindings least.

A pivot comes first, since the change it is matched in is small. Conditions and negated atoms stand as early as their
variables are known. The expectation comes from `Statistics`: how many facts match an atom, given the columns that are bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from tidelog.plan.model import Bind, Match, Pivot, Place, Plan, Refuse, Role, Step, Test
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Arithmetic, Atom, Comparison, Constant, Expression, Variable


class Statistics(Protocol):
    """What the planner asks of the facts."""

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        """How many facts match the atom for one value of the bound columns, on average."""

    def largest(self) -> float:
        """How many facts the largest predicate has."""


class NoStatistics:
    """For programs without facts: a column less to bind, a hundred times as many matches."""

    def matches(self, atom: Atom, bound: tuple[int, ...]) -> float:
        return 100.0 ** (len(atom.terms) - len(bound))

    def largest(self) -> float:
        return 10_000.0


def pivots(rule: CoreRule) -> list[Pivot]:
    """All places where a change can enter the rule."""
    positive = [Pivot(Place.POSITIVE, i) for i in range(len(rule.positive))]
    return positive + [Pivot(Place.NEGATIVE, i) for i in range(len(rule.negative))]


def plan(rule: CoreRule, pivot: Pivot, statistics: Statistics, *, first: int | None = None) -> Plan:
    """The plan of a rule from a pivot; `first` is the positive atom to match next to it, if not the cheapest."""
    known: set[str] = set()
    defined = definitions(rule)
    steps: list[Step] = []
    waiting: list[Step] = [Refuse(atom, _negative_role(pivot, i)) for i, atom in enumerate(rule.negative)]
    waiting += [Test(comparison) for comparison in rule.conditions]
    atoms = list(enumerate(rule.positive))
    if pivot.place is Place.HEAD:
        steps.append(Match(rule.head, Role.CHANGE, (), None))
        known |= variables(rule.head)
    elif pivot.place is Place.POSITIVE:
        atoms.pop(pivot.position)
        steps.append(Match(rule.positive[pivot.position], Role.CHANGE, (), pivot.position))
        known |= variables(rule.positive[pivot.position])
    elif pivot.place is Place.NEGATIVE:
        waiting.pop(pivot.position)
        steps.append(Match(rule.negative[pivot.position], Role.CHANGE, (), None))
        known |= variables(rule.negative[pivot.position])
    _place_ready(waiting, known, steps, defined)
    while atoms:
        chosen = next((i for i, (position, _) in enumerate(atoms) if position == first), None)
        position, atom = atoms.pop(_cheapest(atoms, known, statistics) if chosen is None else chosen)
        steps.append(Match(atom, _positive_role(pivot, position), bound_columns(atom, known), position))
        known |= variables(atom)
        _place_ready(waiting, known, steps, defined)
    assert not waiting, f"the rule is not safe: {waiting}"
    return Plan(rule, pivot, tuple(steps))


def other_beginnings(made: Plan) -> list[int]:
    """The positive atoms that a plan could match next to its pivot instead: those that share variables with it."""
    matched = [step for step in made.steps if isinstance(step, Match)]
    known = variables(matched[0].atom)
    return [step.position for step in matched[2:] if step.position is not None and known & variables(step.atom)]


def variables(atom: Atom) -> set[str]:
    return {term.name for term in atom.terms if isinstance(term, Variable)}


def bound_columns(atom: Atom, known: set[str]) -> tuple[int, ...]:
    """The columns of an atom whose value is known before it is matched."""
    return tuple(i for i, term in enumerate(atom.terms) if isinstance(term, Constant) or term.name in known)


def expression_variables(expression: Expression) -> set[str]:
    if isinstance(expression, Arithmetic):
        return expression_variables(expression.left) | expression_variables(expression.right)
    return {expression.name} if isinstance(expression, Variable) else set()


def _positive_role(pivot: Pivot, position: int) -> Role:
    before = pivot.place is Place.NEGATIVE or (pivot.place is Place.POSITIVE and position < pivot.position)
    return Role.OUTSIDE if before else Role.ALL


def _negative_role(pivot: Pivot, position: int) -> Role:
    return Role.OUTSIDE if pivot.place is Place.NEGATIVE and position < pivot.position else Role.ALL


def _cheapest(atoms: Sequence[tuple[int, Atom]], known: set[str], statistics: Statistics) -> int:
    """The atom with the fewest expected matches; an atom that shares nothing with what is known is a last resort."""

    def cost(i: int) -> tuple[bool, float]:
        atom = atoms[i][1]
        bound = bound_columns(atom, known)
        detached = bool(known) and bool(atom.terms) and not any(isinstance(atom.terms[c], Variable) for c in bound)
        return detached, statistics.matches(atom, bound)

    return min(range(len(atoms)), key=cost)


def definitions(rule: CoreRule) -> dict[Comparison, str]:
    """The comparisons that give a variable its value: `?x = expression`, where no positive atom has `?x`.

    The same comparison defines the variable in every plan, also where the plan happens to know it from elsewhere: then
    it tests that the value is the very term that the expression gives.
    """
    known = set().union(*(variables(atom) for atom in rule.positive))
    found: dict[Comparison, str] = {}
    before = -1
    while before != len(found):
        before = len(found)
        for comparison in rule.conditions:
            name = None if comparison in found else _defines(comparison, known)
            if name is not None:
                found[comparison] = name
                known.add(name)
    return found


def _defines(comparison: Comparison, known: set[str]) -> str | None:
    if comparison.operator == "=":
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if isinstance(side, Variable) and side.name not in known and expression_variables(other) <= known:
                return side.name
    return None


def _place_ready(waiting: list[Step], known: set[str], steps: list[Step], defined: dict[Comparison, str]) -> None:
    """Move every waiting step whose variables are known to the plan; a binding may make others ready."""
    placed = True
    while placed:
        placed = False
        for step in list(waiting):
            ready = _ready(step, known, defined)
            if ready is not None:
                waiting.remove(step)
                steps.append(ready)
                placed = True


def _ready(step: Step, known: set[str], defined: dict[Comparison, str]) -> Step | None:
    if isinstance(step, Refuse):
        return step if variables(step.atom) <= known else None
    assert isinstance(step, Test)
    comparison = step.comparison
    unknown = (expression_variables(comparison.left) | expression_variables(comparison.right)) - known
    name = defined.get(comparison)
    if not unknown:
        return Test(comparison, identical=name is not None)
    if unknown == {name} and name is not None:
        known.add(name)
        return Bind(name, _other_side(comparison, name))
    return None


def _other_side(comparison: Comparison, name: str) -> Expression:
    left_is_name = isinstance(comparison.left, Variable) and comparison.left.name == name
    return comparison.right if left_is_name else comparison.left


def plans(rule: CoreRule, statistics: Statistics) -> Iterable[Plan]:
    """All plans of a rule that a change can need."""
    return (plan(rule, pivot, statistics) for pivot in pivots(rule))
