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
    """`10s/1s`, `10s`, `100`; `doors:1h/1s,opened=opened_lately` over the stream `doors`, with another name for a predicate."""

    name = "window"

    def convert(self, value: object, parameter: click.Parameter | None, context: click.Context | None) -> Window:
        from tidelog import Window

        if isinstance(value, Window):
            return value
        head, *renamed = str(value).split(",")
        stream, _, text = head.rpartition(":")
        into = dict(pair for one in renamed if all(pair := one.split("=", 1)) and len(pair) == 2)
        if len(into) < len(renamed):
            self.fail(
                f"{value!r}: behind the window's length names are changed by PREDICATE=NEW, each once", parameter, context
            )
        try:
            return Window.parse(text, stream=stream, into=into)
        except ValueError as error:
            self.fail(f"{error}: a window is RANGE/STEP, such as 10s/1s, or RANGE, or a number of facts", parameter, context)


def streams_of(windows: Sequence[Window]) -> list[str]:
    """The streams that there are windows over; one without a name if there are none."""
    streams = list(dict.fromkeys(window.stream for window in windows)) or [""]
    if len(streams) > 1 and "" in streams:
        raise click.UsageError("where there are several streams, each --window names its own: --window NAME:RANGE/STEP")
    return streams


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
    given: Mapping[str, Source[WrittenUpdate]],
    windows: Sequence[Window],
    lateness: float,
    late: Late,
) -> Windowed:
    """The slides of windows over one or several streams of updates; one that the program cannot take is a bad row."""
    from tidelog.io.updates import refusal
    from tidelog.stream.windowed import Windowed

    def refused(update: WrittenUpdate, error: DataError) -> None:
        mat.bad_rows.report(update.source, update.line or 0, refusal(error), update.text)

    def check(update: WrittenUpdate, stream: str) -> None:
        for window in windows:
            if window.stream == stream:
                mat._encode(window.mapped(update.insert), window.mapped(update.delete))

    return Windowed(given, windows, lateness=lateness, late=late.write, refused=refused, check=check)


def report_late(windowed: Windowed, path: Path | None) -> None:
    """Say how many came too late, if any."""
    if windowed.late:
        kept = f"they are in {path}" if path else "--late FILE keeps such"
        click.echo(f"{counted(windowed.late, 'update')} came later than --lateness allows; {kept}", err=True)
