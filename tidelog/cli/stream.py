"""`tidelog stream`: keep what follows from a program true while its facts change, and tell what changes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tidelog.cli import feed, queries, report, updates
from tidelog.cli.engines import SPARK, Worker, engine_options
from tidelog.cli.inputs import STANDARD_INPUT, NamedFile, input_options, load, optional_program
from tidelog.cli.live import Live, Stop
from tidelog.cli.progress import progress
from tidelog.cli.queries import Told, asked, query_options
from tidelog.cli.reading import FORMATS, Reading, sources_of
from tidelog.cli.run import Algorithm
from tidelog.cli.windows import LengthType, WindowType, late_updates, report_late, streams_of, through

if TYPE_CHECKING:
    from tidelog import Window
    from tidelog.stream.windowed import Windowed


@click.command(short_help="Keep what follows true while updates come in; tell what changes.")
@optional_program
@click.option(
    "--source",
    "sources",
    required=True,
    multiple=True,
    metavar="FILE|-",
    help="Where the updates come from: a file, a named pipe, or - for standard input; of several streams, NAME=FILE for each "
    "(for a query, IRI=FILE).",
)
@query_options
@click.option("--follow", "growing", is_flag=True, help="Do not stop at the end of the file: somebody goes on writing to it.")
@click.option(
    "--source-format",
    type=click.Choice(FORMATS),
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
    "windows",
    type=WindowType(),
    multiple=True,
    metavar="RANGE/STEP",
    help="What is inserted holds for a RANGE of event time, moved on every STEP: 10s/1s; without STEP for one RANGE after the "
    "other; or the last so many facts: 100. Repeatable: NAME:10s/1s is over the stream NAME, and 10s/1s,p=q takes the "
    "facts of p, as facts of q.",
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
@engine_options
@input_options
@click.option("--stats", is_flag=True, help="Print what each update took.")
def stream(
    program: Path | None,
    sources: tuple[str, ...],
    growing: bool,
    source_format: str | None,
    time_column: str,
    predicate: str | None,
    windows: tuple[Window, ...],
    lateness: float,
    late_file: Path | None,
    batch: int,
    changes: str,
    query: Path | None,
    graphs: tuple[NamedFile, ...],
    algorithm: str,
    engine: str,
    master: str | None,
    warehouse: Path | None,
    checkpoints: str | None,
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

    With --query, a SELECT over windows of streams, its answers are told instead of changes. PROGRAM, which may be left out
    then, has the rules that make more of what is in the windows.

    \b
    Examples:
      tidelog stream paths.rls --source updates.ndjson
      sensors | tidelog stream alarms.rls --source - > alarms.ndjson
      tidelog stream alarms.rls --source log.ndjson --follow --on-bad-row skip
      tidelog stream rdfs.rls --facts triple=ontology.ttl --source readings.nt --batch 100
      tidelog stream paths.rls --source - --algorithm dred-marking
      tidelog stream alarms.rls --source reading.csv --window 10s/1s --lateness 5s --late late.ndjson
      tidelog stream doors.rls --source doors=a.csv --source badges=b.csv --window doors:2s/1s --window badges:10s/1s
      tidelog stream rdfs.rls --query hot.rq --source readings.nq
      tidelog stream paths.rls --source updates.ndjson --engine spark --master local[2]
    """
    from tidelog import Materialisation

    worker = Worker(engine, master, warehouse, checkpoints)
    used, before = worker.chosen(facts), worker.version
    if query is not None and engine == SPARK:
        raise click.UsageError("continuous queries are answered by the embedded engine; leave --engine spark out")
    reading = Reading(
        growing, source_format, time_column, predicate, batch, {name for window in windows for name in window.into}
    )
    _check(program, sources, bool(windows), bool(lateness or late_file), query, changes, bool(graphs))
    streams = sources_of(sources, streams_of(windows) if query is None else queries.streams_of(query))
    for source in streams.values():
        reading.check(source)
    lines = {name: reading.lines(source) for name, source in streams.items()}
    with progress("materialising") as line:
        how: dict[str, Any] = {"algorithm": algorithm, "on_bad_row": on_bad_row, "progress": line}
        if query is not None:
            question = asked(query, program, facts, directory, graphs, **how)
            mat = question.materialisation
        else:
            assert program is not None
            mat = Materialisation(load(program, facts, directory), engine=used, **how)
    report.summary(mat)
    given = {name: reading.updates(source, lines[name], mat.program, mat.bad_rows) for name, source in streams.items()}
    stop = Stop()
    live = Live(mat, lambda: max((some.time for some in given.values() if some.time is not None), default=None))
    watch = live if sys.stderr.isatty() else None
    windowed: Windowed | None = None
    try:
        with late_updates(late_file) as late, stop.listening():
            if query is not None:
                windowed = through(mat, question.checked(given), question.windows, lateness, late)
                answers = Told(question, windowed)
                updates.apply(mat, windowed, answers, watch, stats=stats, stop=stop)
                if not stop.wanted:
                    answers.end()
            else:
                with feed.opened(changes, "csv", mat, timed=any(not window.count for window in windows)) as told:
                    windowed = through(mat, given, windows, lateness, late) if windows else None
                    updates.apply(mat, given[""] if windowed is None else windowed, told, watch, stats=stats, stop=stop)
    finally:
        if windowed is not None:
            report_late(windowed, late_file)
        report.bad_rows(mat, Path())
    report.write_exports(mat, Path())
    worker.tell(before)
    return 0


def _check(
    program: Path | None,
    sources: tuple[str, ...],
    windowed: bool,
    late: bool,
    query: Path | None,
    changes: str,
    graphs: bool,
) -> None:
    """Refuse options that make no sense together."""
    if program == STANDARD_INPUT and "-" in sources:
        raise click.UsageError("standard input can hold the program or the updates, not both")
    if program is not None and program.suffix in (".rq", ".sparql"):
        raise click.UsageError(f"{program} is a query, by its name: --query {program}")
    if query is None:
        if program is None:
            raise click.UsageError("Missing argument 'PROGRAM'; only with --query there may be none")
        if late and not windowed:
            raise click.UsageError("--lateness and --late are for windows: --window RANGE/STEP")
        if graphs:
            raise click.UsageError("--graph is for queries (--query); --facts triple=FILE gives triples to a program")
    elif windowed:
        raise click.UsageError("a query has windows of its own: --query, or --window")
    elif changes != feed.STANDARD_OUTPUT:
        raise click.UsageError("of a query the answers are told: --query, or --changes DIR")
