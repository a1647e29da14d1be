"""Large rounds: what many rule instances derive is grouped, looked up and kept on the cluster, by one job for all rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tidelog.engines.spark.facts import Expiries, FactSet, Part, TooLarge
from tidelog.engines.spark.frames import Frame
from tidelog.engines.spark.instances import Instances, heads_sql
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.tables import FOREVER, Table
from tidelog.maintain.sets import PRESENT as I
from tidelog.maintain.sets import SetExpression

if TYPE_CHECKING:
    from tidelog.engines.spark.algebra import SparkAlgebra


def _by_predicate(instances: Sequence[Instances]) -> dict[str, list[Instances]]:
    found: dict[str, list[Instances]] = defaultdict(list)
    for one in instances:
        found[one.rule.head.predicate].append(one)
    return found


def derive_many(
    algebra: SparkAlgebra,
    instances: Sequence[Instances],
    outside: SetExpression | None,
    *,
    ranked: bool = False,
    expiring: bool = False,
) -> FactSet:
    """The facts that instances derive, without those in a set; with `ranked`, with the lowest rank of each."""
    if expiring and outside != I:  # what changes is worked out in the driver
        raise TooLarge
    by_predicate = _by_predicate(instances)
    if expiring:
        expiries: dict[str, Expiries] = {}
        new = {p: _longer(algebra, algebra.tables[p], some, expiries) for p, some in by_predicate.items()}
        return FactSet(algebra, new, expiries)
    cluster, tables = algebra.cluster, [algebra.tables[p] for p in by_predicate]
    views = [_grouped(algebra, table, by_predicate[table.predicate], ranked) for table in tables]
    new_ones = [_left_outside(algebra, table, view, outside, ranked) for table, view in zip(tables, views, strict=True)]
    held = cluster.hold_all([cluster.sql(statement) for statement in new_ones], "n")
    cluster.drop(views)
    algebra.count(sum(one.sums["n"] for one in held), sum(one.frame.rows for one in held))
    found = zip(tables, held, strict=True)
    return FactSet(algebra, {table.predicate: _in_driver(algebra, table, one.frame, outside) for table, one in found})


def _longer(algebra: SparkAlgebra, table: Table, instances: Sequence[Instances], expiries: dict[str, Expiries]) -> Part:
    """The derived facts that are not there or hold longer than they did; where they are few, `expiries` learns until when."""
    from pyspark.sql import functions

    cluster, columns = table.cluster, ", ".join(table.columns)
    named = ", ".join(f"h{i} AS {column}" for i, column in enumerate(table.columns))
    heads = f"SELECT {named}, k, e FROM ({heads_sql(algebra.matcher, instances, expiring=True)})"
    best = f"SELECT {columns}, max(struct(e, -k AS k)) AS best, count(*) AS n FROM ({heads}) GROUP BY {columns}"
    grouped = cluster.sql(f"SELECT {columns}, -best.k AS r, best.e AS e, n FROM ({best})")
    view = cluster.view(grouped.observe("n", functions.sum("n").alias("n")))
    found = ", ".join([f"h.{column}" for column in [*table.columns, "r", "e"]])
    found += f", coalesce(b.x, false) AS x, coalesce(b.g, {FOREVER}) AS g"
    statement = (
        f"SELECT /*+ SHUFFLE_HASH(h) */ {found} FROM {view} h LEFT JOIN ({table.now_sql()}) b ON {table.same('h', 'b')}"
        " WHERE b.r IS NULL OR h.e > b.e"
    )
    (held,) = cluster.hold_all([cluster.sql(statement)], "n")
    frame = held.frame
    cluster.drop([view])
    algebra.count(held.sums["n"], frame.rows)
    if frame.rows > algebra.few:
        return frame
    rows = cluster.collect(f"SELECT {columns}, r, e FROM {frame.name}", algebra.few, scanned=frame.rows) or []
    frame.release()
    few = {tuple(row[:-2]): row[-2] for row in rows}
    expiries[table.predicate] = {tuple(row[:-2]): row[-1] for row in rows}
    meet(algebra.tables, {table.predicate: few})
    return few


def _grouped(algebra: SparkAlgebra, table: Table, instances: Sequence[Instances], ranked: bool) -> str:
    """What instances derive, each fact once; how many instances there are is observed as `n`."""
    from pyspark.sql import functions

    columns = ", ".join(table.columns)
    named = ", ".join(f"h{i} AS {column}" for i, column in enumerate(table.columns))
    heads = f"SELECT {named}, k FROM ({heads_sql(algebra.matcher, instances)})"
    rank = "min(k) AS k, " if ranked else ""
    grouped = f"SELECT {columns}, {rank}count(*) AS n FROM ({heads}) GROUP BY {columns}"
    # Grouped where they were, facts may be partitioned by their columns in another order, and then it is the runs that move.
    spread = table.cluster.sql(table.cluster.spread(grouped, table.columns))
    return table.cluster.view(spread.observe("n", functions.sum("n").alias("n")))


def _in_driver(algebra: SparkAlgebra, table: Table, frame: Frame, outside: SetExpression | None) -> Part:
    """Derived facts in the driver, if they are few and it needs them."""
    if frame.rows > (0 if algebra.building else algebra.few):
        return frame
    rank = "k" if "k" in frame.data.columns else "0 AS k"
    statement = f"SELECT {', '.join(table.columns)}, {rank} FROM {frame.name}"
    rows = table.cluster.collect(statement, algebra.few, scanned=frame.rows) if frame.rows else None
    frame.release()
    few = {tuple(row[:-1]): row[-1] for row in rows or []}
    if outside == I:  # then nothing can be known of them
        for row in few:
            table.meet(row)
    else:
        meet(algebra.tables, {table.predicate: few})
    return few


def count_many(
    algebra: SparkAlgebra, instances: Sequence[Instances], iteration: int, frames: Callable[[str], list[Frame]]
) -> FactSet:
    """Count instances in an iteration of a materialisation that is built; gives the facts that were not there.

    Each predicate's counters become a frame of its own (see `counts`).
    """
    parts: dict[str, Part] = {}
    for predicate, some in _by_predicate(instances).items():
        table = algebra.tables[predicate]
        cluster, columns = table.cluster, ", ".join(table.columns)
        named = ", ".join(f"h{i} AS {column}" for i, column in enumerate(table.columns))
        heads = f"SELECT {named}, k FROM ({heads_sql(algebra.matcher, some)})"
        counted = f"SELECT {columns}, min(k) AS k, {iteration} AS i, count(*) AS n FROM ({heads}) GROUP BY {columns}"
        frame = cluster.hold(cluster.sql(counted))
        frames(predicate).append(frame)
        new = cluster.hold(cluster.sql(_left_outside(algebra, table, frame.name, I, True)))
        algebra.count(cluster.sql(f"SELECT coalesce(sum(n), 0L) FROM {frame.name}").collect()[0][0], new.rows)
        parts[predicate] = _in_driver(algebra, table, new, I)
    return FactSet(algebra, parts)


def _left_outside(algebra: SparkAlgebra, table: Table, view: str, outside: SetExpression | None, ranked: bool) -> str:
    """Those rows of a view that are not in a set: the view becomes the hash table, the runs are scanned past it."""
    columns = ", ".join(f"h.{column}" for column in [*table.columns, *(["k"] if ranked else [])])
    if outside is None:
        return f"SELECT {columns} FROM {view} h"
    truth = algebra.bits.truth(outside)
    stored, runs = truth.stored(), table.runs_sql()
    statement = f"SELECT {columns} FROM {view} h"
    if runs is not None and stored is not None:
        where = "" if stored == "true" else f" WHERE {stored}"
        statement = (
            f"SELECT /*+ SHUFFLE_HASH(h) */ {columns} FROM {view} h LEFT JOIN (SELECT * FROM {runs} b{where}) b"
            f" ON {table.same('h', 'b')} WHERE b.c0 IS NULL"
        )
    if any(state.differs and state.stored is not None for state in table.met.values()):
        raise TooLarge
    here = [row for row, state in table.met.items() if truth[state.flags]]
    if here:
        rows = table.cluster.rows(table.columns, table.types(), here)
        statement = f"SELECT /*+ BROADCAST(m) */ h.* FROM ({statement}) h LEFT ANTI JOIN {rows} m ON {table.same('h', 'm')}"
    return statement
