"""What remains of a run: files, and a few lines on standard error about what was done."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tidelog import Materialisation, Relation
    from tidelog.syntax.ast import Resource

BAD_ROWS = "bad-rows.csv"
FORMATS = {"csv": "csv", "parquet": "parquet", "nt": "ntriples"}


def outputs(mat: Materialisation) -> list[str]:
    """The predicates to show: those of `@output`; without any, the derived ones; in a program without rules, all."""
    program = mat.program
    derived = dict.fromkeys(atom.predicate for rule in program.rules for atom in rule.head)
    return list(program.outputs or derived or mat.predicates)


def write_exports(mat: Materialisation, directory: Path) -> None:
    """Carry out the `@export` directives; relative paths start at `directory`."""
    for resource in mat.program.exports:
        write(mat[resource.predicate], resource, directory)


def write_outputs(mat: Materialisation, directory: Path, form: str) -> None:
    """A file for each predicate that `run` would print."""
    from tidelog.syntax.ast import Export

    names: set[str] = set()
    for predicate in outputs(mat):
        name = file_name(predicate, names)
        write(mat[predicate], Export(predicate, FORMATS[form], f"{name}.{form}"), directory)


def file_name(predicate: str, taken: set[str]) -> str:
    """A name for a predicate's file, which may be an IRI; none twice, and none that differ only in upper and lower case."""
    name = base = re.sub(r"[^\w-]+", "_", predicate).strip("_") or "facts"
    number = 1
    while name.lower() in taken:
        number += 1
        name = f"{base}_{number}"
    taken.add(name.lower())
    return name


def write(relation: Relation, resource: Resource, directory: Path) -> None:
    path = relation.write(directory / Path(resource.path).expanduser(), resource.format, resource.options)
    click.echo(f"wrote {path} ({len(relation):,} facts)", err=True)


def bad_rows(mat: Materialisation, directory: Path | None = None) -> None:
    """How many rows were left out, and which: in a file, where the run may write one."""
    if not mat.bad_rows:
        return
    where = f"; they are in {(directory or Path()) / BAD_ROWS}" if directory is not None else ""
    if directory is not None:
        mat.bad_rows.write(directory / BAD_ROWS)
    first = next(iter(mat.bad_rows))
    count = len(mat.bad_rows)
    click.echo(f"warning: {count:,} bad row{' was' if count == 1 else 's were'} skipped{where}", err=True)
    click.echo(f"    the first: {first.source}:{first.row}: {first.reason}", err=True)


def summary(mat: Materialisation) -> None:
    """One line: how much, how long."""
    given = sum(len(mat.explicit(predicate)) for predicate in mat.predicates)
    click.echo(
        f"{len(mat):,} facts: {given:,} given, {len(mat) - given:,} derived, in {mat.statistics.seconds:.2f} s", err=True
    )


def statistics(mat: Materialisation) -> None:
    """What the work consisted of, and how many facts each predicate has."""
    taken = mat.statistics
    speed = taken.instances / taken.seconds if taken.seconds else 0
    click.echo(f"  rule instances  {taken.instances:>14,}  ({speed:,.0f} a second)", err=True)
    click.echo(f"  rounds          {taken.rounds:>14,}", err=True)
    width = max((len(predicate) for predicate in mat.predicates), default=0)
    for predicate in mat.predicates:
        click.echo(f"  {predicate:<{width}}  {len(mat[predicate]):>14,} facts", err=True)
