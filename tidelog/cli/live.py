"""What `tidelog stream` shows while it runs, and how it is stopped."""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from tidelog.cli.answers import counted
from tidelog.cli.report import duration

if TYPE_CHECKING:
    from tidelog import Changes, Materialisation

_EVERY = 0.1
"""Seconds between two lines, at least."""
_RATE_OVER = 5.0
"""Seconds over which updates are counted."""


class Live:
    """A line on the terminal that is written over: updates a second, lag, facts, and what the last update took."""

    def __init__(self, mat: Materialisation, event_time: Callable[[], float | None]) -> None:
        self._mat = mat
        self._event_time = event_time
        """When the latest update happened, if the source says so."""
        self._moments: deque[float] = deque()
        self._count = 0
        self._shown = 0.0
        self._visible = False

    def clear(self) -> None:
        """Make room for other output."""
        if self._visible:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._visible = False

    def done(self, changes: Changes) -> None:
        now = time.monotonic()
        self._count += 1
        self._moments.append(now)
        while now - self._moments[0] > _RATE_OVER:
            self._moments.popleft()
        if now - self._shown >= _EVERY:
            self._shown = now
            sys.stderr.write(f"\r\x1b[2K{self.text(changes, now)}")
            sys.stderr.flush()
            self._visible = True

    def text(self, changes: Changes, now: float) -> str:
        taken = changes.statistics
        span = max(now - self._moments[0], _EVERY)
        phases = ", ".join(f"{phase} {count:,}" for phase, count in taken.instances_by_phase.items() if count)
        happened = self._event_time()
        parts = [
            counted(self._count, "update"),
            f"{len(self._moments) / span:,.0f} a second",
            *([] if happened is None else [f"lag {max(0.0, time.time() - happened):,.1f} s"]),
            counted(len(self._mat), "fact"),
            f"last: {phases or 'nothing to do'} in {duration(taken.seconds)}",
        ]
        return ", ".join(parts)


class Stop:
    """Ctrl-C, and being told to terminate, between two updates or in the middle of one, but not in the middle of a line.

    An update that is interrupted is as if it had not begun.
    """

    def __init__(self) -> None:
        self._writing = False
        self.wanted = False
        """Whether that has come."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._handle) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Inside, what comes is put off to the end."""
        self._writing = True
        try:
            yield
        finally:
            self._writing = False
        if self.wanted:
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.wanted = True
        if not self._writing:
            raise KeyboardInterrupt
