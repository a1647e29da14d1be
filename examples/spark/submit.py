"""A materialisation kept on a cluster, for spark-submit: sources in, the next version of a warehouse out.

    spark-submit --master yarn --conf spark.dynamicAllocation.enabled=false \\
        examples/spark/submit.py paths.rls /mnt/shared/paths --partitions 400 --insert edge='edges/*.parquet'

The first run takes in the facts and imports of the program, too; every later one is an update, of the sources that it names.
The session is the one that spark-submit starts, so its settings are given there; `python examples/spark/submit.py ...` starts
one on this machine. docs/spark-costs.md says what to set.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tidelog import Program, Spark
from tidelog.spark.pipeline import Pipeline
from tidelog.spark.session import session


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Keep a materialisation on a cluster.")
    parser.add_argument("program", type=Path)
    parser.add_argument("warehouse", type=Path, help="a directory that all machines see under this name")
    for part in ("--insert", "--delete"):
        parser.add_argument(part, action="append", default=[], metavar="NAME=FILES", help="a file, a directory or a pattern")
    parser.add_argument("--partitions", type=int, help="twice to four times as many as there are cores")
    parser.add_argument("--checkpoints", help="a directory for what has to outlive executors")
    given = parser.parse_args(words)
    engine = Spark(partitions=given.partitions, checkpoints=given.checkpoints)
    pipeline = Pipeline(session(), given.warehouse, Program.load(given.program), engine=engine)
    done = pipeline.update(insert=by_name(given.insert), delete=by_name(given.delete))
    print(f"version {done.version}: {done.records} records, {done.bad} of them bad")
    for predicate in sorted({*done.inserted, *done.deleted}):
        print(f"  {predicate}: +{done.inserted.get(predicate, 0)} -{done.deleted.get(predicate, 0)}")


def by_name(named: list[str]) -> dict[str, list[str]]:
    """The files for each predicate."""
    found: dict[str, list[str]] = {}
    for one in named:
        name, _, files = one.partition("=")
        found.setdefault(name, []).append(files)
    return found


if __name__ == "__main__":
    main()
