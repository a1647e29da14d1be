"""How figures are written in tables."""

from __future__ import annotations

from collections.abc import Mapping


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1:
        return f"{value:,.1f} s" if value >= 10 else f"{value:.2f} s"
    return f"{value * 1000:.0f} ms" if value >= 0.1 else f"{value * 1000:.1f} ms"


def ratio(value: float | None, own: float | None) -> str:
    """Times Tidelog's time: above 1, Tidelog is faster."""
    return "" if value is None or not own else f"{value / own:.2f}x"


def amount(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1e6 and not isinstance(value, int):
        return f"{value / 1e6:,.1f} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"


def memory(value: int | None) -> str:
    return "" if value is None else f"{value / 1e6:,.0f} MB"


def setting(parameters: Mapping[str, object]) -> str:
    """The parameters of an input: `nodes 4,000, edges 6,000`."""
    return ", ".join(f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}" for key, value in parameters.items())
