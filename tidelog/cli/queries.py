"""`tidelog stream --query`: a continuous query over the streams, and its answers as lines of JSON.

    {"time": 10.0, "rows": [{"room": "attic", "t": 35}, ...]}

`rows` is what the query tells at an evaluation: the whole answer; or what came to it or went from it, and then there is no line
where nothing did. Terms are written as in updates.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tidelog.cli.inputs import NamedFile, load, named_files, with_facts

if TYPE_CHECKING:
    from tidelog import Answer, Changes, ContinuousQuery
    from tidelog.stream.windowed import Windowed

Command = TypeVar("Command", bound=Callable[..., object])


def query_options(command: Command) -> Command:
    options = [
        click.option(
            "--query",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="A continuous query (C-SPARQL, RSP-QL): its windows are those of the source, and its answers are told.",
        ),
        click.option(
            "--graph",
            "graphs",
            callback=named_files,
            multiple=True,
            metavar="IRI=FILE",
            help="The file of a static graph of the query (FROM); by default, the file that its IRI names. Repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def asked(
    query: Path,
    program: Path | None,
    facts: tuple[NamedFile, ...],
    directory: Path | None,
    graphs: tuple[NamedFile, ...],
    **how: Any,
) -> ContinuousQuery:
    """The query, over the rules of a program; without one there are triples all the same, for --facts."""
    from tidelog import ContinuousQuery
    from tidelog.program import Program
    from tidelog.stream.queries.tree import TRIPLE

    if program is not None:
        rules = load(program, facts, directory)
    else:
        rules = with_facts(replace(Program.parse(""), arities={TRIPLE: 3}, directory=directory), facts)
    return ContinuousQuery.load(query, rules=rules, graphs=dict(graphs), **how)


def streams_of(query: Path) -> list[str]:
    """The streams that a query looks at."""
    from tidelog.stream.queries.parser import parse
    from tidelog.syntax.parser import read_text

    found = parse(read_text(query), file=str(query))
    return list(dict.fromkeys(window.stream.value for window in found.windows))


class Told:
    """The answers, told like changes: a feed."""

    def __init__(self, query: ContinuousQuery, slides: Windowed) -> None:
        self._query, self._slides = query, slides

    def write(self, changes: Changes) -> None:
        for answer in self._query.after(changes, self._slides):
            self._print(answer)

    def end(self) -> None:
        """Nothing more comes."""
        for answer in self._query.at_end(self._slides):
            self._print(answer)

    def _print(self, answer: Answer) -> None:
        if answer.rows or self._query.tells_all:
            click.echo(json.dumps(line(answer), ensure_ascii=False))


def line(answer: Answer) -> dict[str, Any]:
    from tidelog.io.updates import term_to_json

    names = answer.rows.column_names
    rows = [dict(zip(names, map(term_to_json, row), strict=True)) for row in answer.rows.sorted()]
    return {"rows": rows} if answer.time is None else {"time": answer.time, "rows": rows}
