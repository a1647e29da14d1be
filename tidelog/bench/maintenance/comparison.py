"""Tidelog (`auto`) beside other systems on the same updates: first materialisation, and how long until an update is through.

All work on facts in memory (Nemo reads a file, as it must), one process each; the number of facts after every update is
compared.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from statistics import median

from tidelog.bench.compare import HINT
from tidelog.bench.maintenance.format import duration
from tidelog.bench.maintenance.instances import find_instance
from tidelog.bench.maintenance.job import DELETE, INSERT, Job
from tidelog.bench.maintenance.peers import NAMES, Outcome
from tidelog.bench.results import OWN, Section, Verdict

_INSTANCES = ("Univ-L", "Sparse", "Dense", "Clique", "Join")
_PARAMETERS = {"Univ-L": {"universities": 2, "departments": 20}, "Clique": {"nodes": 100, "extra": 100}}
"""Where the full size is more than some peer can do."""
_NEEDS = {"pathway": "pathway", "nemo": "nmo_python"}


@dataclass(frozen=True, slots=True)
class Found:
    """What one system did on one instance."""

    job: Job
    system: str
    outcome: Outcome | None = None
    note: str = ""

    @property
    def workload(self) -> tuple[str, int]:
        return self.job.instance, self.job.sizes[0]

    def median(self, kind: str) -> float | None:
        return median(seconds for which, seconds, _ in self.outcome[1] if which == kind) if self.outcome else None

    @property
    def counts(self) -> list[int] | None:
        return [facts for _, _, facts in self.outcome[1]] if self.outcome else None


def jobs(size: str, samples: int) -> list[Job]:
    found = []
    for name in _INSTANCES:
        instance = find_instance(name)
        parameters = _PARAMETERS.get(name) if size == "full" else None
        for update in sorted({1, instance.update[size]}):
            found.append(Job(name, parameters or instance.sizes[size], (), (update,), samples))
    return found


def run(job: Job, system: str, timeout: float) -> Found:
    if not (shutil.which("swipl") if system == "swipl" else find_spec(_NEEDS.get(system, "tidelog"))):
        return Found(job, system, note="not installed" if system == "swipl" else HINT)
    command = [sys.executable, "-m", "tidelog.bench.maintenance.peers.worker", system, json.dumps(asdict(job))]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True)
    except subprocess.TimeoutExpired:
        return Found(job, system, note=f"given up after {timeout:g} s")
    except subprocess.CalledProcessError as error:
        return Found(job, system, note=f"failed: {(error.stderr.strip().splitlines() or ['no message'])[-1]}")
    first, updates = json.loads(done.stdout.strip().splitlines()[-1])
    return Found(job, system, (first, [(kind, seconds, facts) for kind, seconds, facts in updates]))


def systems(chosen: Sequence[str]) -> list[str]:
    return [name for name in NAMES if not chosen or name in chosen or name == OWN]


def sections(everything: Sequence[Found]) -> list[Section]:
    rows, notes, problems = [], [], []
    own = {found.workload: found for found in everything if found.system == OWN}
    for found in everything:
        where = f"{found.job.instance}, {found.job.sizes[0]:,} a time"
        if found.note:
            notes.append(f"{where}: {found.system}: {found.note}")
        if not found.outcome:
            continue
        cells = [duration(found.outcome[0]), duration(found.median(DELETE)), duration(found.median(INSERT))]
        rows.append((found.job.instance, f"{found.job.sizes[0]:,}", found.system, *cells))
        if found.counts != own[found.workload].counts:
            problems.append(f"{where}: {found.system} has other numbers of facts than {OWN}")
    headings = ("instance", "update", "system", "first", "delete", "insert")
    verdicts = tuple(_verdict(found, own[found.workload]) for found in everything if found.system == "pathway")
    return [Section("Peers: medians on the wall", headings, tuple(rows), tuple(notes), tuple(problems), verdicts)]


def _verdict(peer: Found, own: Found) -> Verdict:
    text = f"{peer.job.instance}, {peer.job.sizes[0]:,} a time: ahead of {peer.system}"
    if not own.outcome or not peer.outcome:
        return Verdict(text, None)
    pairs = {
        "first": (own.outcome[0], peer.outcome[0]),
        DELETE: (own.median(DELETE), peer.median(DELETE)),
        INSERT: (own.median(INSERT), peer.median(INSERT)),
    }
    ratios = {name: theirs / mine for name, (mine, theirs) in pairs.items() if mine and theirs}
    told = ", ".join(f"{name} {ratio:.2f} times" for name, ratio in ratios.items())
    return Verdict(f"{text} ({told})", all(ratio > 1 for ratio in ratios.values()))
