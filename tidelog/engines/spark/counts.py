"""How often the facts of one predicate were derived in each iteration: on the cluster for most, in the driver for some.

Only rule instances are counted here. That a fact is explicit counts once more in iteration 1, and its flag says it.

    columns of a frame    c0, c1, ...   ids
                          i, n          so often in this iteration
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.tables import Row, Table

Multiset: TypeAlias = dict[int, int]
"""How often, by iteration."""


class Counts:
    """The multisets of the facts of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.frames: list[Frame] = []
        self.known: dict[Row, Multiset] = {}
        """What the driver knows better than the frames."""

    def add(self, counted: Iterable[tuple[Row, int]], iteration: int) -> None:
        """While all are counted for the first time, some of them in the driver."""
        for row, times in counted:
            multiset = self.known.setdefault(row, {})
            multiset[iteration] = multiset.get(iteration, 0) + times

    def settle(self, few: int) -> None:
        """All have been counted: what the driver has is complete, or goes where the rest is."""
        if self.frames or len(self.known) > few:
            self._merge([frame.name for frame in self.frames])

    def put(self, changed: Mapping[Row, Multiset], few: int) -> None:
        """The multisets that facts have now."""
        self.known.update(changed)
        if len(self.known) > few:
            cluster, same = self.table.cluster, self.table.same("b", "k")
            keys = cluster.rows(self.table.columns, self.table.types(), list(self.known))
            rest = f"(SELECT b.* FROM {{}} b LEFT ANTI JOIN {keys} k ON {same})"
            self._merge([rest.format(frame.name) for frame in self.frames])

    def _merge(self, relations: list[str]) -> None:
        """One frame of these and of what the driver knows."""
        cluster, names = self.table.cluster, [*self.table.columns, "i", "n"]
        rows = [(*row, i, n) for row, multiset in self.known.items() for i, n in multiset.items()]
        parts = [*relations, cluster.rows(names, self.table.types("int", "bigint"), rows)]
        statement = " UNION ALL ".join(f"SELECT {', '.join(names)} FROM {part}" for part in parts)
        old, self.frames, self.known = self.frames, [cluster.hold(cluster.sql(statement))], {}
        for frame in old:
            frame.release()

    def question(self, rows: Iterable[Row], tag: int, width: int) -> str | None:
        """The statement that tells what frames say of facts."""
        unknown = [row for row in rows if row not in self.known]
        if not unknown or not self.frames:
            return None
        table = self.table
        columns = [f"b.{column}" for column in table.columns] + ["0L"] * (width - len(table.columns))
        named = ", ".join(f"{column} AS h{i}" for i, column in enumerate(columns))
        keys = table.cluster.rows(table.columns, table.types(), unknown)
        counted = " UNION ALL ".join(f"SELECT * FROM {frame.name}" for frame in self.frames)
        return (
            f"SELECT /*+ BROADCAST(k) */ {tag} AS tag, {named}, b.i, b.n FROM ({counted}) b"
            f" LEFT SEMI JOIN {keys} k ON {table.same('b', 'k')}"
        )

    def release(self) -> None:
        for frame in self.frames:
            frame.release()
        self.frames, self.known = [], {}
