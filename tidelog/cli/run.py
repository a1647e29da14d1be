"""`tidelog run`: materialise a program, then print or write what follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import answers, report
from tidelog.cli.inputs import NamedFile, input_options, materialise, program_argument

if TYPE_CHECKING:
    from tidelog import Materialisation


@click.command(short_help="Work out every fact that follows; print it or write it to files.")
@program_argument
@input_options
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Write one file per output predicate here."
)
@click.option(
    "--format", "form", type=click.Choice(["csv", "parquet", "nt"]), default="csv", show_default=True, help="What --out writes."
)
@answers.limit_option
@click.option(
    "--strata",
    type=click.Choice(["granular", "single"]),
    default="granular",
    show_default=True,
    help="As many strata as possible, or as few.",
)
@click.option("--stats", is_flag=True, help="Print what the work consisted of.")
def run(
    program: Path,
    facts: tuple[NamedFile, ...],
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
    in order. With --out, writes them to files instead. @export directives are always carried out; their paths start at
    --out DIR, or at the current directory.

    \b
    Examples:
      tidelog run paths.rls
      tidelog run paths.rls --facts edge=edges.csv --facts edge=more.parquet
      tidelog run paths.rls --out results --format parquet
      tidelog run family.rls --facts triple=family.ttl --stats
      tidelog run paths.rls --facts edge=dirty.csv --on-bad-row skip
    """
    mat = materialise(program, facts, directory, on_bad_row, strata=strata)
    if out is None:
        show(mat, answers.shown(limit))
    report.write_exports(mat, out or Path())
    if out is not None:
        report.write_outputs(mat, out, form)
    report.bad_rows(mat, out or Path())
    report.summary(mat)
    if stats:
        report.statistics(mat)
    return 0


def show(mat: Materialisation, limit: int | None) -> None:
    for predicate in report.outputs(mat):
        for line in answers.fact_lines(predicate, mat[predicate], limit, mat.program.prefixes):
            click.echo(line)
