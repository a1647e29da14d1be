"""Warehouses without Spark, for tests of whoever reads them: an embedded materialisation written as one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tidelog import Materialisation
from tidelog.facts.table import EXPLICIT
from tidelog.facts.wide import WIDE, homes
from tidelog.notation import ntriples
from tidelog.warehouse import DICTIONARY, MATERIALISED, Directory, Manifest, Segment, Table
from tidelog.warehouse.directory import rules_of


def write(mat: Materialisation, path: Path, *, materialised: bool = True, ranks: bool = True) -> None:
    """The materialisation as the next version of a warehouse."""
    directory = Directory(path)
    version = len(directory.versions())
    data = directory.new_data(version)
    data.mkdir(parents=True)
    words: dict[int, str] = {}
    predicates = {}
    for predicate in mat._engine.store.tables:
        columns, length = mat._engine.columns(predicate)
        facts = list(zip(*columns, strict=True)) if columns else [()] * length
        explicit = [bool(mat._engine.flags_of(predicate, list(fact)) & EXPLICIT) for fact in facts]
        table = {f"c{number}": _wide(mat, column, words) for number, column in enumerate(columns)}
        table |= {"explicit": pa.array(explicit, pa.bool_())}
        if ranks:
            mat._engine.restore_ranks()
            table["rank"] = pa.array(mat._engine.places(predicate, columns)[1] if length else [], pa.int32())
        kinds = {
            name: {"bool": "boolean", "int32": "int", "int64": "bigint"}[str(column.type)] for name, column in table.items()
        }
        predicates[predicate] = Table(kinds, (_segment(directory, data, predicate, pa.table(table)),))
    texts = pa.table({"id": pa.array(list(words), pa.int64()), "text": pa.array(list(words.values()), pa.string())})
    dictionary = Table(DICTIONARY, (_segment(directory, data, "dictionary", texts),))
    notes = {MATERIALISED: materialised}
    directory.commit(Manifest(version, rules_of(mat.program), predicates, dictionary, notes=notes))


def _wide(mat: Materialisation, column: np.ndarray, words: dict[int, str]) -> pa.Array:
    texts = [ntriples(term) for term in mat._engine.dictionary.decode(column)]
    ids = homes(texts)
    words |= {id_: text for id_, text in zip(ids.tolist(), texts, strict=True) if id_ >= WIDE}
    return pa.array(ids, pa.int64())


def _segment(directory: Directory, data: Path, name: str, table: pa.Table) -> Segment:
    file = data / f"{name}.parquet"
    pq.write_table(table, file)
    return Segment((directory.relative(file),), rows=table.num_rows)
