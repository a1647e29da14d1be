"""Sets of facts: a few in the driver, many as a frame.

Where an update concerns few facts, which is nearly always, sets are dictionaries and combining them costs no job; a broadcast
would pass through the driver all the same. A set of more facts than that is a frame on the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.tables import Row
from tidelog.maintain.sets import SetExpression

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra

Few: TypeAlias = dict[Row, int]
"""Facts of one predicate that the driver has, each with the rank of its derivation."""
Part: TypeAlias = Few | Frame


class TooLarge(Exception):
    """A set outgrew the driver where only sets in the driver will do; for the engine, which has another way."""


class FactSet:
    """Distinct facts by predicate; no entry is empty. Facts that the driver has are in their table's `met`."""

    __slots__ = ("algebra", "parts")

    def __init__(self, algebra: SparkAlgebra, parts: Mapping[str, Part] | None = None) -> None:
        self.algebra = algebra
        self.parts = {p: part for p, part in (parts or {}).items() if (part.rows if isinstance(part, Frame) else part)}

    def __len__(self) -> int:
        return sum(part.rows if isinstance(part, Frame) else len(part) for part in self.parts.values())

    def __bool__(self) -> bool:
        return bool(self.parts)

    def __iter__(self) -> Iterator[tuple[str, Part]]:
        return iter(self.parts.items())

    def few(self) -> Iterator[tuple[str, Few]]:
        """The parts, where all of them are in the driver."""
        for predicate, part in self.parts.items():
            if isinstance(part, Frame):
                raise TooLarge
            yield predicate, part

    def __or__(self, other: FactSet) -> FactSet:
        if not self.parts or not other.parts:
            return self if self.parts else other
        parts = dict(self.parts)
        for predicate, part in other:
            if predicate not in parts:
                parts[predicate] = part
                continue
            own = parts[predicate]
            if isinstance(own, Frame) or isinstance(part, Frame):
                raise TooLarge
            parts[predicate] = own | {row: min(rank, own.get(row, rank)) for row, rank in part.items()}
        return FactSet(self.algebra, parts)

    def __sub__(self, other: SetExpression | FactSet) -> FactSet:
        if isinstance(other, FactSet):
            without = dict(other.few())
            return FactSet(
                self.algebra,
                {p: {row: rank for row, rank in part.items() if row not in without.get(p, {})} for p, part in self.few()},
            )
        return self._only(other, False)

    def __and__(self, other: SetExpression) -> FactSet:
        return self._only(other, True)

    def _only(self, expression: SetExpression, wanted: bool) -> FactSet:
        truth = self.algebra.bits.truth(expression)
        parts: dict[str, Part] = {}
        for predicate, part in self.few():
            met = self.algebra.tables[predicate].met
            parts[predicate] = {row: rank for row, rank in part.items() if truth[met[row].flags] is wanted}
        return FactSet(self.algebra, parts)
