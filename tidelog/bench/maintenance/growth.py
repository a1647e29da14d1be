"""The same change of more and more facts: what does an update cost when the table grows ten times?"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tidelog.bench.maintenance.format import count, duration
from tidelog.bench.maintenance.job import DELETE, INSERT, Job, Measured, Series
from tidelog.bench.results import Section, Verdict

ALGORITHMS = ("ranked", "fbf", "dred", "counting")
_SIZES = {"tiny": (1, 2), "quick": (1, 2), "full": (5, 48)}
"""Universities before and after: at full size, a million and ten million facts."""
FULL = 9e6

_LIMITS = ((DELETE, 1000, 0.050), (INSERT, 1000, 0.025), (DELETE, 1, 0.002), (INSERT, 1, 0.002))
_GROWTH = 1.5


def jobs(size: str, algorithms: Sequence[str], samples: int) -> list[Job]:
    chosen = tuple(name for name in ALGORITHMS if not algorithms or name in algorithms)
    departments = 1 if size == "tiny" else 20
    return [
        Job(
            "Univ-L",
            {"universities": many, "departments": departments},
            chosen,
            (1, 20 if size == "tiny" else 1000),
            samples,
            patience=120,
        )
        for many in _SIZES[size]
    ]


def sections(all_series: Sequence[Series]) -> list[Section]:
    rows = []
    for series in all_series:
        for size in series.job.sizes:
            for kind in (DELETE, INSERT):
                cells = []
                for name in series.job.algorithms:
                    own = series.of(name, kind, size)
                    cells.append(f"{duration(_wall(own))} ({duration(_cpu(own))})" if own else "-")
                rows.append((count(series.facts), duration(series.start), f"{kind} {size:,}", *cells))
    headings = ("facts", "first", "update", *(all_series[0].job.algorithms if all_series else ()))
    problems = tuple(f"{count(series.facts)} facts: {text}" for series in all_series for text in series.problems)
    title = "Growing data: Univ-L, medians on the wall (and of the processor)"
    return [Section(title, headings, tuple(rows), problems=problems, verdicts=tuple(_verdicts(all_series)))]


def _wall(own: Sequence[Measured]) -> float:
    return median(m.seconds for m in own)


def _cpu(own: Sequence[Measured]) -> float:
    return median(m.cpu for m in own)


def _verdicts(all_series: Sequence[Series]) -> list[Verdict]:
    if len(all_series) < 2 or all_series[-1].facts < FULL:
        return []
    small, large = all_series[0], all_series[-1]
    found = []
    for name in ("ranked", "dred", "fbf"):
        for kind, size, limit in _LIMITS:
            if own := large.of(name, kind, size):
                text = f"{name}: {kind} {size:,} of {count(large.facts)} facts below {limit * 1e3:g} ms"
                found.append(Verdict(f"{text} ({duration(_wall(own))}, processor {duration(_cpu(own))})", _wall(own) < limit))
        for kind in (DELETE, INSERT):
            before, after = small.of(name, kind, 1000), large.of(name, kind, 1000)
            if before and after:
                ratio = _cpu(after) / _cpu(before)
                text = f"{name}: {kind} costs at most {_GROWTH} times as much when the data grows ten times"
                found.append(Verdict(f"{text} (processor: {ratio:.2f} times)", ratio <= _GROWTH))
    return found
