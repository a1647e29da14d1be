"""The answer of a continuous query as rules: what follows from the windows includes the solutions.

    SELECT ?user WHERE { ?user ex:isIn ?x . ?x a ex:Train . FILTER (?user != ex:anna || ?x = ex:t1) }

becomes, for the query `q`,

    q(?user, ?x) :- [?user, ex:isIn, ?x], [?x, rdf:type, ex:Train], ?user != ex:anna .
    q(?user, ?x) :- [?user, ex:isIn, ?x], [?x, rdf:type, ex:Train], ?x = ex:t1 .

SPARQL gives a row once for each solution of the patterns that it comes from, and a solution is about all variables, those of
blank nodes included. So the head has them all, and whoever shows the answer counts; with DISTINCT it has those selected, and
the maintenance sees to it that each row is there once. `||` and IN are rules with the same head, which derive a solution
once between them. A condition that has no outcome does not hold in either language; as there is no `!`, that is the same as
one that is false.

Static triples, and those of windows without a name, are facts of `triple`, where the user's rules see them. A window with a
name is a predicate of that name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, time
from itertools import product
from math import prod

from tidelog.errors import LimitExceeded, ProgramError
from tidelog.facts.values import calculate, clock, number
from tidelog.program.kinds import check_kinds
from tidelog.stream.queries.tree import TRIPLE, AllOf, Among, AnyOf, Block, Condition, Query
from tidelog.syntax import ast
from tidelog.syntax.ast import Arithmetic, Atom, BodyLiteral, Comparison, Constant, Expression, Rule, Variable
from tidelog.syntax.places import Text
from tidelog.terms import Iri, Literal, Term, canonical

MAX_RULES = 256
"""So many rules may come of the alternatives in conditions."""


@dataclass(frozen=True, slots=True)
class Translated:
    """The rules that derive the answer, and how its rows come from the facts of its predicate."""

    predicate: str
    rules: tuple[Rule, ...]
    columns: tuple[str, ...]
    """The names of the columns of a row."""
    places: tuple[int, ...]
    """Where in a fact they stand."""
    distinct: bool


def translate(query: Query) -> Translated:
    """The rules of a query, checked; ProgramError if conditions can never hold, or have too many alternatives."""
    names = _names(query)
    solution = tuple(Variable(names[variable.name], variable.span) for variable in query.variables())
    selected = tuple(names[name] for name in query.selected)
    head = tuple(Variable(name) for name in selected) if query.distinct else solution
    atoms = tuple(atom for block in query.blocks for atom in _atoms(block, names))
    conditions = [*query.filters, *(condition for block in query.blocks for condition in block.filters)]
    _check_size(query, conditions)
    bodies: list[tuple[BodyLiteral, ...]] = [
        (*atoms, *dict.fromkeys(_renamed(part, names) for choice in choices for part in choice))
        for choices in product(*(list(_alternatives(condition)) for condition in conditions))
    ]
    rules = [Rule((Atom(query.name, head, query.span),), body, query.span) for body in dict.fromkeys(bodies)]
    order = [variable.name for variable in head]
    return Translated(
        query.name, _possible(query, rules), query.selected, tuple(order.index(name) for name in selected), query.distinct
    )


def _names(query: Query) -> Mapping[str, str]:
    """What the variables are called in the rules: blank nodes get names, and `?_` gets another."""
    own = [variable.name for variable in query.variables()]
    names = {name: name for name in own if name != "_" and not name.startswith("_:")}
    number = 0
    for name in own:
        if name not in names:
            number += 1
            while f"_{number}" in own:
                number += 1
            names[name] = f"_{number}"
    return names


def _atoms(block: Block, names: Mapping[str, str]) -> Iterator[Atom]:
    predicate = TRIPLE if block.window is None else predicate_of(block.window.value)
    for pattern in block.patterns:
        terms = tuple(
            Variable(names[term.name], term.span) if isinstance(term, Variable) else replace(term, text=None)
            for term in pattern.terms
        )
        yield Atom(predicate, terms, pattern.span)


def predicate_of(window: object) -> str:
    """The predicate of a window's triples."""
    return window.value if isinstance(window, Iri) else str(window)


# --- conditions -------------------------------------------------------------------------------------------------------


def _check_size(query: Query, conditions: Sequence[Condition]) -> None:
    report, total = Text(query.text, query.file), prod(map(_count, conditions))
    if total == 0:
        span = next(condition.span for condition in conditions if not _count(condition))
        raise ProgramError([report.problem("never", "this condition never holds: nothing is IN ()", span)])
    if total > MAX_RULES:
        span = next(condition.span for condition in conditions if _count(condition) > 1)
        hint = "put alternatives into rules with the same head, and ask for that"
        raise ProgramError([report.problem("too-many", f"these are more than {MAX_RULES} alternatives", span, hint)])


def _count(condition: Condition) -> int:
    """How many alternatives a condition has."""
    if isinstance(condition, AllOf):
        return _count(condition.left) * _count(condition.right)
    if isinstance(condition, AnyOf):
        return _count(condition.left) + _count(condition.right)
    return len(condition.choices) if isinstance(condition, Among) and not condition.negated else 1


def _alternatives(condition: Condition) -> Iterator[tuple[Comparison, ...]]:
    """The ways in which a condition can hold, each as comparisons that all have to."""
    match condition:
        case AllOf(left, right):
            for first, second in product(list(_alternatives(left)), list(_alternatives(right))):
                yield (*first, *second)
        case AnyOf(left, right):
            yield from _alternatives(left)
            yield from _alternatives(right)
        case Among(value, choices, True):
            yield tuple(part for choice in choices for part in _comparisons("!=", value, choice, choice.span))
        case Among(value, choices, False):
            for choice in choices:
                yield _comparisons("=", value, choice, choice.span)
        case Comparison(operator, left, right, span):
            yield _comparisons(operator, left, right, span)


def _possible(query: Query, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules without those that can never apply, for the kinds of values they compare; if all are such, it is a mistake."""
    report, possible = Text(query.text, query.file), []
    for rule in rules:
        before = len(report.problems)
        rule = _without_what_always_holds(rule, query)
        check_kinds(rule, report)
        if len(report.problems) == before:
            possible.append(rule)
    if not possible:
        raise ProgramError(list(dict.fromkeys(report.sorted_problems())))
    return tuple(possible)


def _without_what_always_holds(rule: Rule, query: Query) -> Rule:
    """Values of different kinds are different; in a rule that is a mistake, but NOT IN may well say so."""
    found = Text(query.text, query.file)
    check_kinds(rule, found)
    told = {(problem.line, problem.column, problem.end_column) for problem in found.problems}

    def always(part: BodyLiteral) -> bool:
        if not isinstance(part, Comparison) or part.operator != "!=":
            return False
        place = found.problem("", "", part.span)
        return (place.line, place.column, place.end_column) in told

    return replace(rule, body=tuple(part for part in rule.body if not always(part))) if told else rule


def _comparisons(operator: str, left: Expression, right: Expression, span: ast.Span | None) -> tuple[Comparison, ...]:
    """What a comparison is in rules, where `=` takes times that are written in two ways for two; in SPARQL they may be one."""
    if any(isinstance(side, Constant) and _is_time(side.value) for side in (left, right)):
        if operator == "!=":
            return (Comparison(operator, left, right, span),)
        if operator == "=":
            return tuple(Comparison(part, _valued(left), _valued(right), span) for part in ("<=", ">="))
    return (Comparison(operator, _valued(left), _valued(right), span),)


def _is_time(term: Term) -> bool:
    return isinstance(term, date | time) or (isinstance(term, Literal) and clock(term) is not None)


def _valued(expression: Expression) -> Expression:
    """An expression in which constants are values, not the literals that write them, and are calculated with at once."""
    if isinstance(expression, Constant):
        given = expression.value
        value = number(given) if not isinstance(given, Literal) or clock(given) is None else clock(given)
        return replace(expression, value=given if value is None else canonical(value), text=None)
    if isinstance(expression, Arithmetic):
        left, right = _valued(expression.left), _valued(expression.right)
        if isinstance(left, Constant) and isinstance(right, Constant):
            with suppress(LimitExceeded):
                value = calculate(expression.operator, number(left.value), number(right.value))
                return expression if value is None else Constant(canonical(value), None, expression.span)
        return Arithmetic(expression.operator, left, right, expression.span)
    return expression


def _renamed(comparison: Comparison, names: Mapping[str, str]) -> Comparison:
    return replace(comparison, left=_renamed_side(comparison.left, names), right=_renamed_side(comparison.right, names))


def _renamed_side(expression: Expression, names: Mapping[str, str]) -> Expression:
    if isinstance(expression, Variable):
        return replace(expression, name=names[expression.name])
    if isinstance(expression, Arithmetic):
        left, right = _renamed_side(expression.left, names), _renamed_side(expression.right, names)
        return replace(expression, left=left, right=right)
    return expression
