"""The pipeline: sources in, a materialisation that is kept true in a warehouse, and what changed out.

    pipeline = Pipeline(spark, "warehouse", program)
    done = pipeline.update(insert={"edge": reading("edges/*.csv", ignore_headers=True)})
    pipeline.warehouse.table("path"), pipeline.warehouse.changes("path"), pipeline.warehouse.quarantine()

An update is one version of the warehouse: terms, facts, bad records, what changed and which batch of which stream it was are
there together or not at all. Whatever fails or is killed in between, the next `Pipeline` goes on from the version before.

A *reasoner* (`tidelog.spark.reasoning`) works out what follows; reading, encoding and storing are Spark's.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.facts.wide import WideIds
from tidelog.maintain.algebra import Statistics
from tidelog.notation import ntriples
from tidelog.program import Program
from tidelog.spark.dictionary import SCHEMA
from tidelog.spark.ingest import Ingested, Source, ingest
from tidelog.spark.reasoning import EmbeddedReasoner, Reasoner
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.syntax import ast
from tidelog.warehouse import MATERIALISED
from tidelog.warehouse import reading as stored

_FEW = 10_000
"""How many ids are looked up by a join; for more, the dictionary is read."""
_REWRITTEN = 0.5
"""A table that changes more than this share of its facts is written anew."""


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
        algorithm: str = "auto",
        storage: str | None = None,
    ) -> None:
        self.spark, self.program, self.algorithm = spark, program, algorithm
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
        inserted, deleted = self._write(update, reasoner)
        taken = [ingested for _, ingested in (*plus, *minus)]
        records, bad = sum(one.records for one in taken), sum(one.bad for one in taken)
        return Applied(update.version, records, bad, inserted, deleted, statistics)

    def _running(self) -> Reasoner:
        """The reasoner, with what the warehouse holds."""
        if self._reasoner is None:
            self._reasoner = EmbeddedReasoner(self.spark, self.program, self._lookup)
            self._reasoner.load({predicate: self.warehouse.table(predicate) for predicate in self.warehouse.predicates})
        return self._reasoner

    def _lookup(self, ids: WideIds) -> dict[int, str]:
        """The texts of terms, from the dictionary's table."""
        if len(ids) > _FEW:
            words = stored.rows(self._words.directory, self._words.manifest.dictionary)
            found = words.filter(pc.is_in(words.column("id"), pa.array(ids)))
        else:
            wanted = self.spark.createDataFrame(pa.table({"id": pa.array(ids)}))
            found = self._words.dictionary().join(sf.broadcast(wanted), "id").toArrow()
        return dict(zip(found.column("id").to_pylist(), found.column("text").to_pylist(), strict=True))

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
            path = (self.program.directory or Path()) / Path(resource.path).expanduser()
            options = {("types" if name == "format" else name): value for name, value in resource.options.items()}
            own.append((resource.predicate, reading(path, **{"format": resource.format, **options})))
        return own

    # Facts out

    def _write(self, update: Transaction, reasoner: Reasoner) -> tuple[dict[str, int], dict[str, int]]:
        """Write what is different now; gives how many facts appeared and vanished."""
        fresh = reasoner.fresh()
        if fresh:
            update.add_terms(self.spark.createDataFrame(fresh, SCHEMA))
        inserted: dict[str, int] = {}
        deleted: dict[str, int] = {}
        for predicate in reasoner.predicates:
            appeared, vanished = self._write_table(update, predicate, reasoner)
            if appeared:
                inserted[predicate] = appeared
            if vanished:
                deleted[predicate] = vanished
        update.note(MATERIALISED, True)
        return inserted, deleted

    def _write_table(self, update: Transaction, predicate: str, reasoner: Reasoner) -> tuple[int, int]:
        there = predicate in update.predicates
        if not there:
            update.replace(predicate, reasoner.rows(predicate))
        rows = update.manifest.predicates[predicate].rows
        different = reasoner.difference(predicate, update.table(predicate))
        if different is None:
            return 0, 0
        if different.appeared or different.vanished:
            update.tell(predicate, different.changes)
        if there and different.rows > _REWRITTEN * max(1, rows):
            update.replace(predicate, reasoner.rows(predicate))
        elif there:
            update.change(predicate, different.removed, different.added)
        return different.appeared, different.vanished


def _frames(taken: list[tuple[str, Ingested]]) -> dict[str, DataFrame]:
    """The facts of each predicate, from all its sources."""
    frames: dict[str, DataFrame] = {}
    for predicate, ingested in taken:
        known = [frames[predicate]] if predicate in frames else []
        frames[predicate] = reduce(DataFrame.unionByName, [*known, ingested.frame])
    return frames
