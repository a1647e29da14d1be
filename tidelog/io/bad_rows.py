"""Rows that could not be read: by default the first one stops the load, on request they are collected."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from tidelog.errors import DataError
from tidelog.io import files

OnBadRow: TypeAlias = Literal["stop", "skip"]


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row of a file that was not loaded: where it stands (the line, from 1; 0 if nobody knows), why, and its text."""

    source: str
    row: int
    reason: str
    text: str


@dataclass(slots=True)
class BadRows:
    """What becomes of bad rows: `on_bad_row` says whether the first one stops the load, or all are collected here."""

    on_bad_row: OnBadRow = "stop"
    rows: list[BadRow] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[BadRow]:
        return iter(self.rows)

    def report(self, source: str, row: int, reason: str, text: str) -> None:
        """Take note of a bad row, or raise it as a DataError."""
        if self.on_bad_row == "stop":
            hint = "to load the other rows, skip bad rows: on_bad_row='skip', on the command line --on-bad-row skip"
            raise DataError(f"{reason}: {shortened(text)}", source=source, row=row or None, hint=hint)
        self.rows.append(BadRow(source, row, reason, text))

    def write(self, path: str | Path) -> None:
        """Write the collected rows as a CSV file with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["source", "row", "reason", "text"])
        writer.writerows([bad.source, bad.row, bad.reason, bad.text] for bad in self.rows)
        with files.replacing(Path(path)) as file:
            file.write(text.getvalue().encode("utf-8", "backslashreplace"))


def shortened(text: str, limit: int = 120) -> str:
    return repr(text if len(text) <= limit else text[: limit - 3] + "...")


def plural(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
