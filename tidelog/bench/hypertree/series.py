"""One choice of modules, or a peer, on one workload, in a process of its own: `python -m tidelog.bench.hypertree.series JSON`.

Prints a line for each step. The clock runs from the call of `update`, with the facts as arrays, to its return; before the first
small update a few facts have gone and come back, which makes plans and indexes. Memory is what the process took beyond the
facts as arrays. A process that takes longer than its limit is killed: what it was at took more than
the rest of the limit.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tidelog import Materialisation
from tidelog.bench.graphs import Relations
from tidelog.bench.hypertree import peers
from tidelog.bench.hypertree.workloads import Workload, find_workload
from tidelog.bench.process import peak_bytes, resident_bytes
from tidelog.bench.task import checksum

MODULES = ("combined", "hypertree", "standard")
STEPS = ("materialise", "small deletion", "small addition", "large deletion")
_MODULUS = 1 << 64


@dataclass(frozen=True, slots=True)
class Step:
    """One materialisation or update."""

    name: str
    seconds: float
    cpu: float
    counts: Mapping[str, int]
    """Facts of derived predicates."""
    checksum: int | None
    """Of all of these; None where they were only counted."""
    peak: int = 0
    nodes: int = 0
    """Facts of hidden predicates."""
    nodes_bytes: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The steps of one system on one workload."""

    workload: str
    system: str
    scale: float
    limit: float
    steps: tuple[Step, ...] = ()
    spent: float = 0.0
    """If it was given up, the seconds of the step it was at."""
    problem: str = field(default="")

    def step(self, name: str) -> Step | None:
        return next((step for step in self.steps if step.name == name), None)


def run(workload: str, system: str, scale: float, limit: float) -> Series:
    """All steps, or as many as there are within the limit."""
    command = [sys.executable, "-m", "tidelog.bench.hypertree.series", json.dumps([workload, system, scale])]
    steps: list[Step] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if not process.stdout.readline():  # the facts are there, and the clock may run
            return Series(workload, system, scale, limit, problem=_last(process.stderr.read()))
        timer = threading.Timer(limit, process.kill)
        timer.start()
        begun = time.perf_counter()
        for line in process.stdout:
            steps.append(Step(**json.loads(line)))
            begun = time.perf_counter()
        errors = process.stderr.read()
        code = process.wait()
        given_up = code != 0 and not timer.is_alive()
        timer.cancel()
    spent = time.perf_counter() - begun if given_up else 0.0
    problem = _last(errors) or f"exit code {code}" if code and not given_up else ""
    return Series(workload, system, scale, limit, tuple(steps), spent, problem)


def _last(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else ""


def measure(workload: Workload, system: str, scale: float) -> Iterator[Step]:
    """The steps of a choice of modules, or the one step of a peer."""
    if system in peers.PEERS:
        found = peers.PEERS[system](workload, scale)
        print(flush=True)
        yield Step(STEPS[0], *found())
        return
    facts = workload.generate(scale)
    gc.collect()
    idle = resident_bytes()
    print(flush=True)
    mat = Materialisation(workload.program, modules=system)
    small, large = sampled(facts, max(10, round(1000 * scale))), sampled(facts, sum(map(len, facts.values())) // 4)
    changes = ((facts, None), (None, small), (small, None), (None, large))
    for name, (insert, delete) in zip(STEPS, changes, strict=True):
        gc.collect()
        started, cpu = time.perf_counter(), time.process_time()
        statistics = mat.update(insert, delete).statistics
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        peak = max(0, peak_bytes() - idle)
        counts, total = contents(mat, workload)
        nodes, nodes_bytes = mat.nodes
        yield Step(name, seconds, cpu, counts, total, peak, nodes, nodes_bytes, "; ".join(statistics.notes))
        if name == STEPS[0]:  # what updates keep between them comes about with the first
            warm = sampled(facts, len(facts), seed=5)
            mat.update(delete=warm)
            mat.update(insert=warm)


def contents(mat: Materialisation, workload: Workload) -> tuple[dict[str, int], int]:
    """How many facts the derived predicates have, and a checksum of all."""
    total = 0
    for predicate in workload.derived:
        table = mat[predicate].to_arrow()
        if len(table):
            total += checksum(np.stack([column.to_numpy() for column in table.columns], axis=1))
    return {predicate: len(mat[predicate]) for predicate in workload.derived}, total % _MODULUS


def sampled(facts: Relations, size: int, seed: int = 11) -> Relations:
    """So many of all the facts, at random."""
    rng = np.random.default_rng(seed)
    names = list(facts)
    ends = np.cumsum([len(facts[name]) for name in names])
    chosen = np.sort(rng.permutation(int(ends[-1]))[:size])
    parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    starts = ends - [len(facts[name]) for name in names]
    return {name: facts[name][part - start] for name, part, start in zip(names, parts, starts, strict=True) if len(part)}


def _main(arguments: Any) -> None:
    name, system, scale = arguments
    for step in measure(find_workload(name), system, scale):
        print(json.dumps(asdict(step)), flush=True)


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
