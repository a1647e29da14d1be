"""What slides through the window: triples of trees, all of one transitive property, in any order.

As in the paper, all trees are of one depth, their triples form a pool, some of them are background that stays, and the rest is
streamed. The paper does not say how many children a node has; here they are two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

RULES = "isIn(?x, ?z) :- isIn(?x, ?y), isIn(?y, ?z) ."
PREDICATE = "isIn"
BACKGROUND = 10
"""The background has a fact for so many in the window."""

Edges = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Stream:
    """A window of so many triples, of which so many are exchanged at each step."""

    window: int
    step: int
    depth: int = 4
    steps: int = 5

    @property
    def share(self) -> float:
        return self.step / self.window

    @property
    def ticks(self) -> int:
        """How many steps a triple stays; the window holds the triples of so many."""
        return self.window // self.step


@dataclass(frozen=True, slots=True)
class Slide:
    """What enters at a time, and until when it stays."""

    now: int
    triples: Edges
    leaves: float


def pool(stream: Stream) -> Edges:
    """Enough trees, shuffled: the background, what is in the window at first, and what comes then."""
    per_tree = 2 ** (stream.depth + 1) - 2
    needed = stream.window // BACKGROUND + stream.step * (stream.ticks + stream.steps + 1)
    first = np.arange(-(-needed // per_tree))[:, None] * (per_tree + 1)
    child = np.arange(1, per_tree + 1)
    edges = np.stack([(first + child).ravel(), (first + (child - 1) // 2).ravel()], axis=1)
    return np.random.default_rng(1).permutation(edges)[:needed]


def parts(stream: Stream) -> tuple[Edges, list[Slide]]:
    """The background, and the slides: those that fill the window, one to warm up, then those that are measured."""
    triples = pool(stream)
    background = stream.window // BACKGROUND
    slides = [
        Slide(tick, triples[start : start + stream.step], float(tick + stream.ticks))
        for tick, start in enumerate(range(background, len(triples) - stream.step + 1, stream.step))
    ]
    return triples[:background], slides


def filling(stream: Stream, slides: list[Slide]) -> tuple[Edges, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The slides that fill the window as one."""
    some = slides[: stream.ticks]
    return np.concatenate([slide.triples for slide in some]), np.repeat([slide.leaves for slide in some], stream.step)


def steps(stream: Stream, slides: list[Slide]) -> Iterator[Slide]:
    return iter(slides[stream.ticks :])
