"""What `tidelog stream` reads: updates in JSON, triples, or rows of a table, from a file, a pipe, or a file that grows."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli.inputs import predicate_of

if TYPE_CHECKING:
    from typing import TypeAlias

    from tidelog import Program
    from tidelog.io.bad_rows import BadRows
    from tidelog.io.events import Events
    from tidelog.io.updates import Lines, Written
    from tidelog.rdf.stream import Triples

    Given: TypeAlias = Written | Triples | Events

NDJSON, RDF, CSV, TSV = "ndjson", "rdf", "csv", "tsv"
FORMATS = (NDJSON, RDF, CSV, TSV)
_ENDINGS = {".nt": RDF, ".nq": RDF, ".csv": CSV, ".tsv": TSV}
STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Reading:
    """How sources are read, as the options say."""

    growing: bool
    format: str | None
    time_column: str
    predicate: str | None
    batch: int
    renamed: Collection[str] = ()
    """Predicates that windows take into others, so that the program need not know them."""

    def check(self, source: str) -> None:
        """Refuse what cannot be read."""
        if source != STANDARD_INPUT:
            return
        if self.growing:
            raise click.UsageError("--follow is for files; standard input is followed until it ends")
        if self.format in (CSV, TSV) and not self.predicate:
            raise click.UsageError("rows from standard input need the name of their predicate: --predicate NAME")

    def lines(self, source: str) -> Lines:
        """The lines of a source. Whether it is there is found out now, not after everything is materialised."""
        from tidelog.io.updates import Lines

        if source == STANDARD_INPUT:
            return Lines.of_stream(sys.stdin, "<standard input>")
        return Lines.growing(Path(source)) if self.growing else Lines.of(Path(source))

    def updates(self, source: str, lines: Lines, program: Program, bad_rows: BadRows) -> Given:
        """The updates that the lines of a source are."""
        form = self.format or _ENDINGS.get(_ending(source), NDJSON)
        if form in (CSV, TSV):
            from tidelog.io.events import Events

            name = self.predicate or Path(source).name.partition(".")[0]
            name = name if name in self.renamed else predicate_of(program, name)
            delimiter = "\t" if form == TSV else ","
            return Events(lines, name, bad_rows, column=self.time_column, delimiter=delimiter, batch=self.batch)
        if form == RDF:
            from tidelog.rdf.stream import Triples

            return Triples(lines, bad_rows, batch=self.batch)
        from tidelog.io.updates import read

        return read([lines], bad_rows)


def sources_of(values: Sequence[str], streams: Sequence[str]) -> dict[str, str]:
    """The source of each stream: `NAME=FILE`, or just a file if there is one stream."""
    if len(values) == len(streams) == 1 and not (streams[0] and values[0].startswith(f"{streams[0]}=")):
        return {streams[0]: values[0]}
    if streams == [""]:
        raise click.UsageError("several --source are for several streams: --window NAME:RANGE/STEP, or --query")
    given: dict[str, str] = {}
    for value in values:
        stream = next((name for name in streams if value.startswith(f"{name}=")), None)
        if stream is None or stream in given:
            shown = " ".join(f"--source {name}=FILE" for name in streams)
            raise click.UsageError(f"--source {value}: each stream that is looked at has one source: {shown}")
        given[stream] = value[len(stream) + 1 :]
    if missing := [name for name in streams if name not in given]:
        raise click.UsageError(f"the stream {missing[0]} is looked at, too: --source {missing[0]}=FILE")
    return given


def _ending(source: str) -> str:
    path = Path(source)
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
