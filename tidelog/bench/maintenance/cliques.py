"""A clique of 1,000 nodes (Claros-LE): deletions that keep it whole, and one that breaks it apart.

As it is written, the rule of transitivity has 10^9 instances in it, so that every algorithm has a process of its own, and what
does not finish is given up; smaller cliques come first, where everything finishes. `standard` evaluates the rule so, at full
size by the algorithms that the paper compares, on the updates it has; `combined` knows what the rule says.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tidelog.bench.maintenance.format import count, duration
from tidelog.bench.maintenance.job import DELETE, INSERT, Job, Series
from tidelog.bench.results import Section, Verdict

ALGORITHMS = ("ranked", "counting", "fbf", "bf", "dred", "auto", "rematerialise")
_NODES = {"tiny": (16,), "quick": (100,), "full": (100, 300, 1000)}
_MODULES = ("combined", "standard")
_LARGE = 500
_AS_WRITTEN = ("ranked", "counting", "dred")
"""What is measured on large cliques by the rules as written."""
_HEADINGS = (
    *("clique", "modules", "algorithm", "facts", "first", "n"),
    *("delete", "processor", "derivations", "insert again", "processor"),
)


def jobs(size: str, algorithms: Sequence[str], samples: int) -> list[Job]:
    return [
        Job("Clique", {"nodes": nodes, "extra": nodes}, (name,), (1,), few, sampling, patience=60, modules=modules)
        for nodes in _NODES[size]
        for modules in _MODULES
        for name in ALGORITHMS
        if not algorithms or name in algorithms
        for sampling, few in (("keeping", samples), ("breaking", 1))
        if modules == "combined" or nodes < _LARGE or (sampling == "keeping" and name in _AS_WRITTEN)
    ]


def sections(all_series: Sequence[Series]) -> list[Section]:
    found = []
    for sampling, what in (("keeping", "that keep it whole"), ("breaking", "that break it apart")):
        rows = []
        for series in all_series:
            if series.job.sampling == sampling:
                rows.append(_row(series, series.job.algorithms[0]))
        found.append(Section(f"Clique: updates of one fact, {what} (medians)", _HEADINGS, tuple(rows)))
    problems = tuple(f"{_title(s)}: {p}" for s in all_series for p in s.problems)
    return [*found, Section("Clique: targets", problems=problems, verdicts=tuple(_verdicts(all_series)))]


def _title(series: Series) -> str:
    return f"{series.job.parameters['nodes']} nodes, {series.job.modules}, {series.job.algorithms[0]}"


def _row(series: Series, name: str) -> tuple[str, ...]:
    deleted, inserted = series.of(name, DELETE), series.of(name, INSERT)
    cells = ["-"] * 5
    if deleted:
        cells[0] = duration(median(m.seconds for m in deleted))
        cells[1] = duration(median(m.cpu for m in deleted))
        cells[2] = count(median(m.derivations for m in deleted))
    if inserted:
        cells[3] = duration(median(m.seconds for m in inserted))
        cells[4] = duration(median(m.cpu for m in inserted))
    nodes = series.job.parameters["nodes"]
    return (f"{nodes:,}", series.job.modules, name, count(series.facts), duration(series.start), str(len(deleted)), *cells)


def _verdicts(all_series: Sequence[Series]) -> list[Verdict]:
    """By the rules as written, of the largest clique at which both were measured."""
    times: dict[tuple[int, str], float] = {}
    for series in all_series:
        name = series.job.algorithms[0]
        if (series.job.sampling, series.job.modules) == ("keeping", "standard") and (own := series.of(name, DELETE)):
            times[series.job.parameters["nodes"], name] = median(m.cpu for m in own)
    found = []
    for other, factor in (("dred", 50), ("counting", 1)):
        both = [nodes for nodes, name in times if name == other and (nodes, "ranked") in times]
        if not both:
            continue
        ratio = times[max(both), other] / times[max(both), "ranked"]
        text = f"clique of {max(both):,}: ranked at least {factor} times faster than {other} ({ratio:.1f} times)"
        found.append(Verdict(text, ratio >= factor))
    return found
