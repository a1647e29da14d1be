"""The parts of the benchmark: their jobs, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.bench.maintenance import robustness
from tidelog.bench.maintenance.instances import INSTANCES
from tidelog.bench.maintenance.job import Job, Series, run
from tidelog.bench.options import Options
from tidelog.bench.results import Section

Progress = Callable[[str], None]
Part = Callable[[Options, Progress], list[Section]]


def _samples(options: Options) -> int:
    return {"tiny": 2, "quick": 5, "full": 30}[options.size]


def _patience(options: Options) -> float:
    return {"tiny": 5.0, "quick": 5.0, "full": 20.0}[options.size]


def _run(jobs: Sequence[Job], options: Options, progress: Progress) -> list[Series]:
    done = []
    for job in jobs:
        progress(f"{job.instance}, strata {job.strata}, {job.sampling}")
        done.append(run(job, options.timeout * 5))
    return done


def _robustness(options: Options, progress: Progress) -> list[Section]:
    jobs = robustness.jobs(INSTANCES, options.size, options.systems, _samples(options), _patience(options))
    return robustness.sections(_run(jobs, options, progress))


PARTS: dict[str, tuple[str, Part]] = {
    "maintenance-robustness": ("updates of a few facts: tables 3 to 6 of Motik et al. 2019", _robustness),
}
"""The parts by name, with what each is about."""
