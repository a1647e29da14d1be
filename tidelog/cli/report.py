"""What remains of a run: files, and a few lines on standard error about what was done."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli.answers import counted

if TYPE_CHECKING:
    from tidelog import Changes, Materialisation, Relation
    from tidelog.relation import Relations
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
    click.echo(f"wrote {path} ({counted(len(relation), 'fact')})", err=True)


def bad_rows(mat: Materialisation, directory: Path | None = None) -> None:
    """How many rows were left out, and which: in a file, where the run may write one."""
    if not mat.bad_rows:
        return
    where = f"; see {(directory or Path()) / BAD_ROWS}" if directory is not None else ""
    if directory is not None:
        mat.bad_rows.write(directory / BAD_ROWS)
    first = next(iter(mat.bad_rows))
    one = len(mat.bad_rows) == 1
    click.echo(f"warning: {counted(len(mat.bad_rows), 'bad row')} {'was' if one else 'were'} skipped{where}", err=True)
    click.echo(f"    the first: {first.source}:{first.row}: {first.reason}", err=True)


def summary(mat: Materialisation) -> None:
    """One line: how much, how long."""
    click.echo(f"{facts(mat)}, in {mat.statistics.seconds:.2f} s", err=True)


def facts(mat: Materialisation) -> str:
    given = mat.given
    return f"{counted(len(mat), 'fact')}: {given:,} given, {len(mat) - given:,} derived"


def duration(seconds: float) -> str:
    """The time of an update, which is short."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"


def statistics(mat: Materialisation) -> None:
    """What the work consisted of, and how many facts each predicate has."""
    taken = mat.statistics
    speed = taken.instances / taken.seconds if taken.seconds else 0
    click.echo(f"  rule instances  {taken.instances:>14,}  ({speed:,.0f} a second)", err=True)
    click.echo(f"  rounds          {taken.rounds:>14,}", err=True)
    width = max((len(predicate) for predicate in mat.predicates), default=0)
    for predicate in mat.predicates:
        click.echo(f"  {predicate:<{width}}  {len(mat[predicate]):>14,} fact{'s' * (len(mat[predicate]) != 1)}", err=True)


@dataclass(slots=True)
class Total:
    """What all updates did together."""

    updates: int = 0
    appeared: int = 0
    vanished: int = 0
    seconds: float = 0.0

    def add(self, changes: Changes) -> None:
        self.updates += 1
        self.appeared += size(changes.inserted)
        self.vanished += size(changes.deleted)
        self.seconds += changes.statistics.seconds

    @property
    def applied(self) -> str:
        return counted(self.updates, "update")


def size(relations: Relations) -> int:
    return sum(map(len, relations.values()))


def updates(mat: Materialisation, total: Total) -> None:
    """One line about all updates, and what holds after them."""
    changed = f"{counted(total.appeared, 'fact')} appeared, {total.vanished:,} vanished"
    click.echo(f"{total.applied} in {duration(total.seconds)}: {changed}; now {facts(mat)}", err=True)


def stopped(total: Total) -> None:
    """An update cannot be applied; what stands all the same."""
    stand = "nothing was changed" if not total.updates else f"{total.applied} before it stand{'s' * (total.updates == 1)}"
    click.echo(f"stopped at an update that cannot be applied; {stand}", err=True)


def update(changes: Changes) -> None:
    """What one update took, and why it was done that way."""
    taken = changes.statistics
    phases = ", ".join(f"{phase} {count:,}" for phase, count in taken.instances_by_phase.items() if count)
    parts = [
        f"update {changes.number}: {size(changes.inserted):,} appeared, {size(changes.deleted):,} vanished",
        f"by {taken.algorithm} ({taken.reason})",
        f"{counted(taken.instances, 'rule instance')}{f' ({phases})' if phases else ''}",
        counted(taken.rounds, "round"),
        duration(taken.seconds),
    ]
    click.echo(", ".join(parts), err=True)
