"""Facts as text: sorted, in rule syntax, so that what a command prints can stand in a program again."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from datetime import date, datetime, time
from decimal import Decimal
from typing import Protocol

import click

from tidelog.syntax.formatter import format_term
from tidelog.terms import BlankNode, Iri, Literal, Term

TERMINAL_LIMIT = 100

limit_option = click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Print at most N facts of a predicate; 0 prints all. By default {TERMINAL_LIMIT} on a terminal, all elsewhere.",
)


class Facts(Sized, Iterable[Sequence[Term]], Protocol):
    """What is printed: a relation of the materialisation, or anything with a length and tuples in it."""


def shown(limit: int | None) -> int | None:
    """How many facts to print: what `--limit` says; without it, a terminal gets an excerpt and a file or pipe all of them."""
    if limit is None:
        return TERMINAL_LIMIT if sys.stdout.isatty() else None
    return limit or None


def fact_lines(predicate: str, facts: Facts, limit: int | None) -> Iterator[str]:
    """`p(a, 1) .` for each fact, in order."""
    for row in first(facts, limit):
        yield f"{predicate}({', '.join(format_term(term) for term in row)}) ." if row else f"{predicate}() ."


def table_lines(names: Sequence[str], facts: Facts, limit: int | None) -> Iterator[str]:
    """The answers of a query, one column for each variable."""
    rows = [[f"?{name}" for name in names], *([format_term(term) for term in row] for row in first(facts, limit))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def left_out(facts: Facts, limit: int | None) -> int:
    return 0 if limit is None else max(0, len(facts) - limit)


def first(facts: Facts, limit: int | None) -> list[Sequence[Term]]:
    """The first facts in order, all of them without a limit."""
    if limit is None or len(facts) <= limit:
        return sorted(facts, key=row_order)
    return heapq.nsmallest(limit, facts, key=row_order)


def row_order(row: Sequence[Term]) -> list[tuple[int, object, str]]:
    return [term_order(term) for term in row]


# Kinds of terms stand apart, so that any two compare; numbers compare by value, whatever their type.
_KINDS: tuple[tuple[type | tuple[type, ...], Callable[[Term], object]], ...] = (
    (bool, lambda term: term),
    ((int, float, Decimal), lambda term: term),
    (datetime, str),
    (date, str),
    (time, str),
    (str, lambda term: term),
    (Iri, str),
    (BlankNode, str),
    (Literal, str),
)


def term_order(term: Term) -> tuple[int, object, str]:
    """A key that puts any two terms in one fixed order; the type's name tells `1` from `1.0`."""
    for kind, (types, value) in enumerate(_KINDS):
        if isinstance(term, types):
            if term != term:  # not-a-number compares with nothing, so it has a place of its own, after all the numbers
                return kind, float("inf"), "nan"
            return kind, value(term), type(term).__name__
    raise TypeError(f"not a term: {term!r}")
