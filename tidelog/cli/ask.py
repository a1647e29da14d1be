"""`tidelog query` and `tidelog explain`: one question about what follows, and why something does or does not."""

from __future__ import annotations

import json
from pathlib import Path

import click

from tidelog.cli import answers
from tidelog.cli.failures import OK, WRONG
from tidelog.cli.inputs import input_options, load, program_argument
from tidelog.cli.progress import progress


@click.command()
@program_argument
@click.argument("question")
@input_options
@answers.limit_option
@click.option("--format", "form", type=click.Choice(["table", "csv"]), default="table", show_default=True, help="How to print the answers.")
def query(
    program: Path, question: str, facts: tuple[tuple[str, Path], ...], directory: Path | None, on_bad_row: str, limit: int | None, form: str
) -> int:
    """Answer QUESTION, the body of a rule, over everything that follows from PROGRAM.

    \b
    Examples:
      tidelog query paths.rls 'path(a, ?x)'
      tidelog query paths.rls 'path(?x, ?y), ~edge(?x, ?y)'
      tidelog query shop.rls 'price(?item, ?p), ?p > 100' --format csv
      tidelog query family.rls '[?child, :parent, ?p]' --facts triple=family.ttl
    """
    from tidelog import Materialisation

    loaded = load(program, facts, directory)
    with progress("materialising") as report:
        mat = Materialisation(loaded, on_bad_row=on_bad_row, progress=report)
    answer = mat.query(question)
    raise NotImplementedError(answer)


@click.command()
@program_argument
@click.argument("fact")
@input_options
@click.option(
    "--format", "form", type=click.Choice(["tree", "mermaid", "json"]), default="tree", show_default=True, help="How to print the proof."
)
def explain(program: Path, fact: str, facts: tuple[tuple[str, Path], ...], directory: Path | None, on_bad_row: str, form: str) -> int:
    """Explain why FACT follows from PROGRAM, down to explicit facts; or, with exit code 1, why it does not.

    For a fact that does not hold, shows for each rule that could derive it the first body atom that fails.

    \b
    Examples:
      tidelog explain paths.rls 'path(a, c)'
      tidelog explain paths.rls 'path(c, a)'
      tidelog explain paths.rls 'path(a, c)' --format mermaid
    """
    from tidelog import Materialisation

    raise NotImplementedError(Materialisation, json, OK, WRONG)
