"""The command line: `tidelog run`, `query`, `explain`, `check`, `fmt`, `bench`.

`main` is the only public name. The command modules import click and nothing heavier at the top; the engine, pyarrow and
rich are imported inside the commands that need them, so that `--help`, `check` and `fmt` answer at once. What can go wrong
is turned into messages and exit codes in one place, `failures`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; `arguments` are the process's own by default."""
    from tidelog.cli.failures import exit_code

    def command() -> int:
        from tidelog.cli.app import app

        result = app.main(
            args=list(sys.argv[1:] if arguments is None else arguments), prog_name="tidelog", standalone_mode=False
        )
        return result if isinstance(result, int) else 0

    return exit_code(command)
