"""What was measured: by the size of the window, by the share that changes, and whether the targets are met."""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.bench.results import Section, Verdict
from tidelog.bench.windows.measure import SYSTEMS, Found, Measured
from tidelog.bench.windows.streams import Stream

_TARGET_SHARE, _TARGET_FASTER, _TARGET_WINDOW, _TARGET_CHANGE = 0.02, 5, 1_000_000, 0.001


def sections(found: Found, by_size: Sequence[Stream], by_share: Sequence[Stream]) -> list[Section]:
    return [
        _table("by the size of the window", by_size, found),
        _table("by the share of the window that changes", by_share, found),
        _targets(found),
        _agreement(found),
    ]


def _table(title: str, streams: Sequence[Stream], found: Found) -> Section:
    names = [name for name in SYSTEMS if any(name in found[stream] for stream in streams)]
    headings = ("window", "change", *(f"{name} ms" for name in names), *(f"{name} rule instances" for name in names))
    rows = tuple(
        (
            f"{stream.window:,}",
            f"{100 * stream.share:g}%",
            *(_ms(found[stream].get(name)) for name in names),
            *(_instances(found[stream].get(name)) for name in names),
        )
        for stream in streams
    )
    return Section(f"A step of a window over trees, {title}: processor time", headings, rows)


def _ms(measured: Measured | None) -> str:
    return "-" if measured is None else f"{1000 * measured.seconds:,.1f}"


def _instances(measured: Measured | None) -> str:
    return "-" if measured is None else f"{measured.instances:,.0f}"


def _targets(found: Found) -> Section:
    """Of the window of a million facts of which a thousandth changes; smaller ones show how it goes."""
    whole = next((s for s in found if s.window == _TARGET_WINDOW and s.share == _TARGET_CHANGE), None)
    ways = found[whole] if whole is not None else {}
    share = _ratio(ways, "incremental-stream", "naive")
    faster = _ratio(ways, "incremental-volz", "incremental-stream")
    verdicts = (
        _verdict(f"a step takes at most {_TARGET_SHARE:.0%} of naive recomputation", share, "{:.2%}", share, _TARGET_SHARE),
        _verdict(
            f"expiry at least {_TARGET_FASTER} times faster than rewriting", faster, "{:.1f} times", _TARGET_FASTER, faster
        ),
    )
    return Section("A window of 1,000,000 facts, 0.1% of which change", verdicts=verdicts)


def _verdict(text: str, found: float | None, form: str, low: float | None, high: float | None) -> Verdict:
    if found is None or low is None or high is None:
        return Verdict(text, None)
    return Verdict(f"{text}, {form.format(found)}", low <= high)


def _ratio(ways: dict[str, Measured], above: str, below: str) -> float | None:
    return ways[above].seconds / ways[below].seconds if above in ways and below in ways else None


def _agreement(found: Found) -> Section:
    problems = []
    for stream, ways in found.items():
        answers = {name: (measured.facts, measured.changes) for name, measured in ways.items()}
        if len(set(answers.values())) > 1:
            problems.append(f"window {stream.window:,}, {stream.step:,} a step: the systems have different facts")
    return Section("All systems have the same facts and changes after every step", problems=tuple(problems))
