"""The benchmark by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from math import isqrt
from typing import NamedTuple

from tidelog.bench.options import Options
from tidelog.bench.results import Section
from tidelog.bench.spark import tables
from tidelog.bench.spark.systems import Found
from tidelog.bench.spark.worker import Task, measured

Progress = Callable[[str], None]


class Key(NamedTuple):
    """One measurement."""

    system: str
    what: str
    number: int
    """How many hubs, or chains."""
    master: str | None


LOCAL, CLUSTER = "local[2]", "local-cluster[2,1,1024]"


@dataclass(frozen=True, slots=True)
class Size:
    """How large the inputs are."""

    nodes: int
    chains: tuple[int, ...]
    """How many chains the base of small updates has."""
    star: int
    """How many edges leave hubs."""
    length: int = 8
    """How many nodes a chain has."""
    times: int = 6


SIZES = {
    "tiny": Size(30, (20, 40), 200, times=2),
    "quick": Size(400, (500, 2000, 8000), 20_000),
    "full": Size(4000, (4000, 16_000, 64_000), 1_000_000),
}


def spark(options: Options, progress: Progress) -> list[Section]:
    if find_spec("pyspark") is None:
        return [Section("Spark", problems=("pyspark is not installed: pip install 'tidelog[spark]'",))]
    size, masters = SIZES[options.size], [LOCAL] if options.size == "tiny" else [LOCAL, CLUSTER]
    nodes = options.settings.get("nodes", size.nodes)
    edges, star = options.settings.get("edges", nodes * 3 // 2), options.settings.get("star", size.star)
    wanted = options.systems or ("spark", "loop", "embedded")

    tasks: dict[Key, Task] = {}
    for system in ("spark", "loop", "embedded"):
        for master in _masters(system, masters):
            own = {"system": system, "master": master}
            tasks[Key(system, "closure", 0, master)] = {**own, "nodes": nodes, "edges": edges}
            for hubs in (1, isqrt(star)) if system == "spark" else ():
                tasks[Key(system, "stars", hubs, master)] = {**own, "edges": star, "hubs": hubs}
            for base in size.chains if system != "loop" and master != CLUSTER else ():
                tasks[Key(system, "updates", base, master)] = {**own, "base": base, "length": size.length, "times": size.times}
    found: dict[Key, Found | str] = {}
    for system, master in dict.fromkeys((key.system, key.master) for key in tasks if key.system in wanted):
        keys = [key for key in tasks if (key.system, key.master) == (system, master)]
        progress(f"spark: {system}{f' on {master}' if master else ''}, {len(keys)} measurements")
        named = [{"what": key.what, **tasks[key]} for key in keys]
        found |= dict(zip(keys, measured(named, 8 * options.timeout), strict=True))
    closures = {(key.system, key.master): one for key, one in found.items() if key.what == "closure"}
    chains = {(key.system, key.number): one for key, one in found.items() if key.what == "updates"}
    stars = {(key.number, str(key.master)): one for key, one in found.items() if key.what == "stars"}
    return [
        tables.closures(nodes, edges, closures, full=(nodes, edges) == (4000, 6000)),
        *tables.rounds(closures),
        tables.grown(size.length, chains),
        tables.stars(star, stars),
    ]


def _masters(system: str, masters: list[str]) -> list[str | None]:
    """Where a system runs."""
    if system == "embedded":
        return [None]
    return [*masters] if system == "spark" else [LOCAL]


PARTS = {"spark": ("the Spark engine, beside a loop over DataFrames and the embedded engine", spark)}
