"""The benchmarks: what is computed, from what, and how fast it should be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tidelog.bench import graphs, inputs
from tidelog.bench.graphs import Relations
from tidelog.bench.ontology import RULES, rules_over_ids
from tidelog.bench.targets import Target, ahead, ahead_of_all, at_least, at_most
from tidelog.bench.university import University, university
from tidelog.errors import SetupError

DERIVATIONS, ROWS, ROUND, BYTES = "derivations/s", "rows/s", "µs/round", "bytes/fact"


@dataclass(frozen=True, slots=True)
class Workload:
    """A program, the generator of its input at each size, and the predicate whose facts are the answer."""

    name: str
    title: str
    rules: str
    answer: str
    generate: Callable[..., Relations | University]
    sizes: Mapping[str, Mapping[str, int]]
    targets: tuple[Target, ...] = (ahead_of_all(),)
    measure: str = DERIVATIONS
    """What is counted beside seconds."""
    formats: tuple[str, ...] = ("csv", "lp")
    systems: tuple[str, ...] = ()
    """The systems to compare, if not all that can do it."""

    @property
    def triples(self) -> bool:
        """Is the input N-Triples, not relations of integers?"""
        return self.formats == ("nt",)

    def write(self, directory: Path, size: str, settings: Mapping[str, int]) -> dict[str, int]:
        """Write the input files; returns the parameters that made them."""
        parameters = {**self.sizes[size], **{key: value for key, value in settings.items() if key in self.sizes[size]}}
        inputs.write(self.generate(**parameters), directory, self.formats)
        return parameters


_CLOSURE = """
path(?x, ?y) :- edge(?x, ?y) .
path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
"""
_REACH = """
reach(?x) :- source(?x) .
reach(?y) :- reach(?x), edge(?x, ?y) .
"""
_SAME_GENERATION = """
same(?x, ?y) :- parent(?x, ?p), parent(?y, ?p) .
same(?x, ?y) :- parent(?x, ?p), same(?p, ?q), parent(?y, ?q) .
"""
_POINTS_TO = """
points_to(?y, ?x) :- address_of(?y, ?x) .
points_to(?y, ?x) :- assign(?y, ?z), points_to(?z, ?x) .
points_to(?y, ?w) :- load(?y, ?x), points_to(?x, ?z), points_to(?z, ?w) .
points_to(?z, ?w) :- store(?y, ?x), points_to(?y, ?z), points_to(?x, ?w) .
"""
# Each node is looked up by either column, so an engine that indexes what its rules probe keeps two indexes.
_BOTH_WAYS = """
near(?y) :- start(?x), fact(?x, ?y) .
near(?x) :- start(?y), fact(?x, ?y) .
"""


def _wide_chains(nodes: int, width: int) -> Relations:
    """`width` chains side by side: as many new facts in every round."""
    steps = np.arange((nodes - 1) * width)
    return {"edge": graphs.distinct(steps, steps + width), "source": graphs.distinct(np.arange(width))}


def _facts(rows: int) -> Relations:
    nodes = max(2, rows // 4)
    return {"fact": graphs.random_graph(nodes, rows)["edge"], "start": graphs.distinct(np.zeros(1, dtype=np.int64))}


def _triples_of_ids(universities: int, departments: int) -> Relations:
    return {"triple": university(universities, departments).triples}


def _sizes(tiny: int, quick: int, full: int, key: str, **rest: int) -> dict[str, dict[str, int]]:
    return {size: {key: value, **rest} for size, value in (("tiny", tiny), ("quick", quick), ("full", full))}


_UNIVERSITIES = {
    "tiny": {"universities": 1, "departments": 1},
    "quick": {"universities": 1, "departments": 8},
    "full": {"universities": 8, "departments": 20},
}

WORKLOADS: tuple[Workload, ...] = (
    Workload(
        "closure",
        "paths of a sparse random graph",
        _CLOSURE,
        "path",
        graphs.random_graph,
        {"tiny": {"nodes": 60, "edges": 90}, "quick": {"nodes": 800, "edges": 1200}, "full": {"nodes": 4000, "edges": 6000}},
        (ahead("duckdb"), ahead("nemo", 6), at_least(DERIVATIONS, 10e6)),
    ),
    Workload(
        "closure-dense",
        "paths of a dense random graph",
        _CLOSURE,
        "path",
        graphs.random_graph,
        {"tiny": {"nodes": 20, "edges": 80}, "quick": {"nodes": 150, "edges": 1500}, "full": {"nodes": 400, "edges": 4000}},
    ),
    Workload(
        "same-generation",
        "cousins of any degree in a random family",
        _SAME_GENERATION,
        "same",
        graphs.family,
        _sizes(40, 1000, 4000, "people", generations=10),
    ),
    Workload(
        "points-to",
        "Andersen's analysis of a generated program",
        _POINTS_TO,
        "points_to",
        graphs.pointers,
        _sizes(300, 4000, 10_000, "variables"),
    ),
    Workload(
        "chain",
        "reachability along a chain: one new fact a round",
        _REACH,
        "reach",
        graphs.chain,
        _sizes(30, 1000, 20_000, "nodes"),
        (at_most(ROUND, 200),),
        ROUND,
    ),
    Workload(
        "rdfs",
        "RDFS rules over a university's N-Triples, loading included",
        RULES,
        "triple",
        university,
        _UNIVERSITIES,
        (ahead("nemo"), ahead("reasonable")),
        formats=("nt",),
    ),
    Workload(
        "rdfs-ids",
        "the same rules over triples of integers",
        rules_over_ids(),
        "triple",
        _triples_of_ids,
        _UNIVERSITIES,
    ),
    Workload(
        "load-ntriples",
        "loading N-Triples",
        "",
        "triple",
        university,
        _UNIVERSITIES,
        (at_least(ROWS, 500e3),),
        ROWS,
        ("nt",),
    ),
    *(
        Workload(
            f"load-{name}",
            f"loading pairs of integers from {name.upper() if name == 'csv' else 'Parquet'}",
            "",
            "fact",
            _facts,
            _sizes(1000, 500_000, 5_000_000, "rows"),
            (at_least(ROWS, 5e6),),
            ROWS,
            (name,),
        )
        for name in ("csv", "parquet")
    ),
    Workload(
        "memory",
        "pairs of integers, looked up by either column",
        _BOTH_WAYS,
        "near",
        _facts,
        _sizes(1000, 500_000, 5_000_000, "rows"),
        (at_most(BYTES, 60),),
        BYTES,
    ),
    *(
        Workload(
            f"rounds-{width}",
            f"a chain with {width} new fact{'s' * (width > 1)} a round",
            _REACH,
            "reach",
            _wide_chains,
            _sizes(30, 1000, 5000, "nodes", width=width),
            (at_most(ROUND, 200),) if width == 1 else (),
            ROUND,
            systems=("tidelog",),
        )
        for width in (1, 10, 100, 1000)
    ),
)

GROUPS: dict[str, tuple[str, ...]] = {
    "load": ("load-ntriples", "load-csv", "load-parquet"),
    "rounds": ("rounds-1", "rounds-10", "rounds-100", "rounds-1000"),
}
"""Names for several workloads."""


def find_workload(name: str) -> Workload:
    for workload in WORKLOADS:
        if workload.name == name:
            return workload
    raise SetupError(f"no benchmark is called {name!r}\n    hint: tidelog bench list names them")
