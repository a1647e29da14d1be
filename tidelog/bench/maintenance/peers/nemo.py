"""Nemo has no updates: it computes everything again from a file of the facts that are left."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance
from tidelog.bench.maintenance.job import DELETE, INSERT
from tidelog.bench.maintenance.peers import Outcome


def measure(instance: Instance, rows: Rows, samples: Sequence[Rows]) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as name:
        directory = Path(name)
        first, whole = _evaluate(instance, rows, directory)
        found = []
        for sample in samples:
            seconds, facts = _evaluate(instance, _without(rows, sample), directory)
            found += [(DELETE, seconds, facts), (INSERT, first, whole)]
    return first, found


def _without(rows: Rows, sample: Rows) -> Rows:
    gone = set(map(tuple, sample.tolist()))
    kept: Rows = rows[np.array([tuple(row) not in gone for row in rows.tolist()])]
    return kept


def _evaluate(instance: Instance, rows: Rows, directory: Path) -> tuple[float, int]:
    import nmo_python

    table = pa.table({f"c{place}": column.copy() for place, column in enumerate(rows.T)})
    file = directory / "facts.csv"
    pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=False))
    types = ", ".join(["int"] * rows.shape[1])
    heads = {atom.predicate for rule in dialects.parse(instance.rules) for atom in rule.head}
    outputs = "".join(f'@export {head} :- csv {{ resource = "{head}" }} .\n' for head in heads)
    program = f'@import {instance.predicate} :- csv {{ resource = "{file}", format = ({types}) }} .\n'
    program += dialects.nemo(instance.rules) + outputs
    started = time.perf_counter()
    engine = nmo_python.NemoEngine(nmo_python.load_string(program))
    engine.reason()
    seconds = time.perf_counter() - started
    facts = 0 if instance.predicate in heads else len(rows)
    for head in heads:
        engine.write_result(head, nmo_python.NemoOutputManager(str(directory), overwrite=True))
        facts += (directory / head).read_bytes().count(b"\n")
    return seconds, facts
