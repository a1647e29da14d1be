"""RDF that comes line by line: N-Triples, and N-Quads in which the fourth term is the time.

    <s> <p> <o> "2026-03-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
    <s> <p> <o> "1772366400.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .

Each line inserts a triple. Lines of the same time that are there together make one update, up to a number of them; so a
stream that comes slowly is worked on at once, and one that comes fast in large pieces. For whole files `tidelog.rdf.lines`
is faster.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from tidelog.errors import DataError
from tidelog.facts.values import number
from tidelog.io.bad_rows import BadRows
from tidelog.io.updates import Lines, WrittenUpdate, seconds
from tidelog.notation import parse_term
from tidelog.stream.sources import Signal, Source, Taken, source_of
from tidelog.terms import BlankNode, Iri, Literal, Term

TRIPLE = "triple"
BATCH = 1000
_REMEMBERED = 1 << 14
"""So many terms that came before are not parsed again."""
_TOKEN = r'(<[^<>"{}|^`\\\x00-\x20]*>|_:[^\s<"]+|"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?)'
_LINE = re.compile(rf"\s*{_TOKEN}\s*{_TOKEN}\s*{_TOKEN}\s*(?:{_TOKEN}\s*)?\.\s*(?:#.*)?")
_NOTHING = re.compile(r"\s*(?:#.*)?")


class _Line(NamedTuple):
    triple: tuple[Term, ...]
    time: float | None
    number: int
    text: str


class Triples:
    """The updates that the lines of one source make."""

    def __init__(self, lines: Lines, bad_rows: BadRows, *, batch: int = BATCH) -> None:
        self._name = lines.source
        self._lines: Source[bytes] = source_of(lines.lines)
        self._bad_rows = bad_rows
        self._batch = batch
        self._numbers, self._updates = count(1), count(1)
        # Predicates, classes and times come again and again.
        self._term, self._time_of = lru_cache(_REMEMBERED)(_term), lru_cache(_REMEMBERED)(_time)
        self._next: _Line | None = None
        """The first line of the next update, if it was read."""
        self.time: float | None = None
        """That of the update given last."""

    def take(self, wait: bool) -> Taken[WrittenUpdate]:
        first = self._next or self._take(wait)
        self._next = None
        if isinstance(first, Signal):
            return first
        triples = [first.triple]
        while len(triples) < self._batch and not isinstance(line := self._take(wait=False), Signal):
            if line.time != first.time:
                self._next = line
                break
            triples.append(line.triple)
        self.time = first.time
        number = next(self._updates)
        return WrittenUpdate({TRIPLE: triples}, {}, number, self._name, first.number, first.text, time=first.time)

    def _take(self, wait: bool) -> _Line | Signal:
        """The next line that holds a triple."""
        while not isinstance(raw := self._lines.take(wait), Signal):
            number, text = next(self._numbers), raw.decode(errors="backslashreplace").strip("\ufeff\r\n")
            if _NOTHING.fullmatch(text):
                continue
            try:
                triple, time = self._parse(text)
            except DataError as error:
                self._bad_rows.report(self._name, number, error.message, text)
            else:
                return _Line(triple, time, number, text)
        return raw

    def _parse(self, text: str) -> tuple[tuple[Term, ...], float | None]:
        match = _LINE.fullmatch(text)
        if match is None:
            raise DataError("not a line of N-Triples, nor one with a time as its fourth term")
        first, second, third, fourth = match.groups()
        subject, predicate, object_ = self._term(first), self._term(second), self._term(third)
        time = None if fourth is None else self._time_of(fourth)
        if not isinstance(subject, Iri | BlankNode):
            raise DataError("the subject is an IRI or a blank node")
        if not isinstance(predicate, Iri):
            raise DataError("the predicate is an IRI")
        return (subject, predicate, object_), time


def _term(token: str) -> Term:
    term = parse_term(token)
    if term is None:
        raise DataError(f"{token} is not a term in N-Triples")
    return term


def _time(token: str) -> float:
    term = _term(token)
    if isinstance(term, Iri | BlankNode):
        raise DataError(f"{term} is no time: a stream has no named graphs, the fourth term of a line is its time")
    value = number(term)
    return seconds(value if value is not None else term.lexical if isinstance(term, Literal) else term)
