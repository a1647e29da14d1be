"""Following a stream by one algorithm after another: what each takes, counts and marks."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import tidelog
from tidelog.bench.marking.published import BF, DRED
from tidelog.bench.marking.streams import RULES, Backlog, Stream

WRITTEN, SHARED = "written", "shared"
MARKS = (WRITTEN, SHARED)
DELETIONS, BACKWARD, FORWARD, INSERTIONS = "deletion", "backward", "forward", "addition"
"""The paper's phases, in our names."""


@dataclass(frozen=True, slots=True)
class Way:
    """An algorithm with its options."""

    algorithm: str
    marks: str = WRITTEN

    @property
    def name(self) -> str:
        return f"{self.algorithm}, {self.marks}" if self.algorithm.endswith("-marking") else self.algorithm


OLD = {BF: Way("bf"), DRED: Way("dred")}
NEW = {(name, marks): Way(f"{name}-marking", marks) for name, marks in ((n, m) for n in ("bf", "dred") for m in MARKS)}
RANKED = Way("ranked")
WAYS = (*OLD.values(), *NEW.values(), RANKED)


def new(algorithm: str, marks: str) -> Way:
    """With marking, what `OLD` is without."""
    return NEW[OLD[algorithm].algorithm, marks]


@dataclass(frozen=True, slots=True)
class Measured:
    """A stream, done in one way."""

    seconds: float
    """Processor time from the first update to the last."""
    wall: float
    applications: Mapping[str, int]
    """Rule applications by phase, as the paper counts them: those that told something new."""
    explicit: int
    derived: int
    """Facts marked."""
    changes: tuple[tuple[int, int], ...]
    """How many facts came and went with each update."""
    facts: int
    """A number that depends on which facts there are in the end."""


def follow(stream: Stream, way: Way) -> Measured:
    updates = stream.updates
    # Only `standard` goes by rule instances, which are what the paper counts, and what marks pass through.
    mat = tidelog.Materialisation(RULES[stream.program], algorithm=way.algorithm, marks=way.marks, modules="standard")
    gc.collect()
    started, cpu = time.perf_counter(), time.process_time()
    told = list(mat.follow(Backlog(updates)))
    wall, seconds = time.perf_counter() - started, time.process_time() - cpu
    statistics = [changes.statistics for changes in told]
    applications: Counter[str] = Counter()
    for one in statistics:
        applications.update(one.applications_by_phase)
    explicit, derived = (sum(getattr(s, name) for s in statistics) for name in ("marked_explicit", "marked_derived"))
    counts = tuple((_count(changes.inserted), _count(changes.deleted)) for changes in told)
    facts = hash(frozenset((predicate, fact) for predicate in mat.predicates for fact in mat[predicate]))
    return Measured(seconds, wall, applications, explicit, derived, counts, facts)


def _count(relations: Mapping[str, tidelog.Relation]) -> int:
    return sum(len(relation) for relation in relations.values())


Found = dict[Stream, dict[Way, Measured]]


def measure(streams: Sequence[Stream], ways: Iterable[Way], repeat: int) -> Iterator[tuple[Stream, dict[Way, Measured]]]:
    """Each stream in all ways, interleaved, so that a slow spell of the machine meets all; the best run counts."""
    ways = tuple(ways)
    for stream in streams:
        runs: dict[Way, list[Measured]] = {way: [] for way in ways}
        for _ in range(repeat):
            for way in ways:
                runs[way].append(follow(stream, way))
        yield stream, {way: min(some, key=lambda run: run.seconds) for way, some in runs.items()}
