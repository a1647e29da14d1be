"""Places in a text, and problems that point at them."""

from __future__ import annotations

import re

from tidelog.errors import Problem
from tidelog.syntax.ast import Span


class Text:
    """A text under examination: its lines, its file name, and what was found wrong with it so far."""

    def __init__(self, text: str, file: str | None = None) -> None:
        self.text = text
        self.file = file
        self.lines = text.split("\n")
        self.problems: list[Problem] = []

    def report(self, code: str, message: str, span: Span | None, hint: str | None = None) -> None:
        self.problems.append(self.problem(code, message, span, hint))

    def problem(self, code: str, message: str, span: Span | None, hint: str | None = None) -> Problem:
        """A problem at `span`; of a span over several lines, the first line is shown."""
        if span is None:
            return Problem(code, message, self.file, hint=hint)
        line = self.lines[span.line - 1].removesuffix("\r") if span.line <= len(self.lines) else ""
        end = span.end_column if span.end_line == span.line else len(line) + 1
        return Problem(code, message, self.file, span.line, span.column, max(end, span.column + 1), line, hint)

    def place(self, span: Span | None) -> str:
        """`file:line:column`, or `line L` where there is no file, to name a place inside a message."""
        if span is None:
            return "another place"
        return f"{self.file}:{span.line}:{span.column}" if self.file else f"line {span.line}"

    def between(self, span: Span | None) -> str:
        """The text of a span that lies on one line; of any other, nothing."""
        if span is None or span.line != span.end_line or span.line > len(self.lines):
            return ""
        return self.lines[span.line - 1][span.column - 1 : span.end_column - 1]

    def find(self, word: str, span: Span | None, after: str = "") -> Span | None:
        """Where in a span a word stands, behind the text `after`; the span itself if it cannot be told."""
        if span is None:
            return None
        begun = not after
        for number in range(span.line, min(span.end_line, len(self.lines)) + 1):
            line = self.lines[number - 1]
            start = span.column - 1 if number == span.line else 0
            if not begun and after in line[start:]:
                begun, start = True, line.index(after, start) + len(after)
            if begun and (found := re.compile(rf"(?<![\w?]){re.escape(word)}(?!\w)").search(line, start)):
                return Span(number, found.start() + 1, number, found.end() + 1)
        return span

    def sorted_problems(self) -> list[Problem]:
        return sorted(self.problems, key=lambda problem: (problem.line, problem.column))


def join(first: Span | None, last: Span | None) -> Span | None:
    """From the start of `first` to the end of `last`."""
    if first is None or last is None:
        return first or last
    return Span(first.line, first.column, last.end_line, last.end_column)
