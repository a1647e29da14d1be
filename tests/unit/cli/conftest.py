"""What the tests of the command line share: a directory with a small program, and a way to call the command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tidelog.cli import main

PATHS = """\
edge(a, b) .
edge(b, c) .
path(?x, ?y) :- edge(?x, ?y) .
path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) .
"""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Tidelog = Callable[..., Outcome]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with `paths.rls` in it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "paths.rls").write_text(PATHS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def tidelog(workspace: Path, capsys: pytest.CaptureFixture[str]) -> Tidelog:
    """`tidelog("run", "paths.rls")` in the workspace."""

    def call(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return call
