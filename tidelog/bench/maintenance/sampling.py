"""Which facts an update deletes or inserts.

All samplings are *stable*, as the paper asks (section 10.1): with the same seed, a smaller sample is the beginning of a larger.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tidelog.bench.graphs import Rows


def uniform(rows: Rows, size: int, seed: int) -> Rows:
    """Facts at random, without replacement."""
    chosen: Rows = rows[np.random.default_rng(seed).permutation(len(rows))[:size]]
    return chosen


def walk(rows: Rows, size: int, seed: int) -> Rows:
    """Facts met on a random walk from first columns to last ones, begun anew at dead ends and where it has been before."""
    rng = np.random.default_rng(seed)
    by_source = rows[np.argsort(rows[:, 0], kind="stable")]
    sources = by_source[:, 0]
    met: dict[int, None] = {}
    at = int(rng.integers(len(rows)))
    while len(met) < min(size, len(rows)):
        fresh = at not in met
        met[at] = None
        first, end = np.searchsorted(sources, by_source[at, -1], "left"), np.searchsorted(sources, by_source[at, -1], "right")
        at = int(rng.integers(first, end)) if fresh and first < end else int(rng.integers(len(rows)))
    chosen: Rows = by_source[list(met)]
    return chosen


def keeping(rows: Rows, size: int, seed: int) -> Rows:
    """Of a `clique`: edges without which it stays whole."""
    return uniform(rows[rows[:, 0] < rows[:, 1]], size, seed)


def breaking(rows: Rows, size: int, seed: int) -> Rows:
    """Of a `clique`: the bridge between its halves, whatever the seed."""
    half = (int(rows.max()) + 1) // 2
    bridge: Rows = rows[(rows[:, 0] == half) & (rows[:, 1] == 0)]
    return bridge


SAMPLINGS: dict[str, Callable[[Rows, int, int], Rows]] = {
    "uniform": uniform,
    "walk": walk,
    "keeping": keeping,
    "breaking": breaking,
}
