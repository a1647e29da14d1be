"""The arguments that several commands share: the program, more facts for it, where its files are, what to do with bad rows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import click

from tidelog.cli.progress import progress
from tidelog.errors import DataError, ProgramError

if TYPE_CHECKING:
    from tidelog import Materialisation, Program
    from tidelog.syntax.ast import Import

NamedFile: TypeAlias = tuple[str, Path]
"""A predicate, as it is written in the program, and a file of facts for it."""

Command = TypeVar("Command", bound=Callable[..., object])

STANDARD_INPUT = Path("-")

_PROGRAM = click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
program_argument = click.argument("program", type=_PROGRAM)
optional_program = click.argument("program", type=_PROGRAM, required=False)


def named_files(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[NamedFile, ...]:
    """What the `NAME=FILE` arguments say."""
    named = []
    for value in values:
        predicate, _, file = value.partition("=")
        if not (predicate and file):
            raise click.BadParameter(f"{value!r} is not of the form NAME=FILE, for example edge=edges.csv")
        named.append((predicate, Path(file)))
    return tuple(named)


def input_options(command: Command) -> Command:
    """The options of every command that materialises a program."""
    options = [
        click.option(
            "--facts",
            callback=named_files,
            multiple=True,
            metavar="NAME=FILE",
            help="More facts for a predicate, from a CSV, TSV, Parquet or RDF file. Repeatable.",
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


def load(path: Path, facts: tuple[NamedFile, ...] = (), directory: Path | None = None) -> Program:
    """The program of a file, or of standard input if that is `-`, with the `--facts` files as further imports."""
    from tidelog.program import Program

    program = Program.parse(sys.stdin.read(), file="<standard input>") if path == STANDARD_INPUT else Program.load(path)
    return with_facts(program if directory is None else replace(program, directory=directory), facts)


def with_facts(program: Program, facts: tuple[NamedFile, ...]) -> Program:
    """A program with the `--facts` files as further imports."""
    more = tuple(further_import(program, name, file) for name, file in facts)
    return replace(program, imports=program.imports + more) if more else program


def further_import(program: Program, name: str, file: Path) -> Import:
    """The import that `--facts name=file` stands for. A name that the program does not mention is most likely misspelt."""
    from tidelog.io import format_of
    from tidelog.syntax.ast import Import

    try:
        predicate = predicate_of(program, name)
    except UnknownPredicate as unknown:
        click.echo(f"warning: {unknown.message}{f'; {unknown.hint}' if unknown.hint else ''}", err=True)
        predicate = unknown.predicate
    beside = (program.directory or Path()).absolute() == Path.cwd()
    return Import(predicate, format_of(file), str(file if beside else file.absolute()))


class UnknownPredicate(DataError):
    """A predicate that the program does not mention."""

    def __init__(self, predicate: str, name: str, hint: str | None) -> None:
        self.predicate = predicate
        super().__init__(f"the program does not mention {name}", hint=hint)


def predicate_of(program: Program, name: str) -> str:
    """The predicate of this name, which may be written with a prefix."""
    from tidelog.syntax.parser import parse_atom

    try:
        predicate = parse_atom(f"{name}()", program.prefixes, program.base).predicate
    except ProgramError as error:
        raise click.UsageError(f"{name!r} is not the name of a predicate: {error.problems[0].message}") from None
    known = {*program.arities, *(resource.predicate for resource in program.imports)}
    if predicate not in known:
        near = get_close_matches(predicate, known, 1)
        raise UnknownPredicate(predicate, name, f"did you mean {near[0]}?" if near else None)
    return predicate


warehouse_option = click.option(
    "--warehouse",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Ask what this warehouse holds, and materialise nothing.",
)


def materialise(
    path: Path, facts: tuple[NamedFile, ...], directory: Path | None, on_bad_row: str, warehouse: Path | None
) -> Materialisation:
    """What follows from a program, or the warehouse that holds it, with progress shown on a terminal."""
    from tidelog import Materialisation

    if warehouse is not None:
        if facts:
            raise click.UsageError("a warehouse has its facts; --facts and --warehouse do not go together")
        return Materialisation.open(warehouse, load(path, (), directory))
    program = load(path, facts, directory)
    with progress("materialising") as report:
        return Materialisation(program, on_bad_row=on_bad_row, progress=report)
