"""Explicit facts on their way in: into tables that are being built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.engines.embedded.batches import Batch, Columns, batch_length
from tidelog.engines.spark.frames import Cluster
from tidelog.engines.spark.tables import Row, State, Table, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.truth import EXPLICIT, STATE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def make_explicit(tables: Tables, old: Tables, terms: Terms, insert: Batch, delete: Batch, few: int) -> None:
    """Give tables the explicit facts of others (which may be the same), without some and with some more."""
    for predicate, before in old.items():
        table = tables[predicate]
        plus, minus = insert.get(predicate), delete.get(predicate)
        if plus is None and table is before:
            continue
        many = sum(batch_length(batch, table.arity) for batch in (plus, minus) if batch is not None) > few
        if before.runs or many:
            _make_frame(table, before, terms, plus, minus)
            continue
        gone = set() if minus is None else set(rows_of(minus, terms))
        rows = [row for row, state in before.met.items() if state.flags & EXPLICIT and row not in gone]
        for row in [*rows, *([] if plus is None else rows_of(plus, terms))]:
            state = table.meet(row)
            state.flags, state.rank = STATE, 0


def rows_of(columns: Columns, terms: Terms) -> list[Row]:
    """The facts of a batch as rows of 64-bit ids."""
    wide = [terms.wide(column).tolist() for column in columns]
    return list(zip(*wide, strict=True)) if wide else [(0,)]


def _make_frame(table: Table, before: Table, terms: Terms, plus: Columns | None, minus: Columns | None) -> None:
    """The same on the cluster: one run, each fact once."""
    cluster, columns = table.cluster, ", ".join(table.columns)
    statement = f"SELECT {columns} FROM ({before.now_sql(explicit=True)})"
    if minus is not None:
        gone = _relation(cluster, table, minus, terms)
        statement = f"SELECT b.* FROM ({statement}) b LEFT ANTI JOIN {gone} m ON {table.same('b', 'm')}"
    if plus is not None:
        statement += f" UNION ALL SELECT {columns} FROM {_relation(cluster, table, plus, terms)}"
    frame = cluster.hold(cluster.sql(f"SELECT {columns} FROM ({statement}) GROUP BY {columns}"))
    table.release()
    table.append(frame, explicit=True, rank=0)


def _relation(cluster: Cluster, table: Table, batch: Columns, terms: Terms) -> str:
    if not table.arity:
        return cluster.rows(table.columns, table.types(), [(0,)])
    arrays = [pa.array(terms.wide(column)) for column in batch]
    return cluster.view(cluster.session.createDataFrame(pa.table(arrays, names=table.columns)))


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
