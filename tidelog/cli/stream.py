"""`tidelog stream`: keep what follows from a program true while its facts change, and tell what changes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import feed, report, updates
from tidelog.cli.inputs import STANDARD_INPUT, NamedFile, input_options, load, program_argument
from tidelog.cli.live import Live, Stop
from tidelog.cli.progress import progress
from tidelog.cli.run import Algorithm

if TYPE_CHECKING:
    from tidelog.io.bad_rows import BadRows
    from tidelog.io.updates import Lines, Written
    from tidelog.rdf.stream import Triples

NDJSON, RDF = "ndjson", "rdf"
_ENDINGS = {".nt": RDF, ".nq": RDF}


@click.command(short_help="Keep what follows true while updates come in; tell what changes.")
@program_argument
@click.option(
    "--source",
    required=True,
    metavar="FILE|-",
    help="Where the updates come from: a file, a named pipe, or - for standard input.",
)
@click.option("--follow", "growing", is_flag=True, help="Do not stop at the end of the file: somebody goes on writing to it.")
@click.option(
    "--source-format",
    type=click.Choice([NDJSON, RDF]),
    help="A line is an update in JSON, or a triple in N-Triples, perhaps with its time; by default as the file's name says.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="So many triples, if they are there, make one update.",
)
@click.option(
    "--changes",
    default=feed.STANDARD_OUTPUT,
    show_default=True,
    metavar="DIR|-",
    help="Tell what appeared and vanished with each update: tables in DIR, or - for lines of JSON.",
)
@click.option("--algorithm", type=Algorithm(), default="auto", show_default=True, help="How updates are worked out.")
@input_options
@click.option("--stats", is_flag=True, help="Print what each update took.")
def stream(
    program: Path,
    source: str,
    growing: bool,
    source_format: str | None,
    batch: int,
    changes: str,
    algorithm: str,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    on_bad_row: str,
    stats: bool,
) -> int:
    """Work out what follows from PROGRAM, then keep it true while updates come in, and tell what each of them changes.

    Updates are the lines that `tidelog run --update` reads, or triples in N-Triples, each of which is inserted; a triple may
    have its time as a fourth term. An update is worked on as soon as it is there, and its changes are printed before the
    next one has to be. It goes on until the source ends or Ctrl-C; an update that is then under way is not applied, and
    all changes printed so far are those of the updates before it.

    \b
    Examples:
      tidelog stream paths.rls --source updates.ndjson
      sensors | tidelog stream alarms.rls --source - > alarms.ndjson
      tidelog stream alarms.rls --source log.ndjson --follow --on-bad-row skip
      tidelog stream rdfs.rls --facts triple=ontology.ttl --source readings.nt --batch 100
      tidelog stream paths.rls --source - --algorithm dred-marking
    """
    from tidelog import Materialisation

    if program == STANDARD_INPUT and source == "-":
        raise click.UsageError("standard input can hold the program or the updates, not both")
    if growing and source == "-":
        raise click.UsageError("--follow is for files; standard input is followed until it ends")
    lines = opened(source, growing=growing)
    loaded = load(program, facts, directory)
    with progress("materialising") as line:
        mat = Materialisation(loaded, algorithm=algorithm, on_bad_row=on_bad_row, progress=line)
    report.summary(mat)
    given = reading(lines, source_format or _ENDINGS.get(_ending(source), NDJSON), mat.bad_rows, batch)
    stop = Stop()
    live = Live(mat, lambda: given.time) if sys.stderr.isatty() else None
    try:
        with feed.opened(changes, "csv", mat) as told, stop.listening():
            updates.apply(mat, given, told, live, stats=stats, stop=stop)
    finally:
        report.bad_rows(mat, Path())
    report.write_exports(mat, Path())
    return 0


def opened(source: str, *, growing: bool) -> Lines:
    """The lines of the source. Whether it is there is found out now, not after everything is materialised."""
    from tidelog.io.updates import Lines

    if source == "-":
        return Lines.of_stream(sys.stdin, "<standard input>")
    return Lines.growing(Path(source)) if growing else Lines.of(Path(source))


def reading(lines: Lines, form: str, bad_rows: BadRows, batch: int) -> Written | Triples:
    """The updates that the lines are."""
    if form == RDF:
        from tidelog.rdf.stream import Triples

        return Triples(lines, bad_rows, batch=batch)
    from tidelog.io.updates import read

    return read([lines], bad_rows)


def _ending(source: str) -> str:
    path = Path(source)
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
