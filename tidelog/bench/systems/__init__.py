"""Tidelog and its peers: each reads a workload's files, evaluates, and counts the answer.

A system's `prepare` imports the package and translates the rules, untimed, and gives the task to be timed. Every task starts
from the input files and ends with the complete answer in the system's memory (`duckdb` alone only counts it).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tidelog.bench.results import OWN
from tidelog.bench.systems import gringo, nemo, owl, own, sql
from tidelog.bench.task import Task
from tidelog.bench.workloads import Workload
from tidelog.errors import SetupError


@dataclass(frozen=True, slots=True)
class System:
    """A system under comparison; `cannot` says why it is no match for a workload, or None."""

    name: str
    module: str
    what: str
    prepare: Callable[[Workload, Path], Task]
    cannot: Callable[[Workload], str | None]
    slow: bool = False
    derives_more: bool = False

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


SYSTEMS: tuple[System, ...] = (
    System(OWN, "tidelog", "files read and rules evaluated, indexes and ranks kept", own.prepare, own.cannot),
    System("nemo", "nmo_python", "files read and rules evaluated, in one call", nemo.prepare, nemo.cannot),
    System(
        "clingo",
        "clingo",
        "facts read as text, then grounded, which is the evaluation",
        gringo.prepare,
        gringo.cannot,
    ),
    System("duckdb", "duckdb", "one recursive query; the answer is counted, not kept", sql.prepare_query, sql.cannot_query),
    System("duckdb-table", "duckdb", "the same query into a table", sql.prepare_table, sql.cannot_table),
    System("duckdb-loop", "duckdb", "seminaive by hand, a query a round", sql.prepare_loop, sql.cannot_loop),
    System("reasonable", "reasonable", "OWL 2 RL, more than RDFS", owl.prepare_reasonable, owl.cannot, derives_more=True),
    System("owlrl", "owlrl", "RDFS with all axiomatic triples", owl.prepare_owlrl, owl.cannot, slow=True, derives_more=True),
)


def find_system(name: str) -> System:
    for system in SYSTEMS:
        if system.name == name:
            return system
    raise SetupError(f"no system is called {name!r}\n    hint: one of {', '.join(system.name for system in SYSTEMS)}")
