"""What a system is handed and what it hands back: a clock for its phases, and an answer that can be checked."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tidelog.bench.graphs import Rows
from tidelog.bench.process import peak_bytes, resident_bytes


class Clock:
    """Times the phases of a run, and watches the process's memory over them."""

    def __init__(self) -> None:
        gc.collect()
        self.idle = resident_bytes()
        self.phases: dict[str, float] = {}
        self.cpu = 0.0
        """Processor seconds of all threads."""
        self.peak = 0

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        start, cpu = time.perf_counter(), time.process_time()
        yield
        self.cpu += time.process_time() - cpu
        self.phases[name] = self.phases.get(name, 0.0) + time.perf_counter() - start
        self.peak = max(0, peak_bytes() - self.idle)


@dataclass(slots=True)
class Answer:
    """What a system found: how many facts, and a way to read them out where that is cheap."""

    facts: int
    keep: object
    """What holds the answer in memory: kept until memory has been measured."""
    rows: Callable[[], Rows] | None = None
    instances: int | None = None
    rounds: int | None = None


Task: TypeAlias = Callable[[Clock], Answer]


def checksum(rows: Rows) -> int:
    """A number that depends on which rows there are, not on their order."""
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return int(mixed.sum(dtype=np.uint64))
