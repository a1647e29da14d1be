"""The paper's measures: mean and z-interval (equations 164 and 165), scores, correlation (section 10.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import correlation, fmean, median, stdev


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and half the width of its 95% z-confidence interval."""

    mean: float
    half: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        half = 1.96 / math.sqrt(len(values)) * stdev(values) if len(values) > 1 else math.nan
        return cls(fmean(values), half, len(values))


def scores(values: Mapping[str, float]) -> dict[str, float]:
    """How many times the best of some values each is, where small is good."""
    best = min(values.values(), default=0.0)
    return {name: value / best for name, value in values.items()} if best > 0 else {}


def summary(rows: Sequence[Mapping[str, float]], name: str) -> tuple[float | None, float | None]:
    """Average and median score of an algorithm over all rows (test instances) where it and another were measured."""
    own = [score[name] for row in rows if len(row) > 1 and name in (score := scores(row))]
    return (fmean(own), median(own)) if own else (None, None)


def pearson(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The correlation of two measures, or None where there is nothing to tell."""
    if len(pairs) < 3:
        return None
    left, right = zip(*pairs, strict=True)
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return correlation(left, right)


def crossing(points: Sequence[tuple[float, float, float]]) -> float | None:
    """Where one measured curve overtakes another: of (size, first, second), the size at which first = second.

    Between the two sizes around the first such point the ratio is taken to grow as a power of the size. None if the first
    curve stays below; the smallest size if it starts above.
    """
    before: tuple[float, float, float] | None = None
    for size, first, second in points:
        if first >= second:
            if before is None:
                return size
            low, high = math.log(before[1] / before[2]), math.log(first / second)
            share = -low / (high - low) if high > low else 1.0
            return math.exp(math.log(before[0]) + share * (math.log(size) - math.log(before[0])))
        before = size, first, second
    return None
