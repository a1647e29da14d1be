"""Times as callers give them: when facts expire, and what time it is.

Inside, a time is a double, in whatever unit: seconds since 1970 if dates are used, else what the caller counts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import inf, isnan
from typing import Any, TypeAlias

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.times import NEVER, Expiries

Time: TypeAlias = float | datetime
Expires: TypeAlias = "Time | Mapping[str, Time | Sequence[Time | None] | np.ndarray[Any, Any] | None] | None"
"""For all facts that are inserted, or by predicate, for all its facts or for each."""

_EXACT = 2**53
_HINT = "a number, or a date with a time of day such as datetime(2026, 3, 1, 12, tzinfo=UTC)"


def moment(time: Any, what: str) -> float:
    """A time as a double."""
    if isinstance(time, datetime):
        from tidelog.io.updates import seconds

        return seconds(time)
    if isinstance(time, int | float | np.integer | np.floating) and not isinstance(time, bool) and not isnan(time):
        if isinstance(time, int | np.integer) and abs(int(time)) > _EXACT:
            raise DataError(f"{what}: {time} is too large a time to be told from its neighbours", hint="count in larger units")
        return float(time)
    raise DataError(f"{what}: {time!r} is no time", hint=_HINT)


def check_order(before: float | None, now: float) -> None:
    """Time is told moment by moment, and does not go back."""
    if now in (inf, -inf):
        raise DataError("now is a moment, not for ever")
    if before is not None and now < before:
        raise DataError(f"time does not go back: it is {before:.15g} already, not {now:.15g}")


def expiries_of(expires: Expires, inserted: Collection[str], lengths: Mapping[str, int]) -> dict[str, Expiries]:
    """By predicate an expiry for each of so many facts; no entry for what is given for good."""
    if expires is None:
        return {}
    if not isinstance(expires, Mapping):
        until = moment(expires, "expires")
        return {predicate: np.full(length, until) for predicate, length in lengths.items()}
    found: dict[str, Expiries] = {}
    for predicate, given in expires.items():
        what = f"expires {predicate}"
        if predicate not in inserted:
            raise DataError(f"{what}: nothing is inserted into {predicate}")
        if given is not None and predicate in lengths:
            found[predicate] = _each(given, lengths[predicate], what)
    return found


def _each(given: Any, length: int, what: str) -> Expiries:
    """An expiry for each fact."""
    if isinstance(given, str) or not hasattr(given, "__len__"):
        return np.full(length, moment(given, what))
    if len(given) != length:
        raise DataError(
            f"{what}: there are {length} facts and {len(given)} times", hint="one time for each fact, in the same order"
        )
    if isinstance(given, np.ndarray) and given.dtype == np.float64 and not np.isnan(given).any():
        return given
    return np.array([NEVER if time is None else moment(time, what) for time in given], np.float64)
