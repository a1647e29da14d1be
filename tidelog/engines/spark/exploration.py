"""A backward search: the instances that may prove facts, waiting in the driver to be followed a few at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tidelog.engines.spark.facts import FactSet, Few, TooLarge
from tidelog.engines.spark.instances import scanned
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.tables import Row
from tidelog.engines.spark.truth import Truth
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Atom, Constant

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra

Fact = tuple[str, Row]


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
        width = max(len(one.found.names) for one in instances)
        parts = []
        for tag, one in enumerate(instances):
            columns = [*one.found.names.values(), *["0L"] * (width - len(one.found.names))]
            named = ", ".join(f"{column} AS h{i}" for i, column in enumerate(columns))
            parts.append(f"SELECT {tag} AS tag, q.rk AS k{', ' if named else ''}{named} FROM ({one.found.sql}) q")
        statement = f"SELECT * FROM ({' UNION ALL '.join(parts)})"
        rows = algebra.cluster.collect(statement, algebra.few, scanned=scanned(algebra.tables, instances))
        if rows is None:
            raise TooLarge
        algebra.count(len(rows))
        for tag, rank, *values in rows:
            one = instances[tag]
            at = dict(zip(one.found.names, values, strict=False))
            premises = (one.rule.positive[i] for i in algebra.recursive_positions(one.rule))
            self._waiting.append(_Instance(rank, self._ground(one.rule.head, at), tuple(self._ground(p, at) for p in premises)))
        self._waiting.sort(key=lambda instance: instance.rank)

    def _ground(self, atom: Atom, values: dict[str, int]) -> Fact:
        wide = self.algebra.terms.wide_one
        terms = (wide(term.value) if isinstance(term, Constant) else values[term.name] for term in atom.terms)
        return atom.predicate, tuple(terms) or (0,)

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
