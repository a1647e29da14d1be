"""Measurements of one system in a process of its own: `python -m tidelog.bench.spark.worker JSON`.

Takes a list of tasks and prints a list of what came of them, as a line of JSON. A `local-cluster` writes its workers' files
into Spark's home; here that is a directory of links, which goes away.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from tidelog.bench.graphs import random_graph
from tidelog.bench.spark import systems
from tidelog.bench.spark.systems import Found

Task: TypeAlias = Mapping[str, Any]


def measured(tasks: Sequence[Task], timeout: float) -> list[Found | str]:
    """What came of tasks of one system on one master, or why nothing did."""
    command = [sys.executable, "-m", "tidelog.bench.spark.worker", json.dumps([dict(task) for task in tasks])]
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as place:
        environment = {**os.environ, **home(Path(place))} if "cluster" in (tasks[0]["master"] or "") else None
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True, env=environment)
        except subprocess.TimeoutExpired:
            return [f"given up after {timeout:g} s"] * len(tasks)
        except subprocess.CalledProcessError as error:
            said = error.stderr.strip().splitlines()
            return [said[-1] if said else f"exit code {error.returncode}"] * len(tasks)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return [one if isinstance(one, str) else Found.from_json(one) for one in found]


def home(place: Path) -> dict[str, str]:
    """A home for a Spark whose workers write files; executors find Python where this process does."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    for entry in Path(spec.origin).parent.iterdir():
        (place / entry.name).symlink_to(entry)
    return {"SPARK_HOME": str(place), "PYSPARK_PYTHON": sys.executable}


def work(task: Task) -> Found:
    """One measurement."""
    master = task["master"]
    match task["what"]:
        case "closure":
            return systems.closure(master, task["system"], random_graph(task["nodes"], task["edges"])["edge"])
        case "stars":
            return systems.closure(master, task["system"], systems.stars(task["edges"], task["hubs"]))
        case _:
            return systems.updates(master, task["base"], task["length"], task["times"])


def all_of(tasks: Sequence[Task]) -> list[dict[str, Any] | str]:
    """What came of each; one that fails does not stop the others."""
    found: list[dict[str, Any] | str] = []
    for task in tasks:
        try:
            found.append(work(task).to_json())
        except Exception as error:
            found.append(f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}")
    return found


if __name__ == "__main__":
    print(json.dumps(all_of(json.loads(sys.argv[1]))))
