"""The rows of a continuous query's answer, counted; how they differ from one evaluation to the next; when evaluations are.

A row is there as often as there are solutions that it comes from. Solutions come and go with each slide of the windows; between
two evaluations there may be several slides, and only what they come to together is told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from math import ceil

import numpy as np

from tidelog.errors import DataError
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.terms import Term

Row = tuple[int, ...]
"""The ids of a row's terms."""
_FEW = 1 << 16
"""So many terms that no row has any more are not worth the trouble."""


class Rows:
    """The rows as of the last evaluation, and what has come and gone since.

    Terms have ids here because Python takes `1`, `1.0` and `True` for equal: those of a dictionary of its own, since the ids of
    a materialisation may change.
    """

    def __init__(self, places: Sequence[int]) -> None:
        self.dictionary = Dictionary()
        self._places = places
        self._counts: Counter[Row] = Counter()
        self._since: Counter[Row] = Counter()

    def add(self, solutions: Iterable[Sequence[Term]]) -> None:
        """These appeared."""
        self._since.update(self._projected(list(solutions)))

    def remove(self, solutions: Iterable[Sequence[Term]]) -> None:
        """These vanished."""
        self._since.subtract(self._projected(list(solutions)))

    def _projected(self, solutions: Sequence[Sequence[Term]]) -> Iterator[Row]:
        return self._rows([[solution[place] for solution in solutions] for place in self._places], len(solutions))

    def _rows(self, columns: Sequence[list[Term]], length: int) -> Iterator[Row]:
        ids = [self.dictionary.encode(column).tolist() for column in columns]
        return zip(*ids, strict=True) if ids else repeat((), length)

    def evaluate(self) -> tuple[list[Row], list[Row]]:
        """The rows that are there now and were not at the last evaluation, and the other way round; duplicates repeated."""
        changed, self._since = self._since, Counter()
        for row, change in changed.items():
            count = self._counts[row] + change
            if count:
                self._counts[row] = count
            else:
                del self._counts[row]
        return _repeated(changed), _repeated({row: -change for row, change in changed.items()})

    def all(self) -> list[Row]:
        """The whole answer as of the last evaluation."""
        return _repeated(self._counts)

    def columns(self, rows: Sequence[Row]) -> list[Ids]:
        """Rows as columns of ids."""
        return [np.array([row[place] for row in rows], np.uint32) for place in range(len(self._places))]

    def tidy(self) -> None:
        """Go on with another dictionary if most terms of this one are in no row any more; right after an evaluation."""
        if self._since or len(self.dictionary) <= 2 * max(_FEW, len(self._counts) * len(self._places)):
            return
        rows = list(self._counts)
        terms = [self.dictionary.decode(column) for column in self.columns(rows)]
        self.dictionary = Dictionary()
        self._counts = Counter(dict(zip(self._rows(terms, len(rows)), self._counts.values(), strict=True)))


def _repeated(counts: Mapping[Row, int]) -> list[Row]:
    return list(chain.from_iterable(repeat(row, count) for row, count in counts.items() if count > 0))


class Clock:
    """The moments of evaluation: the multiples of so many seconds, or, with None, whenever a window has moved."""

    def __init__(self, every: float | None) -> None:
        self._every = every
        self._next: int | None = None
        """Which multiple is next; None before anything has moved."""
        self._moved = False
        """Whether a window has moved since the last evaluation."""

    def before(self, time: float | None) -> Iterator[float]:
        """The moments that have passed when windows move at a time."""
        if self._every is None:
            return
        if time is None:
            raise DataError("COMPUTE EVERY needs events with a time", hint='such as {"time": 1772366400, "insert": [...]}')
        if self._next is None:
            self._next = ceil(time / self._every - _SAME)
        while self._next * self._every < time - _SAME:
            yield self._take()
        self._moved = True

    def at(self, time: float | None) -> bool:
        """Whether the time is such a moment; `before` was called for it."""
        if self._every is None:
            return True
        assert time is not None
        assert self._next is not None
        reached = self._next * self._every <= time + _SAME
        if reached:
            self._take()
        return reached

    def last(self) -> float | None:
        """The moment after all windows have moved for the last time, if they have since the last evaluation."""
        return self._take() if self._moved else None

    def _take(self) -> float:
        assert self._every is not None
        assert self._next is not None
        self._next += 1
        self._moved = False
        return (self._next - 1) * self._every


_SAME = 1e-6
"""Seconds within which two moments are the same: the multiples of 0.1 are not exact."""
