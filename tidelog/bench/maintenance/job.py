"""A series of measurements in a process of its own: what is asked of it, and what it answers, line by line."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

GRANULAR, SINGLE = "granular", "single"
DELETE, INSERT = "delete", "insert"


@dataclass(frozen=True, slots=True)
class Job:
    """Delete samples of explicit facts and insert them again, with each of some algorithms."""

    instance: str
    parameters: Mapping[str, int]
    algorithms: tuple[str, ...]
    sizes: tuple[int, ...]
    """How many facts an update has; a series for each."""
    samples: int = 30
    sampling: str = "uniform"
    strata: str = GRANULAR
    modules: str = "combined"
    interleaved: bool = False
    """Every algorithm on a sample before the next sample, so that a slow spell of the machine meets all? Else one algorithm
    after the other."""
    patience: float = 60.0
    """Seconds for an algorithm's series: no further sample is begun after them."""
    limit: float = 0.0
    """With a limit, an algorithm gets no larger size once it takes so many times as long as materialising anew."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One update."""

    algorithm: str
    kind: str
    size: int
    sample: int
    seconds: float
    cpu: float
    """Processor seconds, which a busy machine changes less."""
    derivations: int
    phases: Mapping[str, int]
    facts: int
    checksum: int
    """Of all facts after the update."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """All that a job answered."""

    job: Job
    explicit: int = 0
    facts: int = 0
    start: float = 0.0
    """Seconds of the first materialisation."""
    measured: tuple[Measured, ...] = ()
    problems: tuple[str, ...] = field(default=())

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Series:
        job = Job(**{**data["job"], "algorithms": tuple(data["job"]["algorithms"]), "sizes": tuple(data["job"]["sizes"])})
        measured = tuple(Measured(**item) for item in data["measured"])
        return cls(**{**data, "job": job, "measured": measured, "problems": tuple(data["problems"])})

    def of(self, algorithm: str, kind: str, size: int | None = None) -> list[Measured]:
        return [m for m in self.measured if (m.algorithm, m.kind) == (algorithm, kind) and size in (None, m.size)]


def run(job: Job, timeout: float) -> Series:
    """The job done, or as much of it as was within the timeout."""
    command = [sys.executable, "-m", "tidelog.bench.maintenance.worker", json.dumps(asdict(job))]
    head: dict[str, Any] = {}
    measured, problems = [], []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(timeout, process.kill)
        timer.start()
        for line in _lines(process):
            if "start" in line:
                head = line
            else:
                measured.append(Measured(**line))
        errors = process.stderr.read().strip() if process.stderr else ""
        process.wait()
        given_up = not timer.is_alive()
        timer.cancel()
    if given_up:
        problems.append(f"given up after {timeout:g} s, at {_unfinished(job, measured)}")
    elif process.returncode:
        problems.append(errors.splitlines()[-1] if errors else f"exit code {process.returncode}")
    problems.extend(disagreements(measured))
    return Series(job, measured=tuple(measured), problems=tuple(problems), **head)


def _lines(process: subprocess.Popen[str]) -> Iterator[dict[str, Any]]:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("{"):
            yield json.loads(line)


def _unfinished(job: Job, measured: list[Measured]) -> str:
    done = {m.algorithm for m in measured}
    return next((name for name in job.algorithms if name not in done), measured[-1].algorithm if measured else "the start")


def disagreements(measured: list[Measured]) -> list[str]:
    """Updates after which two algorithms (rematerialising among them) had different facts."""
    found = []
    states: dict[tuple[str, int, int], Measured] = {}
    for m in measured:
        first = states.setdefault((m.kind, m.size, m.sample), m)
        if (first.facts, first.checksum) != (m.facts, m.checksum):
            found.append(
                f"{m.algorithm} and {first.algorithm} differ after {m.kind} {m.size} (sample {m.sample}): "
                f"{m.facts:,} and {first.facts:,} facts"
            )
    return found
