"""The command behind `tidelog bench`: choose, run, print, save."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from tidelog.bench import compare, hypertree, maintenance, marking, spark, startup, streaming, windows
from tidelog.bench.maintenance import section
from tidelog.bench.options import Options
from tidelog.bench.process import machine, machine_line, others_load
from tidelog.bench.results import NOT_TIMED, OWN, Comparison, Results, Section
from tidelog.bench.systems import SYSTEMS, find_system
from tidelog.bench.table import show
from tidelog.bench.workloads import GROUPS, WORKLOADS, find_workload

PARTS = {**maintenance.PARTS, **hypertree.PARTS, **marking.PARTS, **windows.PARTS, **streaming.PARTS, **spark.PARTS}
"""The benchmarks whose tables have shapes of their own."""


def run(options: Options) -> int:
    """Run what the options ask for; 1 if systems disagreed on an answer or Tidelog failed, else 0."""
    console = Console() if sys.stdout.isatty() else Console(width=120)
    if options.names == ("list",):
        _list(console)
        return 0
    names = chosen(options.names)
    if not any(name in PARTS for name in names):
        for system in options.systems:
            find_system(system)
    facts = machine()
    console.print(machine_line(facts), highlight=False)
    if (load := others_load()) > 0.25:
        console.print(f"[yellow]the machine is busy (load {load:.1f}): times on the wall say little, compare cpu")
    console.print(f"[dim]{NOT_TIMED}[/]\n", highlight=False)
    comparisons: list[Comparison] = []
    sections: list[Section] = []
    for name in names:
        if name in PARTS:
            sections += _part(name, options, console)
        else:
            comparisons.append(_one(name, options))
            show(comparisons[-1], console)
        if options.json:
            options.json.write_text(json.dumps(Results(facts, tuple(comparisons), tuple(sections)).to_json(), indent=1))
    broken = any(comparison.disagreement or _broke(comparison) for comparison in comparisons)
    return int(broken or any(found.problems for found in sections))


def chosen(names: tuple[str, ...]) -> list[str]:
    """The benchmarks behind names, each once; `all` is all but those in `PARTS`, which take long; a group is its members."""
    everything = [*(workload.name for workload in WORKLOADS), startup.NAME]
    groups = {**GROUPS, maintenance.NAME: tuple(maintenance.PARTS)}
    found: dict[str, None] = {}
    for name in names or ("all",):
        members = everything if name == "all" else groups.get(name, (name,))
        found.update(dict.fromkeys(members))
    for name in found:
        if name != startup.NAME and name not in PARTS:
            find_workload(name)
    return list(found)


def _one(name: str, options: Options) -> Comparison:
    # A status line on a terminal only, on stderr, so that what is printed can be piped.
    with Console(file=sys.stderr).status(name) as status:
        if name == startup.NAME:
            return startup.compare(options, status.update)
        return compare.compare(find_workload(name), options, status.update)


def _part(name: str, options: Options, console: Console) -> list[Section]:
    with Console(file=sys.stderr).status(name) as status:
        found = PARTS[name][1](options, status.update)
    for one in found:
        section.show(one, console)
    return found


def _broke(comparison: Comparison) -> bool:
    return any(line.failed and line.system.startswith(OWN) for line in comparison.lines)


def _list(console: Console) -> None:
    console.print("[bold]benchmarks[/]")
    for workload in WORKLOADS:
        console.print(f"  {workload.name:16} {workload.title}", highlight=False)
    console.print(f"  {startup.NAME:16} {startup.TITLE}", highlight=False)
    for name, (title, _) in PARTS.items():
        console.print(f"  {name:26} {title}", highlight=False)
    console.print(f"  {maintenance.NAME:16} {', '.join(maintenance.PARTS)}", highlight=False)
    for group, members in GROUPS.items():
        console.print(f"  {group:16} {', '.join(members)}", highlight=False)
    console.print("\n[bold]systems[/]")
    for system in SYSTEMS:
        missing = "" if system.installed else f"  ({compare.HINT})"
        console.print(f"  {system.name:16} {system.what}{missing}", highlight=False, markup=False)
