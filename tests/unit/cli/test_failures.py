"""What a failing command says, and the exit code it ends with."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import click
import pytest

from tidelog.cli.failures import BUG, INTERRUPTED, OK, TRACEBACK, USAGE, WRONG, exit_code
from tidelog.errors import DataError, InternalError, LimitExceeded, MissingExtra, Problem, ProgramError

PROBLEM = Problem("unsafe", "?z is unsafe", "a.rls", 3, 7, 9, "p(?x, ?z) :- q(?x) .", "add an atom")


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def command() -> NoReturn:
        raise error

    return command


@pytest.fixture(autouse=True)
def _no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TRACEBACK, raising=False)


def test_success_is_zero() -> None:
    assert exit_code(lambda: OK) == 0


def test_a_program_error_shows_every_problem_with_its_caret(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(ProgramError([PROBLEM, PROBLEM]))) == WRONG
    shown = capsys.readouterr().err
    assert shown.count("a.rls:3:7: error[unsafe]: ?z is unsafe") == 2
    assert "^^" in shown
    assert "2 problems found" in shown


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (DataError("not a number", source="e.csv", row=7), "e.csv:7: not a number"),
        (MissingExtra("to_pandas()", "pandas", "pandas"), "pip install 'tidelog[pandas]'"),
        (LimitExceeded("more than 10 facts"), "more than 10 facts"),
        (PermissionError(13, "Permission denied", "out/x.csv"), "out/x.csv: Permission denied"),
        (OSError(28, "No space left on device"), "error: No space left on device"),
        (MemoryError(), "out of memory"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_the_user_can_mend_is_told_without_a_traceback(
    error: Exception, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(raising(error)) == WRONG
    shown = capsys.readouterr().err
    assert text in shown
    assert "Traceback" not in shown
    assert "bug" not in shown


@pytest.mark.parametrize("error", [InternalError("a rank is missing"), KeyError("x")], ids=lambda value: type(value).__name__)
def test_our_own_bug_says_so_and_how_to_see_more(error: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(error)) == BUG
    shown = capsys.readouterr().err
    assert "bug in Tidelog" in shown
    assert f"{TRACEBACK}=1" in shown


def test_the_traceback_is_there_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(KeyError):
        exit_code(raising(KeyError("x")))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()], ids=lambda value: type(value).__name__)
def test_ctrl_c_is_one_line(error: BaseException, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(error)) == INTERRUPTED
    assert capsys.readouterr().err.splitlines() == ["tidelog: stopped by Ctrl-C"]


def test_a_usage_error_is_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(raising(click.UsageError("no such option"))) == USAGE
    assert "no such option" in capsys.readouterr().err
