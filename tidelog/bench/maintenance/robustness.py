"""Robustness (section 10.3): how long an update of a few facts takes, and how much that depends on which they are.

For each instance, stratification and sampling, each algorithm deletes n samples, and inserts each again. Tables 3 (uniform) and
5 (random walk) are of deletions, 6 of insertions, 4 says in which phase the deletions' derivations were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidelog.bench.maintenance.format import count, estimated, score
from tidelog.bench.maintenance.instances import ALGORITHMS, Instance
from tidelog.bench.maintenance.job import DELETE, GRANULAR, INSERT, SINGLE, Job, Measured, Series
from tidelog.bench.maintenance.statistics import Estimate, pearson, summary
from tidelog.bench.results import Section

Row = tuple[str, ...]

PHASES = ("forward", "backward", "deletion", "addition")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a table is of."""

    title: str
    of: Callable[[Measured], float]
    unit: str = ""


TIME = Measure("time on the wall (ms)", lambda m: m.seconds, "ms")
CPU = Measure("processor time (ms)", lambda m: m.cpu, "ms")
DERIVATIONS = Measure("derivations", lambda m: m.derivations)


def jobs(instances: Sequence[Instance], size: str, algorithms: Sequence[str], samples: int, patience: float) -> list[Job]:
    return [
        Job(
            instance.name,
            instance.sizes[size],
            tuple(name for name in instance.algorithms if not algorithms or name in algorithms),
            (instance.update[size],),
            samples,
            sampling,
            strata,
            patience=patience,
        )
        for instance in instances
        for sampling in ("uniform", "walk")
        for strata in (SINGLE, GRANULAR)
    ]


def sections(all_series: Sequence[Series]) -> list[Section]:
    """Tables 3 to 6 of the series."""
    by_sampling = {name: [s for s in all_series if s.job.sampling == name] for name in ("uniform", "walk")}
    uniform, walks = by_sampling["uniform"], by_sampling["walk"]
    tables = [
        *(_estimates("3. Deleting facts selected by uniform sampling", uniform, DELETE, m) for m in (TIME, CPU, DERIVATIONS)),
        _phases("4. Breakdown of the derivations of table 3 (forward / backward / deletion / addition)", uniform),
        *(_estimates("5. Deleting facts selected by random walks", walks, DELETE, m) for m in (CPU, DERIVATIONS)),
        *(_estimates("6. Inserting facts selected by uniform sampling", uniform, INSERT, m) for m in (TIME, CPU, DERIVATIONS)),
    ]
    problems = tuple(f"{label(series)}, {series.job.sampling}: {text}" for series in all_series for text in series.problems)
    return [*tables, Section("All states compared, rematerialised ones among them", problems=problems or ())]


def label(series: Series) -> str:
    return f"{series.job.instance} {strat(series)}"


def strat(series: Series) -> str:
    """The paper's letters: N, all rules in one stratum; Y, by levels."""
    return "Y" if series.job.strata == GRANULAR else "N"


def _shown(all_series: Sequence[Series]) -> list[str]:
    return [name for name in ALGORITHMS if any(series.of(name, DELETE) for series in all_series)]


def _estimates(title: str, all_series: Sequence[Series], kind: str, measure: Measure) -> Section:
    algorithms = _shown(all_series)
    rows: list[Row] = []
    means: list[tuple[str, dict[str, float]]] = []
    for series in all_series:
        found = {name: Estimate.of([measure.of(m) for m in own]) for name in algorithms if (own := series.of(name, kind))}
        fullest = max((estimate.count for estimate in found.values()), default=0)
        cells = [_cell(found.get(name), measure.unit, fullest) for name in algorithms]
        rows.append((series.job.instance, strat(series), count(series.facts), f"{series.job.sizes[0]:,}", *cells))
        means.append((strat(series), {name: estimate.mean for name, estimate in found.items()}))
    rows += _scores(means, algorithms)
    if measure is not DERIVATIONS:
        rows.append(_correlations(all_series, algorithms, kind, measure))
    title = f"Table {title}: {measure.title}, mean ± half of the 95% z-interval"
    return Section(title, ("instance", "strat", "facts", "update", *algorithms), tuple(rows))


def _cell(estimate: Estimate | None, unit: str, fullest: int) -> str:
    """Where an algorithm had fewer samples than others, how many."""
    few = f" (n={estimate.count})" if estimate and estimate.count < fullest else ""
    return estimated(estimate, unit) + few


def _scores(means: Sequence[tuple[str, dict[str, float]]], algorithms: Sequence[str]) -> list[Row]:
    rows: list[Row] = []
    for place, name in enumerate(("average score", "median score")):
        for letter in ("N", "Y", "all"):
            some = [values for which, values in means if letter in (which, "all")]
            rows.append((name, letter, "", "", *(score(summary(some, algorithm)[place]) for algorithm in algorithms)))
    return rows


def _correlations(all_series: Sequence[Series], algorithms: Sequence[str], kind: str, measure: Measure) -> Row:
    cells = []
    for name in algorithms:
        pairs = []
        for series in all_series:
            if own := series.of(name, kind):
                pairs.append((Estimate.of([measure.of(m) for m in own]).mean, Estimate.of([m.derivations for m in own]).mean))
        cells.append(score(pearson(pairs)))
    return ("correlation with derivations", "all", "", "", *cells)


def _phases(title: str, all_series: Sequence[Series]) -> Section:
    algorithms = [name for name in _shown(all_series) if name not in ("rematerialise", "rewriting")]
    rows = []
    for series in all_series:
        cells = []
        for name in algorithms:
            own = series.of(name, DELETE)
            means = [Estimate.of([m.phases.get(phase, 0) for m in own]).mean if own else None for phase in PHASES]
            cells.append(" / ".join(map(count, means)) if own else "-")
        rows.append((series.job.instance, strat(series), *cells))
    return Section(f"Table {title}", ("instance", "strat", *algorithms), tuple(rows))
