"""The syntax tree as text: parsing what is printed here gives the same tree.

What was written is kept where a choice is free (`"a"` or `a`, `rdf:type` or the full IRI); layout is uniform: one statement
a line, a long rule one body literal a line. Comments stay in front of, or behind, the statement they stand with.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal

from tidelog.syntax.ast import (
    Arithmetic,
    Atom,
    AtomTerm,
    Base,
    BodyLiteral,
    Comparison,
    Constant,
    Export,
    Expression,
    Fact,
    Import,
    Negation,
    Output,
    Prefix,
    Resource,
    Rule,
    Source,
    Statement,
)
from tidelog.syntax.names import PREDECLARED, is_bare, shorten
from tidelog.terms import XSD, BlankNode, Iri, Literal, Term, lexical_form

WIDTH = 100
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]')
_NAMED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


# Terms and facts


def format_term(term: Term, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """A term as it would be written in rule text.

    >>> format_term("a"), format_term("two words"), format_term(1.5), format_term(Iri("http://www.w3.org/2002/07/owl#Class"))
    ('a', '"two words"', '1.5E0', 'owl:Class')
    """
    match term:
        case str():
            return term if is_bare(term) else quote(term)
        case bool():
            return "true" if term else "false"
        case int():
            return str(term)
        case Iri(value):
            return shorten(value, prefixes) or f"<{value}>"
        case BlankNode(label):
            return f"_:{label}"
        case Literal(lexical, _, str() as language):
            return f"{quote(lexical)}@{language}"
    lexical, datatype, _ = lexical_form(term)
    if isinstance(term, Decimal) or (datatype == XSD + "double" and lexical[-1].isdigit()):
        return lexical
    return f"{quote(lexical)}^^{shorten(datatype, prefixes) or f'<{datatype}>'}"


def format_fact(predicate: str, terms: Iterable[Term], prefixes: Mapping[str, str] = PREDECLARED) -> str:
    """A fact without its final dot: `path(a, "two words")`, `[ex:a, rdf:type, ex:C]`."""
    return _application(predicate, [format_term(term, prefixes) for term in terms], prefixes)


def quote(text: str) -> str:
    """A string in double quotes, on one line, with nothing in it that a terminal would obey."""
    return '"' + _UNSAFE.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    return _NAMED.get(match[0]) or f"\\u{ord(match[0]):04X}"


def format_predicate(predicate: str, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    return predicate if is_bare(predicate) else shorten(predicate, prefixes) or f"<{predicate}>"


def _application(predicate: str, terms: list[str], prefixes: Mapping[str, str]) -> str:
    if predicate == "triple" and len(terms) == 3:
        return f"[{', '.join(terms)}]"
    return f"{format_predicate(predicate, prefixes)}({', '.join(terms)})"


# Rules


def format_atom(atom: Atom, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    return _application(atom.predicate, [_format_term(term, prefixes) for term in atom.terms], prefixes)


def format_literal(literal: BodyLiteral, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    match literal:
        case Negation(atom):
            return f"~{format_atom(atom, prefixes)}"
        case Comparison(operator, left, right):
            return f"{format_expression(left, prefixes)} {operator} {format_expression(right, prefixes)}"
    return format_atom(literal, prefixes)


def format_rule(rule: Rule, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    head = ", ".join(format_atom(atom, prefixes) for atom in rule.head)
    body = [format_literal(literal, prefixes) for literal in rule.body]
    line = f"{head} :- {', '.join(body)} ."
    return line if len(line) <= WIDTH else f"{head} :-\n    " + ",\n    ".join(body) + " ."


def format_expression(expression: Expression, prefixes: Mapping[str, str] = PREDECLARED, least: int = 0) -> str:
    """An expression, in parentheses if it binds less than `least` asks."""
    if not isinstance(expression, Arithmetic):
        return _format_term(expression, prefixes)
    own = _PRECEDENCE[expression.operator]
    left = format_expression(expression.left, prefixes, own)
    right = format_expression(expression.right, prefixes, own + 1)
    text = f"{left} {expression.operator} {right}"
    return f"({text})" if own < least else text


def _format_term(term: AtomTerm, prefixes: Mapping[str, str]) -> str:
    if isinstance(term, Constant):
        return term.text or format_term(term.value, prefixes)
    return "_" if term.name == "_" else f"?{term.name}"


# Programs


def format_statement(statement: Statement, prefixes: Mapping[str, str] = PREDECLARED) -> str:
    match statement:
        case Rule():
            return format_rule(statement, prefixes)
        case Fact(atom):
            return f"{format_atom(atom, prefixes)} ."
        case Prefix(name, iri):
            return f"@prefix {name}: <{iri}> ."
        case Base(iri):
            return f"@base <{iri}> ."
        case Import():
            return f"@import {_format_resource(statement, prefixes)} ."
        case Export():
            return f"@export {_format_resource(statement, prefixes)} ."
        case Output(predicate):
            return f"@output {format_predicate(predicate, prefixes)} ."


def format_source(source: Source) -> str:
    """A whole program, with its comments and the blank lines between its paragraphs."""
    from tidelog.syntax.layout import lay_out

    return lay_out(source, _texts(source))


def _texts(source: Source) -> Iterator[tuple[Statement, str]]:
    """Each statement with its text, under the prefixes declared before it."""
    prefixes = dict(PREDECLARED)
    for statement in source.statements:
        yield statement, format_statement(statement, prefixes)
        if isinstance(statement, Prefix):
            prefixes[statement.name] = statement.iri


def _format_resource(resource: Resource, prefixes: Mapping[str, str]) -> str:
    options = {"resource": resource.path, **resource.options} if resource.path else resource.options
    shown = ", ".join(f"{name} = {_format_option(value, name)}" for name, value in options.items())
    return f"{format_predicate(resource.predicate, prefixes)} :- {resource.format}{{{shown}}}"


def _format_option(value: object, name: str = "") -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_format_option(item) for item in value)})"
    if isinstance(value, str):
        return value if not name and is_bare(value) else quote(value)
    return format_term(value)  # type: ignore[arg-type]
