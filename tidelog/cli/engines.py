"""`--engine`: where a command has its work done, in this process or by Spark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
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
        click.option(
            "--warehouse",
            type=click.Path(file_okay=False, path_type=Path),
            metavar="DIR",
            help="Keep everything in this directory, with --engine spark: each update is a version of it, and a later run goes "
            "on from the last. `tidelog query` and `explain` read it with --warehouse, without Spark.",
        ),
        click.option(
            "--checkpoints",
            metavar="URL",
            help="A directory that all machines see, for intermediate results that outlive executors (--engine spark).",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Worker:
    """What the options say about who does the work."""

    engine: str
    master: str | None
    warehouse: Path | None
    checkpoints: str | None

    def chosen(self, facts: Sequence[object] = ()) -> str | Spark:
        """The engine as `Materialisation` takes it; `facts` are further ones, from `--facts`."""
        if self.engine == EMBEDDED:
            for name, value, what in (
                ("--master", self.master, "says where Spark runs"),
                ("--warehouse", self.warehouse, "is kept by Spark; `tidelog query` and `explain` read one without"),
                ("--checkpoints", self.checkpoints, "is for Spark"),
            ):
                if value is not None:
                    raise click.UsageError(f"{name} {what}; add --engine spark")
            return EMBEDDED
        if facts and self.version is not None:
            hint = "give more with --update insert:NAME=FILE"
            raise click.UsageError(f"{self.warehouse} has its facts, so --facts would change nothing; {hint}")
        from tidelog.spark.options import Spark

        return Spark(master=self.master, warehouse=self.warehouse, checkpoints=self.checkpoints)

    @property
    def version(self) -> int | None:
        """The latest version of the warehouse; None without one."""
        if self.warehouse is None:
            return None
        from tidelog.warehouse import Directory

        return max(Directory(self.warehouse).versions(), default=None)

    def tell(self, before: int | None) -> None:
        """Say where everything is now."""
        if self.warehouse is not None:
            since = f", on from version {before}" if before is not None and before != self.version else ""
            click.echo(f"{self.warehouse} is at version {self.version}{since}", err=True)
