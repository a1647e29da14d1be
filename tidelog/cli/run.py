"""`tidelog run`: materialise a program, apply updates to it, then print or write what follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import answers, feed, report, updates
from tidelog.cli.engines import Worker, engine_options
from tidelog.cli.inputs import STANDARD_INPUT, NamedFile, input_options, load, program_argument
from tidelog.cli.progress import progress

if TYPE_CHECKING:
    from tidelog import Materialisation


class Algorithm(click.ParamType):  # type: ignore[type-arg, unused-ignore]  # generic since click 8.2
    """The name of an algorithm. The names are looked up when they are needed: the module that has them is not a light one."""

    name = "algorithm"

    def choice(self) -> click.Choice[str]:
        from tidelog.materialisation import ALGORITHMS

        return click.Choice(ALGORITHMS)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return f"[{'|'.join(self.choice().choices)}]"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return self.choice().convert(value, param, ctx)


@click.command(short_help="Work out every fact that follows; print it or write it to files.")
@program_argument
@input_options
@click.option(
    "--update",
    "given",
    multiple=True,
    metavar="FILE",
    help="Then change the facts: a file with an update on each line, - for standard input, or tables (see below). Repeatable.",
)
@click.option(
    "--changes",
    metavar="DIR|-",
    help="Tell what appeared and vanished with each update: tables in DIR, or - for lines of JSON.",
)
@click.option("--algorithm", type=Algorithm(), default="auto", show_default=True, help="How updates are worked out.")
@engine_options
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Write one file per output predicate here."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "parquet", "nt"]),
    default="csv",
    show_default=True,
    help="What --out writes; with parquet, --changes DIR too.",
)
@answers.limit_option
@click.option(
    "--strata",
    type=click.Choice(["granular", "single"]),
    default="granular",
    show_default=True,
    help="As many strata as possible, or as few.",
)
@click.option("--stats", is_flag=True, help="Print what the work consisted of, for each update too.")
def run(
    program: Path,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    on_bad_row: str,
    given: tuple[str, ...],
    changes: str | None,
    algorithm: str,
    engine: str,
    master: str | None,
    warehouse: Path | None,
    checkpoints: str | None,
    out: Path | None,
    form: str,
    limit: int | None,
    strata: str,
    stats: bool,
) -> int:
    """Work out every fact that follows from PROGRAM, and keep it true through updates.

    Prints the facts of the @output predicates, or of all derived predicates if there is no @output, in rule syntax and
    in order. With --out, writes them to files instead; with --warehouse, they are there, and printed only with --limit.
    @export directives are always carried out; their paths start at --out DIR, or at the current directory.

    \b
    Examples:
      tidelog run paths.rls
      tidelog run paths.rls --facts edge=edges.csv --facts edge=more.parquet
      tidelog run paths.rls --out results --format parquet
      tidelog run family.rls --facts triple=family.ttl --stats
      tidelog run paths.rls --facts edge=dirty.csv --on-bad-row skip
      tidelog run paths.rls --engine spark --master local[4]
      tidelog run paths.rls --engine spark --warehouse paths.warehouse --update insert:edge=new.csv

    Updates are applied in order, and only what depends on them is worked out again. An update is a line such as

    \b
      {"insert": [["edge", "a", "d"]], "delete": [["edge", "b", "c"]]}

    where a fact is a list of its predicate and its terms: JSON's strings, numbers and booleans, or N-Triples in
    an object: {"term": "<http://example.org/a>"}. Or it is made of tables (CSV, TSV, Parquet, RDF) that are inserted
    or deleted. --changes - prints the changes, again as such lines, instead of the facts.

    \b
    Examples:
      tidelog run paths.rls --update monday.ndjson --update tuesday.ndjson
      tidelog run paths.rls --update insert:edge=new.csv --changes changes
      tidelog run paths.rls --update delete:edge=gone.csv,insert:edge=new.csv --stats
      tail -f updates.ndjson | tidelog run paths.rls --update - --changes -
    """
    if changes is not None and not given:
        raise click.UsageError("--changes tells what updates change, and there is none; add --update FILE")
    from tidelog import Materialisation
    from tidelog.io.updates import read

    worker = Worker(engine, master, warehouse, checkpoints)
    used, before = worker.chosen(facts), worker.version
    if program == STANDARD_INPUT and "-" in given:
        raise click.UsageError("standard input can hold the program or the updates, not both")
    loaded = load(program, facts, directory)
    sources = updates.sources(given, loaded)
    with progress("materialising") as line:
        mat = Materialisation(loaded, engine=used, algorithm=algorithm, strata=strata, on_bad_row=on_bad_row, progress=line)
        if sources:
            finished(mat, stats)
            try:
                if line is not None:
                    line.next("update 1")
                with feed.opened(changes, form, mat) as told:
                    updates.apply(mat, read(sources, mat.bad_rows), told, line, stats=stats)
            finally:
                report.bad_rows(mat, out or Path())
    if out is None and changes != feed.STANDARD_OUTPUT and (warehouse is None or limit is not None):
        show(mat, answers.shown(limit))
    report.write_exports(mat, out or Path())
    if out is not None:
        report.write_outputs(mat, out, form)
    if not sources:
        report.bad_rows(mat, out or Path())
        finished(mat, stats)
    worker.tell(before)
    return 0


def finished(mat: Materialisation, stats: bool) -> None:
    """Everything is materialised."""
    report.summary(mat)
    if stats:
        report.statistics(mat)


def show(mat: Materialisation, limit: int | None) -> None:
    for predicate in report.outputs(mat):
        for line in answers.fact_lines(predicate, mat[predicate], limit, mat.program.prefixes):
            click.echo(line)
