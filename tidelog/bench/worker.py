"""One run of one system, in a process of its own: `python -m tidelog.bench.worker SYSTEM WORKLOAD DIRECTORY`.

Prints one line of JSON, a `Run`. Clocks run only inside a system's phases. Not timed is what a process pays once (importing
the system, building our parser: the benchmark `startup` has that), and reading the answer out to check it. Memory is what the
phases added to the process.
"""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

from tidelog.bench.process import resident_bytes
from tidelog.bench.results import Run
from tidelog.bench.systems import find_system
from tidelog.bench.task import Clock, checksum
from tidelog.bench.workloads import find_workload


def measure(system: str, workload: str, directory: Path) -> Run:
    """Run a system on the input files in a directory."""
    chosen = find_system(system)
    import_module(chosen.module)
    task = chosen.prepare(find_workload(workload), directory)
    clock = Clock()
    answer = task(clock)
    gc.collect()
    held = max(0, resident_bytes() - clock.idle)
    total = checksum(answer.rows()) if answer.rows else None
    return Run(clock.phases, answer.facts, clock.cpu, total, answer.instances, answer.rounds, clock.peak, held)


if __name__ == "__main__":
    print(json.dumps(asdict(measure(sys.argv[1], sys.argv[2], Path(sys.argv[3])))))
