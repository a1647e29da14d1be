"""Facts as text: sorted, in rule syntax, so that what a command prints can stand in a program again."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tidelog.relation import Relation
    from tidelog.terms import Term

TERMINAL_LIMIT = 100
SORTED_AT_MOST = 1_000_000

limit_option = click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Print at most N facts of a predicate; 0 prints all. By default {TERMINAL_LIMIT} on a terminal, all elsewhere.",
)


def shown(limit: int | None) -> int | None:
    """How many facts to print: what `--limit` says; without it, a terminal gets an excerpt and a file or pipe all of them."""
    if limit is None:
        return TERMINAL_LIMIT if sys.stdout.isatty() else None
    return limit or None


def fact_lines(predicate: str, facts: Relation, limit: int | None, prefixes: Mapping[str, str]) -> Iterator[str]:
    """`p(a, 1) .` for each fact, in order; then how many were left out."""
    from tidelog.syntax.formatter import format_fact

    for row in first(facts, limit):
        yield f"{format_fact(predicate, row, prefixes)} ."
    if more := left_out(facts, limit):
        yield f"% ... and {more:,} more {predicate} facts; --limit 0 prints them all, --out DIR writes them all"


def table_lines(names: Sequence[str], facts: Relation, limit: int | None, prefixes: Mapping[str, str]) -> Iterator[str]:
    """The answers of a query, one column for each variable; then how many were left out."""
    from tidelog.syntax.formatter import format_term

    rows = [[f"?{name}" for name in names], *([format_term(term, prefixes) for term in row] for row in first(facts, limit))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
    if more := left_out(facts, limit):
        yield f"% ... and {more:,} more; --limit 0 prints them all"


def left_out(facts: Relation, limit: int | None) -> int:
    return 0 if limit is None else max(0, len(facts) - limit)


def first(facts: Relation, limit: int | None) -> list[tuple[Term, ...]]:
    """The first facts in order. Of very many just some: putting millions in order would take longer than finding them did."""
    if limit is not None and len(facts) > SORTED_AT_MOST:
        return list(islice(facts, limit))
    return facts.sorted()[:limit]


def counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
