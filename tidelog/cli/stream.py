"""`tidelog stream`: keep what follows from a program true while its facts change, and tell what changes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import feed, report, updates
from tidelog.cli.inputs import STANDARD_INPUT, NamedFile, input_options, load, predicate_of, program_argument
from tidelog.cli.live import Live, Stop
from tidelog.cli.progress import progress
from tidelog.cli.run import Algorithm
from tidelog.cli.windows import LengthType, WindowType, late_updates, report_late, through

if TYPE_CHECKING:
    from typing import TypeAlias

    from tidelog import Window
    from tidelog.io.bad_rows import BadRows
    from tidelog.io.events import Events
    from tidelog.io.updates import Lines, Written
    from tidelog.rdf.stream import Triples
    from tidelog.stream.windowed import Windowed

    Given: TypeAlias = Written | Triples | Events

NDJSON, RDF, CSV, TSV = "ndjson", "rdf", "csv", "tsv"
_ENDINGS = {".nt": RDF, ".nq": RDF, ".csv": CSV, ".tsv": TSV}


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
    type=click.Choice([NDJSON, RDF, CSV, TSV]),
    help="A line is an update in JSON, a triple in N-Triples, perhaps with its time, or a row of a table with a column that "
    "is the time; by default as the file's name says.",
)
@click.option("--time-column", default="time", show_default=True, metavar="NAME", help="The column that is the time.")
@click.option(
    "--predicate",
    metavar="NAME",
    help="The predicate of the rows of a table; by default the name of the file without its ending.",
)
@click.option(
    "--window",
    type=WindowType(),
    metavar="RANGE/STEP",
    help="What is inserted holds for a RANGE of event time, moved on every STEP: 10s/1s; without STEP for one RANGE after the "
    "other; or the last so many facts: 100.",
)
@click.option(
    "--lateness",
    type=LengthType(),
    default="0s",
    show_default=True,
    metavar="TIME",
    help="How long a window waits for updates that come out of order.",
)
@click.option(
    "--late",
    "late_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where updates go that come later than that, as lines of JSON.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="So many triples or rows, if they are there, make one update.",
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
    time_column: str,
    predicate: str | None,
    window: Window | None,
    lateness: float,
    late_file: Path | None,
    batch: int,
    changes: str,
    algorithm: str,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    on_bad_row: str,
    stats: bool,
) -> int:
    """Work out what follows from PROGRAM, then keep it true while updates come in, and tell what each of them changes.

    Updates are the lines that `tidelog run --update` reads; or triples in N-Triples, each of which is inserted, with a time
    as a fourth term if they have one; or the rows of a CSV table with a column that is the time. An update is worked on as
    soon as it is there, and its changes are printed before the next one has to be. It goes on until the source ends or
    Ctrl-C; an update that is then under way is not applied, and all changes printed so far are those of the updates before.

    With --window, what is inserted does not hold for good: updates need times, and the facts of a window appear and
    vanish as time moves on. --facts and @import are the background, which stays.

    \b
    Examples:
      tidelog stream paths.rls --source updates.ndjson
      sensors | tidelog stream alarms.rls --source - > alarms.ndjson
      tidelog stream alarms.rls --source log.ndjson --follow --on-bad-row skip
      tidelog stream rdfs.rls --facts triple=ontology.ttl --source readings.nt --batch 100
      tidelog stream paths.rls --source - --algorithm dred-marking
      tidelog stream alarms.rls --source reading.csv --window 10s/1s --lateness 5s --late late.ndjson
    """
    from tidelog import Materialisation

    if program == STANDARD_INPUT and source == "-":
        raise click.UsageError("standard input can hold the program or the updates, not both")
    if growing and source == "-":
        raise click.UsageError("--follow is for files; standard input is followed until it ends")
    if window is None and (lateness or late_file):
        raise click.UsageError("--lateness and --late are for windows: --window RANGE/STEP")
    form = source_format or _ENDINGS.get(_ending(source), NDJSON)
    if form in (CSV, TSV) and source == "-" and not predicate:
        raise click.UsageError("rows from standard input need the name of their predicate: --predicate NAME")
    lines = opened(source, growing=growing)
    loaded = load(program, facts, directory)
    with progress("materialising") as line:
        mat = Materialisation(loaded, algorithm=algorithm, on_bad_row=on_bad_row, progress=line)
    report.summary(mat)
    if form in (CSV, TSV):
        name = predicate_of(loaded, predicate or Path(source).name.partition(".")[0])
        given: Given = rows(lines, form, name, time_column, mat.bad_rows, batch)
    else:
        given = reading(lines, form, mat.bad_rows, batch)
    stop = Stop()
    live = Live(mat, lambda: given.time) if sys.stderr.isatty() else None
    windowed: Windowed | None = None
    try:
        with late_updates(late_file) as late, feed.opened(changes, "csv", mat) as told, stop.listening():
            windowed = None if window is None else through(mat, given, window, lateness, late)
            updates.apply(mat, given if windowed is None else windowed, told, live, stats=stats, stop=stop)
    finally:
        if windowed is not None:
            report_late(windowed, late_file)
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


def rows(lines: Lines, form: str, predicate: str, column: str, bad_rows: BadRows, batch: int) -> Events:
    """The updates that the rows of a table are."""
    from tidelog.io.events import Events

    delimiter = "\t" if form == TSV else ","
    return Events(lines, predicate, bad_rows, column=column, delimiter=delimiter, batch=batch)


def _ending(source: str) -> str:
    path = Path(source)
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
