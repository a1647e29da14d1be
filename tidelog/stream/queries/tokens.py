"""From characters to tokens, as SPARQL 1.1 has them, with the words that register a query on streams.

Words are keywords in whatever case they are written; one that the grammar does not know is a `WORD`, so that the parser can say
what it is where it stands. A `<` begins an IRI if one stands there, unless a value went before it in a condition.
"""

from __future__ import annotations

import re

from tidelog.syntax.ast import Span
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import Token
from tidelog.terms import BLANK_PATTERN, LANGUAGE_PATTERN

_KEYWORDS = """REGISTER QUERY STREAM RSTREAM ISTREAM DSTREAM COMPUTE EVERY AS PREFIX BASE SELECT DISTINCT REDUCED FROM NAMED
    WINDOW ON RANGE STEP TUMBLING TRIPLES WHERE FILTER IN NOT"""
KEYWORDS = frozenset(_KEYWORDS.split())
_SAME = {"COMPUTED": "COMPUTE", "TRUE": "BOOL", "FALSE": "BOOL"}
KINDS = frozenset({"QUERY", "STREAM", "RSTREAM", "ISTREAM", "DSTREAM"})
_SIGNS = r"{ } ( ) [ ] . , ; * + - / || && ^^ ! | ^ ?"
_NAMES = """LBRACE RBRACE LPAR RPAR LSQB RSQB DOT COMMA SEMICOLON STAR PLUS MINUS SLASH OR AND TYPED BANG PIPE CARET
    QUESTION"""
PUNCTUATION: dict[str, str] = dict(zip(_SIGNS.split(), _NAMES.split(), strict=True))
BAD = "BAD"
_VALUES = frozenset({"VAR", "IRI", "PNAME", "STRING", "LANGTAG", "INT", "DECIMAL", "DOUBLE", "BOOL", "RPAR"})

_PREFIX = r"[^\W\d_](?:[\w.-]*[\w-])?"
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.!$&'()*+,;=/?#@%-]"
LOCAL = rf"(?:[\w:]|{_ESCAPED})(?:(?:[\w:.-]|{_ESCAPED})*(?:[\w:-]|{_ESCAPED}))?"
_TOKEN = re.compile(
    rf"""
    (?P<SPACE>\s+)
  | (?P<COMMENT>\#[^\n\r]*)
  | (?P<IRI><[^<>"{{}}|^`\x00-\x20]*>)
  | (?P<VAR>[?$]\w+)
  | (?P<BLANK>_:{BLANK_PATTERN})
  | (?P<PNAME>(?:{_PREFIX})?:(?:{LOCAL})?)
  | (?P<STRING>\"\"\"(?:\"{{0,2}}(?:[^"\\]|\\[\s\S]))*\"\"\"|'''(?:'{{0,2}}(?:[^'\\]|\\[\s\S]))*'''
               |"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"|'[^'\\\n\r]*(?:\\.[^'\\\n\r]*)*')
  | (?P<UNCLOSED>["'][^\n\r]*)
  | (?P<LANGTAG>@{LANGUAGE_PATTERN})
  | (?P<DOUBLE>(?:[0-9]+\.[0-9]*|\.?[0-9]+)[eE][+-]?[0-9]+)
  | (?P<DECIMAL>[0-9]*\.[0-9]+)
  | (?P<INT>[0-9]+)
  | (?P<PERIOD>P(?=[0-9T])[0-9.A-Z]*[A-Z])
  | (?P<WORD>[^\W\d]\w*)
  | (?P<COMPARE><=|>=|!=|[<>=])
  | (?P<PUNCTUATION>\|\||&&|\^\^|[{{}}()\[\].,;*+/!|^?-])
  | (?P<BAD>[\s\S])
""",
    re.VERBOSE,
)


class QueryToken(Token):
    """A token, which may span lines: SPARQL's long strings do."""

    @property
    def span(self) -> Span:
        newlines = self.text.count("\n")
        if not newlines:
            return super().span
        return Span(self.line, self.column, self.line + newlines, len(self.text) - self.text.rindex("\n"))


def tokens(source: Text) -> list[Token]:
    """The tokens of a text; what is none goes to `source.problems`."""
    found: list[Token] = []
    line, line_start, position, depth = 1, 0, 0, 0
    while match := _TOKEN.match(source.text, position):
        kind, text = str(match.lastgroup), match.group()
        if kind == "IRI" and depth and found and found[-1].type in _VALUES:
            kind, text = "COMPARE", "<=" if text.startswith("<=") else "<"
        if kind not in ("SPACE", "COMMENT"):
            token = QueryToken(_kind(kind, text, found), text, line, position - line_start + 1)
            depth += {"LPAR": 1, "RPAR": -1}.get(token.type, 0)
            if token.type in (BAD, "UNCLOSED"):
                _report(source, token, found[-1] if found else None)
            found.append(token)
        if newlines := text.count("\n"):
            line, line_start = line + newlines, position + text.rindex("\n") + 1
        position += len(text)
    return found


def _kind(kind: str, text: str, before: list[Token]) -> str:
    """The exact kind of a token whose pattern does not say it."""
    if kind == "PUNCTUATION":
        return PUNCTUATION[text]
    if kind != "WORD":
        return kind
    upper = text.upper()
    if upper != "AS" and len(before) > 1 and before[-1].type in KINDS and before[-2].type == "REGISTER":
        return "WORD"  # the name of the query, whatever it is
    if text == "a":
        return "A"
    return upper if upper in KEYWORDS else _SAME.get(upper, "WORD")


def _report(source: Text, token: Token, before: Token | None) -> None:
    """Say what is wrong with a bad token; a run of bad characters counts once."""
    if token.type == "UNCLOSED":
        quote = token.text[:3] if token.text[:3] in ('"""', "'''") else token.text[0]
        message, hint = "this string is not closed", f"close it with `{quote}`"
        source.report("unclosed-string", message, token.span, hint)
    elif before is None or before.type != BAD or (before.line, before.end_column) != (token.line, token.column):
        shown = f"`{token.text}` has no meaning here" if token.text.isprintable() else f"unexpected character {token.text!r}"
        source.report("syntax", shown, token.span, _HINTS.get(token.text))


_HINTS = {
    "<": 'blanks and the characters <>"{}|^`\\ cannot stand in an IRI',
    "&": "conditions are joined by `&&`",
    "@": 'a language stands right behind a string: "text"@en',
    "~": "negation is no part of a continuous query; put it into a rule",
    "%": "a comment begins with `#`",
}
