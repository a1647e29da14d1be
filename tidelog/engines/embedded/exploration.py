"""A backward search in the embedded engine: the instances that may prove facts, waiting to be followed a few at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engines.embedded.sets import FactSet, Ranks
from tidelog.facts.kernel import Rows, sorted_unique, starts_of_groups
from tidelog.facts.table import Table
from tidelog.maintain.sets import SetExpression
from tidelog.program.normal import CoreRule

if TYPE_CHECKING:
    from tidelog.engines.embedded.algebra import EmbeddedAlgebra


@dataclass(slots=True)
class _Waiting:
    """Instances with heads in one table and premises in the same tables; ordered by head, then by rank."""

    table: Table
    heads: Rows
    premises: list[tuple[Table, Rows]]

    def keep(self, which: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> None:
        self.heads = self.heads[which]
        self.premises = [(table, rows[which]) for table, rows in self.premises]


class WaitingInstances:
    """The instances found so far for the facts of a search."""

    def __init__(self, algebra: EmbeddedAlgebra, rules: Sequence[CoreRule]) -> None:
        self.algebra = algebra
        self.rules = rules
        self._waiting: list[_Waiting] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, facts: FactSet, positive: SetExpression, negative: SetExpression) -> None:
        if not facts or not self.rules:
            return
        for table, heads, premises, ranks in self.algebra.instances_of(facts, self.rules, positive, negative):
            order = _by_head_and_rank(heads, ranks)
            self._waiting.append(_Waiting(table, heads[order], [(t, rows[order]) for t, rows in premises]))

    def next(self, proved: SetExpression, checked: SetExpression, most: int) -> FactSet:
        done, seen = self.algebra.bits.test(proved).truth, self.algebra.bits.test(checked).truth
        found: dict[Table, list[Rows]] = {}
        for waiting in self._waiting:
            leads = np.zeros(len(waiting.heads), np.bool_)
            for table, rows in waiting.premises:
                leads |= ~seen[table.flags[rows]]
            waiting.keep(leads & ~done[waiting.table.flags[waiting.heads]])
            if not len(waiting.heads):
                continue
            first = _first_of_each(waiting.heads, most)
            self.algebra.count(0, int(np.count_nonzero(first)))
            for table, rows in waiting.premises:
                found.setdefault(table, []).append(rows[first])
            waiting.keep(~first)
        self._waiting = [waiting for waiting in self._waiting if len(waiting.heads)]
        facts = FactSet(self.algebra.bits, {table: sorted_unique(np.concatenate(rows)) for table, rows in found.items()})
        return facts - checked


def _by_head_and_rank(heads: Rows, ranks: Ranks) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return (heads.astype(np.int64) << 32 | ranks).argsort()


def _first_of_each(heads: Rows, most: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the ordered heads are among the first so many of their kind."""
    number = np.arange(len(heads))
    starts = starts_of_groups(heads).nonzero()[0]
    number -= starts.repeat(np.diff(np.append(starts, len(heads))))
    return number < most
