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

import numpy as np

from tidelog.engines.embedded.compiler import Compiled
from tidelog.engines.embedded.existence import Matches, Proved, in_waves, many, one_each, thinned
from tidelog.engines.embedded.operators import Bindings, Context, Found, Probe, Slots, run, run_on
from tidelog.facts.kernel import Positions


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
    if proved is not None and not isinstance(first, Probe):
        yield from one_each(compiled, length, slots, context, proved)
        return
    if not isinstance(first, Probe) or not length:
        yield from ((compiled, *found) for found in run(compiled.operators, 0, length, slots, context))
        return
    found = first.find(length, slots)
    if not many(_total(found), length):
        yield from _follow(compiled, found, length, slots, context, proved)
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
                yield from _follow(way, part, len(which), part_slots, context, proved)
            else:
                yield from in_waves(way, 0, _counts(part, len(which)), part_slots, context, proved)


def _follow(compiled: Compiled, found: Found, length: int, slots: Slots, context: Context, proved: Proved | None) -> Matches:
    first = compiled.operators[0]
    assert isinstance(first, Probe)
    result: Bindings | Iterator[Bindings] = first.follow(found, length, slots, context)
    further = run_on(compiled.operators, 1, result, context) if proved is None else thinned(compiled, 1, result, context)
    yield from ((compiled, *instances) for instances in further)


def _total(found: Found) -> int:
    return sum(int(counts.sum()) for _, _, counts in found)


def _counts(found: Found, length: int) -> Positions:
    """How many matches each binding has."""
    return sum((counts for _, _, counts in found), np.zeros(length, np.int64))


def _narrow(found: Found, which: Positions) -> Found:
    return [(run_, starts.take(which), counts.take(which)) for run_, starts, counts in found]
