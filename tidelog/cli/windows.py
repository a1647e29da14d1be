"""`tidelog stream --window`: updates seen through a window, and what becomes of those that come too late."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from tidelog.cli.answers import counted
from tidelog.errors import DataError

if TYPE_CHECKING:
    from tidelog import Materialisation, Window
    from tidelog.io.updates import WrittenUpdate
    from tidelog.stream.sources import Source
    from tidelog.stream.windowed import Windowed


class WindowType(click.ParamType[Any]):
    """`10s/1s`, `10s`, `100`."""

    name = "window"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Window:
        from tidelog import Window

        try:
            return value if isinstance(value, Window) else Window.parse(str(value))
        except ValueError as error:
            self.fail(f"{error}: a window is RANGE/STEP, such as 10s/1s, or RANGE, or a number of facts", parameter, context)


class LengthType(click.ParamType[Any]):
    """`5s`."""

    name = "duration"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> float:
        from tidelog.stream.durations import duration

        try:
            return duration(value)  # type: ignore[arg-type]  # what is wrong with it is what is asked
        except ValueError as error:
            self.fail(str(error), parameter, context)


class Late:
    """Updates that came too late, as lines of JSON in a file, from which they can be read again."""

    def __init__(self, file: BinaryIO | None) -> None:
        self._file = file

    def write(self, update: WrittenUpdate) -> None:
        if self._file is None:
            return
        from tidelog.io.updates import term_to_json

        line: dict[str, Any] = {"time": update.time}
        for part, some in (("insert", update.insert), ("delete", update.delete)):
            if some:
                line[part] = [[name, *map(term_to_json, row)] for name, rows in some.items() for row in rows]
        self._file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        self._file.flush()


@contextmanager
def late_updates(path: Path | None) -> Iterator[Late]:
    """Where late updates go; the file is there from the start, empty if none comes."""
    if path is None:
        yield Late(None)
        return
    from tidelog.io import files

    with files.growing(path) as file:
        yield Late(file)


def through(
    mat: Materialisation,
    given: Source[WrittenUpdate] | Mapping[str, Source[WrittenUpdate]],
    window: Window | Sequence[Window],
    lateness: float,
    late: Late,
) -> Windowed:
    """The slides of windows over one or several streams of updates; one that the program cannot take is a bad row."""
    from tidelog.io.updates import refusal
    from tidelog.stream.windowed import Windowed

    def refused(update: WrittenUpdate, error: DataError) -> None:
        mat.bad_rows.report(update.source, update.line or 0, refusal(error), update.text)

    def check(update: WrittenUpdate) -> None:
        mat._encode(update.insert, update.delete)

    return Windowed(given, window, lateness=lateness, late=late.write, refused=refused, check=check)


def report_late(windowed: Windowed, path: Path | None) -> None:
    """Say how many came too late, if any."""
    if windowed.late:
        kept = f"they are in {path}" if path else "--late FILE keeps such"
        click.echo(f"{counted(windowed.late, 'update')} came later than --lateness allows; {kept}", err=True)
