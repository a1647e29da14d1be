"""Safety: every variable of a rule gets its values from somewhere.

A variable is bound by a positive atom of the body, or by `?x = expression` once all variables of the expression are bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.program.normal import atom_variables, variables
from tidelog.syntax.ast import Atom, Comparison, Negation, Rule, Variable
from tidelog.syntax.places import Text


def bound_variables(rule: Rule) -> set[str]:
    """The names of the variables that have values in every instance of the rule's body."""
    bound = {variable.name for part in rule.body if isinstance(part, Atom) for variable in atom_variables(part)}
    equations = [part for part in rule.body if isinstance(part, Comparison) and part.operator == "="]
    size = -1
    while size != len(bound):
        size = len(bound)
        for equation in equations:
            for side, other in ((equation.left, equation.right), (equation.right, equation.left)):
                if isinstance(side, Variable) and all(variable.name in bound for variable in variables(other)):
                    bound.add(side.name)
    return bound - {"_"}


def check_safety(rule: Rule, report: Text) -> None:
    """Report each variable that is not bound, at its first use that needs a value."""
    bound = bound_variables(rule)
    reported: set[str] = set()
    for variable, message, hint in _needs(rule):
        if variable.name not in bound and variable.name not in reported:
            reported.add(variable.name)
            name = "_" if variable.name == "_" else f"?{variable.name}"
            report.report("unsafe-variable", message.format(name), variable.span, hint.format(name))


def _needs(rule: Rule) -> Iterator[tuple[Variable, str, str]]:
    """The uses of variables that need a value, with what to say if there is none."""
    for atom in rule.head:
        for variable in atom_variables(atom):
            if variable.name == "_":
                yield variable, "`{}` stands for nothing in a head", "name the variable, and bind it in the body"
            else:
                yield (
                    variable,
                    "the variable `{}` of the head is not bound in the body",
                    "use `{}` in a positive atom of the body",
                )
    for part in rule.body:
        if isinstance(part, Negation):
            for variable in atom_variables(part.atom):
                if variable.name != "_":
                    hint = "write `_` if no value at all may match, or use `{}` in a positive atom"
                    yield variable, "the variable `{}` of a negated atom is not bound by a positive one", hint
        elif isinstance(part, Comparison):
            for variable in (*variables(part.left), *variables(part.right)):
                if variable.name == "_":
                    yield variable, "`{}` has no value to compare", "name the variable, and bind it in a positive atom"
                else:
                    yield variable, "the variable `{}` of a condition has no value", "use `{}` in a positive atom of the body"
