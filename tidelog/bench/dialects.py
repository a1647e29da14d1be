"""A workload's rules in the languages of the peers.

Workloads are written once, in our own rule language; Nemo reads nearly the same, clingo has its own spelling, and for SQL
each rule becomes a SELECT: a table for each body atom, an equation for each variable that comes back. The rules may hold
positive atoms, integers and IRIs, and `?x = ...` for a variable of no atom; anything else is an error here, not a wrong query.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.bench.inputs import COLUMN
from tidelog.syntax.ast import Arithmetic, Atom, AtomTerm, Comparison, Expression, Rule, Variable
from tidelog.syntax.parser import parse as read
from tidelog.terms import Iri


def nemo(rules: str) -> str:
    """The rules for Nemo: `path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .`"""
    return _rules(rules, lambda term: f"?{term.name}" if isinstance(term, Variable) else _constant(term))


def clingo(rules: str) -> str:
    """The rules for clingo: `path(Vx, Vz) :- path(Vx, Vy), edge(Vy, Vz) .`"""
    return _rules(rules, lambda term: f"V{term.name}" if isinstance(term, Variable) else _constant(term))


def parse(rules: str) -> tuple[Rule, ...]:
    return tuple(statement for statement in read(rules).statements if isinstance(statement, Rule))


def query(rules: str, answer: str) -> str | None:
    """A WITH clause that defines the answer; None where SQL has no way to say it.

    SQL wants at most one recursive branch, which names the answer once, beside branches that do not name it.
    """
    base = [rule for rule in parse(rules) if not occurrences(rule, answer)]
    recursive = [rule for rule in parse(rules) if occurrences(rule, answer)]
    if not base or len(recursive) > 1 or any(len(occurrences(rule, answer)) > 1 for rule in recursive):
        return None
    columns = ", ".join(COLUMN.format(place) for place in range(len(base[0].head[0].terms)))
    start, steps = " UNION ".join(map(select, base)), "".join(f" UNION {select(rule)}" for rule in recursive)
    return f"WITH RECURSIVE {answer}({columns}) AS (({start}){steps})"


def occurrences(rule: Rule, predicate: str) -> list[int]:
    """The places of a predicate's atoms in the body."""
    return [place for place, atom in enumerate(body(rule)) if atom.predicate == predicate]


def body(rule: Rule) -> list[Atom]:
    atoms = [literal for literal in rule.body if isinstance(literal, Atom)]
    if len(atoms) + len(calculations(rule)) != len(rule.body) or len(rule.head) != 1:
        raise NotImplementedError(f"a workload's rules have one head, positive atoms and calculations only, not {rule}")
    return atoms


def calculations(rule: Rule) -> dict[str, Expression]:
    """The variables that are calculated, with how."""
    comparisons = [literal for literal in rule.body if isinstance(literal, Comparison) and literal.operator == "="]
    return {comparison.left.name: comparison.right for comparison in comparisons if isinstance(comparison.left, Variable)}


def select(rule: Rule, delta: int | None = None, table: str = "delta") -> str:
    """The rule as a SELECT of its head's columns; the body atom at place `delta` reads the given table instead."""
    names: dict[str, str] = {}
    conditions, tables = [], []
    for place, atom in enumerate(body(rule)):
        tables.append(f"{table if place == delta else atom.predicate} AS t{place}")
        for column, term in enumerate(atom.terms):
            here = f"t{place}.{COLUMN.format(column)}"
            before = names.setdefault(term.name, here) if isinstance(term, Variable) else _constant(term)
            if before != here:
                conditions.append(f"{here} = {before}")
    for name, expression in calculations(rule).items():
        names[name] = _calculated(expression, lambda term: names[term.name] if isinstance(term, Variable) else _constant(term))
    head = (names[term.name] if isinstance(term, Variable) else _constant(term) for term in rule.head[0].terms)
    columns = ", ".join(f"{value} AS {COLUMN.format(place)}" for place, value in enumerate(head))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {columns} FROM {', '.join(tables)}{where}"


def _rules(rules: str, spell: Callable[[AtomTerm], str]) -> str:
    def atoms(items: Sequence[Atom]) -> str:
        return ", ".join(f"{atom.predicate}({', '.join(map(spell, atom.terms))})" for atom in items)

    def conditions(rule: Rule) -> str:
        found = calculations(rule).items()
        return "".join(f", {spell(Variable(name))} = {_calculated(expression, spell)}" for name, expression in found)

    return "".join(f"{atoms(rule.head)} :- {atoms(body(rule))}{conditions(rule)} .\n" for rule in parse(rules))


def _calculated(expression: Expression, spell: Callable[[AtomTerm], str]) -> str:
    if isinstance(expression, Arithmetic):
        return f"({_calculated(expression.left, spell)} {expression.operator} {_calculated(expression.right, spell)})"
    return spell(expression)


def _constant(term: AtomTerm) -> str:
    value = None if isinstance(term, Variable) else term.value
    if isinstance(value, Iri) or type(value) is int:
        return str(value)
    raise NotImplementedError(f"a workload's constants are integers and IRIs, not {term}")
