"""Nemo: an in-memory Datalog engine written in Rust. It reads its imports when reasoning starts, so there is one phase."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.csv

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.task import Answer, Clock, Task
from tidelog.bench.workloads import Workload


def cannot(workload: Workload) -> str | None:
    return "reads no Parquet" if workload.formats == ("parquet",) else None


def prepare(workload: Workload, directory: Path) -> Task:
    if workload.triples:
        imports = f'@import triple :- ntriples {{ resource = "{directory}/triple.nt" }} .\n'
        output = f'@export {workload.answer} :- ntriples {{ resource = "answer" }} .\n'
    else:
        imports = "".join(_import(path) for path in sorted(directory.glob("*.csv")))
        output = f'@export {workload.answer} :- csv {{ resource = "answer" }} .\n'
    return partial(_run, imports + dialects.nemo(workload.rules) + output, workload)


def _import(path: Path) -> str:
    with open(path) as file:
        columns = file.readline().count(",") + 1
    return f'@import {path.stem} :- csv {{ resource = "{path}", format = ({",".join(["int"] * columns)}) }} .\n'


def _run(program: str, workload: Workload, clock: Clock) -> Answer:
    import nmo_python

    with clock.phase("load and evaluate"):
        engine = nmo_python.NemoEngine(nmo_python.load_string(program))
        engine.reason()
    with tempfile.TemporaryDirectory() as directory:
        engine.write_result(workload.answer, nmo_python.NemoOutputManager(directory, overwrite=True))
        file = Path(directory, "answer")
        if workload.triples:
            with open(file, "rb") as lines:
                return Answer(sum(1 for _ in lines), engine)
        rows = _integers(file)
    return Answer(len(rows), engine, lambda: rows)


def _integers(file: Path) -> Rows:
    options = pyarrow.csv.ReadOptions(autogenerate_column_names=True)
    table = pyarrow.csv.read_csv(file, read_options=options)
    return np.stack([column.to_numpy() for column in table.columns], axis=1)
