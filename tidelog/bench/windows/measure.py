"""A window slides, and one system after another keeps up: what each step takes."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import tidelog
from tidelog.bench.windows.streams import PREDICATE, RULES, Stream, filling, parts, steps

SYSTEMS = {
    "naive": "rematerialise",
    "incremental-volz": "rewriting",
    "incremental-stream": "expiry",
    "ranked": "ranked",
}
"""The paper's names, and ours, with the algorithm that each is here."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How a system kept up."""

    cpu: tuple[float, ...]
    """Processor time of each step, without the first."""
    wall: tuple[float, ...]
    instances: float
    """Rule instances considered in a step."""
    facts: int
    """How many facts there are in the end."""
    changes: tuple[tuple[int, int], ...]
    """How many came and went with each step."""

    @property
    def seconds(self) -> float:
        return fmean(self.cpu)


def measure(stream: Stream, system: str) -> Measured:
    """The first step builds what the algorithm needs, indexes among it, and does not count."""
    background, slides = parts(stream)
    mat = tidelog.Materialisation(RULES)
    mat.update(insert={PREDICATE: background})
    full, leaves = filling(stream, slides)
    mat.advance(slides[stream.ticks - 1].now, {PREDICATE: full}, expires={PREDICATE: leaves})
    mat.algorithm = SYSTEMS[system]
    del full, leaves
    cpu: list[float] = []
    wall: list[float] = []
    instances: list[int] = []
    changes: list[tuple[int, int]] = []
    for slide in steps(stream, slides):
        gc.collect()
        started, cpu_started = time.perf_counter(), time.process_time()
        told = mat.advance(slide.now, {PREDICATE: slide.triples}, expires=slide.leaves)
        cpu.append(time.process_time() - cpu_started)
        wall.append(time.perf_counter() - started)
        instances.append(told.statistics.instances)
        changes.append((len(told.inserted[PREDICATE]), len(told.deleted[PREDICATE])))
    return Measured(tuple(cpu[1:]), tuple(wall[1:]), fmean(instances[1:]), len(mat), tuple(changes))


Found = dict[Stream, dict[str, Measured]]


def systems(wanted: Sequence[str]) -> list[str]:
    """The systems asked for, by either name; all if none is."""
    return [name for name, algorithm in SYSTEMS.items() if not wanted or name in wanted or algorithm in wanted]
