"""The progress line: only on a terminal, only for long work."""

from __future__ import annotations

import io
import sys

import pytest

from tidelog.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress.progress("materialising") as report:
        assert report is None


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress.progress("materialising") as report:
        assert report is not None
        report("stratum 1 of 2", facts=10)
    assert terminal.getvalue() == ""


def test_long_work_shows_phase_and_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress("materialising") as report:
        assert report is not None
        report("stratum 1 of 2", facts=12345)
    assert "stratum 1 of 2, 12,345 facts" in terminal.getvalue()
