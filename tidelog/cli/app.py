"""The group of commands, and the help that stands above them."""

from __future__ import annotations

import click

from tidelog import __version__
from tidelog.cli.ask import explain, query
from tidelog.cli.bench import bench
from tidelog.cli.check import check
from tidelog.cli.failures import EXIT_CODES
from tidelog.cli.fmt import fmt
from tidelog.cli.run import run
from tidelog.cli.stream import stream


class InOrder(click.Group):
    """A group that lists its commands in the order a newcomer needs them, not in that of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}, epilog=EXIT_CODES)
@click.version_option(__version__, "-V", "--version", message="tidelog %(version)s")
def app() -> None:
    """Conclusions that stay true: Datalog rules over tables and RDF.

    A first program, paths.rls:

    \b
      edge(a, b) .
      edge(b, c) .
      path(?x, ?y) :- edge(?x, ?y) .
      path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .

    What to do with it:

    \b
      tidelog run paths.rls                      every fact that follows
      tidelog run paths.rls --facts edge=e.csv   with more facts, from a file
      tidelog run paths.rls --update u.ndjson    and after the facts have changed
      tidelog stream paths.rls --source -        and keep it true while changes come in
      tidelog query paths.rls 'path(a, ?x)'      one question
      tidelog explain paths.rls 'path(a, c)'     why a fact holds, or why not
      tidelog check paths.rls                    what is wrong; strata and plans
    """


for command in (run, stream, query, explain, check, fmt, bench):
    app.add_command(command)
