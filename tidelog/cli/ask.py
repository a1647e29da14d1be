"""`tidelog query` and `tidelog explain`: one question about what follows, and why something does or does not."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli import answers, report
from tidelog.cli.failures import OK, WRONG
from tidelog.cli.inputs import NamedFile, input_options, materialise, program_argument, warehouse_option
from tidelog.errors import DataError

if TYPE_CHECKING:
    from tidelog import Materialisation
    from tidelog.proof import Explanation
    from tidelog.relation import Relation
    from tidelog.terms import Term


@click.command(short_help="Answer one question over everything that follows.")
@program_argument
@click.argument("question")
@input_options
@warehouse_option
@answers.limit_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv"]),
    default="table",
    show_default=True,
    help="How to print the answers.",
)
def query(
    program: Path,
    question: str,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    on_bad_row: str,
    warehouse: Path | None,
    limit: int | None,
    form: str,
) -> int:
    """Answer QUESTION, the body of a rule, over everything that follows from PROGRAM.

    \b
    Examples:
      tidelog query paths.rls 'path(a, ?x)'
      tidelog query paths.rls 'path(?x, ?y), ~edge(?x, ?y)'
      tidelog query shop.rls 'price(?item, ?p), ?p > 100' --format csv
      tidelog query family.rls '[?child, :parent, ?p]' --facts triple=family.ttl
      tidelog query paths.rls 'path(a, ?x)' --warehouse paths.warehouse
    """
    mat = materialise(program, facts, directory, on_bad_row, warehouse)
    answer = mat.query(question)
    if form == "csv":
        write_csv(answer)
    elif not answer.column_names:
        click.echo("true" if answer else "false")
    else:
        for line in answers.table_lines(answer.column_names, answer, answers.shown(limit), mat.program.prefixes):
            click.echo(line)
    report.bad_rows(mat)
    return OK


@click.command(short_help="Say why a fact holds, or why it does not.")
@program_argument
@click.argument("fact")
@input_options
@warehouse_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["tree", "mermaid", "json"]),
    default="tree",
    show_default=True,
    help="How to print the proof.",
)
def explain(
    program: Path,
    fact: str,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    on_bad_row: str,
    warehouse: Path | None,
    form: str,
) -> int:
    """Explain why FACT follows from PROGRAM, down to explicit facts; or, with exit code 1, why it does not.

    For a fact that does not hold, shows for each rule that could derive it the first body atom that fails.

    \b
    Examples:
      tidelog explain paths.rls 'path(a, c)'
      tidelog explain paths.rls 'path(c, a)'
      tidelog explain paths.rls 'path(a, c)' --format mermaid
    """
    mat = materialise(program, facts, directory, on_bad_row, warehouse)
    predicate, values = ground(fact, mat)
    explanation = mat.explain(predicate, values)
    click.echo(printed(explanation, form))
    report.bad_rows(mat)
    return OK if explanation.holds else WRONG


def ground(text: str, mat: Materialisation) -> tuple[str, tuple[Term, ...]]:
    """The predicate and the values of the fact that the user wrote."""
    from tidelog.syntax.ast import Constant
    from tidelog.syntax.parser import parse_atom

    atom = parse_atom(text, mat.program.prefixes, mat.program.base)
    values = tuple(term.value for term in atom.terms if isinstance(term, Constant))
    if len(values) < len(atom.terms):
        raise click.UsageError(f"{text!r} has variables; explain one fact, such as those that `tidelog query` finds")
    if len(values) != mat[atom.predicate].arity:
        raise DataError(f"{atom.predicate} has {mat[atom.predicate].arity} columns, the fact {text} has {len(values)}")
    return atom.predicate, values


def printed(explanation: Explanation, form: str) -> str:
    if form == "mermaid":
        return explanation.to_mermaid()
    if form == "json":
        return json.dumps(explanation.to_dict(), indent=2, ensure_ascii=False)
    return str(explanation)


def write_csv(answer: Relation) -> None:
    """The answers as CSV with a header."""
    import pyarrow.csv

    sys.stdout.flush()
    pyarrow.csv.write_csv(answer.to_arrow(), sys.stdout.buffer)
