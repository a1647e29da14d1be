"""Processes are killed, and nothing is lost: an executor in a round, the driver in the middle of a commit.

One run of `killed.py` on a cluster of two executors, which are processes of their own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import tidelog as tl
from tidelog.bench.spark.worker import home
from tidelog.warehouse import Directory

SCRIPT = Path(__file__).with_name("killed.py")


def test_executors_and_the_driver_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    environment = {**os.environ, **home(tmp_path / "home")}
    command = [sys.executable, str(SCRIPT), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == -signal.SIGKILL, done.stderr[-3000:]
    assert done.stdout.splitlines() == ["checkpoints survived", "checkpoints 55", "warehouse failed", "warehouse 55"]

    assert Directory(tmp_path / "kept").versions() == [0, 1, 2]
    kept = tl.Materialisation.open(tmp_path / "kept")
    assert set(kept["path"]) == {(x, y) for x in range(10) for y in range(x + 1, 11)}
    assert kept.explain("path", (0, 10)).holds
