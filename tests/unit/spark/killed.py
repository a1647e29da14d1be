"""On a cluster of processes: an executor is killed in a round, then the driver in a commit. Run by test_killed.py."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tidelog as tl
from tidelog.spark.session import session
from tidelog.warehouse import directory

RULES = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."
FIRST, SECOND = (np.array([(n, n + 1) for n in range(start, start + 5)]) for start in (0, 5))
KILLED_IN = 3
"""The round of the second update in which an executor is killed."""


def executors() -> Iterator[int]:
    """The processes that work for this application."""
    application = session().sparkContext.applicationId.encode()
    for process in Path("/proc").iterdir():
        try:
            words = (process / "cmdline").read_bytes().split(b"\0") if process.name.isdigit() else []
        except OSError:  # it has ended
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words and application in words:
            yield int(process.name)


class Killer:
    """Told of rounds; kills one executor, once."""

    def __init__(self) -> None:
        self.armed = False

    def __call__(self, phase: str | None = None, rounds: int = 0, **figures: int) -> None:
        if self.armed and rounds == KILLED_IN:
            self.armed = False
            os.kill(min(executors()), signal.SIGKILL)


def changed(**where: Any) -> tl.Materialisation:
    """Two updates, an executor being killed in the second, which is made again if it fails."""
    kill = Killer()
    engine = tl.Spark(master="local-cluster[2,1,1024]", driver_facts=4, **where)
    mat = tl.Materialisation(RULES, engine=engine, algorithm="rematerialise", progress=kill)
    mat.update(insert={"edge": FIRST})
    kill.armed, before = True, len(mat["path"])
    try:
        mat.update(insert={"edge": SECOND})
        print(*where, "survived", flush=True)
    except Exception:
        print(*where, "failed" if len(mat["path"]) == before and not kill.armed else "went wrong", flush=True)
        mat.update(insert={"edge": SECOND})
    print(*where, len(mat["path"]), flush=True)
    return mat


def main(place: Path) -> None:
    changed(checkpoints=str(place / "checkpoints"))
    mat = changed(warehouse=place / "kept")
    directory.os.link = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[attr-defined]
    mat.update(delete={"edge": SECOND})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
