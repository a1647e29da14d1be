"""What remains of a run: files, and a few lines on standard error about what was done."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tidelog import Materialisation

BAD_ROWS = "bad-rows.csv"
SUFFIXES = {"csv": ".csv", "parquet": ".parquet", "nt": ".nt"}


def outputs(mat: Materialisation) -> list[str]:
    """The predicates to show: those of `@output`; without any, the derived ones; in a program without rules, all."""
    program = mat.program
    derived = dict.fromkeys(atom.predicate for rule in program.rules for atom in rule.head)
    return list(program.outputs or derived or mat.predicates)


def bad_rows(mat: Materialisation, directory: Path | None = None) -> None:
    """How many rows were left out, and which: in a file, where the run may write one."""
    if not len(mat.bad_rows):
        return
    where = f"; they are in {(directory or Path()) / BAD_ROWS}" if directory is not None else ""
    if directory is not None:
        mat.bad_rows.write(directory / BAD_ROWS)
    first = next(iter(mat.bad_rows))
    click.echo(f"warning: {len(mat.bad_rows):,} bad rows were skipped{where}", err=True)
    click.echo(f"    the first: {first.source}:{first.row}: {first.reason}", err=True)


def summary(mat: Materialisation) -> None:
    """One line: how much, how long."""
    derived = mat.statistics.facts
    click.echo(f"{derived:,} facts derived, {len(mat):,} in all, in {mat.statistics.seconds:.2f} s", err=True)


def statistics(mat: Materialisation) -> None:
    """What the work consisted of, and how many facts each predicate has."""
    taken = mat.statistics
    speed = taken.instances / taken.seconds if taken.seconds else 0
    click.echo(f"  rule instances  {taken.instances:>14,}  ({speed:,.0f} a second)", err=True)
    click.echo(f"  rounds          {taken.rounds:>14,}", err=True)
    width = max((len(predicate) for predicate in mat.predicates), default=0)
    for predicate in mat.predicates:
        click.echo(f"  {predicate:<{width}}  {len(mat[predicate]):>14,} facts", err=True)
