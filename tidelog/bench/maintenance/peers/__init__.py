"""Other systems that keep a materialisation up to date, or are fast at making it again, on the same updates.

Each `measure` takes an instance, its explicit facts and the samples, and gives the seconds of the first materialisation, and a
list of (kind, seconds, facts afterwards): each sample is deleted, then inserted again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from tidelog.bench.graphs import Rows
from tidelog.bench.maintenance.instances import Instance

Outcome: TypeAlias = tuple[float, list[tuple[str, float, int]]]
Measure: TypeAlias = Callable[[Instance, Rows, Sequence[Rows]], Outcome]

NAMES = ("tidelog", "pathway", "swipl", "nemo")
