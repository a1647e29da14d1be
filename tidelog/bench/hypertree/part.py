"""`tidelog bench hypertree`: the series of each workload, and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tidelog.bench.hypertree import peers, tables
from tidelog.bench.hypertree.series import MODULES, Series, run
from tidelog.bench.hypertree.workloads import WORKLOADS, Workload
from tidelog.bench.options import Options
from tidelog.bench.results import Section

Progress = Callable[[str], None]
Part = Callable[[Options, Progress], list[Section]]

_SCALES = {"tiny": 0.01, "quick": 0.1, "full": 1.0}


def part(options: Options, progress: Progress) -> list[Section]:
    scale = options.scale or _SCALES[options.size]
    sections = []
    for workload in WORKLOADS:
        done = _series(workload, scale, options, progress)
        sections.append(tables.section(workload, done, scale))
    return sections


def _series(workload: Workload, scale: float, options: Options, progress: Progress) -> list[Series]:
    """All systems, each with the same limit for all of its steps; `combined` first, which the others are compared with."""
    done: dict[str, Series] = {}
    for _ in range(workload.repeat):  # interleaved, so that a slow spell of the machine meets all
        for system in (*MODULES, *peers.PEERS):
            if options.systems and system not in options.systems:
                continue
            if system in peers.PEERS and (system in done or not peers.installed(system)):
                continue
            progress(f"{workload.name}: {system}")
            series = run(workload.name, system, scale, options.timeout)
            done[system] = _faster(done[system], series) if system in done else series
    return list(done.values())


def _faster(one: Series, other: Series) -> Series:
    """The best of each step."""
    steps = tuple(min(pair, key=lambda step: step.cpu) for pair in zip(one.steps, other.steps, strict=True))
    return replace(one, steps=steps, problem=one.problem or other.problem)


PARTS: dict[str, tuple[str, Part]] = {
    "hypertree": ("complex rules by join plans and by hypertree decompositions: table 2 of Zhang et al. 2023", part),
}
