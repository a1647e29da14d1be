"""Sets of facts: a few in the driver, many as a frame.

Where an update concerns few facts, which is nearly always, sets are dictionaries and combining them costs no job; a broadcast
would pass through the driver all the same. A set of more facts than that is a frame on the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.tables import Row
from tidelog.facts.times import NEVER
from tidelog.maintain.sets import SetExpression

if TYPE_CHECKING:
    from tidelog.engines.spark.expiries import TimedFacts

Few: TypeAlias = dict[Row, int]
"""Facts of one predicate that the driver has, each with the rank of its derivation."""
Part: TypeAlias = Few | Frame
Expiries: TypeAlias = dict[Row, float]
"""Until when facts hold by their derivation, where it is not for good."""


class TooLarge(Exception):
    """A set outgrew the driver where only sets in the driver will do; for the engine, which has another way."""


class FactSet:
    """Distinct facts by predicate; no entry is empty. Facts that the driver has are in their table's `met`.

    They may carry expiries; a fact without one never expires. Frames do if all of the set does: in a column `e`.
    """

    __slots__ = ("algebra", "expiries", "parts")

    def __init__(
        self,
        algebra: TimedFacts,
        parts: Mapping[str, Part] | None = None,
        expiries: Mapping[str, Expiries] | None = None,
    ) -> None:
        self.algebra = algebra
        self.expiries = expiries
        """None where none were asked for."""
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
        if self.expiries is None and other.expiries is None:
            return FactSet(self.algebra, parts)
        return self._with_latest(other, parts)

    def _with_latest(self, other: FactSet, parts: dict[str, Part]) -> FactSet:
        """The same where facts carry expiries: of the two the later one counts, with its rank."""
        expiries: dict[str, Expiries] = {}
        for predicate, part in parts.items():
            if isinstance(part, Frame):
                continue
            expiries[predicate] = until = {}
            sides = [(side, dict(side.few()).get(predicate, {})) for side in (self, other)]
            for row in part:
                until[row], lower = max((side.expiry_of(predicate, row), -few[row]) for side, few in sides if row in few)
                part[row] = -lower
        return FactSet(self.algebra, parts, expiries)

    def expiry_of(self, predicate: str, row: Row) -> float:
        return NEVER if self.expiries is None else self.expiries.get(predicate, {}).get(row, NEVER)

    def where(self, test: Callable[[str, Row], bool]) -> FactSet:
        """Those facts of the driver that pass a test."""
        parts = {p: {row: rank for row, rank in few.items() if test(p, row)} for p, few in self.few()}
        return FactSet(self.algebra, parts, self.expiries)

    def __sub__(self, other: SetExpression | FactSet) -> FactSet:
        if isinstance(other, FactSet):
            without = dict(other.few())
            return self.where(lambda predicate, row: row not in without.get(predicate, {}))
        return self._only(other, False)

    def __and__(self, other: SetExpression) -> FactSet:
        return self._only(other, True)

    def _only(self, expression: SetExpression, wanted: bool) -> FactSet:
        truth = self.algebra.bits.truth(expression)
        parts: dict[str, Part] = {}
        for predicate, part in self.few():
            met = self.algebra.tables[predicate].met
            parts[predicate] = {row: rank for row, rank in part.items() if truth[met[row].flags] is wanted}
        return FactSet(self.algebra, parts, self.expiries)
