"""The benchmark by its name."""

from __future__ import annotations

from collections.abc import Callable

from tidelog.bench.options import Options
from tidelog.bench.results import Section
from tidelog.bench.windows import measure, plot, tables
from tidelog.bench.windows.streams import Stream

Progress = Callable[[str], None]

_CHANGE = 0.001
_SIZES = {"tiny": (1_000,), "quick": (10_000, 100_000), "full": (10_000, 100_000, 1_000_000)}
_SHARED = {"tiny": 1_000, "quick": 10_000, "full": 100_000}
"""The window whose share of change varies."""
_SHARES = {"tiny": (0.001, 0.1), "quick": (0.001, 0.01, 0.1), "full": (0.001, 0.01, 0.05, 0.1, 0.2)}


def windows(options: Options, progress: Progress) -> list[Section]:
    depth = options.settings.get("depth", 4)

    def stream(window: int, share: float) -> Stream:
        return Stream(window, max(1, round(window * share)), depth)

    by_size = [stream(window, _CHANGE) for window in _SIZES[options.size]]
    by_share = [stream(_SHARED[options.size], share) for share in _SHARES[options.size]]
    found: measure.Found = {}
    chosen = list(dict.fromkeys([*by_size, *by_share]))
    for one in chosen:
        found[one] = {}
        for system in measure.systems(options.systems):
            progress(f"windows: {one.window:,} facts, {one.step:,} a step: {system}")
            found[one][system] = measure.measure(one, system)
    if options.plot:
        plot.write(found, by_size, by_share, options.plot)
    return tables.sections(found, by_size, by_share)


PARTS = {"windows": ("windows over trees of a transitive property: section 5 of Barbieri et al. 2010", windows)}
