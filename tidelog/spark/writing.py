"""What a reasoner holds, written as the next version of a warehouse: terms, facts, and what changed."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as sf

from tidelog.facts.wide import WideIds
from tidelog.spark.dictionary import SCHEMA
from tidelog.spark.reasoning import Reasoner
from tidelog.spark.warehouse import Transaction, Warehouse
from tidelog.warehouse import MATERIALISED
from tidelog.warehouse import reading as stored

FEW = 10_000
"""How many ids are looked up by a join; for more, the dictionary is read."""
REWRITTEN = 0.5
"""A table that changes more than this share of its facts is written anew."""


class Written(NamedTuple):
    """How many facts appeared, by predicate, and how many vanished."""

    inserted: dict[str, int]
    deleted: dict[str, int]


def write(update: Transaction, reasoner: Reasoner) -> Written:
    """Write what is different now."""
    fresh = reasoner.fresh()
    if fresh:
        update.add_terms(update.spark.createDataFrame(fresh, SCHEMA))
    written = Written({}, {})
    for predicate in reasoner.predicates:
        appeared, vanished = _write_table(update, predicate, reasoner)
        if appeared:
            written.inserted[predicate] = appeared
        if vanished:
            written.deleted[predicate] = vanished
    update.note(MATERIALISED, True)
    return written


def _write_table(update: Transaction, predicate: str, reasoner: Reasoner) -> tuple[int, int]:
    there = predicate in update.predicates
    different = reasoner.difference(predicate, update.table(predicate) if there else None)
    if not there:
        update.replace(predicate, reasoner.rows(predicate))
    if different is None:
        return 0, 0
    if different.appeared or different.vanished:
        update.tell(predicate, different.changes)
    if there and different.rows > REWRITTEN * max(1, update.manifest.predicates[predicate].rows):
        update.replace(predicate, reasoner.rows(predicate))
    elif there:
        update.change(predicate, different.removed, different.added)
    return different.appeared, different.vanished


def looked_up(warehouse: Warehouse, ids: WideIds) -> dict[int, str]:
    """The texts of terms, from the dictionary's table."""
    if len(ids) > FEW:
        words = stored.rows(warehouse.directory, warehouse.manifest.dictionary)
        found = words.filter(pc.is_in(words.column("id"), pa.array(ids)))
    else:
        wanted = warehouse.spark.createDataFrame(pa.table({"id": pa.array(ids)}))
        found = warehouse.dictionary().join(sf.broadcast(wanted), "id").toArrow()
    return dict(zip(found.column("id").to_pylist(), found.column("text").to_pylist(), strict=True))
