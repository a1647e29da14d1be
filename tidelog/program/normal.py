"""Rules in core form: one head atom, no anonymous variables, the body sorted into positive atoms, negative atoms, conditions.

`~p(?x, _)` says that there is no fact `p(?x, ...)` whatever. An engine that matches negative atoms under a full binding can
ask that of a hidden predicate which holds what `p` holds of `?x`:

    ~p(?x, _)    becomes    ~p__any_1(?x)    with the rule    p__any_1(?x) :- p(?x, ?_1) .

Equal patterns share one hidden predicate.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tidelog.syntax.ast import Arithmetic, Atom, Comparison, Expression, Negation, Rule, Variable


@dataclass(frozen=True)
class CoreRule:
    """`head :- positive, ~negative, conditions`; `source` is the rule it comes from, None for one made here."""

    head: Atom
    positive: tuple[Atom, ...]
    negative: tuple[Atom, ...]
    conditions: tuple[Comparison, ...]
    source: Rule | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Normal:
    """What normalisation yields: the core rules, hidden predicates included."""

    rules: tuple[CoreRule, ...]
    hidden: frozenset[str]


def normalise(rules: Iterable[Rule], predicates: frozenset[str]) -> Normal:
    """The core rules of `rules`; hidden predicates get names that are not among `predicates`."""
    projections = _Projections(predicates)
    core = [made for rule in rules for made in _core_rules(rule, projections)]
    return Normal((*core, *projections.rules.values()), frozenset(rule.head.predicate for rule in projections.rules.values()))


def _core_rules(rule: Rule, projections: _Projections) -> list[CoreRule]:
    fresh = _Fresh(rule)
    positive = tuple(fresh.name_all(part) for part in rule.body if isinstance(part, Atom))
    negative = tuple(projections.project(part.atom) for part in rule.body if isinstance(part, Negation))
    conditions = tuple(part for part in rule.body if isinstance(part, Comparison))
    return [CoreRule(head, positive, negative, conditions, rule) for head in rule.head]


class _Fresh:
    """Names for the anonymous variables of one rule: `_1`, `_2`, ..., passing over those the rule has itself."""

    def __init__(self, rule: Rule) -> None:
        self.taken = variable_names(rule)
        self.number = 0

    def name_all(self, atom: Atom) -> Atom:
        if not is_anonymous(atom):
            return atom
        return replace(
            atom, terms=tuple(self.variable(t) if isinstance(t, Variable) and t.name == "_" else t for t in atom.terms)
        )

    def variable(self, place: Variable) -> Variable:
        self.number += 1
        while f"_{self.number}" in self.taken:
            self.number += 1
        return Variable(f"_{self.number}", place.span)


class _Projections:
    """The hidden predicates made so far, by the pattern each stands for."""

    def __init__(self, predicates: frozenset[str]) -> None:
        self.predicates = predicates
        self.rules: dict[tuple[object, ...], CoreRule] = {}
        self.number = 0

    def project(self, atom: Atom) -> Atom:
        """The atom to negate in place of `atom`: itself if all its variables are named."""
        if not is_anonymous(atom):
            return atom
        named = list(dict.fromkeys(t for t in atom.terms if isinstance(t, Variable) and t.name != "_"))
        pattern = (
            atom.predicate,
            *(("_" if t.name == "_" else named.index(t)) if isinstance(t, Variable) else t for t in atom.terms),
        )
        if pattern not in self.rules:
            self.rules[pattern] = self._rule(atom, named)
        return Atom(self.rules[pattern].head.predicate, tuple(named), atom.span)

    def _rule(self, atom: Atom, named: list[Variable]) -> CoreRule:
        body = _Fresh(Rule((), (atom,))).name_all(atom)
        return CoreRule(Atom(self._fresh_name(atom.predicate), tuple(named), atom.span), (body,), (), ())

    def _fresh_name(self, predicate: str) -> str:
        self.number += 1
        while (name := f"{predicate}__any_{self.number}") in self.predicates:
            self.number += 1
        return name


def is_anonymous(atom: Atom) -> bool:
    return any(isinstance(term, Variable) and term.name == "_" for term in atom.terms)


def variable_names(rule: Rule) -> set[str]:
    """The names of all variables of a rule."""
    found = {variable.name for atom in rule.head for variable in atom_variables(atom)}
    for part in rule.body:
        if isinstance(part, Comparison):
            found |= {variable.name for side in (part.left, part.right) for variable in variables(side)}
        else:
            found |= {variable.name for variable in atom_variables(part.atom if isinstance(part, Negation) else part)}
    return found


def atom_variables(atom: Atom) -> list[Variable]:
    return [term for term in atom.terms if isinstance(term, Variable)]


def variables(expression: Expression) -> list[Variable]:
    """The variables of an expression, in the order of the text."""
    if isinstance(expression, Variable):
        return [expression]
    if isinstance(expression, Arithmetic):
        return variables(expression.left) + variables(expression.right)
    return []
