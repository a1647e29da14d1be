"""One instance is enough to prove a fact: of the many that derive it, few are looked at.

In waves: a few matches of each fact in the first join of a plan, then several times as many for those that are not proved by
then.

Thinned out: once a variable has been matched that nothing afterwards needs, bindings that differ by it alone have become equal.
Of each, one goes on. So where a fact has a hundred derivations by ?p, times a hundred by ?q, two hundred are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from tidelog.engines.embedded.compiler import HEAD, Compiled
from tidelog.engines.embedded.intersection import Intersect
from tidelog.engines.embedded.operators import Bindings, Context, Probe, Slots, run
from tidelog.engines.embedded.sets import among
from tidelog.facts.kernel import Mask, Positions, Rows
from tidelog.facts.table import Table, distinct

EXPECTED = 16
"""So many matches of each binding, and"""
FLOOR = 1 << 12
"""so many more of all of them are no cause for anything."""
FIRST_WAVE = 8
GROWTH = 8

Matches: TypeAlias = Iterator[tuple[Compiled, int, Slots]]
"""Rule instances, with the plan that found them."""


class Proved:
    """Heads that need no further instance."""

    def __init__(self) -> None:
        self._rows: dict[Table, list[Rows]] = {}

    def add(self, table: Table, rows: Rows) -> None:
        self._rows.setdefault(table, []).append(rows)

    def lacks(self, table: Table, rows: Rows) -> Mask:
        return ~among(rows, np.concatenate(self._rows.get(table, [rows[:0]])))


def many(matches: int, bindings: int) -> bool:
    """Whether bindings have so many matches that it is worth a thought."""
    return matches > FLOOR + EXPECTED * bindings


def one_each(compiled: Compiled, length: int, slots: Slots, context: Context, proved: Proved) -> Matches:
    """Instances of the heads of some bindings, until each is proved, which is up to the caller, or has no more.

    What stands before the first join only drops bindings.
    """
    operators = compiled.operators
    at = next((number for number, one in enumerate(operators) if isinstance(one, Probe | Intersect)), len(operators))
    for some, some_slots in run(operators[:at], 0, length, slots, context):
        if at == len(operators):
            yield compiled, some, some_slots
            continue
        join = operators[at]
        assert isinstance(join, Probe | Intersect)
        counts = join.counts(some, some_slots)
        if not many(int(counts.sum()), some):
            result = join.apply(some, some_slots, context)
            yield from ((compiled, *found) for found in thinned(compiled, at + 1, result, context))
        else:
            yield from in_waves(compiled, at, counts, some_slots, context, proved)


def in_waves(compiled: Compiled, at: int, counts: Positions, slots: Slots, context: Context, proved: Proved) -> Matches:
    """Some matches of each binding, then more of those whose head is not proved by then."""
    join = compiled.operators[at]
    assert isinstance(join, Probe | Intersect)
    heads = slots[compiled.row_slots[HEAD]]
    begin, size = 0, FIRST_WAVE
    which = np.arange(len(counts))
    while len(which):
        some: Slots = [slot if slot is None else slot.take(which) for slot in slots]
        result = join.window(begin, begin + size, len(which), some, context)
        yield from ((compiled, *found) for found in thinned(compiled, at + 1, result, context))
        begin, size = begin + size, size * GROWTH
        which = which[(counts.take(which) > begin) & proved.lacks(compiled.table, heads.take(which))]


def thinned(compiled: Compiled, at: int, result: Bindings | Iterator[Bindings], context: Context) -> Iterator[Bindings]:
    """`run_on`, with bindings that have become equal taken as one where there are many."""
    for length, slots in (result,) if isinstance(result, tuple) else result:
        if not length:
            continue
        context.statistics.bindings += length
        if length > FLOOR and at - 1 in compiled.narrowing:
            length, slots = _distinct(slots)
        if at == len(compiled.operators):
            yield length, slots
        else:
            yield from thinned(compiled, at + 1, compiled.operators[at].apply(length, slots, context), context)


def _distinct(slots: Slots) -> Bindings:
    """The bindings without repetition; what nothing reads any more is no part of them."""
    used = [number for number, slot in enumerate(slots) if slot is not None]
    if not used:
        return 1, slots
    _, columns = distinct([slots[number] for number in used])
    thin: Slots = [None] * len(slots)  # type: ignore[list-item]  # a slot that is not live is never read
    for number, column in zip(used, columns, strict=True):
        thin[number] = column
    return len(columns[0]), thin
