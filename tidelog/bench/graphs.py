"""Relations for the benchmarks, made from a seed: graphs, family trees, programs to analyse.

Every generator returns its relations as a dictionary from predicate to an integer array with one row per fact, sorted and
without repetition, so that the same seed gives the same bytes everywhere. All arithmetic is numpy's: a million facts take
well under a second.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]
Relations: TypeAlias = dict[str, Rows]


def random_graph(nodes: int, edges: int, seed: int = 7) -> Relations:
    """`edge(x, y)`: as many distinct random edges as asked for; self-loops may occur."""
    rng = np.random.default_rng(seed)
    picks = rng.choice(nodes * nodes, size=edges, replace=False)
    return {"edge": distinct(picks // nodes, picks % nodes)}


def chain(nodes: int) -> Relations:
    """`edge(i, i + 1)` along one path, and `source(0)`: reachability finds one new fact a round."""
    steps = np.arange(nodes - 1)
    return {"edge": distinct(steps, steps + 1), "source": distinct(np.zeros(1, dtype=np.int64))}


def family(people: int, generations: int, seed: int = 7) -> Relations:
    """`parent(child, parent)`: people in equal generations, each with two random parents one generation up."""
    rng = np.random.default_rng(seed)
    size = people // generations
    children = np.repeat(np.arange(size, size * generations), 2)
    parents = (children // size - 1) * size + rng.integers(0, size, len(children))
    return {"parent": distinct(children, parents)}


def pointers(variables: int, seed: int = 7) -> Relations:
    """The pointer statements of a program: `y = &x`, `y = z`, `y = *x`, `*y = x`, each a relation over variables.

    Variables come in functions of 40; nine statements of ten stay within a function, the others reach a variable anywhere,
    a low-numbered one (a global) more probably. Half as many statements as variables are copies, a fifth each take an
    address, load and store: the mix of small C programs.
    """
    rng = np.random.default_rng(seed)
    function = 40

    def statements(share: float) -> Rows:
        count = int(variables * share)
        left = rng.integers(0, variables, count)
        near = np.minimum(left // function * function + rng.integers(0, function, count), variables - 1)
        far = (variables * rng.random(count) ** 3).astype(np.int64)
        return distinct(left, np.where(rng.random(count) < 0.9, near, far))

    shares = {"address_of": 0.2, "assign": 0.5, "load": 0.2, "store": 0.2}
    return {predicate: statements(share) for predicate, share in shares.items()}


def distinct(*columns: Rows) -> Rows:
    """The distinct rows of some columns, sorted."""
    rows = np.stack(columns, axis=1).astype(np.int64)
    rows = rows[np.lexsort(rows.T[::-1])]
    if len(rows) == 0:
        return rows
    fresh = np.concatenate([[True], (rows[1:] != rows[:-1]).any(axis=1)])
    kept: Rows = rows[fresh]
    return kept
