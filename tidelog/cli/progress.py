"""A line of progress on standard error, for work that takes long enough to wonder about; nothing unless it is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

    from tidelog import Changes

PATIENCE = 0.3  # seconds until there is anything to see; most programs are done by then


@contextmanager
def progress(phase: str) -> Iterator[Line | None]:
    """While inside, what is reported is shown: `report("stratum 2 of 5", facts=1200)`; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    line = Line(phase)
    try:
        yield line
    finally:
        line.end()


class Line:
    """The spinner, made when the first report after `PATIENCE` comes."""

    def __init__(self, phase: str) -> None:
        self.stage, self.phase = "", phase
        self.started = time.monotonic()
        self.status: Status | None = None
        self.ended = False

    def end(self) -> None:
        """Show nothing any more, whatever is reported."""
        self.close()
        self.ended = True

    def next(self, stage: str) -> None:
        """Make room for other output. What is reported from now on belongs to a new stage, whose time begins now."""
        self.close()
        self.stage = f"{stage}: "
        self.started = time.monotonic()

    def clear(self) -> None:
        """Make room for other output."""
        self.close()

    def done(self, changes: Changes) -> None:
        """An update is done, and the next one's turn has come."""
        self.next(f"update {changes.number + 1}")

    def __call__(self, phase: str | None = None, **figures: int) -> None:
        self.phase = phase or self.phase
        elapsed = time.monotonic() - self.started
        if self.ended or elapsed < PATIENCE:
            return
        text = ", ".join(
            [
                self.stage + self.phase,
                *(f"{count:,} {name.replace('_', ' ')}" for name, count in figures.items()),
                f"{elapsed:.0f} s",
            ]
        )
        if self.status is None:
            self._show(text)
        else:
            self.status.update(text)

    def _show(self, text: str) -> None:
        from rich.console import Console

        self.status = Console(stderr=True).status(text)
        self.status.start()

    def close(self) -> None:
        if self.status is not None:
            self.status.stop()
            self.status = None
