"""The parts of the benchmark: their jobs, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.bench.maintenance import cliques, comparison, growth, plot, robustness, scalability
from tidelog.bench.maintenance.instances import INSTANCES
from tidelog.bench.maintenance.job import Job, Series, run
from tidelog.bench.options import Options
from tidelog.bench.results import Section

Progress = Callable[[str], None]
Part = Callable[[Options, Progress], list[Section]]


def _samples(options: Options) -> int:
    return {"tiny": 2, "quick": 5, "full": 30}[options.size]


def _run(jobs: Sequence[Job], options: Options, progress: Progress) -> list[Series]:
    done = []
    for number, job in enumerate(jobs, 1):
        progress(f"{number} of {len(jobs)}: {job.instance}, strata {job.strata}, {job.sampling}, {', '.join(job.algorithms)}")
        done.append(run(job, options.timeout * 5))
    return done


def _robustness(options: Options, progress: Progress) -> list[Section]:
    patience = 20.0 if options.size == "full" else 5.0
    jobs = robustness.jobs(INSTANCES, options.size, options.systems, _samples(options), patience)
    return robustness.sections(_run(jobs, options, progress))


def _scalability(options: Options, progress: Progress) -> list[Section]:
    series = _run(scalability.jobs(INSTANCES, options.size, options.systems, options.repeat), options, progress)
    if options.plot:
        plot.write(series, options.plot)
    return scalability.sections(series)


def _growth(options: Options, progress: Progress) -> list[Section]:
    samples = min(10, _samples(options))
    return growth.sections(_run(growth.jobs(options.size, options.systems, samples), options, progress))


def _clique(options: Options, progress: Progress) -> list[Section]:
    return cliques.sections(_run(cliques.jobs(options.size, options.systems, min(5, _samples(options))), options, progress))


def _peers(options: Options, progress: Progress) -> list[Section]:
    found = []
    for job in comparison.jobs(options.size, min(10, _samples(options))):
        for system in comparison.systems(options.systems):
            progress(f"{job.instance}, {job.sizes[0]} a time: {system}")
            found.append(comparison.run(job, system, options.timeout))
    return comparison.sections(found)


PARTS: dict[str, tuple[str, Part]] = {
    "maintenance-robustness": ("updates of a few facts: tables 3 to 6 of Motik et al. 2019", _robustness),
    "maintenance-scalability": ("break-even points against materialising anew: tables 7 to 9, figure 8", _scalability),
    "maintenance-growth": ("the same change of a million and of ten million facts", _growth),
    "maintenance-clique": ("one fact of a clique of 1,000 nodes, which stays whole or breaks", _clique),
    "maintenance-peers": ("beside pathway, SWI-Prolog and re-running Nemo", _peers),
}
"""The parts by name, with what each is about."""
