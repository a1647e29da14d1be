"""A plan says in which order the atoms of one rule are matched, starting from one place.

A rule is planned once for each place that a change can enter it, its *pivot*: a positive body atom matched in the change, a
negated atom matched in the change, its head (to ask whether given facts can be derived), or none (to apply it to everything).
Every body atom keeps a role, so that each rule instance is found by exactly one of the plans: atoms written before the
pivot are matched outside the change, atoms after it anywhere (equations 156 and 157 of Motik et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Comparison, Expression, Variable


class Place(Enum):
    """Where a plan starts."""

    ANYWHERE = "anywhere"
    POSITIVE = "positive"
    NEGATIVE = "negative"
    HEAD = "head"


class Role(Enum):
    """Which set an atom is matched in."""

    ALL = "all"
    """The facts that hold: I+ for a positive atom, I- for a negated one."""
    CHANGE = "change"
    """The change: P for a positive atom, N for a negated one."""
    OUTSIDE = "outside"
    """What holds without the change: I+ - P for a positive atom, I- | N for a negated one."""


@dataclass(frozen=True, slots=True)
class Pivot:
    """The place where a plan starts: an atom's number among the positive or the negative ones."""

    place: Place
    position: int = 0


@dataclass(frozen=True, slots=True)
class Match:
    """Match an atom; `bound` are the columns whose value is known by then."""

    atom: Atom
    role: Role
    bound: tuple[int, ...]
    position: int | None
    """The atom's number among the positive ones; None for a negated atom matched in the change, or the head."""

    @property
    def binds(self) -> frozenset[str]:
        """The variables whose value is known afterwards."""
        return frozenset(term.name for term in self.atom.terms if isinstance(term, Variable))


@dataclass(frozen=True, slots=True)
class Together:
    """Match atoms that bind the same one variable: each binding goes on from the one with the fewest facts for it."""

    ways: tuple[Match, ...]

    @property
    def binds(self) -> frozenset[str]:
        return self.ways[0].binds.union(*(way.binds for way in self.ways))


@dataclass(frozen=True, slots=True)
class Refuse:
    """Go on only where this ground atom does not hold."""

    atom: Atom
    role: Role

    @property
    def binds(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, slots=True)
class Test:
    """Go on only where the comparison holds; `identical` asks for the same term, not just an equal value."""

    comparison: Comparison
    identical: bool = False

    @property
    def binds(self) -> frozenset[str]:
        return frozenset()


@dataclass(frozen=True, slots=True)
class Bind:
    """Give a variable the value of an expression."""

    variable: str
    expression: Expression

    @property
    def binds(self) -> frozenset[str]:
        return frozenset({self.variable})


Step: TypeAlias = Match | Together | Refuse | Test | Bind


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps for one rule from one pivot."""

    rule: CoreRule
    pivot: Pivot
    steps: tuple[Step, ...]
