"""Parsers by lark for texts that a scanner of our own has cut into tokens: for rules, and for continuous queries.

Importing lark takes a while, and so does making a parser's tables: both happen when the first text is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark


def parser_of(grammar: Path, starts: Sequence[str], builder: object) -> Lark:
    """The LALR(1) parser of a grammar, which is given tokens; `builder` has a method for each rule of the grammar."""
    from lark import Lark
    from lark.lexer import Lexer

    class Given(Lexer):
        """The tokens are there already."""

        def __init__(self, configuration: object) -> None:
            pass

        def lex(self, tokens: Any) -> Iterator[Any]:  # type: ignore[override]
            return iter(tokens)

    return Lark(
        grammar.read_text(encoding="utf-8"),
        parser="lalr",
        lexer=Given,
        start=list(starts),
        transformer=builder,
        maybe_placeholders=False,
    )
