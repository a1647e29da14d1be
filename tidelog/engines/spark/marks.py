"""Marks on Spark: the instances come to the driver with their body facts, and it looks at what these are marked with.

An update whose rule instances are too many for the driver is given up while marks are passed on, as any update is that
outgrows it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidelog.engines.spark.facts import FactSet
from tidelog.engines.spark.instances import Fact, Grounded, by_predicate
from tidelog.engines.spark.lookup import meet
from tidelog.maintain.algebra import Passing
from tidelog.maintain.sets import SetExpression

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra


class Marker:
    """Does with the heads of rule instances what a `Passing` says."""

    def __init__(self, algebra: SparkAlgebra, passing: Passing) -> None:
        self.algebra, self.passing = algebra, passing

    def take(self, found: Sequence[Grounded], outside: SetExpression | None) -> None:
        """Instances whose heads have been met; heads in `outside` tell nothing new and are neither marked nor remembered."""
        algebra, passing = self.algebra, self.passing
        tells = None if outside is None else algebra.bits.truth(outside)
        new = [one for one in found if tells is None or not tells[algebra.flags(one.head)]]
        through = algebra.bits.truth(passing.through)
        marked = {one.head for one in new if any(through[algebra.flags(fact)] for fact in one.body)}
        algebra.add(passing.to.name, FactSet(algebra, by_predicate(marked)))
        if passing.remember is not None:
            meet(algebra.tables, by_predicate(fact for one in new for fact in one.body))
            explicit = algebra.bits.truth(passing.remember)
            first = {one.head: one for one in reversed(new)}
            for head, one in first.items():
                algebra.origins.record(head, [fact for fact in one.body if explicit[algebra.flags(fact)]])


def marker(algebra: SparkAlgebra, passing: Passing | None) -> Marker | None:
    """Somebody who passes marks on; None while there is none to be passed on."""
    if passing is None:
        return None
    passing.look()
    if passing.remember is None and not algebra.facts(passing.through):
        return None
    return Marker(algebra, passing)


class Origins:
    """For each derived fact, those body facts of one rule instance that a `Passing` said to remember."""

    def __init__(self) -> None:
        self._premises: dict[Fact, Sequence[Fact]] = {}
        self._derived: dict[Fact, set[Fact]] = defaultdict(set)

    def record(self, fact: Fact, premises: Sequence[Fact]) -> None:
        """The fact comes from these; what was recorded before goes."""
        for premise in self._premises.pop(fact, ()):
            self._derived[premise].discard(fact)
        if premises:
            self._premises[fact] = premises
        for premise in premises:
            self._derived[premise].add(fact)

    def shared(self, facts: FactSet) -> set[Fact]:
        """The facts that come from these."""
        premises = ((predicate, row) for predicate, few in facts.few() for row in few)
        return {fact for premise in premises for fact in self._derived.get(premise, ())}
