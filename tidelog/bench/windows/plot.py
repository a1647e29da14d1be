"""Two graphs, both axes logarithmic: the time of a step by the size of the window, and by the share that changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from tidelog.bench.windows.measure import SYSTEMS, Found
from tidelog.bench.windows.streams import Stream

_COLOURS = {"naive": "#555555", "incremental-volz": "#8c564b", "incremental-stream": "#d62728", "ranked": "#1f77b4"}
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 420, 300, 60, 44, 28

Point = tuple[float, float]


def write(found: Found, by_size: Sequence[Stream], by_share: Sequence[Stream], path: Path) -> None:
    graphs = [
        _graph("by the size of the window", "facts in the window", by_size, lambda stream: stream.window, found),
        _graph("by the share that changes", "per cent that change", by_share, lambda stream: 100 * stream.share, found),
    ]
    placed = "".join(f'<g transform="translate({_WIDTH * place},0)">{graph}</g>' for place, graph in enumerate(graphs))
    legend = "".join(
        f'<line x1="{20 + 150 * place}" x2="{40 + 150 * place}" y1="{_HEIGHT + 14}" y2="{_HEIGHT + 14}" stroke="{colour}" '
        f'stroke-width="3"/><text x="{46 + 150 * place}" y="{_HEIGHT + 18}">{name}</text>'
        for place, (name, colour) in enumerate(_COLOURS.items())
    )
    width, height = 2 * _WIDTH, _HEIGHT + 30
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        "<style>text{font:11px sans-serif;fill:#222}.grid{stroke:#e5e5e5}</style>"
        f'<rect width="100%" height="100%" fill="white"/>{placed}{legend}</svg>\n',
        encoding="utf-8",
    )


def _graph(title: str, axis: str, streams: Sequence[Stream], across: Callable[[Stream], float], found: Found) -> str:
    curves: dict[str, list[Point]] = {
        name: [(across(stream), 1000 * found[stream][name].seconds) for stream in streams if name in found[stream]]
        for name in SYSTEMS
    }
    points = [point for curve in curves.values() for point in curve]
    left, right = _decades([x for x, _ in points])
    low, high = _decades([y for _, y in points])

    def at(x: float, y: float) -> Point:
        return (
            _LEFT + (math.log10(x) - left) / (right - left) * (_WIDTH - _LEFT - 20),
            _HEIGHT - _BOTTOM - (math.log10(y) - low) / (high - low) * (_HEIGHT - _BOTTOM - _TOP),
        )

    parts = [f'<text x="{_WIDTH / 2}" y="16" text-anchor="middle" font-weight="bold">{escape(title)}</text>']
    for power in range(low, high + 1):
        (x, y), (end, _) = at(10.0**left, 10.0**power), at(10.0**right, 10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{end:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g} ms</text>')
    for power in range(left, right + 1):
        x, y = at(10.0**power, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{10.0**power:,g}</text>')
    parts.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(axis)}</text>')
    for name, curve in curves.items():
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in sorted(curve)))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[name]}" stroke-width="1.8"/>')
    return "".join(parts)


def _decades(values: Sequence[float]) -> tuple[int, int]:
    """The powers of ten around the values."""
    low, high = math.floor(math.log10(max(min(values), 1e-3))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)
