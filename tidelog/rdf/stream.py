"""RDF that comes line by line: N-Triples, and N-Quads in which the fourth term is the time.

    <s> <p> <o> "2026-03-01T12:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
    <s> <p> <o> "1772366400.5"^^<http://www.w3.org/2001/XMLSchema#decimal> .

Each line inserts a triple; lines of the same time make one update (`tidelog.io.timed`). For whole files `tidelog.rdf.lines` is
faster.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tidelog.errors import DataError
from tidelog.facts.values import number
from tidelog.io.bad_rows import BadRows
from tidelog.io.timed import BATCH, Timed, TimedLines
from tidelog.io.updates import Lines, seconds
from tidelog.notation import parse_term
from tidelog.terms import BlankNode, Iri, Literal, Term

TRIPLE = "triple"
_REMEMBERED = 1 << 14
"""So many terms that came before are not parsed again."""
_TOKEN = r'(<[^<>"{}|^`\\\x00-\x20]*>|_:[^\s<"]+|"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)?)'
_LINE = re.compile(rf"\s*{_TOKEN}\s*{_TOKEN}\s*{_TOKEN}\s*(?:{_TOKEN}\s*)?\.\s*(?:#.*)?")
_NOTHING = re.compile(r"\s*(?:#.*)?")


class Triples(TimedLines):
    """The updates that the lines of one source make."""

    def __init__(self, lines: Lines, bad_rows: BadRows, *, batch: int = BATCH) -> None:
        super().__init__(lines, TRIPLE, bad_rows, batch)
        # Predicates, classes and times come again and again.
        self._term, self._time_of = lru_cache(_REMEMBERED)(_term), lru_cache(_REMEMBERED)(_time)

    def parse(self, text: str) -> Timed | None:
        if _NOTHING.fullmatch(text):
            return None
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
