"""The answer from scratch, by an independent program: clingo.

A checked program and its explicit facts are written down as an answer set program, clingo grounds and solves it, and
the one stable model is read back. Stratified programs have exactly one, and it is the materialisation.

Nothing of Tidelog below the parser takes part: rules are taken from the tree as the user wrote them, not from the
normalised core. Terms become ASP integers (ints) or the constants c0, c1, ... (everything else), so no name in a program can
clash with ASP syntax. The order of strings and booleans is handed over as a table of facts; doubles, decimals and dates
are not handled in comparisons, and neither is division.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

import clingo

from tidelog.program import Program
from tidelog.syntax.ast import Arithmetic, Atom, Comparison, Constant, Expression, Negation, Rule, Variable
from tidelog.terms import Term

Row = tuple[Term, ...]
Facts = dict[str, set[Row]]
ORDERS = {"<": "<", "<=": "<=", ">": ">", ">=": ">="}


class UnsupportedError(Exception):
    """The program uses what this oracle does not say in ASP."""


def from_scratch(program: Program, facts: Mapping[str, Iterable[Row]], *, own_facts: bool = True) -> Facts:
    """The materialisation of the rules over `facts` and the program's own facts: every predicate with all its facts."""
    writer = Writer()
    explicit = explicit_facts(program, facts) if own_facts else facts
    lines = [writer.fact(predicate, row) for predicate, rows in explicit.items() for row in rows]
    lines += [line for rule in program.rules for line in writer.rule(rule)]
    lines += writer.order_of_symbols()
    answer: Facts = {predicate: set() for predicate in {*program.arities, *facts}}
    for predicate, row in writer.read(solve("\n".join(lines))):
        answer[predicate].add(row)
    return answer


def explicit_facts(program: Program, facts: Mapping[str, Iterable[Row]]) -> Facts:
    """The facts that stand in the program, and `facts`."""
    explicit: Facts = {}
    for predicate, rows in facts.items():
        explicit.setdefault(predicate, set()).update(rows)
    for atom in program.facts:
        explicit.setdefault(atom.predicate, set()).add(tuple(term.value for term in atom.terms if isinstance(term, Constant)))
    return explicit


def solve(text: str) -> list[clingo.Symbol]:
    """The atoms of the one stable model of an ASP text."""
    control = clingo.Control(["--models=2"], logger=lambda code, message: None)
    control.add("base", [], text)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        models = [list(model.symbols(atoms=True)) for model in handle]
    if len(models) != 1:
        raise UnsupportedError(f"{len(models)} stable models: the program is not stratified")
    return models[0]


def without_empty(facts: Mapping[str, Iterable[Row]]) -> Facts:
    return {predicate: set(rows) for predicate, rows in facts.items() if rows}


class Writer:
    """Writes one program as ASP; remembers which constant stands for which term and which name for which predicate."""

    def __init__(self) -> None:
        self.symbols: dict[tuple[type, Term], str] = {}
        self.predicates: dict[str, str] = {}

    def fact(self, predicate: str, row: Row) -> str:
        return f"{self.atom(Atom(predicate, tuple(Constant(value) for value in row)))}."

    def atom(self, atom: Atom) -> str:
        name = self.predicates.setdefault(atom.predicate, f"p{len(self.predicates)}")
        return f"{name}({', '.join(self.expression(term) for term in atom.terms)})" if atom.terms else name

    def expression(self, expression: Expression) -> str:
        if isinstance(expression, Arithmetic):
            if expression.operator not in {"+", "-", "*"}:
                raise UnsupportedError(f"arithmetic {expression.operator}")
            return f"({self.expression(expression.left)} {expression.operator} {self.expression(expression.right)})"
        if isinstance(expression, Variable):
            return "_" if expression.name == "_" else f"V_{expression.name}"
        return self.term(expression.value)

    def term(self, value: Term) -> str:
        if type(value) is int:
            if abs(value) >= 2**31:
                raise UnsupportedError(f"the integer {value}")
            return str(value)
        return self.symbols.setdefault((type(value), value), f"c{len(self.symbols)}")

    def rule(self, rule: Rule) -> Iterator[str]:
        """One ASP rule for each head atom, and for each way the conditions can be read (numbers or symbols)."""
        fixed: list[str] = []
        choices: list[list[str]] = []
        for literal in rule.body:
            if isinstance(literal, Comparison):
                choices.append(list(self.comparison(literal)))
            elif isinstance(literal, Negation):
                fixed.append(f"not {self.atom(literal.atom)}")
            else:
                fixed.append(self.atom(literal))
        for head in rule.head:
            for conditions in product(*choices):
                body = ", ".join([*fixed, *conditions])
                yield f"{self.atom(head)} :- {body}." if body else f"{self.atom(head)}."

    def comparison(self, comparison: Comparison) -> Iterator[str]:
        """`+ 0` keeps symbols out of a comparison of numbers: clingo drops an instance with undefined arithmetic."""
        left, right = self.expression(comparison.left), self.expression(comparison.right)
        operator = comparison.operator
        if operator not in ORDERS:
            yield f"{left} {operator} {right}"
            return
        yield f"{left} + 0 {operator} {right} + 0"
        if not any(isinstance(side, Arithmetic) for side in (comparison.left, comparison.right)):
            small, large = (left, right) if operator.startswith("<") else (right, left)
            yield f"less({small}, {large})"
            if operator.endswith("="):
                yield f"{left} = {right}, ordered({left})"

    def order_of_symbols(self) -> Iterator[str]:
        """The order among strings and among booleans, for all those met so far."""
        yield "less(none, none) :- less(none, none). ordered(none) :- ordered(none)."
        for (kind, value), symbol in self.symbols.items():
            if kind in {str, bool}:
                yield f"ordered({symbol})."
                for (other_kind, other), other_symbol in self.symbols.items():
                    if kind is other_kind and value < other:  # type: ignore[operator]
                        yield f"less({symbol}, {other_symbol})."

    def read(self, model: Iterable[clingo.Symbol]) -> Iterator[tuple[str, Row]]:
        terms = {symbol: value for (_, value), symbol in self.symbols.items()}
        predicates = {name: predicate for predicate, name in self.predicates.items()}
        for atom in model:
            if atom.name in predicates:
                yield (
                    predicates[atom.name],
                    tuple(
                        argument.number if argument.type is clingo.SymbolType.Number else terms[argument.name]
                        for argument in atom.arguments
                    ),
                )
