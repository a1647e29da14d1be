"""Figure 8: running time against the number of deleted facts, a small graph for each instance, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from tidelog.bench.maintenance.job import DELETE, Series
from tidelog.bench.maintenance.robustness import strat
from tidelog.bench.maintenance.scalability import Curve, curve

_COLOURS = {
    "ranked": "#d62728",
    "counting": "#1f77b4",
    "fbf": "#2ca02c",
    "bf": "#98df8a",
    "dred": "#ff7f0e",
    "auto": "#9467bd",
    "rematerialise": "#555555",
    "rewriting": "#8c564b",
}
_WIDTH, _HEIGHT, _MARGIN, _COLUMNS = 360, 260, 52, 3


def figure_8(all_series: Sequence[Series]) -> str:
    """The picture of all series, in rows of three."""
    shown = [series for series in all_series if series.measured]
    rows = -(-len(shown) // _COLUMNS)
    width, height = _WIDTH * _COLUMNS, _HEIGHT * rows + 30
    graphs = []
    for place, series in enumerate(shown):
        x, y = place % _COLUMNS * _WIDTH, place // _COLUMNS * _HEIGHT
        graphs.append(f'<g transform="translate({x},{y})">{_graph(series)}</g>')
    style = "text{font:11px sans-serif;fill:#222}.axis{stroke:#999;fill:none}.grid{stroke:#e5e5e5}"
    legend = f'<g transform="translate(20,{height - 12})">{_legend(shown)}</g>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f'<style>{style}</style><rect width="100%" height="100%" fill="white"/>{"".join(graphs)}{legend}</svg>\n'
    )


def write(all_series: Sequence[Series], path: Path) -> None:
    path.write_text(figure_8(all_series), encoding="utf-8")


def _graph(series: Series) -> str:
    curves: dict[str, Curve] = {name: points for name in _COLOURS if (points := curve(series, name, DELETE))}
    left, right = min(series.job.sizes), max(series.job.sizes)
    times = [seconds for points in curves.values() for seconds in points.values()]
    low, high = math.floor(math.log10(max(min(times), 1e-4))), math.ceil(math.log10(max(*times, 1e-3)))
    high = max(high, low + 1)

    def at(size: float, seconds: float) -> tuple[float, float]:
        across = math.log(size / left) / math.log(right / left) if right > left else 0.5
        up = (math.log10(max(seconds, 1e-4)) - low) / (high - low)
        return _MARGIN + across * (_WIDTH - _MARGIN - 16), _HEIGHT - 40 - up * (_HEIGHT - 72)

    title = f"{series.job.instance}, {'stratified' if strat(series) == 'Y' else 'unstratified'}"
    parts = [f'<text x="{_WIDTH / 2}" y="16" text-anchor="middle" font-weight="bold">{escape(title)}</text>']
    parts += _axes(at, left, right, low, high)
    for name, points in curves.items():
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(size, seconds) for size, seconds in sorted(points.items())))
        dashed = ' stroke-dasharray="5 3"' if name == "rematerialise" else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{_COLOURS[name]}" stroke-width="1.8"{dashed}/>')
    return "".join(parts)


def _axes(at: object, left: int, right: int, low: int, high: int) -> list[str]:
    assert callable(at)
    parts = []
    for power in range(low, high + 1):
        (x, y), (end, _) = at(left, 10.0**power), at(right, 10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{end:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{_seconds(power)}</text>')
    for power in range(math.ceil(math.log10(left)), math.floor(math.log10(right)) + 1):
        x, y = at(10.0**power, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{10**power:,}</text>')
    x, y = at(math.sqrt(left * right), 10.0**low)
    parts.append(f'<text x="{x:.1f}" y="{y + 31:.1f}" text-anchor="middle">deleted facts</text>')
    return parts


def _seconds(power: int) -> str:
    return f"{10**power:,} s" if power >= 0 else f"{10.0 ** (power + 3):g} ms"


def _legend(shown: Sequence[Series]) -> str:
    names: Mapping[str, None] = {name: None for series in shown for name in series.job.algorithms}
    parts = []
    for place, name in enumerate(name for name in _COLOURS if name in names):
        x = place * 120
        parts.append(f'<line x1="{x}" x2="{x + 18}" y1="-4" y2="-4" stroke="{_COLOURS[name]}" stroke-width="3"/>')
        parts.append(f'<text x="{x + 24}" y="0">{name}</text>')
    return "".join(parts)
