"""The last so many facts of a stream: a window that counts rather than looks at the time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = Any


class Last:
    """The last so many facts, and how often each is among them."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._facts: deque[tuple[str, Row]] = deque()
        self._times: Counter[tuple[str, Any]] = Counter()
        self._touched: dict[tuple[str, Any], Row] = {}

    def add(self, predicate: str, rows: Sequence[Row]) -> None:
        """New facts come in, others make room."""
        for row in rows:
            self._facts.append((predicate, row))
            self._times[self._touch(predicate, row)] += 1
            if len(self._facts) > self.count:
                self._times[self._touch(*self._facts.popleft())] -= 1

    def remove(self, predicate: str, rows: Sequence[Row]) -> None:
        gone = {key for row in rows if self._times[key := (predicate, key_of(row))]}
        if gone:
            self._facts = deque(fact for fact in self._facts if (fact[0], key_of(fact[1])) not in gone)
            for key in gone:
                self._times[key] = 0

    def _touch(self, predicate: str, row: Row) -> tuple[str, Any]:
        key = predicate, key_of(row)
        self._touched[key] = row
        return key

    def changes(self) -> Iterator[tuple[bool, str, Row]]:
        """The facts that came or went since this was last asked: whether they are there, predicate, row."""
        for (predicate, key), row in self._touched.items():
            there = self._times[predicate, key] > 0
            if not there:
                del self._times[predicate, key]
            yield there, predicate, row
        self._touched.clear()


def key_of(row: Row) -> Any:
    """What tells facts apart: `1`, `1.0` and `True` are equal in Python, but not as terms."""
    return tuple((type(term), term) for term in row) if isinstance(row, tuple | list) else (type(row), row)
