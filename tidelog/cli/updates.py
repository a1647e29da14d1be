"""The `--update` arguments: where the updates come from, and applying them one by one."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from tidelog.cli import report
from tidelog.cli.feed import Feed
from tidelog.cli.inputs import predicate_of
from tidelog.cli.progress import Line
from tidelog.errors import DataError, TidelogError

if TYPE_CHECKING:
    from tidelog import Materialisation, Program
    from tidelog.io.updates import Lines, WrittenUpdate

    Source: TypeAlias = Lines | WrittenUpdate

_BETWEEN = re.compile(r",(?=insert:|delete:)")
_TABLE = re.compile(r"(?P<part>insert|delete):(?P<predicate><[^>]*>|[^=]+)=(?P<file>.+)", re.DOTALL)


def sources(values: Sequence[str], program: Program) -> list[Source]:
    """What the arguments mean. Names and files are checked at once, not after everything is materialised."""
    return [source(value, program) for value in values]


def source(value: str, program: Program) -> Source:
    from tidelog.io.updates import Lines

    if value == "-":
        return Lines.of_stream(sys.stdin, "<standard input>")
    if value.startswith(("insert:", "delete:")):
        return tables(value, program)
    if is_table(path := Path(value)):
        table = value if "=" in value else f"NAME={value}"
        raise click.UsageError(f"--update {value}: a table says what, not whether: write insert:{table} or delete:{table}")
    return Lines.of(path)


def is_table(path: Path) -> bool:
    """Whether the name is that of a file whose rows are facts, rather than updates."""
    from tidelog.io import format_of

    try:
        return bool(format_of(path))
    except DataError:
        return False


def tables(value: str, program: Program) -> WrittenUpdate:
    """The one update that consists of these tables."""
    from tidelog.io import files, format_of
    from tidelog.io.updates import WrittenUpdate

    facts: dict[str, dict[str, list[Path]]] = {"insert": {}, "delete": {}}
    for written in _BETWEEN.split(value):
        table = _TABLE.fullmatch(written)
        if table is None:
            raise click.UsageError(f"--update {value}: {written!r} is not of the form insert:NAME=FILE or delete:NAME=FILE")
        path = files.check(Path(table["file"]))
        format_of(path)
        predicate = predicate_of(program, table["predicate"])
        facts[table["part"]].setdefault(predicate, []).append(path)
    return WrittenUpdate(facts["insert"], facts["delete"], source=value)


def apply(mat: Materialisation, given: Sequence[Source], feed: Feed | None, line: Line | None, *, stats: bool) -> None:
    """Apply the updates in order, and tell of each what it changed; at the first bad one those before it stand."""
    from tidelog.io.updates import read

    total = report.Total()
    if line is not None:
        line.next("update 1")
    try:
        for changes in mat.follow(read(given, mat.bad_rows)):
            if line is not None:
                line.close()
            if feed is not None:
                feed.write(changes)
            if stats:
                report.update(changes)
            total.add(changes)
            if line is not None:
                line.next(f"update {changes.number + 1}")
    except TidelogError:
        report.stopped(total)
        raise
    report.updates(mat, total)
