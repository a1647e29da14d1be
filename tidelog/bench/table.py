"""A comparison as a table on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidelog.bench.figures import amount, memory, ratio, seconds, setting
from tidelog.bench.results import OWN, Comparison


def show(comparison: Comparison, console: Console) -> None:
    """Print the table, what it could not measure, and the verdicts."""
    parameters = f"  ({setting(comparison.parameters)})" if comparison.parameters else ""
    console.print(Text.assemble((comparison.name, "bold"), f"  {comparison.title}{parameters}"))
    console.print(_table(comparison))
    for line in comparison.lines:
        if line.note:
            console.print(Text(f"{line.system}: {line.note}", style="dim"))
        elif line.derives_more:
            console.print(Text(f"{line.system}: derives more, by rules of its own", style="dim"))
    if comparison.disagreement:
        console.print(Text(f"the answers differ: {comparison.disagreement}", style="bold red"))
    for verdict in comparison.verdicts:
        console.print(Text(str(verdict), style="green" if verdict.met else "red" if verdict.met is False else "dim"))
    console.print()


def _table(comparison: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("system")
    for heading in ("best", "median", "ratio", "facts", "peak memory", comparison.measure or ""):
        table.add_column(heading, justify="right")
    own = next((line.best for line in comparison.lines if line.system == OWN), None)
    for line in comparison.lines:
        if not line.runs:
            continue
        times = (seconds(line.best), seconds(line.median), ratio(line.best, own))
        rest = (amount(line.facts), memory(line.peak), amount(line.measured))
        table.add_row(line.system, *times, *rest, style="bold" if line.system == OWN else None)
    return table
