"""Where the lines of a formatted program go: comments kept, blank lines between paragraphs kept, but one at most.

A comment inside a statement moves in front of it; one behind a statement, on its last line, stays there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tidelog.syntax.ast import Source, Span, Statement
from tidelog.syntax.places import Text
from tidelog.syntax.scanner import Token, scan


@dataclass(slots=True)
class Block:
    """Lines that stay together, and the lines of the original that they come from."""

    text: str
    first: int
    last: int


def lay_out(source: Source, texts: Iterable[tuple[Statement, str]]) -> str:
    """The program text; without places (a tree that no text stands behind) one statement a line."""
    pieces = [(statement.span, text) for statement, text in texts]
    if not source.text or any(span is None for span, _ in pieces):
        return "".join(f"{text}\n" for _, text in pieces)
    comments = scan(Text(source.text)).comments
    return _render(_weave(_group(pieces), comments))


def _group(pieces: list[tuple[Span | None, str]]) -> list[tuple[Span, str]]:
    """Pieces that one statement of the text stands for (`p(a), p(b) .`) end where it ends and go together."""
    groups: list[tuple[Span, str]] = []
    for span, text in pieces:
        assert span is not None
        if groups and (groups[-1][0].end_line, groups[-1][0].end_column) == (span.end_line, span.end_column):
            groups[-1] = (groups[-1][0], f"{groups[-1][1]}\n{text}")
        else:
            groups.append((span, text))
    return groups


def _weave(groups: list[tuple[Span, str]], comments: list[Token]) -> list[Block]:
    """Statements and comments in the order in which they will stand."""
    blocks: list[Block] = []
    waiting = comments[::-1]
    for number, (span, text) in enumerate(groups):
        while waiting and _position(waiting[-1]) < (span.end_line, span.end_column):
            comment = waiting.pop()
            line = min(comment.line, span.line)  # one from inside moves in front
            blocks.append(Block(comment.text, line, line))
        blocks.append(Block(text, span.line, span.end_line))
        following = groups[number + 1][0] if number + 1 < len(groups) else None
        ends_line = following is None or following.line > span.end_line
        if waiting and waiting[-1].line == span.end_line and ends_line:
            blocks[-1].text += f"  {waiting.pop().text}"
    return [*blocks, *(Block(comment.text, comment.line, comment.line) for comment in reversed(waiting))]


def _position(token: Token) -> tuple[int, int]:
    return token.line, token.column


def _render(blocks: list[Block]) -> str:
    lines: list[str] = []
    for before, block in zip([None, *blocks], blocks, strict=False):
        if before is not None and block.first > before.last + 1:
            lines.append("")
        lines.append(block.text)
    return "".join(f"{line}\n" for line in lines)
