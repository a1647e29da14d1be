"""Tidelog itself: the program imports its files, so loading and evaluation are one call, as for its users."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tidelog
from tidelog.bench.graphs import Rows
from tidelog.bench.task import Answer, Clock, Task
from tidelog.bench.workloads import Workload


def cannot(workload: Workload) -> str | None:
    return None


def prepare(workload: Workload, directory: Path) -> Task:
    files = [path for kind in ("csv", "parquet", "nt") for path in sorted(directory.glob(f"*.{kind}"))]
    _warm_up({path.suffix for path in files})
    return partial(_run, "".join(map(_import, files)) + workload.rules, workload)


def _warm_up(suffixes: set[str]) -> None:
    """What a process pays once, for example to import the readers; the benchmark `startup` has it."""
    with TemporaryDirectory() as name:
        mat = tidelog.Materialisation(
            "cold(?x, ?y) :- warm(?x, ?y) . cold(?x, ?z) :- cold(?x, ?y), warm(?y, ?z) . warm(1, 2) ."
        )
        for suffix in suffixes & {".csv", ".parquet"}:
            tidelog.Materialisation(tidelog.Program.parse(_import(mat["warm"].write(Path(name) / f"warm{suffix}"))))
        if ".nt" in suffixes:
            (Path(name) / "warm.nt").write_text("<a:a> <a:a> <a:a> .\n")
            tidelog.Materialisation(tidelog.Program.parse(_import(Path(name) / "warm.nt")))


def _import(path: Path) -> str:
    kind = "ntriples" if path.suffix == ".nt" else path.suffix.removeprefix(".")
    columns = ""
    if kind == "csv":
        with open(path) as file:
            columns = f", format = ({', '.join(['int'] * (file.readline().count(',') + 1))})"
    return f'@import {path.stem} :- {kind} {{ resource = "{path}"{columns} }} .\n'


def _run(text: str, workload: Workload, clock: Clock) -> Answer:
    with clock.phase("load and evaluate"):
        materialisation = tidelog.Materialisation(tidelog.Program.parse(text))
    found = materialisation[workload.answer]

    def rows() -> Rows:
        return np.stack([column.to_numpy() for column in found.to_arrow().columns], axis=1)

    statistics = materialisation.statistics
    return Answer(len(found), materialisation, None if workload.triples else rows, statistics.instances, statistics.rounds)
