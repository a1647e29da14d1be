"""Conditions that can never hold because of what kinds of values they compare.

Values of different kinds are never equal and have no order, and only numbers can be calculated with. At run time such a
condition just does not hold; where the text of a rule already shows it, it is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time
from decimal import Decimal

from tidelog.program.normal import variables
from tidelog.syntax.ast import Arithmetic, Comparison, Constant, Expression, Rule, Variable
from tidelog.syntax.formatter import format_expression
from tidelog.syntax.places import Text
from tidelog.terms import BlankNode, Iri, Term

NUMBER = "a number"
_ORDERED = {NUMBER, "a string", "a boolean", "a date", "a date with time", "a time"}
_KINDS: dict[type, str] = {
    bool: "a boolean",
    int: NUMBER,
    float: NUMBER,
    Decimal: NUMBER,
    str: "a string",
    datetime: "a date with time",
    date: "a date",
    time: "a time",
    Iri: "an IRI",
    BlankNode: "a blank node",
}


def kind(term: Term) -> str:
    """What kind of value a term is, with its article; values are comparable within a kind."""
    return _KINDS.get(type(term), "a literal")


def check_kinds(rule: Rule, report: Text) -> None:
    comparisons = [part for part in rule.body if isinstance(part, Comparison)]
    known = _variable_kinds(comparisons)
    for comparison in comparisons:
        before = len(report.problems)
        for side in (comparison.left, comparison.right):
            _check_arithmetic(side, report)
        if len(report.problems) == before:
            _check_comparison(comparison, known, report)


def _variable_kinds(comparisons: list[Comparison]) -> dict[str, str]:
    """What the rule itself says about the kinds of its variables: they are calculated with, or ordered against a constant."""
    known: dict[str, str] = {}
    for comparison in comparisons:
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if isinstance(side, Arithmetic):
                known |= {variable.name: NUMBER for variable in variables(side)}
                if isinstance(other, Variable) and comparison.operator != "!=":
                    known[other.name] = NUMBER
    for comparison in comparisons:
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            if isinstance(side, Variable) and isinstance(other, Constant) and comparison.operator not in ("=", "!="):
                known.setdefault(side.name, kind(other.value))
    return known


def _check_arithmetic(expression: Expression, report: Text) -> None:
    for operand in _operands(expression):
        if isinstance(operand, Constant) and kind(operand.value) != NUMBER:
            message = f"only numbers can be calculated with; `{format_expression(operand)}` is {kind(operand.value)}"
            report.report("type-mismatch", message, operand.span)


def _operands(expression: Expression) -> Iterator[Expression]:
    if isinstance(expression, Arithmetic):
        for side in (expression.left, expression.right):
            yield from _operands(side) if isinstance(side, Arithmetic) else (side,)


def _check_comparison(comparison: Comparison, known: dict[str, str], report: Text) -> None:
    left, right = _kind(comparison.left, known), _kind(comparison.right, known)
    if left and right and left != right:
        message = f"`{format_expression(comparison.left)}` is {left}, `{format_expression(comparison.right)}` {right}: "
        message += "they are never equal and have no order"
        report.report("type-mismatch", message, comparison.span, _reason(comparison, known))
    elif comparison.operator not in ("=", "!="):
        unordered = next((k for k in (left, right) if k and k not in _ORDERED), None)
        if unordered:
            message = f"`{comparison.operator}` compares by an order, and {unordered} has none"
            report.report("type-mismatch", message, comparison.span, "`=` and `!=` compare any values")


def _kind(expression: Expression, known: dict[str, str]) -> str | None:
    if isinstance(expression, Constant):
        return kind(expression.value)
    return NUMBER if isinstance(expression, Arithmetic) else known.get(expression.name)


def _reason(comparison: Comparison, known: dict[str, str]) -> str | None:
    """Why a variable is taken to be of its kind."""
    for side in (comparison.left, comparison.right):
        if isinstance(side, Variable) and side.name in known:
            return f"elsewhere in this rule `?{side.name}` is calculated with or ordered as {known[side.name]}"
    return None
