"""Looking up what the runs say of facts that the driver has not met."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tidelog.engines.spark.facts import Few
from tidelog.engines.spark.tables import FOREVER, Row, State, Table, Tables
from tidelog.engines.spark.truth import PRESENT, STATE


def meet(tables: Tables, facts: Mapping[str, Few]) -> None:
    """Learn the states of facts, in one job for all that may be in a run."""
    parts: list[str] = []
    asked: list[Table] = []
    width = max((len(tables[p].columns) for p in facts), default=1)
    for predicate, few in facts.items():
        table = tables[predicate]
        unknown = [row for row in few if row not in table.met]
        runs = table.runs_sql()
        if runs is not None and unknown:
            parts.append(_states_sql(table, runs, unknown, len(asked), width))
            asked.append(table)
        for row in unknown:
            table.meet(row)
    if not parts:
        return
    scanned = sum(table.stored for table in asked)
    rows = tables.cluster.collect(" UNION ALL ".join(parts), sum(map(len, facts.values())), scanned=scanned)
    assert rows is not None, "a fact is in two runs"
    for row in rows:
        table = asked[row.tag]
        flags, times = STATE if row.x else PRESENT, (row.e, row.g)
        table.met[tuple(row[1 : 1 + len(table.columns)])] = State(flags, row.r, (flags, row.r, *times), *times)


def _states_sql(table: Table, runs: str, rows: Sequence[Row], tag: int, width: int) -> str:
    columns = [f"b.{column}" for column in table.columns] + ["0L"] * (width - len(table.columns))
    named = ", ".join(f"{column} AS h{i}" for i, column in enumerate(columns))
    keys = table.cluster.rows(table.columns, table.types(), rows)
    times = "b.e, b.g" if table.timed else f"{FOREVER} AS e, {FOREVER} AS g"
    return (
        f"SELECT /*+ BROADCAST(k) */ {tag} AS tag, {named}, b.x, b.r, {times} FROM {runs} b"
        f" LEFT SEMI JOIN {keys} k ON {table.same('b', 'k')}"
    )
