"""Peers materialise the same facts by the same rules, join after join: Nemo, DuckDB and clingo.

Each prepares untimed, then gives a function that works and tells seconds, processor seconds, facts by derived predicate, and a
checksum if those were read out. Nemo reads its files when it reasons, so that its time has the reading in it; for the others
the facts are loaded before the clock runs.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from tidelog.bench import dialects, inputs
from tidelog.bench.graphs import Rows
from tidelog.bench.hypertree.workloads import Workload
from tidelog.bench.task import checksum
from tidelog.program.normal import CoreRule
from tidelog.syntax.ast import Rule

Found: TypeAlias = tuple[float, float, dict[str, int], int | None]


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    started, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - cpu


def nemo(workload: Workload, scale: float) -> Callable[[], Found]:
    import nmo_python

    directory = tempfile.TemporaryDirectory(prefix="tidelog-bench-")  # goes when nobody holds the work below any more
    files = Path(directory.name)
    facts = workload.generate(scale)
    inputs.write(facts, files, ("csv",))
    imports = "".join(
        f'@import {name} :- csv {{ resource = "{files}/{name}.csv", format = ({",".join(["int"] * rows.shape[1])}) }} .\n'
        for name, rows in facts.items()
    )
    exports = "".join(f'@export {name} :- csv {{ resource = "{name}" }} .\n' for name in workload.derived)
    program = imports + dialects.nemo(workload.rules) + exports

    def work() -> Found:
        engine: Any = None

        def reason() -> None:
            nonlocal engine
            engine = nmo_python.NemoEngine(nmo_python.load_string(program))
            engine.reason()

        seconds, cpu = _timed(reason)
        manager = nmo_python.NemoOutputManager(directory.name, overwrite=True)
        for name in workload.derived:
            engine.write_result(name, manager)
        return seconds, cpu, *_totals({name: _read(files / name) for name in workload.derived})

    return work


def _read(path: Path) -> Rows:
    import pyarrow.csv

    if not path.exists() or not path.stat().st_size:
        return np.empty((0, 1), np.int64)
    table = pyarrow.csv.read_csv(path, read_options=pyarrow.csv.ReadOptions(autogenerate_column_names=True))
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


def clingo(workload: Workload, scale: float) -> Callable[[], Found]:
    import clingo as peer

    control = peer.Control(["--warn=none"])
    with tempfile.TemporaryDirectory(prefix="tidelog-bench-") as name:
        inputs.write(workload.generate(scale), Path(name), ("lp",))
        for file in sorted(Path(name).glob("*.lp")):
            control.load(str(file))
    control.add("base", [], dialects.clingo(workload.rules) + "#show.")

    def work() -> Found:
        seconds, cpu = _timed(lambda: control.ground([("base", [])]))
        counts = dict.fromkeys(workload.derived, 0)
        for name, arity, _ in control.symbolic_atoms.signatures:
            if name in counts:
                counts[name] = sum(1 for _ in control.symbolic_atoms.by_signature(name, arity))
        return seconds, cpu, counts, None

    return work


def duckdb(workload: Workload, scale: float) -> Callable[[], Found]:
    """Each stratum's rules as SELECTs; recursive ones round by round, each atom of the stratum once from the delta."""
    import duckdb as peer

    connection = peer.connect()
    for name, rows in workload.generate(scale).items():
        table = pa.table({inputs.COLUMN.format(place): column for place, column in enumerate(rows.T)})
        connection.register("given", table)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        connection.unregister("given")
    arities = {rule.head.predicate: len(rule.head.terms) for rule in workload.program.core}
    for name, arity in arities.items():
        columns = ", ".join(f"{inputs.COLUMN.format(place)} BIGINT" for place in range(arity))
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name}({columns})")

    def work() -> Found:
        seconds, cpu = _timed(lambda: _strata(connection, workload))
        rows = {name: connection.execute(f"SELECT * FROM {name}").fetchnumpy() for name in workload.derived}
        return seconds, cpu, *_totals({name: np.stack(list(found.values()), axis=1) for name, found in rows.items()})

    return work


def _strata(connection: Any, workload: Workload) -> None:
    for stratum in workload.program.stratify().strata:
        for rule in stratum.nonrecursive:
            _add(connection, rule.head.predicate, [dialects.select(_as_rule(rule))])
        recursive = [_as_rule(rule) for rule in stratum.recursive]
        own = sorted({rule.head[0].predicate for rule in recursive})
        fresh = {name: [dialects.select(rule) for rule in recursive if rule.head[0].predicate == name] for name in own}
        steps = {
            name: [
                dialects.select(rule, place, f"delta_{other}")
                for rule in recursive
                if rule.head[0].predicate == name
                for other in own
                for place in dialects.occurrences(rule, other)
            ]
            for name in own
        }
        while own:
            for name in own:
                query = f"({' UNION '.join(fresh[name])}) EXCEPT SELECT * FROM {name}"
                connection.execute(f"CREATE OR REPLACE TABLE fresh_{name} AS {query}")
            found = 0
            for name in own:
                connection.execute(f"INSERT INTO {name} SELECT * FROM fresh_{name}")
                connection.execute(f"CREATE OR REPLACE TABLE delta_{name} AS SELECT * FROM fresh_{name}")
                found += connection.execute(f"SELECT count(*) FROM delta_{name}").fetchone()[0]
            if not found:
                break
            fresh = steps


def _add(connection: Any, name: str, queries: list[str]) -> None:
    connection.execute(f"INSERT INTO {name} (({' UNION '.join(queries)}) EXCEPT SELECT * FROM {name})")


def _as_rule(rule: CoreRule) -> Rule:
    return Rule((rule.head,), (*rule.positive, *rule.conditions))


def _totals(found: Mapping[str, Rows]) -> tuple[dict[str, int], int]:
    total = sum(checksum(rows.astype(np.int64)) for rows in found.values() if len(rows))
    return {name: len(rows) for name, rows in found.items()}, total % (1 << 64)


PEERS: Mapping[str, Callable[[Workload, float], Callable[[], Found]]] = {"nemo": nemo, "duckdb": duckdb, "clingo": clingo}
MODULES_OF = {"nemo": "nmo_python", "duckdb": "duckdb", "clingo": "clingo"}


def installed(peer: str) -> bool:
    return find_spec(MODULES_OF[peer]) is not None
