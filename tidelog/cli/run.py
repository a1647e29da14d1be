"""`tidelog run`: materialise a program, then print or write what follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import answers
from tidelog.cli.inputs import input_options, load, program_argument
from tidelog.cli.progress import progress
from tidelog.cli.report import bad_rows, statistics, summary

if TYPE_CHECKING:
    from tidelog import Materialisation, Program


@click.command()
@program_argument
@input_options
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Write one file per output predicate here.")
@click.option(
    "--format", "form", type=click.Choice(["csv", "parquet", "nt"]), default="csv", show_default=True, help="What --out writes."
)
@answers.limit_option
@click.option("--strata", type=click.Choice(["granular", "single"]), default="granular", show_default=True, help="How rules are grouped.")
@click.option("--stats", is_flag=True, help="Print what the work consisted of.")
def run(
    program: Path,
    facts: tuple[tuple[str, Path], ...],
    directory: Path | None,
    on_bad_row: str,
    out: Path | None,
    form: str,
    limit: int | None,
    strata: str,
    stats: bool,
) -> int:
    """Work out every fact that follows from PROGRAM.

    Prints the facts of the @output predicates, or of all derived predicates if there is no @output, in rule syntax and
    in order. With --out, writes them to files instead. @export directives are always carried out; their paths are
    relative to --out DIR, or to the current directory.

    \b
    Examples:
      tidelog run paths.rls
      tidelog run paths.rls --facts edge=edges.csv --facts edge=more.parquet
      tidelog run paths.rls --out results --format parquet
      tidelog run family.rls --facts triple=family.ttl --stats
      tidelog run paths.rls --facts edge=dirty.csv --on-bad-row skip
    """
    from tidelog import Materialisation

    loaded = load(program, facts, directory)
    with progress() as report:
        mat = Materialisation(loaded, strata=strata, on_bad_row=on_bad_row, progress=report)
        written = [*exports(mat, loaded, out or Path()), *(outputs(mat, loaded, out, form) if out else ())]
    if out is None:
        show(mat, loaded, limit)
    bad_rows(mat, out)
    for path, count in written:
        click.echo(f"wrote {path} ({count:,} facts)", err=True)
    summary(mat, loaded)
    if stats:
        statistics(mat, loaded)
    return 0
