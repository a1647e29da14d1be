"""Messages that point into a line: the carets stand under what is meant, whatever stands before it."""

from __future__ import annotations

import pytest

from tidelog.errors import Problem


@pytest.mark.parametrize(
    ("line", "caret_line"),
    [
        ("p(a) X", "     ^"),
        ("\tp(a)\tX", "\t    \t^"),
        ("日本(a) X", "        ^"),  # takes two columns a character
        ("e\u0301(a) X", "     ^"),  # an accent takes none
        ("p(\u200b) X", "    ^"),  # nor does a space of no width
    ],
)
def test_carets_stand_below_the_place(line: str, caret_line: str) -> None:
    problem = Problem("code", "message", "file", 1, line.index("X") + 1, line.index("X") + 2, line)
    assert str(problem).splitlines()[2] == "    " + caret_line


def test_there_are_as_many_carets_as_the_text_is_wide() -> None:
    problem = Problem("code", "message", "file", 1, 3, 5, "p(日本) .")
    assert str(problem).splitlines()[2] == "    " + "  ^^^^"


def test_a_terminal_is_not_sent_control_characters() -> None:
    problem = Problem("code", "message", "file", 1, 3, 4, "p(\x1b[31m) .")
    assert str(problem).splitlines()[1] == "    p(\ufffd[31m) ."


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    line = "a" * 500 + "X" + "b" * 500
    shown, carets = str(Problem("code", "message", "file", 1, 501, 502, line)).splitlines()[1:3]
    assert (shown[4:8], shown[-4:], len(shown)) == ("... ", " ...", 212)
    assert shown[carets.index("^")] == "X"
    assert carets.count("^") == 1
    shown, carets = str(Problem("code", "message", "file", 1, 3, 900, line)).splitlines()[1:3]
    assert len(carets) <= len(shown)
