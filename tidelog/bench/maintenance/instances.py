"""The test instances: a program, the generator of its explicit facts, and how large an update of it is.

They stand for those of the paper (Motik et al. 2019, section 10.1) on data that can be made here. `Univ-L` has the
nonrecursive rules of a lower-bound ontology and `Univ-R` recursive ones; `Clique` is what is hard about Claros-LE: a symmetric
and transitive predicate whose clique of n constants has n^3 rule instances; `Join` is Example 38, what is hard about
Reactome-U. The paper deletes 1,000 of many millions of facts; where a generated instance has only thousands, an update is
smaller too, and the tables say how large.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from tidelog.bench import graphs
from tidelog.bench.graphs import Relations
from tidelog.bench.ontology import ID, ONTOLOGY, rules_over_ids
from tidelog.bench.university import university
from tidelog.errors import SetupError

ALGORITHMS = ("ranked", "fbf", "bf", "dred", "counting", "auto", "rematerialise", "rewriting")


@dataclass(frozen=True, slots=True)
class Instance:
    """A program and the one predicate that its explicit facts have."""

    name: str
    title: str
    rules: str
    predicate: str
    generate: Callable[..., Relations]
    sizes: Mapping[str, Mapping[str, int]]
    update: Mapping[str, int]
    """How many facts an update has, by size."""
    omitted: tuple[str, ...] = ("rewriting",)
    """Algorithms that do not get through this instance in any sensible time."""

    @property
    def algorithms(self) -> tuple[str, ...]:
        return tuple(name for name in ALGORITHMS if name not in self.omitted)


def specialised() -> str:
    """One nonrecursive rule for each axiom of the ontology, its classes and properties written in."""
    kind = ID["type"]
    templates = {
        ID["subClassOf"]: f"[?x, {kind}, {{1}}] :- [?x, {kind}, {{0}}] .",
        ID["subPropertyOf"]: "[?x, {1}, ?y] :- [?x, {0}, ?y] .",
        ID["domain"]: f"[?x, {kind}, {{1}}] :- [?x, {{0}}, ?y] .",
        ID["range"]: f"[?y, {kind}, {{1}}] :- [?x, {{0}}, ?y] .",
    }
    return "\n".join(templates[axiom].format(left, right) for left, axiom, right in ONTOLOGY.tolist())


def recursive() -> str:
    """The RDFS rules, and that a part of a part is a part."""
    part, whole = ID["partOf"], ID["memberOf"]
    return (
        rules_over_ids()
        + f"[?x, {part}, ?z] :- [?x, {part}, ?y], [?y, {part}, ?z] .\n"
        + f"[?x, {whole}, ?z] :- [?x, {whole}, ?y], [?y, {part}, ?z] .\n"
    )


def clique(nodes: int, extra: int, seed: int = 7) -> Relations:
    """`same(x, y)`: two halves joined by one bridge, each a random tree with as many edges again as `extra` says.

    Edges of the tree lead from the larger to the smaller node, the extra ones from the smaller to the larger: without any of
    the latter the clique stays whole; without the bridge, from the first node of the second half to node 0, it falls apart.
    """
    rng = np.random.default_rng(seed)
    half = nodes // 2
    children = np.arange(1, nodes)
    first = np.where(children < half, 0, half)  # of its half
    parents = first + (rng.random(nodes - 1) * (children - first)).astype(np.int64)
    parents[half - 1] = 0  # the bridge: children[half - 1] is `half`
    low = rng.integers(0, half - 1, extra)
    high = low + 1 + (rng.random(extra) * (half - 1 - low)).astype(np.int64)
    side = np.where(rng.random(extra) < 0.5, half, 0)
    return {"same": graphs.distinct(np.append(children, low + side), np.append(parents, high + side))}


def hub(spokes: int) -> Relations:
    """Example 38: `r(a_i, b)` and `r(a_i, c_i)`; b is 0, the a are odd, the c even."""
    count = np.arange(spokes)
    a, c = 2 * count + 1, 2 * count + 2
    return {"r": graphs.distinct(np.append(a, a), np.append(np.zeros_like(a), c))}


def _triples(universities: int, departments: int) -> Relations:
    return {"triple": university(universities, departments).triples}


def _universities(quick: tuple[int, int], full: tuple[int, int]) -> dict[str, dict[str, int]]:
    sizes = {"tiny": (1, 1), "quick": quick, "full": full}
    return {size: {"universities": many, "departments": each} for size, (many, each) in sizes.items()}


_TRANSITIVE = "path(?x, ?y) :- edge(?x, ?y) .\npath(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .\n"
_SAME = "same(?y, ?x) :- same(?x, ?y) .\nsame(?x, ?z) :- same(?x, ?y), same(?y, ?z) .\n"
_JOIN = "s(?y, ?z) :- r(?x, ?y), r(?x, ?z) .\n"

_THOUSAND = {"tiny": 20, "quick": 1000, "full": 1000}

INSTANCES: tuple[Instance, ...] = (
    Instance(
        "Univ-L",
        "university data, a nonrecursive rule for each axiom",
        specialised(),
        "triple",
        _triples,
        _universities(quick=(1, 20), full=(8, 20)),
        _THOUSAND,
    ),
    Instance(
        "Univ-R",
        "university data, RDFS rules and transitive parts",
        recursive(),
        "triple",
        _triples,
        _universities(quick=(1, 8), full=(4, 20)),
        _THOUSAND,
    ),
    Instance(
        "Sparse",
        "paths of a sparse random graph",
        _TRANSITIVE,
        "edge",
        graphs.random_graph,
        {"tiny": {"nodes": 60, "edges": 70}, "quick": {"nodes": 800, "edges": 1000}, "full": {"nodes": 4000, "edges": 5000}},
        {"tiny": 5, "quick": 10, "full": 10},
    ),
    Instance(
        "Dense",
        "paths of a dense random graph",
        _TRANSITIVE,
        "edge",
        graphs.random_graph,
        {"tiny": {"nodes": 20, "edges": 80}, "quick": {"nodes": 100, "edges": 1000}, "full": {"nodes": 400, "edges": 4000}},
        {"tiny": 5, "quick": 10, "full": 10},
    ),
    Instance(
        "Clique",
        "a symmetric and transitive predicate",
        _SAME,
        "same",
        clique,
        {"tiny": {"nodes": 16, "extra": 8}, "quick": {"nodes": 80, "extra": 80}, "full": {"nodes": 200, "extra": 200}},
        {"tiny": 1, "quick": 1, "full": 1},
    ),
    Instance(
        "Join",
        "Example 38: a rule whose atoms meet in one constant",
        _JOIN,
        "r",
        hub,
        {"tiny": {"spokes": 50}, "quick": {"spokes": 2000}, "full": {"spokes": 100_000}},
        {"tiny": 5, "quick": 200, "full": 1000},
    ),
)


def find_instance(name: str) -> Instance:
    for instance in INSTANCES:
        if instance.name == name:
            return instance
    raise SetupError(f"no test instance is called {name!r}\n    hint: one of {', '.join(i.name for i in INSTANCES)}")
