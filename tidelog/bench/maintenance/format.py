"""How the figures of the tables are written, after the paper: 1.14 k ± 6.6."""

from __future__ import annotations

import math

from tidelog.bench.maintenance.statistics import Estimate


def count(value: float | None) -> str:
    """1,140 as 1.14 k, 2,700,000,000 as 2.70 G."""
    if value is None:
        return ""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:,.2f} {unit}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def duration(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1:
        return f"{value:,.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 0.001 else f"{value * 1e3:.2f} ms"


def estimated(estimate: Estimate | None, unit: str = "") -> str:
    """The mean with its interval: of seconds in milliseconds, of anything else as a count."""
    if estimate is None:
        return "-"
    written = (lambda value: f"{value * 1e3:,.1f}") if unit == "ms" else count
    interval = "" if math.isnan(estimate.half) else f" ± {written(estimate.half)}"
    return f"{written(estimate.mean)}{interval}"


def score(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"
