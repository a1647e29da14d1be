"""The benchmark by its name."""

from __future__ import annotations

from collections.abc import Callable

from tidelog.bench.marking import measure, tables
from tidelog.bench.marking.streams import SEEDS, SIZES, streams
from tidelog.bench.options import Options
from tidelog.bench.results import Section

Progress = Callable[[str], None]

_CHOICE = {"tiny": ((10,), (1,)), "quick": ((10, 40, 80), (1,)), "full": (SIZES, SEEDS)}
"""Sizes and seeds of the synthetic streams."""


def marking(options: Options, progress: Progress) -> list[Section]:
    found: measure.Found = {}
    chosen = streams(*_CHOICE[options.size])
    for stream, ways in measure.measure(chosen, measure.WAYS, options.repeat):
        found[stream] = ways
        progress(f"marking: {len(found)} of {len(chosen)} streams")
    return tables.sections(found)


PARTS = {"marking": ("B/F and DRed with marking: tables 1 to 3 of Illich and Glimm 2025", marking)}
