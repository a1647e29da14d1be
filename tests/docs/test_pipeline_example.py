"""The pipeline example does what it says: monday's files, tuesday's, and a run that is killed in between."""

from __future__ import annotations

import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import tidelog as tl
from tidelog.warehouse import Directory

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "pipeline"
KILLED = """
import os, runpy, signal, sys
import tidelog.warehouse.directory as directory

directory.os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
runpy.run_path(sys.argv.pop(1), run_name="__main__")
"""


def run(work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setattr(sys, "argv", ["pipeline.py", str(work)])
    capsys.readouterr()
    runpy.run_path(str(EXAMPLE / "pipeline.py"), run_name="__main__")
    return capsys.readouterr().out.splitlines()


def test_files_in_changes_out_and_a_crash_between(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert spark is not None
    incoming, warehouse = tmp_path / "incoming", tmp_path / "warehouse"
    shutil.copytree(EXAMPLE / "monday", incoming)
    quarantine = "quarantine: people.csv:4: 1 column, where 2 are needed: mallory"
    assert run(tmp_path, monkeypatch, capsys) == [
        "version 0: 4 records, 1 of them bad",
        '  +1 forgotten("ada")',
        '  +1 forgotten("grace")',
        '  +1 forgotten("linus")',
        "version 1: 2 records, 0 of them bad",
        "version 2: 2 records, 0 of them bad",
        '  +1 may_open("ada", "build farm")',
        '  +1 may_open("ada", "wiki")',
        '  +1 may_open("grace", "build farm")',
        '  +1 may_open("grace", "wiki")',
        '  +1 may_open("linus", "wiki")',
        '  -1 forgotten("ada")',
        '  -1 forgotten("grace")',
        '  -1 forgotten("linus")',
        quarantine,
    ]
    assert run(tmp_path, monkeypatch, capsys) == [quarantine]

    shutil.copytree(EXAMPLE / "tuesday", incoming, dirs_exist_ok=True)
    command = [sys.executable, "-c", KILLED, str(EXAMPLE / "pipeline.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr[-3000:]
    assert Directory(warehouse).versions() == [0, 1, 2]

    assert run(tmp_path, monkeypatch, capsys) == [
        "version 3: 1 records, 0 of them bad",
        '  +1 forgotten("tim")',
        "version 4: 1 records, 0 of them bad",
        '  +1 may_open("linus", "mailing list")',
        quarantine,
    ]
    opened = tl.Materialisation.open(warehouse)
    assert opened["forgotten"].sorted() == [("tim",)]
    assert opened.explain("may_open", ("linus", "wiki")).holds
