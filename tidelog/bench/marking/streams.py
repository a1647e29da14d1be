"""The paper's programs and update streams.

The synthetic streams cannot be made anew, since their random numbers are not known, so they are kept, packed: an update only
deletes what is there and inserts what is not, which makes it the set of edges that it turns over. `NAME.xz` holds 16-bit
numbers, little end first: for each seed, size and update how many edges it turns over, then the gaps between their codes, in
order; the code of an edge from x to y in a graph of n nodes is n x + y.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tidelog.stream.sources import END, LATER, Signal

SEEDS = (1, 2, 3)
SIZES = (10, 20, 30, 40, 50, 60, 70, 80)
TRACKS = (0, 2)
UPDATES = 50

TRANS, SEQ, MAP = "P_trans", "P_seq", "P_map"
RULES = {
    TRANS: """
        path(?x, ?y) :- edge(?x, ?y) .
        path(?x, ?z) :- edge(?x, ?y), path(?y, ?z) .
    """,
    SEQ: """
        edge1(?x, ?y) :- edge(?x, ?y) .
        edge2(?x, ?y) :- edge1(?x, ?y) .
        edge3(?x, ?y) :- edge2(?x, ?y) .
        edge4(?x, ?y) :- edge3(?x, ?y) .
    """,
    MAP: """
        connection(?z1, ?z2) :- nextInWay(?x, ?y1, ?z1), nextInWay(?x, ?y2, ?z2), ?z1 != ?z2 .
        connection(?z1, ?z2) :- nextInWay(?x, ?y1, ?z1), nextInWay(?x2, ?x, ?z2), ?z1 != ?z2 .
        connection(?z1, ?z2) :- nextInWay(?x1, ?y, ?z1), nextInWay(?y, ?y2, ?z2), ?z1 != ?z2 .
        connection(?z1, ?z2) :- nextInWay(?x1, ?y, ?z1), nextInWay(?x2, ?y, ?z2), ?z1 != ?z2 .
        connection(?x, ?z) :- connection(?x, ?y), connection(?y, ?z) .
    """,
}
"""Figures 1 and 2 of the paper."""
NODES = {TRANS: 20, SEQ: 100}
_PACKED = {TRANS: "trans.xz", SEQ: "seq.xz"}

Update: TypeAlias = dict[str, dict[str, list[tuple[int, ...]]]]
"""As `Materialisation.follow` takes it."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A program, and the updates of its facts."""

    program: str
    size: int
    """How many facts an update inserts and deletes; of a track, its number."""
    seed: int = 0

    @property
    def name(self) -> str:
        return f"track {self.size}" if self.program == MAP else f"{self.program} {self.size}, seed {self.seed}"

    @property
    def updates(self) -> list[Update]:
        return _track(self.size) if self.program == MAP else _synthetic(self.program)[self.seed, self.size]


def streams(sizes: Iterable[int] = SIZES, seeds: Iterable[int] = SEEDS) -> list[Stream]:
    """The streams of all programs; of the synthetic ones those of some sizes and seeds."""
    seeds = tuple(seeds)
    synthetic = [Stream(program, size, seed) for program in (TRANS, SEQ) for size in sizes for seed in seeds]
    return [*synthetic, *(Stream(MAP, track) for track in TRACKS)]


class Backlog:
    """A source as in the paper's experiments: all updates are there, but the second comes when the first is done."""

    def __init__(self, updates: Iterable[Update]) -> None:
        self._updates = iter(updates)
        self._taken = 0

    def take(self, wait: bool) -> Update | Signal:
        if self._taken == 1 and not wait:
            return LATER
        self._taken += 1
        return next(self._updates, END)


def _packed(name: str) -> bytes:
    return lzma.decompress(files(__package__).joinpath("data", name).read_bytes())


@cache
def _track(number: int) -> list[Update]:
    lines = _packed(f"track_{number}.ndjson.xz").splitlines()
    return [{part: _by_predicate(update[part]) for part in ("delete", "insert")} for update in map(json.loads, lines)]


def _by_predicate(facts: Iterable[list[Any]]) -> dict[str, list[tuple[int, ...]]]:
    found: dict[str, list[tuple[int, ...]]] = {}
    for predicate, *terms in facts:
        found.setdefault(predicate, []).append(tuple(terms))
    return found


@cache
def _synthetic(program: str) -> dict[tuple[int, int], list[Update]]:
    numbers = np.frombuffer(_packed(_PACKED[program]), "<u2").astype(np.int64)
    turned = _groups(numbers)
    return {(seed, size): list(_turning(program, turned)) for seed in SEEDS for size in SIZES}


def _groups(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The codes of each update in turn."""
    at = 0
    while at < len(numbers):
        end = at + 1 + int(numbers[at])
        yield np.cumsum(numbers[at + 1 : end] + 1) - 1
        at = end


def _turning(program: str, turned: Iterator[NDArray[np.int64]]) -> Iterator[Update]:
    """The next `UPDATES` updates, of a graph that has no edges yet."""
    there = np.zeros(NODES[program] ** 2, np.bool_)
    for _ in range(UPDATES):
        codes = next(turned)
        deleted, inserted = codes[there[codes]], codes[~there[codes]]
        there[codes] = ~there[codes]
        yield {"delete": _edges(program, deleted), "insert": _edges(program, inserted)}


def _edges(program: str, codes: NDArray[np.int64]) -> dict[str, list[tuple[int, ...]]]:
    return {"edge": list(zip(*(part.tolist() for part in np.divmod(codes, NODES[program])), strict=True))} if len(codes) else {}
