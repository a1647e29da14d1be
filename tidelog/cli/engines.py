"""`--engine`: where a command has its work done, in this process or by Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from tidelog.spark.options import Spark

Command = TypeVar("Command", bound=Callable[..., object])

EMBEDDED, SPARK = "embedded", "spark"


def engine_options(command: Command) -> Command:
    """The options of commands that materialise for themselves."""
    options = [
        click.option(
            "--engine",
            type=click.Choice([EMBEDDED, SPARK]),
            default=EMBEDDED,
            show_default=True,
            help="Who does the work: this process, or Spark.",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="Where Spark runs: local[4], spark://..., yarn; by default on all cores of this machine, or where "
            "spark-submit says.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def chosen(engine: str, master: str | None) -> str | Spark:
    """The engine as `Materialisation` takes it."""
    if engine == EMBEDDED:
        if master is not None:
            raise click.UsageError("--master says where Spark runs; add --engine spark")
        return EMBEDDED
    from tidelog.spark.options import Spark

    return Spark(master=master)
