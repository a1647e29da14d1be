"""Questions about what holds now: a rule body, matched once.

`answer` is for people: a text, checked like a program, whose variables become the columns of a relation. `solve` is what
explanations stand on: the bindings under which a body holds. Both work in an overlay of the store, so that the helping
predicates of a question never become part of the materialisation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.errors import Problem, ProgramError
from tidelog.facts.kernel import Ids
from tidelog.facts.store import Store
from tidelog.maintain.sets import PRESENT
from tidelog.program import CoreRule, Program
from tidelog.program.stratify import stratify
from tidelog.relation import Relation
from tidelog.syntax import ast

_ANSWER = "?"
"""The predicate of a question's answers; no text can name it."""


def answer(engine: EmbeddedEngine, program: Program, question: str, arity_of: Callable[[str], int]) -> Relation:
    """The bindings of a question's variables, each once, in the order the variables are met."""
    from tidelog.syntax.parser import parse_body

    body = parse_body(question, program.prefixes, program.base)
    names = _variables(body)
    head = ast.Atom(_ANSWER, tuple(ast.Variable(name) for name in names))
    asked = Program.from_source(ast.Source((ast.Rule((head,), body),), question, "<query>"))
    _check_arities(asked, question, body, arity_of)
    with engine.work:
        algebra = _overlay(engine, asked.core)
        for stratum in algebra.strata.strata:
            algebra.add(PRESENT.name, algebra.derive(stratum.rules, PRESENT, outside=PRESENT))
        table = algebra.store.table(_ANSWER, len(names))
        return Relation.frozen("answer", names, engine.dictionary, [c[: table.count] for c in table.columns], table.count)


def solve(engine: EmbeddedEngine, rule: CoreRule) -> Iterator[tuple[list[Ids], int]]:
    """The instances of a rule that hold now, part by part: the columns of its head, and how many instances they are."""
    with engine.work:
        yield from _overlay(engine, (rule,)).instances(rule)


def _overlay(engine: EmbeddedEngine, rules: Sequence[CoreRule]) -> EmbeddedAlgebra:
    store = Store(engine.dictionary)
    store.tables = dict(engine.store.tables)
    return EmbeddedAlgebra(store, stratify(rules))


def _variables(body: Sequence[ast.BodyLiteral]) -> list[str]:
    """The named variables that the body can bind, in the order of the text."""
    found: dict[str, None] = {}
    for part in body:
        if isinstance(part, ast.Atom):
            terms: Sequence[ast.Expression] = part.terms
        elif isinstance(part, ast.Comparison) and part.operator == "=":
            terms = (part.left, part.right)
        else:
            continue
        found.update((term.name, None) for term in terms if isinstance(term, ast.Variable) and term.name != "_")
    return list(found)


def _check_arities(asked: Program, question: str, body: Sequence[ast.BodyLiteral], arity_of: Callable[[str], int]) -> None:
    problems = []
    for part in body:
        atom = part.atom if isinstance(part, ast.Negation) else part
        if isinstance(atom, ast.Atom) and arity_of(atom.predicate) != len(atom.terms):
            message = f"{atom.predicate} has {arity_of(atom.predicate)} terms, not {len(atom.terms)}"
            line, column = (atom.span.line, atom.span.column) if atom.span else (1, 1)
            lines = question.splitlines()
            problems.append(Problem("arity-clash", message, "<query>", line, column, None, lines[line - 1] if lines else ""))
    if problems:
        raise ProgramError(problems)
