"""Faults on purpose: an exception at some line of Tidelog, as Ctrl-C or a lack of memory would raise it."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import tidelog

PACKAGE = str(Path(tidelog.__file__).parent)
SAFE = ("try:", "with ")
"""Python looks for Ctrl-C at calls and jumps: not on a bare `try`, nor between the end of a `with` and its clean-up."""


@dataclass
class Fault:
    """Raises at the n-th line that is about to run in Tidelog; with no error to raise, only counts lines."""

    error: type[BaseException] | None = None
    at: int = -1
    lines: int = 0
    place: str = ""

    def enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self.step if frame.f_code.co_filename.startswith(PACKAGE) else None

    def step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line" and not linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip().startswith(SAFE):
            self.lines += 1
            if self.lines == self.at and self.error is not None:
                self.place = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}, in {frame.f_code.co_name}"
                raise self.error(f"on purpose, at {self.place}")
        return self.step


@contextmanager
def fault(error: type[BaseException] | None = None, at: int = -1) -> Iterator[Fault]:
    """While this lasts, the error strikes once, at that line."""
    injected = Fault(error, at)
    before = sys.gettrace()
    sys.settrace(injected.enter)
    try:
        yield injected
    finally:
        sys.settrace(before)
