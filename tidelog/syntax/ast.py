"""The syntax tree of a rule program: what the parser makes and the formatter prints.

Equality ignores places (`span`) and spelling (`text`), so two trees are equal exactly if they mean the same program text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import TypeAlias

from tidelog.terms import Term


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text, lines and columns counted from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Variable:
    """`?x`; the anonymous `_` is a variable whose name is `_` in the tree, each occurrence a different one."""

    name: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """A term in a program; `text` keeps how it was written (`rdf:type`, `a`), for the formatter."""

    value: Term
    text: str | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> tuple[type, object]:
        """What tells terms apart where Python's `==` does not: NaN is one term, 0.0 and -0.0 or two offsets are two."""
        kind = type(self.value)
        return kind, repr(self.value) if kind in (float, datetime, time) else self.value


AtomTerm: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class Atom:
    """`p(t1, ..., tn)`; a triple atom `[s, p, o]` is an atom of the predicate `triple`."""

    predicate: str
    terms: tuple[AtomTerm, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Negation:
    """`~atom` in a body."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`left operator right` with one of `+ - * /`."""

    operator: str
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


Expression: TypeAlias = Variable | Constant | Arithmetic


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right` with one of `= != < <= > >=`; `?x = expression` binds `?x` where nothing else does."""

    operator: str
    left: Expression
    right: Expression
    span: Span | None = field(default=None, compare=False, repr=False)


BodyLiteral: TypeAlias = Atom | Negation | Comparison


@dataclass(frozen=True, slots=True)
class Rule:
    """`head :- body .`; every head atom follows from the body."""

    head: tuple[Atom, ...]
    body: tuple[BodyLiteral, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """`atom .` without variables."""

    atom: Atom
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Prefix:
    name: str
    iri: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Base:
    iri: str
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Resource:
    """What both directions of `@import`/`@export` share: `predicate :- format { resource = "...", ... }`.

    `format` is `csv`, `tsv`, `parquet` or `rdf` (`ntriples`, `nquads`, `turtle`, `trig`, `rdfxml` are `rdf` with that syntax);
    `options` holds the rest, for example `{"format": ("int", "string", "skip"), "delimiter": ";", "ignore_headers": True}`.
    """

    predicate: str
    format: str
    path: str
    options: Mapping[str, object] = field(default_factory=dict, hash=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Import(Resource):
    """`@import predicate :- csv { resource = "file.csv" } .`"""


@dataclass(frozen=True, slots=True)
class Export(Resource):
    """`@export predicate :- csv { resource = "file.csv" } .`"""


@dataclass(frozen=True, slots=True)
class Output:
    """`@output predicate .`"""

    predicate: str
    span: Span | None = field(default=None, compare=False, repr=False)


Statement: TypeAlias = Rule | Fact | Prefix | Base | Import | Export | Output


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed text: its statements in order."""

    statements: tuple[Statement, ...]
    text: str = field(default="", compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)
