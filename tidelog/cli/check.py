"""`tidelog check`: what is wrong with a program, or, if nothing is, how it will be evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tidelog.cli.answers import counted
from tidelog.cli.inputs import load, program_argument

if TYPE_CHECKING:
    from tidelog.program import CoreRule, Program, Stratification, Stratum
    from tidelog.syntax.ast import Rule


@click.command(short_help="Find what is wrong; show strata and plans.")
@program_argument
@click.option(
    "--strata", type=click.Choice(["granular", "single"]), default="granular", show_default=True, help="How rules are grouped."
)
@click.option("--no-plans", is_flag=True, help="Only the strata and their rules.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mermaid"]),
    default="text",
    show_default=True,
    help="Text, or the hypertree decompositions of the rules as a Mermaid diagram.",
)
def check(program: Path, strata: str, no_plans: bool, form: str) -> int:
    """Check PROGRAM without running it.

    All problems are reported at once, each with its place. If there are none, shows the strata in the order in which they
    are evaluated, which of their rules are recursive, and the plan of each rule for each pivot: the body atom that is
    matched in what has changed. A rule whose body is cyclic is shown as a tree of joins as well, its hypertree decomposition,
    with its width and the costs expected of facts that take a hundred values in each column, and with the rules over nodes that
    would be evaluated in its place.

    \b
    Examples:
      tidelog check paths.rls
      tidelog check paths.rls --strata single --no-plans
      tidelog check triangles.rls --format mermaid > triangles.mmd
    """
    loaded = load(program)
    single = strata == "single"
    lines = described(loaded, loaded.stratify(single=single), single=single, plans=not no_plans)
    for line in lines if form == "text" else diagram(loaded):
        click.echo(line)
    return 0


def described(program: Program, stratification: Stratification, *, single: bool, plans: bool) -> Iterator[str]:
    """The whole answer, line by line."""
    strata = stratification.strata
    if not program.rules:
        yield f"no rules, {counted(len(program.facts), 'fact')}, no problems found"
        return
    yield f"{counted(len(program.rules), 'rule')} in {counted(len(strata), 'stratum', 'strata')}, no problems found"
    taken = closure_lines(program, single=single)
    for stratum in strata:
        yield ""
        yield from described_stratum(stratum, program, taken, plans=plans)
    if any(stratum.recursive for stratum in strata):
        yield ""
        yield "* a recursive rule: its body uses what its own stratum derives"


def closure_lines(program: Program, *, single: bool) -> dict[int, list[str]]:
    """By the identity of the rules of closures, who evaluates them, and after the first of them how."""
    from tidelog.plan.closing import close
    from tidelog.plan.modules import assign, closures_in
    from tidelog.syntax.formatter import format_rule

    lines: dict[int, list[str]] = {}
    assignment = assign(program.core, single=single)
    for closure, taken in closures_in(program.core, assignment, single=single):
        lines |= {id(rule): [f"{taken.module}: {taken.reason}"] for rule in taken.rules}
        made = close([closure], set(program.arities)).rules
        texts = (format_rule(as_written(replace(rule, source=None)), program.prefixes) for rule in made)
        lines[id(taken.rules[0])] += ["evaluated over its edges:", *(f"  {text}".replace("\n", " ") for text in texts)]
    return lines


def described_stratum(stratum: Stratum, program: Program, taken: Mapping[int, Sequence[str]], *, plans: bool) -> Iterator[str]:
    from tidelog.syntax.formatter import format_predicate, format_rule

    if not stratum.rules:
        given = dict.fromkeys(format_predicate(atom.predicate, program.prefixes) for atom in stratum.atoms)
        yield f"stratum {stratum.index}, only given facts: {', '.join(given) or '(none)'}"
        return
    yield f"stratum {stratum.index}{', recursive' if stratum.recursive else ''}"
    recursive = {id(rule) for rule in stratum.recursive}
    for rule in stratum.rules:
        mark = "*" if id(rule) in recursive else " "
        text = format_rule(as_written(rule), program.prefixes).replace("\n", "\n    ")
        yield f"  {mark} {text}"
        yield from (f"        {line}" for line in taken.get(id(rule)) or plan_lines(rule, program) if plans)


def as_written(rule: CoreRule) -> Rule:
    """A core rule with the body its writer gave it; what normalisation added itself stays as it is."""
    from tidelog.syntax.ast import Negation, Rule

    if rule.source is not None:
        return Rule((rule.head,), rule.source.body)
    return Rule((rule.head,), (*rule.positive, *(Negation(atom) for atom in rule.negative), *rule.conditions))


def plan_lines(rule: CoreRule, program: Program) -> Iterator[str]:
    """How the rule is evaluated from each of its pivots."""
    from tidelog.plan.describe import describe

    for start, steps in describe(rule, prefixes=program.prefixes):
        yield f"{start}: {'; '.join(steps)}"
    yield from tree_lines(rule, program)


def tree_lines(rule: CoreRule, program: Program) -> Iterator[str]:
    """Whether the body is cyclic, and if so its decomposition."""
    from tidelog.plan.decompose import decompose
    from tidelog.plan.drawing import outline, summary
    from tidelog.plan.planner import NoStatistics

    if len(rule.positive) < 2:
        return
    decomposition = decompose(rule, NoStatistics())
    if decomposition is None:
        yield f"hypertree width not determined: {counted(len(rule.positive), 'body atom')} have too many combinations"
        return
    yield summary(decomposition)
    if decomposition.width > 1:
        yield from (f"  {line}" for line in outline(decomposition, program.prefixes))
    yield from split_lines(rule, program)


def split_lines(rule: CoreRule, program: Program) -> Iterator[str]:
    """The rules that are evaluated in the place of a complex one."""
    from tidelog.plan.eliminate import Expected
    from tidelog.plan.nodes import NodeRules
    from tidelog.plan.planner import NoStatistics
    from tidelog.plan.split import best_split
    from tidelog.syntax.formatter import format_rule

    split = best_split(rule, Expected(NoStatistics()), NodeRules(set(program.arities)))
    if split is not None and split.pays:
        yield f"evaluated over nodes, by {split.how.value}:"
        for made in (*split.nodes.rules.values(), replace(split.rule, source=None)):
            yield f"  {format_rule(as_written(made), program.prefixes)}".replace("\n", " ")


def diagram(program: Program) -> Iterator[str]:
    """The decompositions of all rules whose bodies have several atoms."""
    from tidelog.plan.decompose import decompose
    from tidelog.plan.drawing import mermaid
    from tidelog.plan.planner import NoStatistics
    from tidelog.syntax.formatter import format_rule

    several = (rule for rule in program.core if len(rule.positive) > 1)
    found = {format_rule(as_written(rule), program.prefixes): decompose(rule, NoStatistics()) for rule in several}
    return mermaid({title: tree for title, tree in found.items() if tree is not None}, program.prefixes)
