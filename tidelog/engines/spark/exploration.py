"""A backward search: the instances that may prove facts, waiting in the driver to be followed a few at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.engines.spark.facts import FactSet, Few
from tidelog.engines.spark.instances import Fact, grounded
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.tables import Row
from tidelog.engines.spark.truth import Truth
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra


@dataclass(frozen=True, slots=True)
class _Instance:
    rank: int
    head: Fact
    premises: tuple[Fact, ...]


class WaitingInstances:
    """The instances found so far for the facts of a search."""

    def __init__(self, algebra: SparkAlgebra, rules: Sequence[CoreRule]) -> None:
        self.algebra, self.rules = algebra, rules
        self._waiting: list[_Instance] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, facts: FactSet, positive: SetExpression, negative: SetExpression) -> None:
        algebra = self.algebra
        instances = algebra.instances_of(facts, self.rules, positive, negative)
        if not instances:
            return
        found = grounded(algebra.matcher, instances, algebra.few)
        algebra.count(len(found))
        for one in found:
            premises = tuple(one.body[i] for i in algebra.recursive_positions(one.rule))
            self._waiting.append(_Instance(one.rank, one.head, premises))
        self._waiting.sort(key=lambda instance: instance.rank)

    def next(self, proved: SetExpression, checked: SetExpression, most: int) -> FactSet:
        algebra, truth = self.algebra, self.algebra.bits.truth
        left, followed, found = [], defaultdict[Fact, int](int), defaultdict[str, Few](dict)
        for instance in self._waiting:
            leads = [
                (predicate, row) for predicate, row in instance.premises if not self._among(truth(checked), predicate, row)
            ]
            if not leads or self._among(truth(proved), *instance.head):
                continue
            followed[instance.head] += 1
            if followed[instance.head] > most:
                left.append(instance)
                continue
            algebra.count(0, 1)
            for predicate, row in leads:
                found[predicate][row] = 0
        self._waiting = left
        meet(algebra.tables, found)
        return FactSet(algebra, found)

    def _among(self, truth: Truth, predicate: str, row: Row) -> bool:
        """Whether a fact is in a working set; one that was never met is in none."""
        state = self.algebra.tables[predicate].met.get(row)
        return state is not None and truth[state.flags]
