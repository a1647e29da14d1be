"""Who works out what follows, for a pipeline: a reasoner takes frames of ids in, and gives frames of what holds back.

The embedded engine is one: facts go to the memory of the driver, where an update takes milliseconds. It is right for whatever
fits there, some tens of millions of facts; files, terms and tables are Spark's all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from tidelog.engines.embedded.batches import Batch, Held
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.errors import InternalError
from tidelog.facts import arrow
from tidelog.facts.dictionary import INLINE, SMALL, ZERO, Ids
from tidelog.facts.table import EXPLICIT
from tidelog.facts.wide import WIDE, WideIds, homes
from tidelog.maintain.algebra import Statistics
from tidelog.notation import ntriples, parse_term
from tidelog.plan.layout import Layouts
from tidelog.plan.modules import STANDARD, assign
from tidelog.program import Program
from tidelog.spark.storage import Rows

Lookup: TypeAlias = Callable[[WideIds], Mapping[int, str]]
"""Finds the texts of terms by their ids, in the dictionary's table."""


class Difference(NamedTuple):
    """What an update changed of a predicate. A fact that stays, with other annotations, is both removed and added."""

    removed: Rows
    """Facts: c0, c1, ..."""
    added: Rows
    """Facts with their annotations."""
    changes: Rows
    """Facts that appeared or vanished: c0, c1, ..., change, which is +1 or -1."""
    appeared: int
    vanished: int
    rows: int
    """How many facts are removed or added."""


class Reasoner(Protocol):
    """Keeps what follows from facts true."""

    @property
    def predicates(self) -> Collection[str]:
        """All that there are facts of, or may be."""

    def load(self, held: Mapping[str, DataFrame]) -> None:
        """Go on from what was worked out before: c0, c1, ..., explicit, rank."""

    def update(self, algorithm: str, insert: Mapping[str, DataFrame], delete: Mapping[str, DataFrame]) -> Statistics:
        """Change the explicit facts, given by their ids, first deleting, then inserting."""

    def rows(self, predicate: str) -> Rows:
        """What holds: c0, c1, ..., explicit, rank."""

    def difference(self, predicate: str, before: DataFrame | None) -> Difference | None:
        """What the last update changed of a predicate, of which this was there before; None if that is nothing."""

    def forget(self) -> None:
        """What the last update changed has been written, and will not be asked for."""

    def fresh(self) -> list[tuple[int, str]]:
        """Terms, with their ids, that did not come from the dictionary's table; only those since this was asked last."""


class EmbeddedReasoner:
    """The embedded engine, in the driver."""

    def __init__(self, spark: SparkSession, program: Program, lookup: Lookup) -> None:
        arities = {rule.head.predicate: len(rule.head.terms) for rule in program.core} | dict(program.arities)
        self._spark, self._engine = spark, EmbeddedEngine(Layouts(program, assign(program.core, STANDARD)), arities)
        self._terms = _Terms(self._engine, lookup)
        self._before: dict[str, pa.Table] = {}
        """What held before the update."""

    @property
    def predicates(self) -> Collection[str]:
        return list(self._engine.store.tables)

    def load(self, held: Mapping[str, DataFrame]) -> None:
        facts = {}
        for predicate, frame in held.items():
            read, names = frame.toArrow(), _terms_of(frame.columns)
            self._engine.add_predicate(predicate, len(names))
            columns = [self._terms.narrow(_numpy(read, name)) for name in names]
            facts[predicate] = Held(columns, _numpy(read, "explicit").astype(np.bool_), _numpy(read, "rank"))
        self._engine.restore(facts)
        self._before = {predicate: self.rows(predicate) for predicate in facts}

    def update(self, algorithm: str, insert: Mapping[str, DataFrame], delete: Mapping[str, DataFrame]) -> Statistics:
        _, _, statistics = self._engine.update(algorithm, self._batch(insert), self._batch(delete))
        self._engine.restore_ranks()
        return statistics

    def rows(self, predicate: str) -> pa.Table:
        table = self._engine.table(predicate)
        rows = table.facts()
        columns = {f"c{n}": pa.array(self._terms.wide(column[rows])) for n, column in enumerate(table.columns)}
        explicit, rank = pa.array(table.flags[rows] & EXPLICIT != 0), pa.array(table.rank[rows])
        return pa.table(columns | {"explicit": explicit, "rank": rank})

    def forget(self) -> None:
        """Nothing is held for it."""

    def difference(self, predicate: str, before: DataFrame | None) -> Difference | None:
        old, new = self._before.get(predicate), self.rows(predicate)
        self._before[predicate] = new
        old = new.slice(0, 0) if old is None else old
        return None if old.equals(new) else _difference(old, new)

    def fresh(self) -> list[tuple[int, str]]:
        return self._terms.fresh()

    def _batch(self, frames: Mapping[str, DataFrame]) -> Batch:
        batch: dict[str, list[Ids]] = {}
        for predicate, frame in frames.items():
            self._engine.add_predicate(predicate, len(frame.columns))
            read = frame.distinct().toArrow()
            if read.num_rows:
                batch[predicate] = [self._terms.narrow(_numpy(read, name)) for name in frame.columns]
        return batch


class _Terms:
    """Ids of 64 bits, and those of the engine's dictionary."""

    def __init__(self, engine: EmbeddedEngine, lookup: Lookup) -> None:
        self._engine, self._lookup = engine, lookup
        self._fresh: list[tuple[int, str]] = []
        self._displaced: dict[str, int] = {}
        """The terms of the table that do not live at their home."""
        self._forget()

    def _forget(self) -> None:
        self._dictionary = self._engine.dictionary
        self._wide = np.empty(0, np.int64)
        """By the dictionary's number."""
        self._narrow: dict[int, int] = {}

    def wide(self, ids: Ids) -> WideIds:
        self._learn()
        dense = ids < INLINE
        found: WideIds = ids.astype(np.int64) - ZERO
        found[dense] = self._wide[ids[dense]]
        return found

    def narrow(self, wide: WideIds) -> Ids:
        self._learn()
        ids: Ids = (wide + ZERO).astype(np.uint32)
        others = (wide < -SMALL) | (wide >= SMALL)
        if others.any():
            distinct, inverse = np.unique(wide[others], return_inverse=True)
            self._meet(distinct)
            ids[others] = np.array([self._narrow[one] for one in distinct.tolist()], np.uint32)[inverse]
        return ids

    def fresh(self) -> list[tuple[int, str]]:
        self._learn()
        found, self._fresh = self._fresh, []
        return found

    def _learn(self) -> None:
        """Give ids to the terms that the dictionary has got from elsewhere; it may be another dictionary by now."""
        if self._dictionary is not self._engine.dictionary:
            self._forget()
        new = range(len(self._wide), len(self._dictionary))
        if not new:
            return
        texts = [ntriples(self._dictionary.decode_one(number)) for number in new]
        ids = [self._displaced.get(text, id_) for text, id_ in zip(texts, homes(texts).tolist(), strict=True)]
        self._fresh += [(id_, text) for id_, text in zip(ids, texts, strict=True) if id_ >= WIDE]
        self._take(dict(zip(ids, new, strict=True)))

    def _meet(self, wanted: WideIds) -> None:
        """Make terms known that only the table has."""
        unknown = np.array([one for one in wanted.tolist() if one not in self._narrow], np.int64)
        if not len(unknown):
            return
        found = {one: ntriples(one) for one in unknown[unknown < WIDE].tolist()} | dict(self._lookup(unknown[unknown >= WIDE]))
        if len(found) < len(unknown):
            raise InternalError(f"{len(unknown) - len(found)} ids stand for no term of the dictionary")
        texts = list(found.values())
        at_home = homes(texts).tolist()
        self._displaced |= {text: id_ for (id_, text), home in zip(found.items(), at_home, strict=True) if id_ != home}
        numbers = {}
        for id_, text in found.items():
            term = parse_term(text)
            if term is None:
                raise InternalError(f"the dictionary holds {text!r}, which is no term")
            numbers[id_] = self._dictionary.encode_one(term)
        self._take(numbers)

    def _take(self, numbers: Mapping[int, int]) -> None:
        for id_, number in numbers.items():
            if self._narrow.get(id_, number) != number:
                raise InternalError(f"two terms have the id {id_}")
            if number < len(self._wide) and (old := int(self._wide[number])) != id_:  # a constant that the table displaced
                del self._narrow[old]
                self._fresh = [(fresh, text) for fresh, text in self._fresh if fresh != old]
        self._narrow |= numbers
        longer = np.empty(len(self._dictionary), np.int64)
        longer[: len(self._wide)] = self._wide
        longer[list(numbers.values())] = list(numbers)
        self._wide = longer


def _difference(old: pa.Table, new: pa.Table) -> Difference | None:
    keys, every = _terms_of(new.column_names), new.column_names
    gone, come = (_without(one, other, every) for one, other in ((old, new), (new, old)))
    vanished, appeared = (_without(one, other, keys) if keys else one for one, other in ((gone, come), (come, gone)))
    if not keys and gone.num_rows and come.num_rows:
        vanished = appeared = new.slice(0, 0)
    signed = [
        some.select(keys).append_column("change", pa.array(np.full(some.num_rows, sign, np.int32)))
        for some, sign in ((vanished, -1), (appeared, 1))
    ]
    count = gone.num_rows + come.num_rows
    removed = gone.select(keys or ["explicit"])
    return Difference(removed, come, pa.concat_tables(signed), appeared.num_rows, vanished.num_rows, count) if count else None


def _without(some: pa.Table, others: pa.Table, keys: list[str]) -> pa.Table:
    """The rows of a table that are not, by these columns, in another."""
    return some.join(others.select(keys), keys, join_type="left anti").select(some.column_names)


def _numpy(read: pa.Table, column: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return arrow.to_numpy(read.column(column).combine_chunks())


def _terms_of(columns: Iterable[str]) -> list[str]:
    return [name for name in columns if name not in ("explicit", "rank")]
