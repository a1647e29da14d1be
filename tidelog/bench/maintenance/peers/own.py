"""Tidelog with `auto`, as a user has it."""

from __future__ import annotations

import time
from collections.abc import Sequence

import tidelog
from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance
from tidelog.bench.maintenance.job import DELETE, INSERT
from tidelog.bench.maintenance.peers import Outcome


def measure(instance: Instance, rows: Rows, samples: Sequence[Rows]) -> Outcome:
    program = tidelog.Program.parse(instance.rules)
    started = time.perf_counter()
    mat = tidelog.Materialisation(program)
    mat.update(insert={instance.predicate: rows})
    first = time.perf_counter() - started
    found = []
    for sample in samples:
        for kind in (DELETE, INSERT):
            started = time.perf_counter()
            change = {instance.predicate: sample}
            mat.update(insert=change if kind == INSERT else None, delete=change if kind == DELETE else None)
            found.append((kind, time.perf_counter() - started, len(mat)))
    return first, found
