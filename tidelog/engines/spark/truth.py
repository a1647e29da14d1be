"""Set expressions as truth values: over what the driver knows of a fact, and over the rows of a run.

What the driver has met is a fact with flags: present, explicit, and one for each working set of the running update. What it has
not met is in no working set, so for the rows of a run an expression depends on nothing but whether they are explicit.
"""

from __future__ import annotations

from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I
from tidelog.maintain.sets import Difference, Intersection, Named, SetExpression, Union

PRESENT, EXPLICIT = 1, 2
STATE = PRESENT | EXPLICIT
"""The flags that are there between updates."""


class Truth(dict[int, bool]):
    """Whether a fact with given flags is in a set; each combination is worked out once."""

    def __init__(self, bits: Bits, expression: SetExpression) -> None:
        self.bits, self.expression = bits, expression

    def __missing__(self, flags: int) -> bool:
        self[flags] = found = self.bits.holds(self.expression, flags)
        return found

    def stored(self) -> str | None:
        """The condition on a row of a run, where `x` says explicit; None if no row meets it."""
        given, derived = self[PRESENT | EXPLICIT], self[PRESENT]
        if given != derived:
            return "x" if given else "NOT x"
        return "true" if given else None


class Bits:
    """The flags of the named sets."""

    def __init__(self) -> None:
        self._of = {I.name: PRESENT, E.name: EXPLICIT}
        self._truths: dict[SetExpression, Truth] = {}

    def of(self, name: str) -> int:
        return self._of.setdefault(name, 1 << len(self._of))

    def holds(self, expression: SetExpression, flags: int) -> bool:
        match expression:
            case Named():
                return bool(flags & self.of(expression.name))
            case Union():
                return self.holds(expression.left, flags) or self.holds(expression.right, flags)
            case Difference():
                return self.holds(expression.left, flags) and not self.holds(expression.right, flags)
            case Intersection():
                return self.holds(expression.left, flags) and self.holds(expression.right, flags)
        raise TypeError(expression)

    def truth(self, expression: SetExpression) -> Truth:
        found = self._truths.get(expression)
        if found is None:
            found = self._truths[expression] = Truth(self, expression)
        return found
