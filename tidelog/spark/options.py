"""How the Spark engine is set up: `Materialisation(rules, engine=Spark(master="local[4]"))`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Spark:
    """The Spark engine, and where it runs; `engine="spark"` is `Spark()`.

    Without a `master` the session of this process is borrowed, or one is started on this machine.
    """

    master: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """Spark's own, for a session that is started."""
    partitions: int | None = None
    """Into how many parts facts are spread, throughout; by default as many as Spark's default parallelism."""
    driver_facts: int = 5_000
    """How many facts of one step the driver takes; what is more stays on the cluster."""
    warehouse: str | Path | None = None
    """The directory where the materialisation is kept: each update is a version, and the next process goes on from the last."""
    checkpoints: str | None = None
    """A directory that all machines see, where intermediate results outlive executors; without it they are on their disks."""


def is_frame(data: object) -> bool:
    """Whether something is a Spark DataFrame; nothing is imported to find out."""
    return type(data).__module__.startswith("pyspark.") and hasattr(data, "toArrow")
