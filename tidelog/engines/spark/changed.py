"""Facts on their way out: to the driver's dictionary, when somebody reads them."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.engines.embedded.batches import Changed, ChangedBatch
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.engines.spark.facts import FactSet
from tidelog.engines.spark.frames import Cluster, Frame
from tidelog.engines.spark.tables import Row, Table, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.truth import EXPLICIT, PRESENT, STATE
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.wide import WIDE, WideIds
from tidelog.notation import ntriples
from tidelog.plan.layout import Layouts
from tidelog.syntax.formatter import format_term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.facts.kernel import Ids, Mask


class Reader:
    """Brings facts to the driver."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def columns(self, table: Table, *, explicit: bool = False) -> tuple[list[Ids], int]:
        """The facts of a table as columns of the dictionary's ids, and how many they are."""
        if not table.runs:
            wanted = PRESENT | (EXPLICIT if explicit else 0)
            rows = [row for row, state in table.met.items() if state.flags & wanted == wanted]
            return self.rows(rows, table.arity), len(rows)
        fetched = table.cluster.fetch(table.cluster.sql(table.now_sql(explicit=explicit)))
        return self.arrow(fetched, table.arity), fetched.num_rows

    def rows(self, rows: list[Row], arity: int) -> list[Ids]:
        if not rows:
            return [np.empty(0, np.uint32) for _ in range(arity)]
        return [self.terms.narrow(np.array(column, np.int64)) for column in list(zip(*rows, strict=True))[:arity]]

    def arrow(self, fetched: pa.Table, arity: int) -> list[Ids]:
        return [self.terms.narrow(fetched.column(f"c{i}").to_numpy()) for i in range(arity)]


class ChangedFrame:
    """Changed facts of one predicate that stay on the cluster until they are asked for."""

    def __init__(self, table: Table, statement: str, rows: int, frames: Sequence[Frame], terms: Terms) -> None:
        self._table, self._rows, self._terms = table, rows, terms
        self._data = table.cluster.sql(statement)
        for frame in frames:  # which the statement reads
            weakref.finalize(self, frame.shared().release).atexit = False
        self._fetched: pa.Table | None = None

    def __len__(self) -> int:
        return self._rows

    def _table_of(self) -> pa.Table:
        if self._fetched is None:
            self._fetched = self._table.cluster.fetch(self._data)
        return self._fetched

    @property
    def columns(self) -> list[Ids]:
        return Reader(self._terms).arrow(self._table_of(), self._table.arity)

    @property
    def explicit(self) -> Mask:
        mask: Mask = self._table_of().column("x").to_numpy()
        return mask


def of_few(tables: Tables, facts: FactSet, terms: Terms, explicit: FactSet | None) -> ChangedBatch:
    """Facts that the driver has; explicit as their flags say or, if given, as `explicit` has them."""
    found: dict[str, Changed] = {}
    given = {} if explicit is None else dict(explicit.few())
    for predicate, few in facts.few():
        table, rows = tables[predicate], list(few)
        if explicit is None:
            mask = [bool(table.met[row].flags & EXPLICIT) for row in rows]
        else:
            mask = [row in given.get(predicate, {}) for row in rows]
        found[predicate] = Changed(Reader(terms).rows(rows, table.arity), np.array(mask, np.bool_))
    return found


def difference(new: Tables, old: Tables, terms: Terms, few: int) -> tuple[ChangedBatch, ChangedBatch]:
    """The facts that only the new tables have, and those that only the old ones have."""
    inserted: dict[str, Changed] = {}
    deleted: dict[str, Changed] = {}
    for predicate, table in new.items():
        for side, facts in zip((inserted, deleted), _sides(table, old[predicate], terms), strict=True):
            if facts is not None and len(facts):
                side[predicate] = facts
    return inserted, deleted


def _sides(new: Table, old: Table, terms: Terms) -> tuple[Changed | None, Changed | None]:
    from pyspark.sql import functions

    if not new.runs and not old.runs:
        return _only(new, old, terms), _only(old, new, terms)
    if not old.present:
        return _frame(new, new.now_sql(), new.present, [run.frame for run in new.runs], terms), None
    cluster, columns = new.cluster, ", ".join(new.columns)
    sides_sql = (f"SELECT {columns}, x, {i} AS side FROM ({table.now_sql()})" for i, table in ((1, new), (2, old)))
    both = " UNION ALL ".join(sides_sql)
    grouped = f"SELECT {columns}, first(x) AS x, sum(side) AS side FROM ({both}) GROUP BY {columns} HAVING sum(side) < 3"
    (held,) = cluster.hold_all(
        [cluster.sql(grouped).observe("new", functions.count_if(functions.expr("side = 1")).alias("new"))], "new"
    )
    frame, added = held.frame, held.sums["new"]
    sides = [
        _frame(new, f"SELECT {columns}, x FROM {frame.name} WHERE side = {side}", rows, [frame], terms)
        for side, rows in ((1, added), (2, frame.rows - added))
    ]
    frame.release()
    return sides[0], sides[1]


def _frame(table: Table, statement: str, rows: int, frames: Sequence[Frame], terms: Terms) -> Changed:
    return ChangedFrame(table, statement, rows, frames, terms)  # type: ignore[return-value]


def _only(there: Table, here: Table, terms: Terms) -> Changed:
    def holds(table: Table, row: Row) -> bool:
        state = table.met.get(row)
        return state is not None and bool(state.flags & PRESENT)

    rows = [row for row in there.met if holds(there, row) and not holds(here, row)]
    mask = np.array([bool(there.met[row].flags & EXPLICIT) for row in rows], np.bool_)
    return Changed(Reader(terms).rows(rows, there.arity), mask)


def copy(
    layouts: Layouts, arities: Mapping[str, int], dictionary: Dictionary, tables: Tables, reader: Reader
) -> EmbeddedEngine:
    """An embedded engine with all facts of some tables."""
    engine = EmbeddedEngine(layouts, arities, dictionary=dictionary)
    for predicate, table in tables.items():
        fetched = table.cluster.fetch(table.cluster.sql(table.now_sql()))
        if not fetched.num_rows:
            continue
        own = engine.table(predicate)
        rows = own.intern_all(reader.arrow(fetched, table.arity), fetched.num_rows if table.arity else 1)
        explicit = fetched.column("x").to_numpy()
        own.flags[rows] |= np.where(explicit, np.uint16(STATE), np.uint16(PRESENT))
        own.rank[rows] = fetched.column("r").to_numpy()
        if table.timed:
            times = own.keep_times()
            times.expiry[rows], times.given[rows] = fetched.column("e").to_numpy(), fetched.column("g").to_numpy()
        own.present += len(rows)
        engine.explicit += int(np.count_nonzero(explicit))
    return engine


def decoded(table: Table, terms: Terms) -> DataFrame:
    """What holds as values: integers, or strings where a column has other terms."""
    cluster, names = table.cluster, table.columns[: table.arity]
    if not table.arity:
        return cluster.sql(f"SELECT true AS holds FROM ({table.now_sql()})")
    held = cluster.view(cluster.hold(cluster.sql(f"SELECT {', '.join(names)} FROM ({table.now_sql()})")).data)
    highest = cluster.sql(f"SELECT {', '.join(f'max({name})' for name in names)} FROM {held}").collect()[0]
    texts = _texts(table, terms)
    columns, joins = [], ""
    for name, top in zip(names, highest, strict=True):
        if top is None or top < WIDE:
            columns.append(f"b.{name}")
            continue
        joins += f" LEFT JOIN {texts} t_{name} ON t_{name}.id = b.{name}"
        unknown = "raise_error('tidelog: there are terms that the driver does not know')"
        columns.append(f"IF(b.{name} < {WIDE}L, CAST(b.{name} AS STRING), coalesce(t_{name}.text, {unknown})) AS {name}")
    return cluster.sql(f"SELECT {', '.join(columns)} FROM {held} b{joins}")


def _texts(table: Table, terms: Terms) -> str:
    """The terms that the driver knows, as strings by their ids; with those of the dictionary's table, if there is one."""
    wide, ids = terms.known()
    known = terms.dictionary.decode(ids)
    if terms.words is not None:
        return _all_texts(table.cluster, terms.words(), wide, [ntriples(term) for term in known])
    plain = all(isinstance(term, str) for term, one in zip(known, wide.tolist(), strict=True) if one >= WIDE)
    texts = [str(term) if plain else format_term(term) for term in known]
    data = pa.table({"id": pa.array(wide), "text": pa.array(texts, pa.string())})
    return table.cluster.view(table.cluster.session.createDataFrame(data))


def _all_texts(cluster: Cluster, words: DataFrame, wide: WideIds, known: list[str]) -> str:
    """Terms in N-Triples as strings; if all of them are strings, as these."""
    ours = cluster.view(cluster.session.createDataFrame(pa.table({"id": pa.array(wide), "text": pa.array(known, pa.string())})))
    theirs = cluster.view(cluster.adopt(words))
    missing = f"SELECT /*+ BROADCAST(k) */ t.id, t.text FROM {theirs} t LEFT ANTI JOIN {ours} k ON t.id = k.id"
    view = cluster.view(cluster.sql(f"SELECT id, text FROM {ours} WHERE id >= {WIDE}L UNION ALL {missing}"))
    plain = cluster.sql(f"SELECT bool_and(endswith(text, '\"')) AS plain FROM {view}").collect()[0].plain
    if not plain:
        return view
    return cluster.view(cluster.sql(f"SELECT id, from_json(concat('[', text, ']'), 'array<string>')[0] AS text FROM {view}"))
