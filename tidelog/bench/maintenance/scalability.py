"""Scalability (section 10.4): from which share of the facts on is materialising anew cheaper?

Every algorithm deletes, then inserts again, growing shares of the facts (the samples are stable, so each contains the smaller),
beside rematerialisation in the same process. The paper finds a *break-even point* by bisection; here it is interpolated between
the measured shares (`statistics.crossing`). Tables 8 and 9 are of the measured share next to the largest break-even point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from tidelog.bench.maintenance.format import count, duration
from tidelog.bench.maintenance.instances import Instance
from tidelog.bench.maintenance.job import DELETE, GRANULAR, INSERT, SINGLE, Job, Series
from tidelog.bench.maintenance.robustness import strat
from tidelog.bench.maintenance.statistics import crossing
from tidelog.bench.results import Section, Verdict

SHARES = (0.001, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.75)
ANEW, AUTO = "rematerialise", "auto"
_LIMIT = 4.0
"""An algorithm so many times slower than rematerialising gets no larger share."""
_TARGET = 1.2
_NOISE = 0.002
"""Seconds below which a difference is none."""

Curve = Mapping[int, float]
"""Processor seconds by update size."""


def jobs(instances: Sequence[Instance], size: str, algorithms: Sequence[str], repeat: int) -> list[Job]:
    found = []
    for instance in instances:
        parameters = instance.sizes[size]
        explicit = len(instance.generate(**parameters)[instance.predicate])
        sizes = sorted({max(1, round(share * explicit)) for share in SHARES} | {1})
        chosen = tuple(name for name in instance.algorithms if not algorithms or name in (*algorithms, ANEW))
        chosen = (ANEW, *(name for name in chosen if name != ANEW))
        for strata in (SINGLE, GRANULAR):
            job = Job(instance.name, parameters, chosen, tuple(sizes), repeat, strata=strata, interleaved=True, limit=_LIMIT)
            found.append(job)
    return found


def curve(series: Series, algorithm: str, kind: str) -> Curve:
    sizes = series.job.sizes
    return {size: median(m.cpu for m in own) for size in sizes if (own := series.of(algorithm, kind, size))}


def break_even(series: Series, algorithm: str, kind: str) -> float | None:
    """The size from which rematerialising is cheaper; None if it is at none of those measured."""
    own, anew = curve(series, algorithm, kind), curve(series, ANEW, kind)
    return crossing([(size, own[size], anew[size]) for size in sorted(own) if size in anew])


def sections(all_series: Sequence[Series]) -> list[Section]:
    whole = [series for series in all_series if series.measured]
    problems = tuple(f"{series.job.instance} {strat(series)}: {text}" for series in all_series for text in series.problems)
    return [
        *(_break_even(whole, kind) for kind in (DELETE, INSERT)),
        *(_at_largest(whole, kind) for kind in (DELETE, INSERT)),
        _automatic(whole),
        Section("Scalability: all states compared", problems=problems),
    ]


def _algorithms(all_series: Sequence[Series]) -> list[str]:
    names = {name: None for series in all_series for name in series.job.algorithms if name not in (ANEW, AUTO)}
    return list(names)


def _break_even(all_series: Sequence[Series], kind: str) -> Section:
    algorithms = _algorithms(all_series)
    rows = []
    for series in all_series:
        cells = []
        for name in algorithms:
            point, own = break_even(series, name, kind), curve(series, name, kind)
            if not own:
                cells.append("-")
            else:
                reached = max(own) if point is None else point
                sign = ">" if point is None else "<" if reached <= min(own) else ""
                cells.append(f"{sign}{count(round(reached))} ({reached / series.explicit:.1%})")
        rows.append((series.job.instance, strat(series), count(series.explicit), *cells))
    title = f"Table 7. Break-even points against rematerialisation, to {kind} (processor time)"
    return Section(title, ("instance", "strat", "explicit", *algorithms), tuple(rows))


def _at_largest(all_series: Sequence[Series], kind: str) -> Section:
    number, algorithms = ("8" if kind == DELETE else "9"), [*_algorithms(all_series), AUTO, ANEW]
    rows = []
    for series in all_series:
        points = [break_even(series, name, kind) or max(series.job.sizes) for name in _algorithms([series])]
        largest = max(points, default=1)
        size = min(series.job.sizes, key=lambda measured: abs(measured - largest))
        times = [duration(curve(series, name, kind).get(size)) or "-" for name in algorithms]
        work = [count(own[0].derivations) if (own := series.of(name, kind, size)) else "-" for name in algorithms]
        cells = [f"{time} / {amount}" if amount != "-" else "-" for time, amount in zip(times, work, strict=True)]
        rows.append((series.job.instance, strat(series), count(size), *cells))
    title = f"Table {number}. Processor time and derivations to {kind} next to the largest break-even point"
    return Section(title, ("instance", "strat", "facts", *algorithms), tuple(rows))


def _automatic(all_series: Sequence[Series]) -> Section:
    """`auto` against the better of maintaining (by the algorithm it chooses) and rematerialising, at every size."""
    rows, worst = [], 0.0
    for series in all_series:
        for kind in (DELETE, INSERT):
            auto, ranked, anew = (curve(series, name, kind) for name in (AUTO, "ranked", ANEW))
            cells = []
            for size in sorted(auto):
                better = min(ranked.get(size, float("inf")), anew.get(size, float("inf")))
                ratio = 1.0 if auto[size] < better + _NOISE else auto[size] / better
                worst = max(worst, ratio)
                cells.append(f"{count(size)}: {ratio:.2f}")
            rows.append((series.job.instance, strat(series), kind, "  ".join(cells)))
    text = f"auto at no update size slower than {_TARGET} times the better of maintaining and rematerialising"
    verdicts = (Verdict(f"{text} (at worst {worst:.2f})", worst <= _TARGET),) if worst else ()
    note = f"Differences below {_NOISE * 1e3:g} ms count as none."
    return Section(
        "auto: times the better, by update size", ("instance", "strat", "kind", ""), tuple(rows), (note,), verdicts=verdicts
    )
