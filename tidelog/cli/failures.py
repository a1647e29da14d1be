"""What a command that fails says, and the exit code it ends with.

A message names the place and the way out. A traceback is for our own bugs only, and only for who asks for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import click

from tidelog.errors import InternalError, ProgramError, TidelogError

OK, WRONG, USAGE, BUG, INTERRUPTED = 0, 1, 2, 70, 130
TRACEBACK = "TIDELOG_TRACEBACK"

EXIT_CODES = """\b
Exit codes:
  0    done
  1    the program or the data is wrong, something is missing,
       or the fact to explain does not hold
  2    the command was not understood
  70   a bug in Tidelog
  130  stopped with Ctrl-C
"""


def exit_code(command: Callable[[], int]) -> int:
    """Run a command; whatever it raises becomes a message on standard error and an exit code."""
    _open_streams()
    try:
        code = command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _forget_output()  # the reader (`| head`) has seen enough; click ends with 1 when it notices
        return WRONG
    except (click.Abort, KeyboardInterrupt):
        click.echo("tidelog: stopped by Ctrl-C", err=True)
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        message, code = told(error)
        click.echo(message, err=True)
        _forget_output()
        return code


def _forget_output() -> None:
    """What cannot be written goes nowhere, or Python would complain once more at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_streams() -> None:
    """A process may be started with its streams closed; what nobody wants to see goes nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open until the process ends


def told(error: Exception) -> tuple[str, int]:
    """The message and the exit code of an error."""
    match error:
        case ProgramError(problems=problems):
            count = f"{len(problems)} problem{'' if len(problems) == 1 else 's'}"
            return f"{error}\n{count} found; nothing was run", WRONG
        case InternalError():
            return _bug(error), BUG
        case TidelogError():
            return f"error: {error}", WRONG
        case OSError(filename=str() | bytes() as name, strerror=str(reason)):
            return f"error: {os.fsdecode(name)}: {reason}", WRONG
        case OSError(strerror=str(reason)):  # without a file: standard output is full, or gone
            return f"error: {reason}", WRONG
        case MemoryError():
            return "error: out of memory; nothing was written", WRONG
        case _ if type(error).__module__.partition(".")[0] in ("pyspark", "py4j"):
            return _spark(error), WRONG
        case _:
            return _bug(error), BUG


def _spark(error: Exception) -> str:
    """What Spark says of a job that it gave up: the first line that tells, of hundreds."""
    lines = [line.strip(": \t") for line in str(error).splitlines() if line.strip()]
    telling = next(
        (line for line in lines if "Exception" in line or "Error" in line or "lost" in line), lines[0] if lines else ""
    )
    said = telling if len(telling) <= 300 else f"{telling[:300]} ..."
    return (
        f"error: Spark gave up: {said or type(error).__name__}; the update that was under way is not applied\n"
        f"    hint: run again with {TRACEBACK}=1 to see all that Spark says"
    )


def _bug(error: Exception) -> str:
    return (
        f"tidelog: this is a bug in Tidelog, not in your program: {type(error).__name__}: {error}\n"
        f"    hint: run again with {TRACEBACK}=1 to see where, and report it with the program that shows it"
    )
