"""Explicit facts on their way in: into tables that are being built."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
import pyarrow as pa

from tidelog.engines.embedded.batches import Columns, Elsewhere, Encoded, batch_length
from tidelog.engines.spark.frames import INLINE, Cluster, literal
from tidelog.engines.spark.tables import FOREVER, Row, State, Table, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.truth import EXPLICIT, STATE
from tidelog.errors import DataError
from tidelog.facts.times import NEVER
from tidelog.facts.times import Expiries as Times

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.facts.kernel import Ids


class Spread(Elsewhere):
    """Facts of a batch that are on the cluster: a frame of 64-bit ids in c0, c1, ..., where a fact may be more than once."""

    def __init__(self, data: DataFrame, rows: int, terms: Terms) -> None:
        self.data, self.rows, self._terms = data, rows, terms

    def __len__(self) -> int:
        return len(self.data.columns)

    @overload
    def __getitem__(self, index: int) -> Ids: ...

    @overload
    def __getitem__(self, index: slice) -> list[Ids]: ...

    def __getitem__(self, index: int | slice) -> Ids | list[Ids]:
        fetched = self.data.toArrow()
        columns = [self._terms.narrow(fetched.column(name).to_numpy()) for name in self.data.columns]
        return columns[index]


def make_explicit(tables: Tables, old: Tables, terms: Terms, encoded: Encoded, now: float, few: int) -> None:
    """Give tables the explicit facts of others (which may be the same), changed by an update; without what is over by now."""
    for predicate, before in old.items():
        table = tables[predicate]
        change = _Change(*(batch.get(predicate) for batch in (encoded.insert, encoded.delete, encoded.timing.release)))
        until = encoded.timing.expiries.get(predicate)
        if change.insert is None and table is before:
            continue
        if before.runs or sum(batch_length(batch, table.arity) for batch in change if batch is not None) > min(few, INLINE):
            _make_frame(table, before, terms, change, until, now)
        else:
            _make_few(table, before, terms, change, until, now)


class _Change(NamedTuple):
    """What an update says of one predicate's facts."""

    insert: Columns | None
    delete: Columns | None
    release: Columns | None


def _make_few(table: Table, before: Table, terms: Terms, change: _Change, until: Times | None, now: float) -> None:
    """In the driver."""
    gone, released = (set() if batch is None else set(rows_of(batch, terms)) for batch in (change.delete, change.release))
    held = {row: s.given for row, s in before.met.items() if s.flags & EXPLICIT and row not in gone and s.given > now}
    held = {row: given for row, given in held.items() if given == NEVER or row not in released}
    new = [] if change.insert is None else rows_of(change.insert, terms)
    for row, given in zip(new, repeat(NEVER) if until is None else until.tolist(), strict=until is not None):
        if given > now:
            held[row] = max(given, held.get(row, given))
    for row, given in held.items():
        state = table.meet(row)
        state.flags, state.rank, state.expiry, state.given = STATE, 0, given, given


def rows_of(columns: Columns, terms: Terms) -> list[Row]:
    """The facts of a batch as rows of 64-bit ids."""
    if isinstance(columns, Spread):
        return [tuple(row) for row in columns.data.collect()]
    wide = [terms.wide(column).tolist() for column in columns]
    return list(zip(*wide, strict=True)) if wide else [(0,)]


def _make_frame(table: Table, before: Table, terms: Terms, change: _Change, until: Times | None, now: float) -> None:
    """On the cluster: one run, each fact once."""
    cluster, columns = table.cluster, ", ".join(table.columns)
    given = "g" if before.timed else f"{FOREVER} AS g"
    statement = f"SELECT {columns}, {given} FROM ({before.now_sql(explicit=True)})"
    if change.delete is not None:
        gone = _relation(cluster, table, change.delete, terms)
        statement = f"SELECT b.* FROM ({statement}) b LEFT ANTI JOIN {gone} m ON {table.same('b', 'm')}"
    if change.release is not None:
        gone = _relation(cluster, table, change.release, terms)
        same = f"{table.same('b', 'm')} AND b.g < {FOREVER}"
        statement = f"SELECT b.* FROM ({statement}) b LEFT ANTI JOIN {gone} m ON {same}"
    if change.insert is not None:
        statement += f" UNION ALL SELECT {columns}, g FROM {_relation(cluster, table, change.insert, terms, until)}"
    lasting = f" WHERE g > {literal(now, 'double')}" if table.timed else ""
    latest = ", max(g) AS e" if table.timed else ""
    frame = cluster.hold(cluster.sql(f"SELECT {columns}{latest} FROM ({statement}){lasting} GROUP BY {columns}"))
    table.release()
    table.append(frame, explicit=True, rank=0).times = ("e", "e") if table.timed else (FOREVER, FOREVER)


def _relation(cluster: Cluster, table: Table, batch: Columns, terms: Terms, until: Times | None = None) -> str:
    """A batch on the cluster, with a column `g` that says until when its facts are given."""
    if not table.arity:
        given = NEVER if until is None else float(until[0])
        return cluster.rows([*table.columns, "g"], table.types("double"), [(0, given)])
    if isinstance(batch, Spread):
        times = {NEVER} if until is None else set(until.tolist())
        if len(times) > 1:
            raise DataError("the facts of a DataFrame, or of a large file, are given until one time")
        view = cluster.view(cluster.adopt(batch.data))
        return f"(SELECT *, {literal(max(times, default=NEVER), 'double')} AS g FROM {view})"
    arrays = [pa.array(terms.wide(column)) for column in batch]
    arrays.append(pa.array(np.full(len(arrays[0]), NEVER) if until is None else until))
    return cluster.view(cluster.session.createDataFrame(pa.table(arrays, names=[*table.columns, "g"])))


def load(tables: Tables, frames: Mapping[str, DataFrame]) -> int:
    """Runs for facts that are there already, in columns c0, c1, ..., explicit, rank; gives how many are explicit."""
    explicit = 0
    for predicate, data in frames.items():
        table = tables[predicate]
        cluster, columns = table.cluster, ", ".join(table.columns)
        if not table.arity:
            for row in data.collect():
                table.met[0,] = State(STATE if row.explicit else 1, row.rank)
                explicit += bool(row.explicit)
            continue
        view = cluster.view(cluster.adopt(data))
        given = f"SELECT {columns}, explicit AS x, rank AS r FROM {view}"
        spread = cluster.sql(f"SELECT /*+ REPARTITION({cluster.partitions}, {columns}) */ * FROM ({given})")
        frame = cluster.hold(spread)
        cluster.drop([view])
        table.append(frame)
        explicit += cluster.sql(f"SELECT count(*) FROM {frame.name} WHERE x").collect()[0][0]
    return explicit
