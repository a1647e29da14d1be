"""What a benchmark is meant to reach, as functions from its lines to a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tidelog.bench.results import OWN, Line, Verdict

Target: TypeAlias = Callable[[Mapping[str, Line]], Verdict]


def ahead(peer: str, factor: float = 1.0) -> Target:
    """Faster than a peer, or at least so many times faster, both by the best and by the median run.

    A lead that only one of the two shows is within the noise, and no lead.
    """
    text = f"faster than {peer}" if factor == 1 else f"at least {factor:g} times faster than {peer}"

    def judge(lines: Mapping[str, Line]) -> Verdict:
        own, other = lines.get(OWN), lines.get(peer)
        if own is None or other is None or own.best is None:
            return Verdict(text, None)
        pairs = [(own.best, other.best or other.timeout), (own.median, other.median or other.timeout)]
        if any(mine is None or theirs is None for mine, theirs in pairs):
            return Verdict(text, None)
        return Verdict(text, all(mine * factor <= theirs for mine, theirs in pairs if mine and theirs))

    return judge


def ahead_of_all() -> Target:
    """Faster than every peer that ran."""

    def judge(lines: Mapping[str, Line]) -> Verdict:
        peers = [line for name, line in lines.items() if name != OWN and line.at_least_seconds is not None]
        verdicts = [(line.system, ahead(line.system)(lines).met) for line in peers]
        behind = [system for system, met in verdicts if met is False]
        text = "faster than every peer" + (f" (not {', '.join(behind)})" if behind else "")
        return Verdict(text, not behind if any(met is not None for _, met in verdicts) else None)

    return judge


def at_least(measure: str, limit: float) -> Target:
    """Tidelog's measure reaches a limit."""
    return _bound(f"at least {limit:,.0f} {measure}", lambda value: value >= limit)


def at_most(measure: str, limit: float) -> Target:
    """Tidelog's measure stays within a limit."""
    return _bound(f"at most {limit:,g} {measure}", lambda value: value <= limit)


def _bound(text: str, holds: Callable[[float], bool]) -> Target:
    def judge(lines: Mapping[str, Line]) -> Verdict:
        value = lines[OWN].measured if OWN in lines else None
        return Verdict(text, None if value is None else holds(value))

    return judge
