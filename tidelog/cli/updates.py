"""The `--update` arguments: where the updates come from, and applying them one by one."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeAlias

import click

from tidelog.cli import report
from tidelog.cli.feed import Feed
from tidelog.cli.inputs import predicate_of
from tidelog.errors import DataError, TidelogError

if TYPE_CHECKING:
    from tidelog import Changes, Materialisation, Program
    from tidelog.cli.live import Stop
    from tidelog.io.updates import Lines, WrittenUpdate
    from tidelog.stream.sources import Source
    from tidelog.stream.windows import Slide

    Given: TypeAlias = Lines | WrittenUpdate

_BETWEEN = re.compile(r",(?=insert:|delete:)")
_TABLE = re.compile(r"(?P<part>insert|delete):(?P<predicate><[^>]*>|[^=]+)=(?P<file>.+)", re.DOTALL)


def sources(values: Sequence[str], program: Program) -> list[Given]:
    """What the arguments mean. Names and files are checked at once, not after everything is materialised."""
    return [source(value, program) for value in values]


def source(value: str, program: Program) -> Given:
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


class Watch(Protocol):
    """Shows on a terminal how far the updates are."""

    def clear(self) -> None: ...

    def done(self, changes: Changes) -> None: ...


def apply(
    mat: Materialisation,
    given: Iterator[WrittenUpdate] | Source[WrittenUpdate] | Source[Slide],
    feed: Feed | None,
    watch: Watch | None,
    *,
    stats: bool,
    stop: Stop | None = None,
) -> None:
    """Apply the updates in order, and tell of each what it changed; at the first bad one those before it stand.

    With `stop`, being told to stop is an end like any other.
    """
    total = report.Total()
    try:
        for changes in mat.follow(given):
            with stop.writing() if stop is not None else nullcontext():
                total.add(changes)
                if watch is not None:
                    watch.clear()
                if feed is not None:
                    feed.write(changes)
                if stats:
                    report.update(changes)
                if watch is not None:
                    watch.done(changes)
    except TidelogError:
        if watch is not None:
            watch.clear()
        report.stopped(total)
        raise
    except KeyboardInterrupt:
        if stop is None:
            raise
    if watch is not None:
        watch.clear()
    report.updates(mat, total)
