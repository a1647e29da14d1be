"""The series of one workload as a table like the paper's Table 2, with what the answers and the targets say."""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.bench.figures import memory
from tidelog.bench.hypertree.series import MODULES, STEPS, Series
from tidelog.bench.hypertree.workloads import Workload
from tidelog.bench.maintenance.format import count, duration
from tidelog.bench.results import Section, Verdict

_SMALL = ((0.1, 0.02), (10.0, 1.0))
"""Seconds that a small update may take, at a tenth and at full size."""
_TOLERATED = 1.03


def section(workload: Workload, done: Sequence[Series], scale: float) -> Section:
    headings = ("seconds (processor)", *STEPS, "peak memory", "facts", "of nodes", "memory of nodes")
    rows = tuple(_row(series) for series in done)
    title = f"{workload.name}: {workload.title} (scale {scale:g})"
    return Section(title, headings, rows, problems=tuple(_problems(done)), verdicts=tuple(_verdicts(workload, done, scale)))


def _row(series: Series) -> tuple[str, ...]:
    cells = []
    given_up = False
    for name in STEPS:
        step = series.step(name)
        if step is not None:
            cells.append(f"{duration(step.seconds)} ({duration(step.cpu)})")
        else:
            cells.append(f"over time (> {duration(series.spent)})" if series.spent and not given_up else "-")
            given_up = True
    if not series.steps or series.system not in MODULES:
        facts = count(sum(series.steps[0].counts.values())) if series.steps else ""
        return (series.system, *cells, "", facts, "", "")
    peak, first = max(step.peak for step in series.steps), series.steps[0]
    nodes = (count(first.nodes), memory(first.nodes_bytes)) if first.nodes else ("", "")
    return (series.system, *cells, memory(peak), count(sum(first.counts.values())), *nodes)


def _problems(done: Sequence[Series]) -> list[str]:
    found = [f"{series.system}: {series.problem}" for series in done if series.problem]
    for name in STEPS:
        steps = [(series.system, step) for series in done if (step := series.step(name)) is not None]
        for system, step in steps[1:]:
            system_first, first = steps[0]
            different = sorted(p for p in first.counts if first.counts[p] != step.counts.get(p))
            sums = (first.checksum, step.checksum)
            if different or (None not in sums and sums[0] != sums[1]):
                found.append(f"{name}: {system} and {system_first} differ: {', '.join(different) or 'checksums'}")
    return found


def _verdicts(workload: Workload, done: Sequence[Series], scale: float) -> list[Verdict]:
    by_name = {series.system: series for series in done}
    own, standard = by_name.get(MODULES[0]), by_name.get(MODULES[-1])
    if own is None or len(own.steps) < len(STEPS):
        return [Verdict("combined finishes", False)] if own else []
    found = []
    if standard is not None:
        found += _against_standard(workload, own, standard)
    if workload.factor > 1:
        found += _small(own, scale)
        found += [_ahead(own, series) for series in done if series.system not in MODULES]
    return found


def _against_standard(workload: Workload, own: Series, standard: Series) -> list[Verdict]:
    mine, theirs = own.steps[0], standard.step(STEPS[0])
    if workload.factor <= 1:
        assert theirs is not None
        ratio = mine.cpu / theirs.cpu
        return [Verdict(f"combined within 3% of standard ({100 * (ratio - 1):+.1f}%)", ratio <= _TOLERATED)]
    # Of processor seconds, which a busy machine changes less; of those of a process that was given up nothing is known.
    ratio = theirs.cpu / mine.cpu if theirs else standard.spent / mine.seconds
    more = "" if theirs else "more than "
    text = f"materialisation: combined at least {workload.factor:g} times faster than standard ({more}{ratio:.1f} times)"
    met = None if not theirs and ratio < workload.factor else ratio >= workload.factor
    found = [Verdict(text, met)]
    if theirs:
        memories = [max(step.peak for step in series.steps) for series in (own, standard)]
        times = memories[0] / max(1, memories[1])
        found.append(Verdict(f"memory at most 2 times standard's ({times:.1f} times)", times <= 2))
    return found


def _small(own: Series, scale: float) -> list[Verdict]:
    allowed = next(seconds for most, seconds in _SMALL if scale <= most)
    found = []
    for name in STEPS[1:3]:
        step = own.step(name)
        assert step is not None
        text = f"{name} within {duration(allowed)} of processor time ({duration(step.cpu)})"
        found.append(Verdict(text, step.cpu <= allowed))
    return found


def _ahead(own: Series, peer: Series) -> Verdict:
    theirs, mine = peer.step(STEPS[0]), own.steps[0].seconds
    seconds = theirs.seconds if theirs else peer.spent
    if not seconds:
        return Verdict(f"faster than {peer.system}", None)
    more = "" if theirs else "more than "
    return Verdict(f"faster than {peer.system} ({more}{seconds / mine:.1f} times)", seconds > mine)
