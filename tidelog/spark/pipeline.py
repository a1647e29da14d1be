"""The pipeline: sources in, a materialisation that is kept true in a warehouse, and what changed out.

    pipeline = Pipeline(spark, "warehouse", program)
    done = pipeline.update(insert={"edge": reading("edges/*.csv", ignore_headers=True)})
    pipeline.warehouse.table("path"), pipeline.warehouse.changes("path"), pipeline.warehouse.quarantine()

An update is one version of the warehouse: terms, facts, bad records, what changed and which batch of which stream it was are
there together or not at all. Whatever fails or is killed in between, the next `Pipeline` goes on from the version before.

A *reasoner* works out what follows; reading, encoding and storing are Spark's. It is the embedded engine, in the memory of the
driver (`tidelog.spark.reasoning`), or with `engine="spark"` the Spark engine (`tidelog.spark.distributed`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

from tidelog.facts.wide import WideIds
from tidelog.maintain.algebra import Statistics
from tidelog.notation import ntriples
from tidelog.program import Program
from tidelog.spark.ingest import Ingested, Source, ingest, of_resource
from tidelog.spark.options import Spark
from tidelog.spark.reasoning import EmbeddedReasoner, Reasoner
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.spark.writing import looked_up, write
from tidelog.syntax import ast


@dataclass(frozen=True, slots=True)
class Input:
    """A source, and how to read it."""

    source: Source
    options: Mapping[str, Any]


def reading(source: Source, **options: Any) -> Input:
    """A source with the options of `tidelog.spark.ingest.ingest`."""
    return Input(source, options)


Given: TypeAlias = Mapping[str, Input | Source]
"""Sources of facts, by predicate."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of an update."""

    version: int
    records: int
    """How many records its sources held,"""
    bad: int
    """and how many of them are in the quarantine."""
    inserted: Mapping[str, int]
    """How many facts appeared, by predicate,"""
    deleted: Mapping[str, int]
    """and how many vanished."""
    statistics: Statistics | None
    """None if the batch had been taken in before, and nothing was done."""


class Pipeline:
    """A materialisation on Spark, kept in a warehouse."""

    def __init__(
        self,
        spark: SparkSession,
        directory: str | Path,
        program: Program,
        *,
        engine: str | Spark = "embedded",
        algorithm: str = "auto",
        storage: str | None = None,
    ) -> None:
        if engine not in ("embedded", "spark") and not isinstance(engine, Spark):
            raise ValueError(f"engine={engine!r}: it is one of embedded, spark")
        self.spark, self.program, self.engine, self.algorithm = spark, program, engine, algorithm
        self.warehouse = Warehouse.open(spark, directory, program, storage=storage)
        self._words: Warehouse = self.warehouse
        """Where terms are looked up: in the warehouse, or in what it is about to become."""
        self._reasoner: Reasoner | None = None
        self._one = threading.RLock()
        """Held by the update that runs: several streams may feed one pipeline."""

    def update(
        self, insert: Given | None = None, delete: Given | None = None, *, batch: tuple[str, int] | None = None
    ) -> Applied:
        """Change the given facts, first deleting, then inserting, and make what follows from them the next version.

        `batch` names a stream and counts its batches: one that has been taken in changes nothing. The first update also takes
        in the facts and imports of the program.
        """
        with self._one:
            last = self.warehouse.last_batch(batch[0]) if batch is not None else None
            if batch is not None and last is not None and batch[1] <= last:
                return Applied(self.warehouse.version, 0, 0, {}, {}, None)
            try:
                with self.warehouse.transaction() as update:
                    applied = self._apply(update, insert or {}, delete or {})
                    if batch is not None:
                        update.record_batch(*batch)
            except BaseException:
                self._reasoner = None  # it may have gone ahead of the warehouse
                raise
            self._words = self.warehouse
            return applied

    def _apply(self, update: Transaction, insert: Given, delete: Given) -> Applied:
        self._words = update
        reasoner = self._running()
        given = [*insert.items(), *(self._own() if update.version == 0 else ())]
        plus = [(predicate, self._taken(update, predicate, source)) for predicate, source in given]
        minus = [(predicate, self._taken(update, predicate, source)) for predicate, source in delete.items()]
        statistics = reasoner.update(self.algorithm, _frames(plus), _frames(minus))
        inserted, deleted = write(update, reasoner)
        reasoner.forget()
        taken = [ingested for _, ingested in (*plus, *minus)]
        records, bad = sum(one.records for one in taken), sum(one.bad for one in taken)
        return Applied(update.version, records, bad, inserted, deleted, statistics)

    def _running(self) -> Reasoner:
        """The reasoner, with what the warehouse holds."""
        if self._reasoner is None:
            self._reasoner = self._new_reasoner()
            self._reasoner.load({predicate: self.warehouse.table(predicate) for predicate in self.warehouse.predicates})
        return self._reasoner

    def _new_reasoner(self) -> Reasoner:
        if self.engine == "embedded":
            return EmbeddedReasoner(self.spark, self.program, self._lookup)
        from tidelog.spark.distributed import SparkReasoner

        how = Spark() if isinstance(self.engine, str) else self.engine
        return SparkReasoner.of(self.spark, self.program, how, self._lookup, lambda: self._words.dictionary())

    def _lookup(self, ids: WideIds) -> dict[int, str]:
        return looked_up(self._words, ids)

    # Facts in

    def _taken(self, update: Transaction, predicate: str, given: Input | Source) -> Ingested:
        given = given if isinstance(given, Input) else Input(given, {})
        return ingest(update, given.source, **{"arity": self.program.arities.get(predicate), **given.options})

    def _own(self) -> list[tuple[str, Input]]:
        """The program's own facts and imports, as sources."""
        rows: dict[str, list[tuple[str, ...]]] = {}
        for atom in self.program.facts:
            fact = tuple(ntriples(term.value) for term in atom.terms if isinstance(term, ast.Constant))
            rows.setdefault(atom.predicate, []).append(fact)
        own = []
        for predicate, facts in rows.items():
            width = len(facts[0])
            frame = self.spark.createDataFrame(facts, ", ".join(f"c{number} string" for number in range(width)))
            own.append((predicate, reading(frame, types=("ntriples",) * width)))
        for resource in self.program.imports:
            path, options = of_resource(resource, self.program.directory or Path())
            own.append((resource.predicate, reading(path, **options)))
        return own


def _frames(taken: list[tuple[str, Ingested]]) -> dict[str, DataFrame]:
    """The facts of each predicate, from all its sources."""
    frames: dict[str, DataFrame] = {}
    for predicate, ingested in taken:
        known = [frames[predicate]] if predicate in frames else []
        frames[predicate] = reduce(DataFrame.unionByName, [*known, ingested.frame])
    return frames
