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
    """A row for each system that ran; columns that would be empty are left out."""
    own = next((line.best for line in comparison.lines if line.system == OWN), None)
    ran = [line for line in comparison.lines if line.runs]
    columns = {
        "system": [line.system for line in ran],
        "best": [seconds(line.best) for line in ran],
        "median": [seconds(line.median) for line in ran],
        "ratio": [ratio(line.best, own) for line in ran],
        "cpu": [seconds(line.cpu) for line in ran],
        "facts": [amount(line.facts) for line in ran],
        "peak memory": [memory(line.peak) for line in ran],
        comparison.measure or "": [amount(line.measured) for line in ran],
    }
    columns = {heading: cells for heading, cells in columns.items() if any(cells)}
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in columns:
        table.add_column(heading, justify="left" if heading == "system" else "right")
    for line, *cells in zip(ran, *columns.values(), strict=True):
        table.add_row(*cells, style="bold" if line.system == OWN else None)
    return table
