"""What an update touches: the facts whose presence, explicitness or rank it changes.

That is what has to be written where a materialisation is kept: a fact that was derived again stays, with another rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from tidelog.engines.spark.tables import Row, State, Tables
from tidelog.engines.spark.truth import PRESENT, STATE


class Standing(NamedTuple):
    """How a fact stands."""

    flags: int
    """Of `truth`: present, explicit."""
    rank: int


Touched: TypeAlias = Mapping[str, Mapping[Row, tuple[Standing, Standing]]]
"""By predicate, facts with how they stood and how they stand now."""


def touched(
    tables: Tables, steps: Mapping[int, tuple[State, int]], overwritten: Sequence[tuple[State, int, float, float]]
) -> Touched:
    """What an update touches that sets these flags (by the identity of the state) and has overwritten these ranks."""
    ranks = {id(state): rank for state, rank, *_ in reversed(overwritten)}
    found: dict[str, dict[Row, tuple[Standing, Standing]]] = {}
    for predicate, table in tables.items():
        for row, state in table.met.items():
            was = Standing(state.flags & STATE, ranks.get(id(state), state.rank))
            now = Standing(steps.get(id(state), (state, state.flags))[1] & STATE, state.rank)
            if was.flags != now.flags or (now.flags & PRESENT and was.rank != now.rank):
                found.setdefault(predicate, {})[row] = was, now
    return found
