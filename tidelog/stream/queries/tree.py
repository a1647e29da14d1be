"""The syntax tree of a continuous query: what the parser makes, and `translate` turns into rules.

A blank node of a pattern is a variable that cannot be asked for: its name begins with `_:`, which no variable's name does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from tidelog.syntax.ast import AtomTerm, Comparison, Constant, Expression, Span, Variable
from tidelog.terms import Iri

TRIPLE = "triple"
"""The predicate of triples that are in no window with a name."""


class Output(Enum):
    """What is told of the answer at each evaluation."""

    RSTREAM = "rstream"
    """All of it."""
    ISTREAM = "istream"
    """What was not in it the last time."""
    DSTREAM = "dstream"
    """What was in it the last time, and is no more."""


@dataclass(frozen=True, slots=True)
class Time:
    """A window of the last `range` seconds, every `step` seconds; tumbling, if both are the same."""

    range: float
    step: float


@dataclass(frozen=True, slots=True)
class Count:
    """A window of the last triples."""

    triples: int


Extent: TypeAlias = Time | Count


@dataclass(frozen=True, slots=True)
class Window:
    """`FROM STREAM stream [...]`, which has no name, and `FROM NAMED WINDOW name ON stream [...]`."""

    stream: Iri
    extent: Extent
    name: Iri | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A triple pattern."""

    subject: AtomTerm
    predicate: AtomTerm
    object: AtomTerm
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def terms(self) -> tuple[AtomTerm, AtomTerm, AtomTerm]:
        return self.subject, self.predicate, self.object


@dataclass(frozen=True, slots=True)
class AllOf:
    """`left && right`"""

    left: Condition
    right: Condition
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`left || right`"""

    left: Condition
    right: Condition
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Among:
    """`value IN (choices)`, or NOT IN."""

    value: Expression
    choices: tuple[Expression, ...]
    negated: bool
    span: Span | None = field(default=None, compare=False, repr=False)


Condition: TypeAlias = Comparison | AllOf | AnyOf | Among


@dataclass(frozen=True, slots=True)
class Block:
    """A basic graph pattern, on the contents of one window if it has a name. Blank nodes are its own."""

    patterns: tuple[Pattern, ...]
    window: Constant | None = None
    filters: tuple[Condition, ...] = ()
    """Those that stand with it between the braces of `WINDOW :w { ... }`."""


@dataclass(frozen=True, slots=True)
class Query:
    """A registered query. `projection` is None for `SELECT *`."""

    name: str
    output: Output
    every: float | None
    """Seconds between two evaluations, if it says so."""
    distinct: bool
    projection: tuple[Variable, ...] | None
    static: tuple[Constant, ...]
    windows: tuple[Window, ...]
    blocks: tuple[Block, ...]
    filters: tuple[Condition, ...]
    """Those beside the blocks."""
    text: str = field(default="", compare=False, repr=False)
    file: str | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)
    """Of its name."""

    def variables(self) -> tuple[Variable, ...]:
        """Those of the patterns, each once, in the order in which the text first has them; blank nodes, too."""
        found: dict[str, Variable] = {}
        for block in self.blocks:
            for pattern in block.patterns:
                for term in pattern.terms:
                    if isinstance(term, Variable):
                        found.setdefault(term.name, term)
        return tuple(found.values())

    @property
    def selected(self) -> tuple[str, ...]:
        """The names of the columns of the answer."""
        chosen = self.projection if self.projection is not None else self.variables()
        return tuple(dict.fromkeys(variable.name for variable in chosen if not is_blank(variable)))


def is_blank(variable: Variable) -> bool:
    return variable.name.startswith("_:")
