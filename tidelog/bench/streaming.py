"""`tidelog bench stream`: how many facts a second `tidelog stream` takes, and what memory it needs, as the stream goes on.

Readings of sensors arrive at a steady rate of event time, three triples each, as N-Triples with a time on standard input; the
RDFS rules and a small ontology say what follows; a window of a minute slides by seconds. They are sent as fast as they
are taken. The changes are written as lines of JSON, and thrown away.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from tidelog.bench.figures import memory, seconds
from tidelog.bench.ontology import RULES
from tidelog.bench.options import Options
from tidelog.bench.process import resident_bytes
from tidelog.bench.results import Section, Verdict

_TYPE, _XSD = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "http://www.w3.org/2001/XMLSchema#"
_PROGRAM = f"""@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
{RULES}"""
_ONTOLOGY = """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix ex: <http://example.org/> .
ex:Temperature rdfs:subClassOf ex:Reading . ex:Humidity rdfs:subClassOf ex:Reading .
ex:Reading rdfs:subClassOf ex:Observation . ex:Observation rdfs:subClassOf ex:Event .
ex:Thermometer rdfs:subClassOf ex:Sensor . ex:Sensor rdfs:subClassOf ex:Device .
ex:madeBy rdfs:subPropertyOf ex:relatedTo ; rdfs:domain ex:Reading ; rdfs:range ex:Sensor .
ex:degrees rdfs:subPropertyOf ex:value . ex:percent rdfs:subPropertyOf ex:value .
"""
_SENSORS, _START = 1000, 1_772_366_400
_TARGET = 10_000
"""Facts a second."""
_GROWTH = 1.25


@dataclass(frozen=True, slots=True)
class Setting:
    rate: int
    """Triples for each second of event time."""
    window: int
    duration: int
    """Seconds of event time."""

    @property
    def steps(self) -> int:
        """Seconds of event time between two rows of the table."""
        return max(1, self.duration // 10)


SETTINGS = {"tiny": Setting(300, 3, 10), "quick": Setting(10_000, 20, 60), "full": Setting(10_000, 60, 600)}


@dataclass(frozen=True, slots=True)
class Moment:
    """When so many seconds of event time had been taken."""

    event: int
    wall: float
    resident: int


@dataclass(frozen=True, slots=True)
class Replay:
    moments: tuple[Moment, ...]
    wall: float
    cpu: float
    said: str
    """What the command said at the end, or why it failed."""
    failed: bool


def readings(rate: int, second: int) -> str:
    """The lines of one second of event time."""
    random = np.random.default_rng(second)
    count = rate // 3
    kinds, sensors, values = random.integers(0, 2, count), random.integers(0, _SENSORS, count), random.integers(0, 1000, count)
    at = f'"{_START + second}"^^<{_XSD}integer> .\n'
    lines = []
    for number, (kind, sensor, value) in enumerate(zip(kinds.tolist(), sensors.tolist(), values.tolist(), strict=True)):
        subject = f"<http://example.org/reading/{second}-{number}>"
        name, measure = ("Humidity", "percent") if kind else ("Temperature", "degrees")
        lines.append(f"{subject} {_TYPE} <http://example.org/{name}> {at}")
        lines.append(f"{subject} <http://example.org/madeBy> <http://example.org/sensor/{sensor}> {at}")
        lines.append(f'{subject} <http://example.org/{measure}> "{value / 10}"^^<{_XSD}decimal> {at}')
    return "".join(lines)


def replay(setting: Setting, progress: Callable[[str], None]) -> Replay:
    """Send the stream through the command."""
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as place:
        directory = Path(place)
        (directory / "rdfs.rls").write_text(_PROGRAM)
        (directory / "ontology.ttl").write_text(_ONTOLOGY)
        arguments = ["--facts", "triple=ontology.ttl", "--source", "-", "--source-format", "rdf", "--batch", "10000"]
        command = [sys.executable, "-m", "tidelog.cli", "stream", "rdfs.rls", *arguments, "--window", f"{setting.window}s/1s"]
        before, started = _children_cpu(), time.perf_counter()
        with subprocess.Popen(
            command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdin is not None
            assert process.stderr is not None
            moments = tuple(_sent(setting, process.stdin, process.pid, progress))
            said = process.stderr.read().strip()
        wall = time.perf_counter() - started
        return Replay(moments, wall, _children_cpu() - before, said.splitlines()[-1] if said else "", process.returncode != 0)


def _sent(setting: Setting, pipe: IO[str], process: int, progress: Callable[[str], None]) -> Iterator[Moment]:
    started = time.perf_counter()
    try:
        for second in range(setting.duration):
            pipe.write(readings(setting.rate, second))
            if (second + 1) % setting.steps == 0:
                progress(f"stream: {second + 1} of {setting.duration} s of event time")
                yield Moment(second + 1, time.perf_counter() - started, resident_bytes(process))
        pipe.close()
    except BrokenPipeError:  # it has ended, and says why
        return


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def section(setting: Setting, replay: Replay) -> Section:
    rows, before = [], 0.0
    for moment in replay.moments:
        taken = setting.rate * setting.steps / (moment.wall - before)
        rows.append((f"{moment.event:,} s", seconds(moment.wall), f"{taken:,.0f}", memory(moment.resident)))
        before = moment.wall
    title = f"`tidelog stream`: {setting.rate:,} triples a second of event time, a window of {setting.window} s, RDFS rules"
    facts = setting.rate // 3 * 3 * setting.duration
    notes = [f"{facts:,} triples in {seconds(replay.wall)}, {seconds(replay.cpu)} of the processor", replay.said]
    verdicts = () if replay.failed or setting.rate < _TARGET else (_sustained(facts, replay), _bounded(setting, replay))
    problems = (replay.said,) if replay.failed else ()
    return Section(title, ("event time", "after", "facts a second", "memory"), tuple(rows), tuple(notes), problems, verdicts)


def _sustained(facts: int, replay: Replay) -> Verdict:
    rates = [facts / spent for spent in (replay.wall, replay.cpu)]
    text = f"{_TARGET:,} facts a second ({rates[0]:,.0f}; {rates[1]:,.0f} for each second of the processor)"
    return Verdict(text, rates[0] >= _TARGET)


def _bounded(setting: Setting, replay: Replay) -> Verdict:
    """Once the window is full, and dead facts have been left behind for the first time, memory grows no more."""
    full = [moment.resident for moment in replay.moments if moment.event >= 2 * setting.window]
    early, late = max(full[: len(full) // 2], default=0), max(full[len(full) // 2 :], default=0)
    text = f"bounded memory (at most {memory(early)} in the first half, {memory(late)} in the second)"
    return Verdict(text, late <= _GROWTH * early if early else None)


def run(options: Options, progress: Callable[[str], None]) -> list[Section]:
    setting = SETTINGS[options.size]
    return [section(setting, replay(setting, progress))]


PARTS = {"stream": ("10,000 facts a second through `tidelog stream`, with a window and the RDFS rules", run)}
