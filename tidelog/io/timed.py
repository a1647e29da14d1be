"""Facts that come line by line, each perhaps with its time.

Lines of the same time that are there together make one update, up to a number of them; so a stream that comes slowly is worked
on at once, and one that comes fast in large pieces. What a line says is for who knows its form (`rdf.stream`, `io.events`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import count
from typing import NamedTuple, TypeAlias

from tidelog.errors import DataError
from tidelog.io.bad_rows import BadRows
from tidelog.io.updates import Lines, WrittenUpdate
from tidelog.stream.sources import Signal, Source, Taken, source_of
from tidelog.terms import Term

BATCH = 1000

Timed: TypeAlias = tuple[tuple[Term, ...], float | None]
"""A fact, and when it happened."""


class _Line(NamedTuple):
    fact: tuple[Term, ...]
    time: float | None
    number: int
    text: str


class TimedLines(ABC):
    """The updates that the lines of one source make: each inserts a fact of one predicate."""

    def __init__(self, lines: Lines, predicate: str, bad_rows: BadRows, batch: int) -> None:
        self.name = lines.source
        self._lines: Source[bytes] = source_of(lines.lines)
        self._predicate, self._bad_rows, self._batch = predicate, bad_rows, batch
        self._numbers, self._updates = count(1), count(1)
        self._next: _Line | None = None
        """The first line of the next update, if it was read."""
        self.time: float | None = None
        """That of the update given last."""

    @abstractmethod
    def parse(self, text: str) -> Timed | None:
        """What a line says; None if it says nothing. A DataError is about this line; with a `source`, about them all."""

    def take(self, wait: bool) -> Taken[WrittenUpdate]:
        first = self._next or self._take(wait)
        self._next = None
        if isinstance(first, Signal):
            return first
        facts = [first.fact]
        while len(facts) < self._batch and not isinstance(line := self._take(wait=False), Signal):
            if line.time != first.time:
                self._next = line
                break
            facts.append(line.fact)
        self.time = first.time
        insert, number = {self._predicate: facts}, next(self._updates)
        return WrittenUpdate(insert, {}, number, self.name, first.number, first.text, time=first.time)

    def _take(self, wait: bool) -> _Line | Signal:
        """The next line that holds a fact; bad ones are reported."""
        while not isinstance(raw := self._lines.take(wait), Signal):
            number, text = next(self._numbers), raw.decode(errors="backslashreplace").strip("\ufeff\r\n")
            try:
                found = self.parse(text)
            except DataError as error:
                if error.source:  # that is not about this line alone: none can be read
                    raise
                self._bad_rows.report(self.name, number, error.message, text)
            else:
                if found is not None:
                    return _Line(*found, number, text)
        return raw
