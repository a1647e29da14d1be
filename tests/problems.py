"""What every problem with a text has to satisfy."""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.errors import Problem


def check_places(problems: Sequence[Problem], text: str) -> None:
    """There are problems, and each points into the text."""
    lines = text.removeprefix("\ufeff").split("\n")
    assert problems
    for problem in problems:
        assert str(problem)
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
        assert problem.end_column is None or problem.end_column > problem.column
