"""What each grammar rule builds. The methods are named after the rules of `grammar.lark`, take what its parts built, and
depend on nothing else, so that one parser serves all threads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

from tidelog import terms
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
    Rule,
    Statement,
)
from tidelog.syntax.places import join
from tidelog.syntax.scanner import Token
from tidelog.terms import Iri

Parts = list[Any]
_EXTENSIONS = {"rdf": "nt", "ntriples": "nt", "nquads": "nq", "turtle": "ttl", "rdfxml": "rdf"}
LOADERS = {"load-csv": "csv", "load-tsv": "tsv", "load-rdf": "rdf"}
"""Rulewerk's `@source` functions, as formats of `@import`."""


@dataclass(frozen=True, slots=True)
class Resource:
    """`format { options }`, before it is known whether it is read or written."""

    format: str
    options: tuple[tuple[Token, object], ...]


class Builder:
    """Callbacks for the parser."""

    # Statements. Each yields a list, as one statement of the text may say several things.

    def facts(self, parts: Parts) -> list[Statement]:
        return [Fact(atom, join(parts[0][0].span, parts[1].span)) for atom in parts[0]]

    def rule(self, parts: Parts) -> list[Statement]:
        head, body, dot = parts
        return [Rule(head, body, join(head[0].span, dot.span))]

    def prefix(self, parts: Parts) -> list[Statement]:
        return [Prefix(parts[1].text[:-1], parts[2].value.value.value, join(parts[0].span, parts[-1].span))]

    def base(self, parts: Parts) -> list[Statement]:
        return [Base(parts[1].value.value.value, join(parts[0].span, parts[-1].span))]

    def outputs(self, parts: Parts) -> list[Statement]:
        span = join(parts[0].span, parts[-1].span)
        return [Output(_name(predicate), span) for predicate in parts[1:-1]]

    def export(self, parts: Parts) -> list[Statement]:
        predicate, resource = _name(parts[1]), parts[2]
        path, options = _options(resource)
        path = path or f"{re.split('[/#:]', predicate)[-1] or 'facts'}.{_EXTENSIONS.get(resource.format, resource.format)}"
        return [Export(predicate, resource.format, path, options, join(parts[0].span, parts[-1].span))]

    # `import` is a keyword of Python: see the end of the module.
    def import_(self, parts: Parts) -> list[Statement]:
        predicate, resource = _name(parts[1]), parts[2]
        path, options = _options(resource)
        return [Import(predicate, resource.format, path, options, join(parts[0].span, parts[-1].span))]

    def source(self, parts: Parts) -> list[Statement]:
        """Rulewerk's `@source pred[2]: load-csv("file.csv") .` is an `@import` with as many columns."""
        start, predicate, arity, _, function, *arguments, dot = parts
        columns = {} if function.text == "load-rdf" else {"format": ("any",) * min(arity.value.value, 1000)}
        path = str(_plain(arguments[0])) if arguments else ""
        return [Import(_name(predicate), LOADERS.get(function.text, function.text), path, columns, join(start.span, dot.span))]

    # Rules

    def query(self, parts: Parts) -> tuple[BodyLiteral, ...]:
        return cast("tuple[BodyLiteral, ...]", parts[0])

    def atoms(self, parts: Parts) -> tuple[Atom, ...]:
        return tuple(parts)

    def body(self, parts: Parts) -> tuple[BodyLiteral, ...]:
        return tuple(parts)

    def negation(self, parts: Parts) -> Negation:
        return Negation(parts[1], join(parts[0].span, parts[1].span))

    def comparison(self, parts: Parts) -> Comparison:
        left, operator, right = parts
        return Comparison(operator.text, left, right, join(left.span, right.span))

    def atom(self, parts: Parts) -> Atom:
        predicate, *arguments, end = parts
        return Atom(_name(predicate), tuple(arguments), join(predicate.span, end.span))

    def proposition(self, parts: Parts) -> Atom:
        return Atom(_name(parts[0]), (), parts[0].span)

    def triple(self, parts: Parts) -> Atom:
        return Atom("triple", tuple(parts[1:-1]), join(parts[0].span, parts[-1].span))

    def predicate(self, parts: Parts) -> Token:
        return cast(Token, parts[0])

    # Expressions

    def term(self, parts: Parts) -> AtomTerm:
        return cast(AtomTerm, parts[0].value)

    def typed(self, parts: Parts) -> Constant:
        string, datatype = parts[0], parts[1]
        span, text = join(string.span, datatype.span), f"{string.text}^^{datatype.text}"
        if not isinstance(string.value.value, str):
            return Constant(string.value.value, string.text, span)
        return Constant(terms.literal(string.value.value, datatype.value.value.value), text, span)

    def arithmetic(self, parts: Parts) -> Arithmetic:
        left, operator, right = parts
        return Arithmetic(operator.text, left, right, join(left.span, right.span))

    def negative(self, parts: Parts) -> Expression:
        """A negative number is a constant; of anything else the negative is its difference from zero."""
        span = join(parts[0].span, parts[1].span)
        operand: Expression = parts[1]
        if isinstance(operand, Constant) and (value := _negated(operand.value)) is not None:
            text = f"-{operand.text}" if operand.text and operand.text[0] != "-" else None
            return Constant(value, text, span)
        return Arithmetic("-", Constant(0), operand, span)

    # Resources

    def resource(self, parts: Parts) -> Resource:
        return Resource(parts[0].text, tuple(parts[1:]))

    def option(self, parts: Parts) -> tuple[Token, object]:
        return parts[0], parts[1]

    def value(self, parts: Parts) -> object:
        return _plain(parts[0])

    def sequence(self, parts: Parts) -> tuple[object, ...]:
        return tuple(_plain(part) for part in parts)


setattr(Builder, "import", Builder.import_)


def _name(token: Token) -> str:
    """The predicate that a token names: a bare name, or the text of an IRI."""
    value = cast(Constant, token.value).value
    return value.value if isinstance(value, Iri) else str(value)


def _negated(value: object) -> int | float | Decimal | None:
    if isinstance(value, Decimal):
        return value.copy_negate() if value else value
    return -value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _plain(node: object) -> object:
    """The Python value of an option; an expression that is no constant stays what it is, for the check to refuse."""
    if isinstance(node, Constant):
        return node.value.value if isinstance(node.value, Iri) else node.value
    return node


def _options(resource: Resource) -> tuple[str, Mapping[str, object]]:
    options = {name.text: value for name, value in resource.options}
    path = options.pop("resource", "")
    return path if isinstance(path, str) else "", options
