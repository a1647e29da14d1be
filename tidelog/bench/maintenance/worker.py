"""The process behind a job: `python -m tidelog.bench.maintenance.worker JOB`, a job as JSON.

Prints a line about the first materialisation and one for each update. The clock runs from the call of `update`, with the facts
as an array, to its return, so with encoding and with the change feed. Before the clock runs, the algorithm has what it keeps
between updates (ranks, counters, the indexes it looks up by), which a deletion and insertion of one fact bring about.

States are checked by a checksum of all facts: it is a sum over facts, so the change feed updates it, outside the clock. It is
taken from the facts themselves at the end of each series, and where there are few facts after every update.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np
import pyarrow as pa

import tidelog
from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance, find_instance
from tidelog.bench.maintenance.job import DELETE, INSERT, Job, Measured
from tidelog.bench.maintenance.sampling import SAMPLINGS
from tidelog.bench.task import checksum

ANEW, AUTO = "rematerialise", "auto"
_FEW = 200_000
_MODULUS = 1 << 64
WARM = 1_000_003
"""The seed of the fact that warms up."""


@dataclass(slots=True)
class Subject:
    """A materialisation under test, and the checksum that its change feed says it has."""

    materialisation: tidelog.Materialisation
    predicate: str
    sum: int = 0
    start: float = 0.0

    @classmethod
    def new(cls, instance: Instance, rows: Rows, strata: str, modules: str) -> Subject:
        program = tidelog.Program.parse(instance.rules)
        started = time.perf_counter()
        materialisation = tidelog.Materialisation(program, strata=strata, modules=modules)
        materialisation.update(insert={instance.predicate: rows})
        subject = cls(materialisation, instance.predicate, start=time.perf_counter() - started)
        subject.sum = subject.full_sum()
        return subject

    def full_sum(self) -> int:
        mat = self.materialisation
        return sum(_sum(mat[predicate].to_arrow()) for predicate in mat.predicates) % _MODULUS

    def prepare(self, algorithm: str, warm: Rows) -> None:
        """What the algorithm keeps between updates is there, and its code is warm."""
        self.materialisation.algorithm = algorithm
        if algorithm != ANEW:
            self.apply(DELETE, warm)
            self.apply(INSERT, warm)

    def apply(self, kind: str, rows: Rows, algorithm: str = "", size: int = 0, sample: int = 0) -> Measured:
        mat = self.materialisation
        facts = {self.predicate: rows}
        gc.collect()
        started, cpu = time.perf_counter(), time.process_time()
        changes = mat.update(delete=facts) if kind == DELETE else mat.update(insert=facts)
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        for sign, relations in ((1, changes.inserted), (-1, changes.deleted)):
            self.sum += sign * sum(_sum(relation.to_arrow()) for relation in relations.values())
        self.sum %= _MODULUS
        statistics = changes.statistics
        phases = {str(phase): int(count) for phase, count in statistics.instances_by_phase.items()}
        note = f"{statistics.algorithm}: {statistics.reason}" if algorithm == AUTO else ""
        if len(mat) <= _FEW:
            self.check()
        return Measured(algorithm, kind, size, sample, seconds, cpu, statistics.instances, phases, len(mat), self.sum, note)

    def check(self) -> None:
        if self.full_sum() != self.sum:
            raise AssertionError(f"{self.materialisation.algorithm}: the change feed does not say what has changed")


def _sum(table: pa.Table) -> int:
    if not len(table):
        return 0
    return checksum(np.stack([column.to_numpy() for column in table.columns], axis=1))


@dataclass(slots=True)
class Pace:
    """Whether an algorithm shall go on: within its patience, and, where there is a limit, not hopelessly slow."""

    job: Job
    spent: dict[tuple[str, int], float] = field(default_factory=dict)
    worst: dict[str, float] = field(default_factory=dict)
    anew: float = 0.0

    def goes_on(self, algorithm: str, size: int) -> bool:
        job = self.job
        if job.limit and algorithm != ANEW and self.anew and self.worst.get(algorithm, 0) > job.limit * self.anew:
            return False
        return self.spent.get((algorithm, size), 0) < job.patience

    def take(self, measured: Measured, spent: float) -> None:
        key = (measured.algorithm, measured.size)
        self.spent[key] = self.spent.get(key, 0) + spent
        self.worst[measured.algorithm] = measured.seconds
        if measured.algorithm == ANEW:
            self.anew = measured.seconds


def order(job: Job) -> Iterator[tuple[int, int, str]]:
    """Sizes, samples and algorithms in the order in which they are measured."""
    for size in job.sizes:
        if job.interleaved:
            yield from ((size, sample, algorithm) for sample in range(job.samples) for algorithm in job.algorithms)
        else:
            yield from ((size, sample, algorithm) for algorithm in job.algorithms for sample in range(job.samples))


def measure(job: Job) -> Iterator[dict[str, object]]:
    """The first materialisation, then each update in turn."""
    instance = find_instance(job.instance)
    rows = instance.generate(**job.parameters)[instance.predicate]
    subject = Subject.new(instance, rows, job.strata, job.modules)
    yield {"start": subject.start, "explicit": len(rows), "facts": len(subject.materialisation)}
    subjects = {False: subject}
    pace = Pace(job)
    for size, sample, algorithm in order(job):
        if not pace.goes_on(algorithm, size):
            continue
        if algorithm == AUTO and True not in subjects:  # it learns from its own updates only
            subjects[True] = Subject.new(instance, rows, job.strata, job.modules)
        chosen = subjects[algorithm == AUTO]
        started = time.perf_counter()
        chosen.prepare(algorithm, SAMPLINGS[job.sampling](rows, 1, WARM))
        facts = SAMPLINGS[job.sampling](rows, size, sample)
        for kind in (DELETE, INSERT):
            measured = chosen.apply(kind, facts, algorithm, size, sample)
            pace.take(measured, time.perf_counter() - started)
            started = time.perf_counter()
            yield asdict(measured)
    for one in subjects.values():
        one.check()


if __name__ == "__main__":
    data = json.loads(sys.argv[1])
    for answer in measure(Job(**{**data, "algorithms": tuple(data["algorithms"]), "sizes": tuple(data["sizes"])})):
        print(json.dumps(answer), flush=True)
