"""From the text of a continuous query to its syntax tree, checked; what is wrong with it is said with place and hint."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tidelog.errors import ProgramError
from tidelog.stream.queries import mistakes
from tidelog.stream.queries.checks import check
from tidelog.stream.queries.reading import read
from tidelog.stream.queries.tokens import BAD, tokens
from tidelog.stream.queries.tree import Query
from tidelog.syntax.mistakes import unexpected
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import Token

if TYPE_CHECKING:
    from lark import Lark

MAX_DEPTH = 100
"""How deep brackets may nest: whoever walks the tree later does so by recursion."""
_OPEN, _CLOSED = {"LPAR", "LSQB", "LBRACE"}, {"RPAR", "RSQB", "RBRACE"}
_OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "AND", "OR"}


def parse(text: str, *, file: str | None = None) -> Query:
    """The query that a text registers; ProgramError if it does not register one that can be maintained."""
    source = Text(text.removeprefix("\ufeff"), file or "<query>")
    query = _parsed(source)
    if query is not None and not source.problems:
        check(query, source)
    if source.problems or query is None:
        raise ProgramError(source.sorted_problems())
    return replace(query, text=source.text, file=source.file)


def _parsed(source: Text) -> Query | None:
    """None, with at least one problem reported, if there is no tree."""
    found = tokens(source)
    read(source, found)
    _check_length(source, found)
    if any(token.type in (BAD, "UNCLOSED") for token in found) or any(p.code == "too-deep" for p in source.problems):
        return None
    from tidelog.stream.queries.building import UnfitError

    try:
        return cast(Query, _parser().parse(cast(Any, found), start="query"))
    except unexpected() as error:
        source.problems.append(mistakes.explain(source, found, error))
    except UnfitError as unfit:
        source.report(unfit.code, unfit.message, unfit.span, unfit.hint)
    return None


@cache
def _parser() -> Lark:
    from tidelog.stream.queries.building import Builder
    from tidelog.syntax.lalr import parser_of

    return parser_of(Path(__file__).with_name("grammar.lark"), ["query"], Builder())


def _check_length(source: Text, found: list[Token]) -> None:
    """Operators in a row nest as brackets do; they are counted from one FILTER to the next."""
    depth, row = 0, 0
    for token in found:
        depth += (token.type in _OPEN) - (token.type in _CLOSED)
        row = 0 if token.type == "FILTER" else row + (token.type in _OPERATORS)
        if depth > MAX_DEPTH or row > MAX_DEPTH:
            message = f"this nests more than {MAX_DEPTH} deep"
            source.report("too-deep", message, token.span, "several FILTERs, and IN, do not nest; rules can take parts")
            return
