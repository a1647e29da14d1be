"""A stream in which the next update comes into sight when a test wants it to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tests.updates import Update
from tidelog.stream.sources import END, LATER, Signal

Written = Mapping[str, Any]


class Arriving:
    """A source of updates, each of which is seen at that many looks after the one before was taken."""

    def __init__(self, updates: Iterable[Update | Written], looks: Iterable[int]) -> None:
        self._updates = iter(updates)
        self._looks: Iterator[int] = iter(looks)
        self._left = 0
        self.seen = 0
        """How many updates were given before their turn."""

    def take(self, wait: bool) -> Any | Signal:
        if not wait and self._left > 0:
            self._left -= 1
            return LATER
        self._left = next(self._looks, 0)
        update = next(self._updates, END)
        self.seen += not wait and update is not END
        return update


def at_once(updates: Iterable[Update | Written]) -> Arriving:
    """Every update is there from the start, but for the second, which comes when the first is done: as in the paper."""
    return Arriving(updates, [10**9])
