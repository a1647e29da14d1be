"""How the Spark engine is set up: `Materialisation(rules, engine=Spark(master="local[4]"))`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
