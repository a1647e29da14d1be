"""Saved results as Markdown: `python -m tidelog.bench.report results.json` prints the tables of docs/performance.md."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tidelog.bench.figures import amount, memory, ratio, seconds, setting
from tidelog.bench.maintenance import section
from tidelog.bench.process import machine_line
from tidelog.bench.results import NOT_TIMED, OWN, Comparison, Line, Results
from tidelog.bench.systems import SYSTEMS


def markdown(results: Results) -> str:
    """The machine, then a section for each comparison."""
    sections = [f"Measured on {machine_line(dict(results.machine))}.", *map(_section, results.comparisons)]
    sections += map(section.markdown, results.sections)
    return "\n\n".join([*sections, _systems()]) + "\n"


def _section(comparison: Comparison) -> str:
    own = next((line.best for line in comparison.lines if line.system == OWN), None)
    headings = ["system", "best", "median", "ratio", "cpu", "facts", "peak memory"]
    headings += [comparison.measure] if comparison.measure else []
    rows = [headings, ["---", *["---:"] * (len(headings) - 1)]]
    rows += [_row(line, own)[: len(headings)] for line in comparison.lines]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    parameters = f" ({setting(comparison.parameters)})" if comparison.parameters else ""
    head = f"### {comparison.name}\n\n{comparison.title[0].upper()}{comparison.title[1:]}{parameters}."
    verdicts = "\n".join(f"- {verdict}" for verdict in comparison.verdicts)
    return "\n\n".join(part for part in (head, table, verdicts) if part)


def _systems() -> str:
    """What each system does in the time that is measured."""
    return "What is timed:\n\n" + "\n".join(f"- **{system.name}**: {system.what}" for system in SYSTEMS) + f"\n\n{NOT_TIMED}"


def _row(line: Line, own: float | None) -> list[str]:
    times = [seconds(line.best), seconds(line.median)] if line.runs else [line.note or "", ""]
    work = [seconds(line.cpu), amount(line.facts), memory(line.peak)]
    return [line.system, *times, ratio(line.best, own), *work, amount(line.measured)]


if __name__ == "__main__":
    print(markdown(Results.from_json(json.loads(Path(sys.argv[1]).read_text()))), end="")
