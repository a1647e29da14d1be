"""The arguments that several commands share: the program, more facts for it, where its files are, what to do with bad rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from tidelog.cli.progress import progress

if TYPE_CHECKING:
    from tidelog import Materialisation, Program

Command = TypeVar("Command", bound=Callable[..., object])

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".nt": "ntriples",
    ".nq": "nquads",
    ".ttl": "turtle",
    ".trig": "trig",
    ".rdf": "rdfxml",
}

program_argument = click.argument("program", type=click.Path(exists=True, dir_okay=False, path_type=Path))


class NamedFile(click.ParamType[tuple[str, Path]]):
    """`NAME=FILE`: a predicate and the file that holds facts for it."""

    name = "NAME=FILE"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Path]:
        if isinstance(value, tuple):
            return value
        predicate, equals, file = str(value).partition("=")
        if not (predicate and equals and file):
            self.fail(f"{value!r} is not of the form NAME=FILE, for example edge=edges.csv", param, ctx)
        if format_of(Path(file)) is None:
            self.fail(
                f"cannot tell the format of {file!r} from its name; known endings: {', '.join(FORMATS)}, also with .gz",
                param,
                ctx,
            )
        if not Path(file).is_file():
            self.fail(f"there is no file {file!r}", param, ctx)
        return predicate, Path(file)


def format_of(path: Path) -> str | None:
    """The import format that a file's name tells, looking through a `.gz` at its end."""
    return FORMATS.get(Path(path.stem).suffix if path.suffix == ".gz" else path.suffix)


def input_options(command: Command) -> Command:
    """The options of every command that materialises a program."""
    options = [
        click.option(
            "--facts", "facts", type=NamedFile(), multiple=True, help="More facts for a predicate, from a file. Repeatable."
        ),
        click.option(
            "--input",
            "directory",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            metavar="DIR",
            help="Where @import looks for files; by default, beside the program.",
        ),
        click.option(
            "--on-bad-row",
            type=click.Choice(["stop", "skip"]),
            default="stop",
            show_default=True,
            help="A row that cannot be read stops everything, or is left out and reported.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def load(path: Path, facts: tuple[tuple[str, Path], ...] = (), directory: Path | None = None) -> Program:
    """The program of a file, with the `--facts` files as further imports."""
    from tidelog.program import Program
    from tidelog.syntax.ast import Import

    program = Program.load(path)
    if directory is not None:
        program = replace(program, directory=directory.resolve())
    more = tuple(Import(predicate, format_of(file) or "csv", str(file.resolve())) for predicate, file in facts)
    return replace(program, imports=program.imports + more) if more else program


def materialise(
    path: Path, facts: tuple[tuple[str, Path], ...], directory: Path | None, on_bad_row: str, *, strata: str = "granular"
) -> Materialisation:
    """What follows from a program, with progress shown on a terminal."""
    from tidelog import Materialisation

    program = load(path, facts, directory)
    with progress("materialising") as report:
        return Materialisation(program, strata=strata, on_bad_row=on_bad_row, progress=report)
