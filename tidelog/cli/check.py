"""`tidelog check`: what is wrong with a program, or, if nothing is, how it will be evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli.inputs import load, program_argument

if TYPE_CHECKING:
    from tidelog.program import Program
    from tidelog.program.stratify import Stratification, Stratum


@click.command()
@program_argument
@click.option("--strata", type=click.Choice(["granular", "single"]), default="granular", show_default=True, help="How rules are grouped.")
@click.option("--no-plans", is_flag=True, help="Only the strata and their rules.")
def check(program: Path, strata: str, no_plans: bool) -> int:
    """Check PROGRAM without running it.

    All problems are reported at once, each with its place. If there are none, shows the strata in the order in which they
    are evaluated, which of their rules are recursive, and the plan of each rule for each pivot: the body atom that is
    matched in what has changed.

    \b
    Examples:
      tidelog check paths.rls
      tidelog check paths.rls --strata single --no-plans
    """
    loaded = load(program)
    for line in described(loaded, loaded.stratify(single=strata == "single"), plans=not no_plans):
        click.echo(line)
    return 0


def described(program: Program, stratification: Stratification, *, plans: bool) -> Iterator[str]:
    rules, strata = len(program.rules), len(stratification.strata)
    yield f"{rules} rule{'s' * (rules != 1)} in {strata} strat{'a' if strata != 1 else 'um'}, {len(program.facts)} facts, no problems"
    for stratum in stratification.strata:
        yield ""
        yield from described_stratum(stratification, stratum, plans=plans)


def described_stratum(stratification: Stratification, stratum: Stratum, *, plans: bool) -> Iterator[str]:
    kind = "recursive" if stratum.recursive else "not recursive"
    yield f"stratum {stratum.index}, {kind}"
    for rule in stratum.rules:
        yield f"  {'*' if rule in stratum.recursive else ' '} {rule}"
