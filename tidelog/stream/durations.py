"""Lengths of time, as people write them, and the ticks of a clock that strikes at every multiple of one."""

from __future__ import annotations

import re
from datetime import timedelta
from math import ceil, isfinite
from typing import TypeAlias

Duration: TypeAlias = float | timedelta | str
"""Seconds (or whatever times are counted in); or text such as `10s`, `500ms`, `1h`, `PT1M30S`."""

_UNITS = {"ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_SHORT = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[a-z]*)")
_ISO = re.compile(
    r"P(?:(?P<d>\d+(?:\.\d+)?)D)?(?:T(?:(?P<h>\d+(?:\.\d+)?)H)?(?:(?P<m>\d+(?:\.\d+)?)M)?(?:(?P<s>\d+(?:\.\d+)?)S)?)?"
)
_ROUNDING = 2.0**-50


def duration(length: Duration) -> float:
    """A length of time in seconds."""
    if isinstance(length, timedelta):
        return length.total_seconds()
    if isinstance(length, str):
        return _parse(length)
    if not isfinite(length):
        raise ValueError(f"{length!r} is no length of time")
    return float(length)


def _parse(text: str) -> float:
    short = _SHORT.fullmatch(text.strip())
    if short and (not short["unit"] or short["unit"] in _UNITS):
        return float(short["number"]) * _UNITS.get(short["unit"], 1)
    iso = _ISO.fullmatch(text.strip())
    if iso and any(iso.groupdict().values()):
        return sum(float(number) * _UNITS[unit] for unit, number in iso.groupdict().items() if number)
    raise ValueError(f"{text!r} is no length of time: 10s, 500ms, 5m, 1h, 2d and PT1M30S are")


def ticks(time: float, step: float) -> float:
    """The first multiple of the step that is not before the time.

    A time that is a multiple but for the rounding of doubles, as 1.1 is one of 0.1, is one.
    """
    quotient = time / step
    nearest = round(quotient)
    return (nearest if abs(quotient - nearest) <= _ROUNDING * abs(quotient) else ceil(quotient)) * step
