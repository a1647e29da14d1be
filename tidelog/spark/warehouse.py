"""A warehouse as Spark reads and writes it: a table for each predicate, the dictionary, the quarantine, and what else is noted.

    warehouse = Warehouse.open(spark, "warehouse", program)
    with warehouse.transaction() as update:
        update.replace("edge", frame)          # c0, c1, explicit, rank
        update.add_terms(terms)                # id, text
        update.record_batch("orders", 17)
    warehouse.table("edge")

A transaction writes files that nobody knows of; when its block ends, one step makes all of it the next version
(`tidelog.warehouse.directory`). If the block raises, or the process is killed, nothing has happened.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tidelog.errors import DataError, InternalError
from tidelog.program import Program
from tidelog.spark import delta, dictionary
from tidelog.spark.storage import ParquetStorage, Rows, Storage, types_of
from tidelog.warehouse import DICTIONARY, QUARANTINE, Directory, Manifest
from tidelog.warehouse.directory import rules_of

_DICTIONARY, _QUARANTINE = "dictionary", "quarantine"
_ANNOTATIONS = {"explicit": "boolean", "rank": "int"}


class Warehouse:
    """A directory that keeps a materialisation, at its latest version or at an earlier one."""

    def __init__(self, spark: SparkSession, directory: Directory, manifest: Manifest) -> None:
        self.spark, self.directory, self.manifest = spark, directory, manifest

    @classmethod
    def open(
        cls,
        spark: SparkSession,
        path: str | Path,
        program: Program | None = None,
        *,
        version: int | None = None,
        storage: str | None = None,
    ) -> Warehouse:
        """The warehouse in a directory, made for `program` if there is none; DataError if it is one of another program.

        `storage` says what the tables of a new one are: `delta`, which is the default in a session that has it, or `parquet`.
        """
        directory = Directory(path)
        if not directory.versions():
            if program is None:
                raise DataError("there is no warehouse", source=str(directory.path), hint="give the program to make one")
            storage = storage or ("delta" if delta.available(spark) else "parquet")
            return cls(spark, directory, Manifest(-1, rules_of(program), storage=storage))
        manifest = directory.manifest(version)
        if storage not in (None, manifest.storage):
            raise DataError(f"the warehouse has tables of {manifest.storage}, not of {storage}", source=str(directory.path))
        if program is not None:
            directory.check_program(manifest, program)
        return cls(spark, directory, manifest)

    @property
    def version(self) -> int:
        """The version that is open; -1 before the first update."""
        return self.manifest.version

    @property
    def predicates(self) -> list[str]:
        return sorted(self.manifest.predicates)

    @property
    def notes(self) -> Mapping[str, Any]:
        return self.manifest.notes

    def last_batch(self, stream: str) -> int | None:
        """The last batch of a stream that has been taken in."""
        return self.manifest.batches.get(stream)

    def table(self, predicate: str) -> DataFrame:
        """The facts of a predicate: ids in `c0`, `c1`, ..., and annotations."""
        return self._storage().frame(predicate, self._known(predicate))

    def decoded(self, predicate: str) -> DataFrame:
        """The facts of a predicate, their terms as texts in N-Triples."""
        return dictionary.decoded(self.table(predicate), self._known(predicate).keys, self.dictionary())

    def changes(self, predicate: str) -> DataFrame:
        """What this version changed, in N-Triples: facts that appeared, with a `change` of +1, or vanished, with -1."""
        table = self.manifest.changes.get(predicate)
        if table is None:
            known = self._known(predicate)
            return self.spark.createDataFrame([], ", ".join([*(f"{key} string" for key in known.keys), "change int"]))
        return dictionary.decoded(self._parquet().frame(predicate, table), table.keys, self.dictionary())

    def dictionary(self) -> DataFrame:
        """The terms that are no integers: `id`, `text`."""
        return self._storage().frame(_DICTIONARY, self.manifest.dictionary)

    def displaced(self) -> DataFrame | None:
        """The terms that do not have the id of their hash; None if there are none."""
        return dictionary.displaced(self.dictionary()) if self.manifest.displaced else None

    def quarantine(self) -> DataFrame:
        """The records that could not be read: `source`, `line`, `reason`, `text`."""
        return self._storage().frame(_QUARANTINE, self.manifest.quarantine)

    def transaction(self) -> Transaction:
        """The next version, while it is being made."""
        return Transaction(self)

    def vacuum(self, keep: int = 2) -> int:
        """Forget all versions but the latest few and remove the files that no version needs."""
        return self.directory.vacuum(keep)

    def _known(self, predicate: str) -> Any:
        if predicate not in self.manifest.predicates:
            hint = f"its predicates are {', '.join(self.predicates)}" if self.predicates else "it holds no facts yet"
            raise DataError(f"the warehouse has no predicate {predicate!r}", source=str(self.directory.path), hint=hint)
        return self.manifest.predicates[predicate]

    def _storage(self) -> Storage:
        return storage(self.spark, self.directory, self.manifest)

    def _parquet(self) -> ParquetStorage:
        """What changed is always kept in Parquet, since nobody ever adds to it."""
        return ParquetStorage(self.spark, self.directory, self.directory.new_data(self.version + 1))


def storage(spark: SparkSession, directory: Directory, manifest: Manifest) -> Storage:
    """Reads a version, and writes the one after it."""
    if manifest.storage == "delta":
        delta.require(spark)
        return delta.DeltaStorage(spark, directory)
    return ParquetStorage(spark, directory, directory.new_data(manifest.version + 1))


class Transaction(Warehouse):
    """A warehouse that is about to become its next version, and reads as if it were that already."""

    def __init__(self, origin: Warehouse) -> None:
        manifest = replace(origin.manifest, version=origin.version + 1, changes={})
        super().__init__(origin.spark, origin.directory, manifest)
        self._origin = origin
        self._writes = storage(origin.spark, origin.directory, origin.manifest)
        self._changes = self._writes if isinstance(self._writes, ParquetStorage) else origin._parquet()
        self._kept: list[DataFrame] = []

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for frame in self._kept:
            frame.unpersist()
        try:
            if kind is None:
                self._origin.manifest = self.directory.commit(self.manifest)
                return
        except DataError:
            self._discard()
            raise
        self._discard()

    def replace(self, predicate: str, frame: Rows) -> None:
        """Make these all facts of a predicate: columns `c0`, `c1`, ..., then annotations, `explicit` among them."""
        columns = types_of(frame)
        _check(predicate, columns, self.manifest.predicates.get(predicate))
        self._now(predicate, self._writes.replace(predicate, columns, frame))

    def change(self, predicate: str, removed: Rows, added: Rows) -> None:
        """Remove facts of a predicate that are there, given by their terms, then add facts that are not there then.

        So a fact whose annotations change is in both.
        """
        table = self._known(predicate)
        columns = types_of(added)
        _check(predicate, columns, table)
        self._now(predicate, self._writes.change(predicate, table, removed, added))

    def tell(self, predicate: str, changes: Rows) -> None:
        """Keep what this version changes: facts, and `change`, +1 or -1."""
        columns = types_of(changes)
        told = self._changes.replace(predicate, columns, changes)
        self.manifest = replace(self.manifest, changes={**self.manifest.changes, predicate: told})

    def add_terms(self, terms: DataFrame) -> int:
        """Take terms (`id`, `text`) into the dictionary, except for those that it has; gives how many came."""
        known = self.dictionary().select("id", sf.col("text").alias("there"))
        beside = terms.join(known, "id", "left").persist()
        wrong = beside.where("there <> text").first()
        if wrong is not None:
            raise InternalError(f"the terms {wrong.text} and {wrong.there} were given one id")
        count = self._append_terms(beside.where("there is null").select("id", "text"))
        beside.unpersist()
        return count

    def learn(self, frame: DataFrame, columns: list[str]) -> int:
        """Take in the terms in these columns, texts or integers, that the dictionary does not have; gives how many came."""
        new = dictionary.new_terms(frame, columns, self.dictionary(), self.displaced())
        count = self._append_terms(new.frame, new.displaced) if new.number else 0
        new.frame.unpersist()
        return count

    def quarantine_records(self, records: DataFrame) -> int:
        """Keep records that could not be read (`source`, `line`, `reason`, `text`); gives how many they are."""
        before = self.manifest.quarantine
        after = self._writes.append(_QUARANTINE, before, records.select(*QUARANTINE))
        self.manifest = replace(self.manifest, quarantine=after)
        return after.rows - before.rows

    def record_batch(self, stream: str, batch: int) -> None:
        """Remember that this version has taken in a batch of a stream."""
        self.manifest = replace(self.manifest, batches={**self.manifest.batches, stream: batch})

    def note(self, key: str, value: Any) -> None:
        """Remember something else, a value of JSON."""
        self.manifest = replace(self.manifest, notes={**self.manifest.notes, key: value})

    def keep(self, frame: DataFrame) -> DataFrame:
        """The frame, to be worked out once and kept until the transaction ends."""
        self._kept.append(frame.persist())
        return self._kept[-1]

    def _append_terms(self, terms: DataFrame, moved: int | None = None) -> int:
        before = self.manifest.dictionary
        after = self._writes.append(_DICTIONARY, before, terms.select(*DICTIONARY))
        moved = dictionary.displaced(terms).count() if moved is None else moved
        self.manifest = replace(self.manifest, dictionary=after, displaced=self.manifest.displaced + moved)
        return after.rows - before.rows

    def _now(self, predicate: str, table: Any) -> None:
        self.manifest = replace(self.manifest, predicates={**self.manifest.predicates, predicate: table})

    def _storage(self) -> Storage:
        return self._writes

    def _discard(self) -> None:
        shutil.rmtree(self._changes.data, ignore_errors=True)


def _check(predicate: str, columns: Mapping[str, str], table: Any) -> None:
    """DataError if a frame is no table of facts, or does not fit the one that is there."""
    terms = [name for name in columns if name not in _ANNOTATIONS and name.startswith("c")]
    if terms != [f"c{number}" for number in range(len(terms))] or any(columns[name] != "bigint" for name in terms):
        shown = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        raise DataError(f"{predicate}: facts have ids in columns c0, c1, ... of type bigint, and not {shown}")
    if columns.get("explicit") != "boolean":
        raise DataError(f"{predicate}: facts have a column explicit of type boolean")
    if table is not None and dict(table.columns) != dict(columns):
        there, here = (", ".join(f"{name} {kind}" for name, kind in some.items()) for some in (table.columns, columns))
        raise DataError(f"{predicate}: the table has the columns {there}, and not {here}")
