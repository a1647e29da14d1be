"""A section on the terminal, and as Markdown."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidelog.bench.results import Section

_WIDTH = 220
"""Columns for the widest table: a narrower terminal breaks its lines, but nothing is left out."""


def show(section: Section, console: Console) -> None:
    console.print(Text(section.title, style="bold"))
    wide = Console(width=max(console.width, _WIDTH), file=console.file)
    if section.rows:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for place, heading in enumerate(section.headings):
            table.add_column(heading, justify="right" if place else "left", no_wrap=True)
        for row in section.rows:
            table.add_row(*row)
        wide.print(table)
    for note in section.notes:
        console.print(Text(note, style="dim"))
    for problem in section.problems:
        console.print(Text(problem, style="bold red"))
    for verdict in section.verdicts:
        console.print(Text(str(verdict), style="green" if verdict.met else "red" if verdict.met is False else "dim"))
    console.print()


def markdown(section: Section) -> str:
    lines = [section.headings, ("---", *["---:"] * (len(section.headings) - 1)), *section.rows] if section.rows else []
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    verdicts = "\n".join(f"- {verdict}" for verdict in section.verdicts)
    return "\n\n".join(part for part in (f"#### {section.title}", table, *section.notes, *section.problems, verdicts) if part)
