"""`tidelog bench`: Tidelog beside its peers on the same work."""

from __future__ import annotations

import click


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("name", required=False)
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def bench(name: str | None, options: tuple[str, ...]) -> int:
    """Measure Tidelog and its peers on the same work.

    Each benchmark runs everything in the same session and prints the ratios. Without NAME, runs all of them. The peers
    are optional packages; one that is not installed is left out, and said so.

    \b
    Examples:
      pip install 'tidelog[bench]'         the peers
      tidelog bench list                   which benchmarks there are
      tidelog bench closure                one of them
      tidelog bench --quick                all of them, on small inputs
      tidelog bench -- --help              every option
    """
    from tidelog.bench import main

    return main(name, options)
