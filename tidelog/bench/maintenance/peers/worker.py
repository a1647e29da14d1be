"""A system on an instance, in a process of its own: `python -m tidelog.bench.maintenance.peers.worker SYSTEM JOB`."""

from __future__ import annotations

import json
import sys
from importlib import import_module

from tidelog.bench.maintenance.instances import find_instance
from tidelog.bench.maintenance.job import Job
from tidelog.bench.maintenance.peers import Outcome
from tidelog.bench.maintenance.sampling import SAMPLINGS

MODULES = {"tidelog": "own", "pathway": "stream", "swipl": "prolog", "nemo": "nemo"}


def measure(system: str, job: Job) -> Outcome:
    instance = find_instance(job.instance)
    rows = instance.generate(**job.parameters)[instance.predicate]
    samples = [SAMPLINGS[job.sampling](rows, size, sample) for size in job.sizes for sample in range(job.samples)]
    module = import_module(f"tidelog.bench.maintenance.peers.{MODULES[system]}")
    found: Outcome = module.measure(instance, rows, samples)
    return found


if __name__ == "__main__":
    data = json.loads(sys.argv[2])
    job = Job(**{**data, "sizes": tuple(data["sizes"]), "algorithms": ()})
    print(json.dumps(measure(sys.argv[1], job)))
