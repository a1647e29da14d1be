"""The syntax tree of a rule program: what the parser makes and the formatter prints.

Equality ignores places (`span`) and spelling (`text`), so two trees are equal exactly if they mean the same program text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
        return (
            isinstance(other, Constant)
            and type(self.value) is type(other.value)
            and (self.value == other.value or repr(self.value) == repr(other.value))
        )

    def __hash__(self) -> int:
        # By spelling, as two NaN are one term but have different hashes; 0.0 and -0.0 are equal.
        value = repr(self.value + 0.0) if isinstance(self.value, float) else self.value
        return hash((type(self.value), value))


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
