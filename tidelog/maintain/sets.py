"""Set expressions over facts: `I - (D - A)`, written as in the papers and never copied out.

An expression is a small tree of names. An engine tests it while it matches facts: the embedded engine as a mask over bit
flags, the Spark engine as a plan. `present` (I) and `explicit` (E) are the two sets every materialisation has; an
algorithm asks its algebra for working sets beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class SetExpression:
    """Something that holds facts; combines with `|`, `-` and `&`."""

    __slots__ = ()

    def __or__(self, other: SetExpression) -> Union:
        return Union(self, other)

    def __sub__(self, other: SetExpression) -> Difference:
        return Difference(self, other)

    def __and__(self, other: SetExpression) -> Intersection:
        return Intersection(self, other)


@dataclass(frozen=True, slots=True)
class Named(SetExpression):
    """A set that the engine keeps under a name."""

    name: str


@dataclass(frozen=True, slots=True)
class Working(Named):
    """A set that an algorithm fills while it runs: `D |= facts`."""

    add: Callable[[str, Any], None] = field(compare=False, repr=False)

    def __ior__(self, facts: Any) -> Working:  # type: ignore[override, misc]  # `D |= facts` adds, `D | other` is a set
        self.add(self.name, facts)
        return self


@dataclass(frozen=True, slots=True)
class Union(SetExpression):
    left: SetExpression
    right: SetExpression


@dataclass(frozen=True, slots=True)
class Difference(SetExpression):
    left: SetExpression
    right: SetExpression


@dataclass(frozen=True, slots=True)
class Intersection(SetExpression):
    left: SetExpression
    right: SetExpression


PRESENT = Named("present")
EXPLICIT = Named("explicit")
