"""From characters to tokens, grouped into statements.

A token never spans lines. What cannot be a token is reported and becomes a `BAD` token, so that the statement around it is
skipped and the next one is read as if nothing had happened. Comments are set aside for the formatter.

One choice needs context: `<` opens an IRI where a term may begin and is an operator after a term (`?x<?y,?z>3`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tidelog.syntax.ast import Span
from tidelog.syntax.names import LOCAL, NAME
from tidelog.syntax.places import Text
from tidelog.terms import BLANK_PATTERN, LANGUAGE_PATTERN

PUNCTUATION = {
    "(": "LPAR",
    ")": "RPAR",
    "[": "LSQB",
    "]": "RSQB",
    "{": "LBRACE",
    "}": "RBRACE",
    ",": "COMMA",
    ".": "DOT",
    "~": "TILDE",
    "+": "PLUS",
    "-": "MINUS",
    "*": "STAR",
    "/": "SLASH",
    "=": "EQUAL",
    ":-": "IF",
    "^^": "TYPED",
}
DIRECTIVES = {
    "@prefix": "PREFIX",
    "@base": "BASE",
    "@import": "IMPORT",
    "@export": "EXPORT",
    "@output": "OUTPUT",
    "@source": "SOURCE",
}
CONSTANTS = frozenset({"NAME", "IRI", "PNAME", "BLANK", "STRING", "INT", "DECIMAL", "DOUBLE", "BOOL"})
BROKEN = frozenset({"BAD", "UNCLOSED"})
_AFTER_TERM = CONSTANTS | {"NS", "VAR", "ANON", "RPAR", "RSQB"}

_TOKEN = re.compile(
    rf"""
    (?P<SPACE>\s+)
  | (?P<COMMENT>%[^\n]*)
  | (?P<VAR>\?\w+)
  | (?P<PNAME>(?:{NAME})?:{LOCAL})
  | (?P<NS>(?:{NAME})?:(?!-))
  | (?P<NAME>{NAME})
  | (?P<DOUBLE>[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+)
  | (?P<DECIMAL>[0-9]+\.[0-9]+)
  | (?P<INT>[0-9]+)
  | (?P<STRING>"[^"\\\n]*(?:\\.[^"\\\n]*)*"(?:@{LANGUAGE_PATTERN})?)
  | (?P<LESS><=?)
  | (?P<COMPARE>!=|>=?)
  | (?P<BLANK>_:{BLANK_PATTERN})
  | (?P<ANON>_(?!\w))
  | (?P<DIRECTIVE>@\w+)
  | (?P<PUNCTUATION>:-|\^\^|[()\[\]{{}},.~+*/=-])
  | (?P<UNCLOSED>"[^\n]*)
  | (?P<BAD>.)
""",
    re.VERBOSE,
)
_IRI = re.compile(r"<[^<>\"{}|^`\s]*>")
_LIKE_IRI = re.compile(r"<[^<>\n=?]*>")


class Token:
    """A piece of one line; `value` is what it means, once read (see `reading`)."""

    __slots__ = ("column", "line", "text", "type", "value")

    def __init__(self, type: str, text: str, line: int, column: int) -> None:
        self.type = type
        self.text = text
        self.line = line
        self.column = column
        self.value: object = None

    @property
    def end_column(self) -> int:
        return self.column + len(self.text)

    @property
    def span(self) -> Span:
        return Span(self.line, self.column, self.line, self.column + len(self.text))

    # What lark asks of the last token to place the end of the input.
    end_line = property(lambda self: self.line)
    start_pos = end_pos = property(lambda self: 0)


@dataclass(frozen=True, slots=True)
class Scan:
    """The tokens of a text, each statement with its final dot (the last one may lack it), and the comments."""

    statements: list[list[Token]]
    comments: list[Token]


def scan(source: Text) -> Scan:
    """Cut a text into tokens; what is no token goes to `source.problems`."""
    text, position, line, line_start = source.text, 0, 1, 0
    statement: list[Token] = []
    statements, comments = [statement], []
    previous = ""
    match = _TOKEN.match
    while found := match(text, position):
        kind, lexeme = str(found.lastgroup), found.group()
        column = position - line_start + 1
        position = found.end()
        if kind == "SPACE":
            if newlines := lexeme.count("\n"):
                line += newlines
                line_start = position - len(lexeme) + lexeme.rindex("\n") + 1
            continue
        if kind == "COMMENT":
            comments.append(Token(kind, lexeme.rstrip(), line, column))
            continue
        if kind in ("LESS", "PUNCTUATION", "DIRECTIVE", "NAME"):
            kind, lexeme = _refine(kind, lexeme, text, found.start(), previous)
            position = found.start() + len(lexeme)
        token = Token(kind, lexeme, line, column)
        if kind in BROKEN:
            _report(source, token, statement)
        statement.append(token)
        previous = "" if kind == "NS" and statement[0].type == "PREFIX" else kind
        if kind == "DOT" or (kind == "UNCLOSED" and lexeme.rstrip().endswith(".")):
            statement = []
            statements.append(statement)
    if not statement:
        statements.pop()
    return Scan(statements, comments)


def _refine(kind: str, lexeme: str, text: str, start: int, previous: str) -> tuple[str, str]:
    """The exact kind of a token whose pattern does not say it."""
    if kind == "PUNCTUATION":
        return PUNCTUATION[lexeme], lexeme
    if kind == "NAME":
        return ("BOOL" if lexeme in ("true", "false") else "NAME"), lexeme
    if kind == "DIRECTIVE":
        return DIRECTIVES.get(lexeme, "BAD"), lexeme
    if previous not in _AFTER_TERM:
        if iri := _IRI.match(text, start):
            return "IRI", iri.group()
        if like := _LIKE_IRI.match(text, start):
            return "BAD", like.group()
    return "COMPARE", lexeme


def _report(source: Text, token: Token, statement: list[Token]) -> None:
    """Say what is wrong with a bad token; a run of bad characters counts once."""
    after_bad = statement and statement[-1].type == "BAD" and statement[-1].end_column == token.column
    if after_bad and statement[-1].line == token.line and len(token.text) == 1:
        return
    code, message, hint = _diagnose(token)
    source.report(code, message, token.span, hint)


_SLIPS = {
    "!": "negation is written `~p(?x)`; there are no existential variables",
    "\\": "negation is written `~p(?x)`",
    ";": "alternatives are separate rules with the same head; a conjunction is written with `,`",
    "|": "alternatives are separate rules with the same head",
    "&": "a conjunction is written with `,`",
    "'": 'strings stand in double quotes: "text"',
    "#": "a comment begins with `%`; aggregates are not part of the language",
    "?": "a variable has a name, as in `?x`; `_` stands for anything",
    "$": "a variable is written `?x`",
    "@": "directives are @prefix, @base, @import, @export, @output",
}


def _diagnose(token: Token) -> tuple[str, str, str | None]:
    text = token.text
    if token.type == "UNCLOSED":
        return (
            "unclosed-string",
            "this string is not closed on its line",
            'close it with `"`; a line break inside is written `\\n`',
        )
    if text.startswith("<"):
        return "invalid-iri", f"`{text}` is not an IRI", 'blanks and the characters <>"{}|^`\\ cannot stand in an IRI'
    if text.startswith("@") and len(text) > 1:
        return "unknown-directive", f"there is no directive `{text}`", _SLIPS["@"]
    if text == "_":
        return "syntax", "a name cannot begin with `_`", "a variable is written `?x`; `_` alone stands for anything"
    return (
        "syntax",
        f"`{text}` has no meaning here" if text.isprintable() else f"unexpected character {text!r}",
        _SLIPS.get(text),
    )
