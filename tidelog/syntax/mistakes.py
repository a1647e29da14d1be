"""What to say about a statement that the grammar does not allow: the place, what was expected, and the likely slip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from tidelog.errors import Problem
from tidelog.syntax.ast import Span
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import CONSTANTS, DIRECTIVES, PUNCTUATION, Token

if TYPE_CHECKING:
    from lark import UnexpectedToken

_TERM = CONSTANTS | {"VAR", "ANON"}
_STARTS = CONSTANTS | {"LSQB"} | set(DIRECTIVES.values())
_SHOWN = {kind: f"`{text}`" for text, kind in PUNCTUATION.items()}
_SHOWN |= {kind: text for text, kind in DIRECTIVES.items()}
_SHOWN |= {
    "COMPARE": "a comparison",
    "VAR": "a variable",
    "NAME": "a name",
    "IRI": "an IRI",
    "NS": "a prefix",
    "INT": "an integer",
}
_OPERATORS = {"PLUS", "MINUS", "STAR", "SLASH", "COMPARE", "EQUAL"}
_ARROWS = {"<-", "<=", "->", "=>", "=", ":", "-:"}


def unexpected() -> type[UnexpectedToken]:
    from lark import UnexpectedToken

    return UnexpectedToken


def explain(source: Text, tokens: list[Token], error: UnexpectedToken) -> Problem:
    """The problem to report for a token that the parser did not expect."""
    at = position_of(tokens, error)
    accepts = set(error.accepts)
    found = tokens[at] if at < len(tokens) else None
    span = found.span if found else after(tokens[-1])
    expected = _expected(accepts)
    shown = f"`{shortened(found.text)}`" if found else "the end of the text"
    return source.problem("syntax", f"{shown} was not expected here; {expected} was", span, _hint(tokens, at, accepts))


def missing_dot(tokens: list[Token], error: UnexpectedToken) -> int:
    """How many of the tokens make a statement that lacks nothing but its dot: up to the end of the text, or up to a token
    that begins a line and can begin a statement. 0 if that is not the mistake."""
    at = position_of(tokens, error)
    if at == 0 or "DOT" not in error.accepts:
        return 0
    if at == len(tokens) or (tokens[at].line > tokens[at - 1].line and tokens[at].type in _STARTS):
        return at
    return 0


def explain_missing_dot(source: Text, tokens: list[Token], end: int) -> Problem:
    return source.problem("missing-dot", "this statement has no final dot", after(tokens[end - 1]), "end it with ` .`")


def repeated_options(source: Text, tokens: list[Token]) -> list[Problem]:
    """Options that an `@import` or `@export` gives twice."""
    if tokens[0].type not in ("IMPORT", "EXPORT"):
        return []
    names = [a for a, b in pairwise(tokens) if a.type == "NAME" and b.type == "EQUAL"]
    first: dict[str, Token] = {}
    repeated = [name for name in names if first.setdefault(name.text, name) is not name]
    return [source.problem("duplicate-option", f"the option `{name.text}` is given twice", name.span) for name in repeated]


def position_of(tokens: Sequence[Token], error: UnexpectedToken) -> int:
    """Which of the tokens was not expected; their number if it was the end."""
    return next((i for i, token in enumerate(tokens) if token is error.token), len(tokens))


def after(token: Token) -> Span:
    return Span(token.line, token.end_column, token.line, token.end_column + 1)


def shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _expected(accepts: Iterable[str]) -> str:
    """The tokens that could have stood there, in words; all that begin a term together count as one."""
    kinds = set(accepts) - {"$END"}
    words: list[str] = []
    if kinds >= _TERM:
        words.append("a term")
        kinds -= _TERM | {"NS", "MINUS", "LPAR"}
    elif kinds >= {"NAME", "IRI", "PNAME"}:
        words.append("an atom" if "LSQB" in kinds else "a name")
        kinds -= {"NAME", "IRI", "PNAME", "NS", "LSQB"}
    if len(kinds & _OPERATORS) > 1:
        words.append("an operator" if "COMPARE" in kinds else "an arithmetic operator")
        kinds -= _OPERATORS
    words += sorted(_SHOWN.get(kind, kind.lower()) for kind in kinds if kind not in DIRECTIVES.values())
    return " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"


def _hint(tokens: list[Token], at: int, accepts: set[str]) -> str | None:
    """The slip that most likely led here."""
    found = tokens[at].text if at < len(tokens) else ""
    kind = tokens[at].type if at < len(tokens) else "$END"
    before = tokens[at - 1].text if at else ""
    pair = found + (tokens[at + 1].text if at + 1 < len(tokens) else "")
    has_arrow = any(token.type == "IF" for token in tokens[:at])
    if before == "not":
        return "negation is written `~p(?x)`"
    if "IF" in accepts and (pair[:2] in _ARROWS or found in _ARROWS or found.endswith(":")):
        return "head and body are separated by `:-`"
    if pair == "->":
        return "a rule begins with its head: `head :- body .`"
    if kind == "TILDE" and not has_arrow:
        return "a head or fact cannot be negated"
    if kind == "IF" and has_arrow:
        return "a rule has one `:-`; does the statement before it lack its final dot?"
    if kind == "DOT" and before == ":-":
        return "a fact is written without `:-`"
    if kind == "LPAR" and at and tokens[at - 1].type == "NAME":
        return "terms are variables and constants; there are no function terms"
    if "COMMA" in accepts and kind in _STARTS | {"TILDE"} and before == ")":
        return "atoms are joined by `,`"
    if kind == "COMPARE" or (kind in _OPERATORS and not has_arrow):
        return "conditions stand in the body of a rule, between terms"
    return None
