"""Hubs: facts that so many others meet that an order of atoms fit for the average is hopeless for them.

In `s(?y, ?z) :- r(?x, ?y), r(?x, ?z)`, Example 38 of Motik et al. 2019, everything meets in one constant b. Whether `s(c, b)`
can be derived is one look-up for who begins with the few x of c, and a hundred thousand for who begins with those of b. A plan
has one order for all its bindings. So where the first match of a plan would multiply the bindings out of all proportion, each
binding goes the way that is shortest for it: by the plan that begins with the atom of which it matches the fewest facts.

Whether a fact can be derived takes one instance, not all. Where every way is long, as for `s(b, b)`, the instances are
therefore tried in waves, each of several times as many as the one before, and who has been proved takes no further part.

Every plan of a pivot gives the same instances, so each is still found exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from tidelog.engines.embedded.compiler import HEAD, Compiled
from tidelog.engines.embedded.intersection import Intersect
from tidelog.engines.embedded.operators import Bindings, Context, Found, Probe, Slots, run, run_on
from tidelog.facts.kernel import Mask, Positions, Rows
from tidelog.facts.table import Table

_EXPECTED = 16
"""So many matches of each binding, and"""
_FLOOR = 1 << 12
"""so many more of all of them are no cause for anything."""
_FIRST_WAVE = 64
_GROWTH = 8

Matches: TypeAlias = Iterator[tuple[Compiled, int, Slots]]
"""Rule instances, with the plan that found them."""


class Proved:
    """Heads that need no further instance."""

    def __init__(self) -> None:
        self._rows: dict[Table, list[Rows]] = {}

    def add(self, table: Table, rows: Rows) -> None:
        self._rows.setdefault(table, []).append(rows)

    def lacks(self, table: Table, rows: Rows) -> Mask:
        proved = self._rows.get(table)
        return np.isin(rows, np.concatenate(proved), invert=True) if proved else np.ones(len(rows), np.bool_)


def matches(
    compiled: Compiled,
    length: int,
    slots: Slots,
    context: Context,
    others: Callable[[Compiled], Sequence[Compiled]],
    proved: Proved | None = None,
) -> Matches:
    """The rule instances that a plan finds for the bindings of its pivot.

    `others` gives the plans that begin with another atom. With `proved`, which the caller fills, one instance of each head is
    enough.
    """
    first = compiled.operators[0] if compiled.operators else None
    if isinstance(first, Intersect) and proved is not None and length:
        counts = first.counts(length, slots)
        if int(counts.sum()) > _FLOOR + _EXPECTED * length:
            yield from _in_waves_together(compiled, counts, slots, context, proved)
            return
    if not isinstance(first, Probe) or not length:
        yield from ((compiled, *found) for found in run(compiled.operators, 0, length, slots, context))
        return
    found = first.find(length, slots)
    if _total(found) <= _FLOOR + _EXPECTED * length:
        yield from _follow(compiled, found, length, slots, context)
        return
    ways = [(compiled, found)]
    for other in others(compiled):
        probe = other.operators[0]
        assert isinstance(probe, Probe)
        ways.append((other, probe.find(length, slots)))
    shortest = np.argmin([_counts(found, length) for _, found in ways], axis=0)
    for number, (way, found) in enumerate(ways):
        which = np.flatnonzero(shortest == number)
        if len(which):
            part, part_slots = _narrow(found, which), [None if slot is None else slot.take(which) for slot in slots]
            if proved is None:
                yield from _follow(way, part, len(which), part_slots, context)
            else:
                yield from _in_waves(way, part, len(which), part_slots, context, proved)


def _follow(compiled: Compiled, found: Found, length: int, slots: Slots, context: Context) -> Matches:
    first = compiled.operators[0]
    assert isinstance(first, Probe)
    result: Bindings | Iterator[Bindings] = first.follow(found, length, slots, context)
    yield from ((compiled, *instances) for instances in run_on(compiled.operators, 1, result, context))


def _in_waves(compiled: Compiled, found: Found, length: int, slots: Slots, context: Context, proved: Proved) -> Matches:
    """Some matches of each binding, then more of those whose head is not proved by then."""
    heads = slots[compiled.row_slots[HEAD]]
    counts = _counts(found, length)
    begin, size = 0, _FIRST_WAVE
    which = np.arange(length)
    while len(which):
        wave = [(run_, starts + begin, np.clip(here - begin, 0, size)) for run_, starts, here in _narrow(found, which)]
        some = [None if slot is None else slot.take(which) for slot in slots]
        yield from _follow(compiled, wave, len(which), some, context)
        begin, size = begin + size, size * _GROWTH
        which = which[(counts.take(which) > begin) & proved.lacks(compiled.table, heads.take(which))]


def _in_waves_together(compiled: Compiled, counts: Positions, slots: Slots, context: Context, proved: Proved) -> Matches:
    """The same where a plan begins with atoms that are matched together, which go the shortest way by themselves."""
    first = compiled.operators[0]
    assert isinstance(first, Intersect)
    heads = slots[compiled.row_slots[HEAD]]
    begin, size = 0, _FIRST_WAVE
    which = np.arange(len(counts))
    while len(which):
        some = [None if slot is None else slot.take(which) for slot in slots]
        found = first.window(begin, begin + size, len(which), some, context)
        yield from ((compiled, *instances) for instances in run_on(compiled.operators, 1, found, context))
        begin, size = begin + size, size * _GROWTH
        which = which[(counts.take(which) > begin) & proved.lacks(compiled.table, heads.take(which))]


def _total(found: Found) -> int:
    return sum(int(counts.sum()) for _, _, counts in found)


def _counts(found: Found, length: int) -> Positions:
    """How many matches each binding has."""
    return sum((counts for _, _, counts in found), np.zeros(length, np.int64))


def _narrow(found: Found, which: Positions) -> Found:
    return [(run_, starts.take(which), counts.take(which)) for run_, starts, counts in found]
