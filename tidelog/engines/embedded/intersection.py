"""Match several atoms together: each binding goes on from the atom that has fewest facts for it (`plan.together`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tidelog.engines.embedded.operators import Bindings, Context, Operator, Probe, Slots, run_on, selected
from tidelog.facts.kernel import Positions

ALL = 1 << 62
"""More rows than any binding has."""
_FEW, _LITTLE = 64, 1024
"""For so few bindings with so few rows by the first way, counting those of the others takes longer than what it saves."""


@dataclass(frozen=True, slots=True)
class Way:
    """Begin with one of the atoms, and look the facts of the others up, perhaps passing over some on the way."""

    probe: Probe
    lookups: Sequence[Operator]


class Intersect:
    """Bind a variable by all atoms that have it; the first way is the one expected to be best on average."""

    def __init__(self, ways: Sequence[Way], live: Sequence[int]) -> None:
        self.ways = ways
        self.live = live
        """The slots that some way reads or hands on."""

    def apply(self, length: int, slots: Slots, context: Context) -> Iterator[Bindings]:
        if length <= _FEW:
            way = self.ways[0]
            found = way.probe.find(length, slots)
            if sum(int(counts.sum()) for _, _, counts in found) <= _LITTLE:
                return self._look_up(way, way.probe.follow(found, length, slots, context), context)
        return self.window(0, ALL, length, slots, context)

    def window(self, first: int, last: int, length: int, slots: Slots, context: Context) -> Iterator[Bindings]:
        """Go on only with some of the rows that there are for each binding: those from number `first` to `last`."""
        for way, chosen in zip(self.ways, self._shares(length, slots), strict=True):
            if len(chosen):
                some = slots if len(chosen) == length else selected(slots, self.live, chosen)
                probe = way.probe.window(first, last, len(chosen), some, context)
                yield from self._look_up(way, probe, context)

    def counts(self, length: int, slots: Slots) -> Positions:
        """How many rows, present or not, each binding would go on with."""
        fewest: Positions = self._of_each(length, slots).min(axis=0)
        return fewest

    def _shares(self, length: int, slots: Slots) -> Iterator[Positions]:
        """For each way the bindings for which its atom has fewest facts."""
        counts = self._of_each(length, slots)
        shortest, hopeful = counts.argmin(axis=0), counts.min(axis=0) > 0
        return (((shortest == number) & hopeful).nonzero()[0] for number in range(len(self.ways)))

    def _of_each(self, length: int, slots: Slots) -> Positions:
        return np.stack([way.probe.counts(length, slots) for way in self.ways])

    def _look_up(self, way: Way, probed: Bindings | Iterator[Bindings], context: Context) -> Iterator[Bindings]:
        for found, found_slots in run_on(way.lookups, 0, probed, context):
            context.statistics.bindings -= found  # whoever runs this operator counts them
            yield found, found_slots
