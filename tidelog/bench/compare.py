"""Running all systems on a workload: every run in a fresh process, repetitions interleaved so that a slow spell of the machine
meets everyone."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tidelog.bench import inputs
from tidelog.bench.options import Options
from tidelog.bench.results import OWN, Comparison, Line, Run
from tidelog.bench.systems import SYSTEMS, System
from tidelog.bench.workloads import BYTES, DERIVATIONS, ROUND, ROWS, Workload

HINT = "not installed: pip install 'tidelog[bench]'"


def compare(workload: Workload, options: Options, progress: Callable[[str], None] = lambda text: None) -> Comparison:
    """Run every system that can do the workload, and judge the targets."""
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as name:
        directory = Path(name)
        progress(f"{workload.name}: making the input")
        parameters = _write_inputs(workload, directory, options)
        lines = [_before(system, workload, options) for system in SYSTEMS if _wanted(system, workload, options)]
        for repetition in range(options.repeat):
            for place, line in enumerate(lines):
                if line.note is None:
                    progress(f"{workload.name}: {line.system}, {repetition + 1} of {options.repeat}")
                    lines[place] = _again(line, workload, directory, options.timeout)
    lines = [_measured(line, workload, parameters) for line in lines]
    by_name = {line.system: line for line in lines}
    verdicts = tuple(target(by_name) for target in workload.targets) if options.size == "full" else ()
    return Comparison(workload.name, workload.title, parameters, workload.measure, tuple(lines), verdicts)


def _write_inputs(workload: Workload, directory: Path, options: Options) -> dict[str, int | str]:
    if workload.triples and workload.rules and options.lubm:
        inputs.write_triples(directory, inputs.given_triples(options.lubm, options.ontology))
        return {"file": options.lubm.name}
    return dict(workload.write(directory, options.size, options.settings))


def _wanted(system: System, workload: Workload, options: Options) -> bool:
    chosen = options.systems or workload.systems
    return (not chosen or system.name in chosen) and system.cannot(workload) is None


def _before(system: System, workload: Workload, options: Options) -> Line:
    note = None if system.installed else HINT
    if system.slow and not options.slow and system.name not in options.systems:
        note = note or "slow: left out without --slow"
    return Line(system.name, note=note, derives_more=system.derives_more)


def _again(line: Line, workload: Workload, directory: Path, timeout: float) -> Line:
    """One more run of a system; a note where it failed, after which it is not run again."""
    command = [sys.executable, "-m", "tidelog.bench.worker", line.system, workload.name, str(directory)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)
    except subprocess.TimeoutExpired:
        return replace(line, note=f"given up after {timeout:g} s", timeout=timeout)
    except subprocess.CalledProcessError as error:
        return replace(line, failed=True, note=f"failed: {_last_line(error.stderr) or f'exit code {error.returncode}'}")
    return replace(line, runs=(*line.runs, Run(**json.loads(_last_line(done.stdout)))))


def _last_line(text: str) -> str:
    lines: Sequence[str] = text.strip().splitlines()
    return lines[-1] if lines else ""


def _measured(line: Line, workload: Workload, parameters: dict[str, int | str]) -> Line:
    """The line with the workload's own measure, taken from its best run."""
    best = line.best_run
    if best is None or best.seconds == 0:
        return line
    if workload.measure == ROUND:
        return replace(line, measured=best.seconds / int(parameters["nodes"]) * 1e6)
    if workload.measure == ROWS and best.facts is not None:
        return replace(line, measured=best.facts / best.seconds)
    if workload.measure == BYTES and best.held is not None:
        return replace(line, measured=best.held / int(parameters["rows"]))
    if workload.measure == DERIVATIONS and line.system == OWN and best.instances is not None:
        return replace(line, measured=best.instances / best.seconds)
    return line
