"""What can go wrong, as one small tree: the user's program, the user's data, the environment, our own bug.

Errors carry fields, so that a caller can point at the place; their text is made from the fields.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


class TidelogError(Exception):
    """The root of all errors that Tidelog raises on purpose."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a program: where it stands, what it is, and the way out."""

    code: str
    message: str
    file: str | None = None
    line: int = 1
    column: int = 1
    end_column: int | None = None
    source_line: str = ""
    hint: str | None = None

    def __str__(self) -> str:
        place = f"{self.file or '<program>'}:{self.line}:{self.column}"
        text = f"{place}: error[{self.code}]: {self.message}"
        if self.source_line:
            end = self.end_column - 1 if self.end_column is not None else self.column
            line, start, end = _window("".join(map(_shown, self.source_line)), self.column - 1, end)
            indent = "".join("\t" if c == "\t" else " " * _width(c) for c in line[:start])
            carets = "^" * max(1, sum(map(_width, line[start:end])))
            text += f"\n    {line}\n    {indent}{carets}"
        if self.hint:
            text += f"\n    hint: {self.hint}"
        return text


_WINDOW = 200
"""How much of a long line is shown around the place."""


def _window(line: str, start: int, end: int) -> tuple[str, int, int]:
    """A long line cut to what is around a place, and where the place is then."""
    if len(line) <= _WINDOW:
        return line, start, end
    first = max(0, start - _WINDOW // 2)
    before, after = "... " if first else "", " ..." if len(line) > first + _WINDOW else ""
    shift = len(before) - first
    return f"{before}{line[first : first + _WINDOW]}{after}", start + shift, min(end, first + _WINDOW) + shift


def _shown(character: str) -> str:
    """A character as it may be sent to a terminal."""
    return "\ufffd" if unicodedata.category(character) == "Cc" and character != "\t" else character


def _width(character: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class ProgramError(TidelogError):
    """The user's program is wrong; `problems` lists everything found, in the order of the text."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class DataError(TidelogError):
    """The user's data cannot be read or does not fit; names the source and, where known, the row."""

    def __init__(self, message: str, *, source: str | None = None, row: int | None = None, hint: str | None = None) -> None:
        self.message, self.source, self.row, self.hint = message, source, row, hint
        place = ":".join(str(part) for part in (source, row) if part is not None)
        text = f"{place}: {message}" if place else message
        super().__init__(f"{text}\n    hint: {hint}" if hint else text)


class SetupError(TidelogError):
    """Something is missing around Tidelog: an optional package, a program, a permission."""


class MissingExtra(SetupError):
    """An optional package is not installed; the message is the line that installs it."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        self.feature, self.package, self.extra = feature, package, extra
        what = f"{feature} needs the package {package!r}, which is not installed"
        super().__init__(f"{what}\n    hint: pip install 'tidelog[{extra}]'")


class LimitExceeded(TidelogError):
    """A limit that the user set was reached; nothing of the interrupted work is kept."""


class InternalError(TidelogError):
    """A bug in Tidelog itself: an invariant does not hold."""
