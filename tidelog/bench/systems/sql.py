"""DuckDB, in three ways: a recursive query that counts, the same into a table, and a loop of queries written by hand.

SQL's recursion is linear and has one recursive branch; where a workload needs more, only the loop can do it.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tidelog.bench import dialects
from tidelog.bench.graphs import Rows
from tidelog.bench.inputs import COLUMN
from tidelog.bench.task import Answer, Clock, Task
from tidelog.bench.workloads import Workload


def cannot_query(workload: Workload) -> str | None:
    if workload.triples:
        return "reads no N-Triples"
    if not workload.rules or "parquet" in workload.formats:
        return "nothing to count"
    return None if dialects.query(workload.rules, workload.answer) else "not linear recursion: SQL cannot say it"


def cannot_table(workload: Workload) -> str | None:
    return None if workload.formats[0] in ("csv", "parquet") and not workload.rules else cannot_query(workload)


def cannot_loop(workload: Workload) -> str | None:
    if cannot_table(workload) is None:
        return "the recursive query does it"
    return cannot_query(workload) if workload.triples else None


def prepare_query(workload: Workload, directory: Path) -> Task:
    query = dialects.query(workload.rules, workload.answer)
    return partial(_count, f"{query} SELECT count(*) FROM {workload.answer}", directory)


def prepare_table(workload: Workload, directory: Path) -> Task:
    query = dialects.query(workload.rules, workload.answer) if workload.rules else ""
    return partial(_table, query, workload.answer, directory)


def prepare_loop(workload: Workload, directory: Path) -> Task:
    return partial(_loop, workload, directory)


def _count(query: str, directory: Path, clock: Clock) -> Answer:
    connection = _load(directory, clock)
    with clock.phase("evaluate"):
        (facts,) = connection.execute(query).fetchone()
    return Answer(facts, connection)


def _table(query: str | None, answer: str, directory: Path, clock: Clock) -> Answer:
    connection = _load(directory, clock)
    if query:
        with clock.phase("evaluate"):
            connection.execute(f"CREATE TABLE answer AS {query} SELECT * FROM {answer}")
    return _answer(connection, "answer" if query else answer)


def _loop(workload: Workload, directory: Path, clock: Clock) -> Answer:
    """Seminaive evaluation: in each round every rule once for each body atom over the answer, that atom reading the delta."""
    answer, rules = workload.answer, dialects.parse(workload.rules)
    start = [dialects.select(rule) for rule in rules if not dialects.occurrences(rule, answer)]
    step = [dialects.select(rule, place) for rule in rules for place in dialects.occurrences(rule, answer)]
    connection = _load(directory, clock)
    with clock.phase("evaluate"):
        given = (directory / f"{answer}.csv").exists()
        start += [f"SELECT * FROM {answer}"] if given else []
        connection.execute(f"CREATE TABLE delta AS {' UNION '.join(start)}")
        connection.execute(f"CREATE OR REPLACE TABLE {answer} AS SELECT * FROM delta")
        rounds = 0
        while connection.execute("SELECT count(*) FROM delta").fetchone() != (0,):
            rounds += 1
            connection.execute(f"CREATE OR REPLACE TABLE fresh AS ({' UNION '.join(step)}) EXCEPT SELECT * FROM {answer}")
            connection.execute(f"INSERT INTO {answer} SELECT * FROM fresh")
            connection.execute("CREATE OR REPLACE TABLE delta AS SELECT * FROM fresh")
    found = _answer(connection, answer)
    found.rounds = rounds
    return found


def _load(directory: Path, clock: Clock) -> Any:
    import duckdb

    connection = duckdb.connect()
    with clock.phase("load"):
        for path in sorted(directory.glob("*.csv")):
            connection.execute(f"CREATE TABLE {path.stem} AS SELECT * FROM {_csv(path)}")
        for path in sorted(directory.glob("*.parquet")):
            connection.execute(f"CREATE TABLE {path.stem} AS SELECT * FROM read_parquet('{path}')")
    return connection


def _csv(path: Path) -> str:
    """Reading a CSV file without the search for its dialect, which would cost more than a small file."""
    with open(path) as file:
        columns = file.readline().count(",") + 1
    kinds = ", ".join(f"'{COLUMN.format(place)}': 'INTEGER'" for place in range(columns))
    return f"read_csv('{path}', header = false, auto_detect = false, columns = {{{kinds}}})"


def _answer(connection: Any, table: str) -> Answer:
    (facts,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()

    def rows() -> Rows:
        columns = connection.execute(f"SELECT * FROM {table}").fetchnumpy()
        return np.stack([np.asarray(column) for column in columns.values()], axis=1)

    return Answer(facts, connection, rows)
