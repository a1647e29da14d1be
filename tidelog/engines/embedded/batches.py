"""Facts on their way in and out of the embedded engine: columns of term ids, by predicate."""

from __future__ import annotations

from abc import ABC
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tidelog.engines.embedded.sets import FactSet, among, best
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids, Mask
from tidelog.facts.store import Store
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.facts.times import NEVER, Expiries

Columns: TypeAlias = Sequence[Ids]
"""Facts of one predicate, column by column."""
Batch: TypeAlias = Mapping[str, Columns]
"""Facts by predicate."""


class Timing(NamedTuple):
    """What an update says about time."""

    now: float | None = None
    """The time from now on; None if it stands still."""
    expiries: Mapping[str, Expiries] = MappingProxyType({})
    """By predicate, until when each inserted fact holds; facts of others are inserted for good."""
    release: Batch = MappingProxyType({})
    """Facts to delete, unless they were given for good."""


UNTIMED = Timing()


class Encoded(NamedTuple):
    """An update as an engine takes it."""

    insert: Batch
    delete: Batch
    timing: Timing = UNTIMED
    dictionary: Dictionary | None = None
    """Whose ids these are."""


@dataclass(frozen=True, slots=True)
class Changed:
    """Facts of one predicate that appeared, or that vanished, and which of them are, or were, explicit."""

    columns: Columns
    explicit: Mask

    def __len__(self) -> int:
        return len(self.explicit)


ChangedBatch: TypeAlias = Mapping[str, Changed]


class Held(NamedTuple):
    """Facts of one predicate that hold, as they were worked out before."""

    columns: Columns
    explicit: Mask
    rank: np.ndarray[Any, Any] | None
    """None if nobody knows."""


class Elsewhere(ABC, Sequence[Ids]):
    """Columns of facts that are not in this process; to index them is to fetch them."""

    rows: int
    """How many facts they are, which is known without."""


def batch_length(columns: Columns, arity: int) -> int:
    """How many facts; without columns (arity 0) a batch that is there holds the one fact there can be."""
    if not arity:
        return 1
    return columns.rows if isinstance(columns, Elsewhere) else len(columns[0])


def make_explicit(store: Store, batch: Batch, timing: Timing = UNTIMED, now: float = -NEVER) -> None:
    """Add explicit facts to a store that is being built; those whose time is over are passed over."""
    for predicate, columns in batch.items():
        table = store.tables[predicate]
        length = batch_length(columns, table.arity)
        expiries = timing.expiries.get(predicate)
        if expiries is None and table.times is None:
            _show(table, table.intern_all(columns, length))
        else:
            rows, until = intern_timed(table, columns, length, expiries, now)
            held = table.flags[rows] & EXPLICIT != 0
            times = table.keep_times()
            times.given[rows] = np.where(held, np.maximum(until, times.given[rows]), until)
            _show(table, rows)


def make_present(store: Store, predicate: str, held: Held) -> None:
    """Add facts that hold, each once, to a store that is being built."""
    table = store.tables[predicate]
    if not len(held.explicit):
        return
    rows = table.intern_each(held.columns, len(held.explicit))
    table.flags[rows] = PRESENT | EXPLICIT * held.explicit.astype(np.uint16)
    table.rank[rows] = 0 if held.rank is None else held.rank
    table.present += len(rows)


def intern_timed(table: Table, columns: Columns, length: int, expiries: Expiries | None, now: float) -> tuple[Ids, Expiries]:
    """The distinct rows of facts, made where there are none, with the latest expiry of each; without what is over by now."""
    if expiries is None:
        rows = table.intern_all(columns, length)
        return rows, np.full(len(rows), NEVER)
    lasts = expiries > now
    if not lasts.all():
        columns, expiries, length = [column[lasts] for column in columns], expiries[lasts], int(np.count_nonzero(lasts))
    if not length:
        return np.empty(0, np.uint32), expiries
    each = table.intern_each(columns, length)
    rows, _, latest = best(each, np.zeros(length, np.int32), expiries)
    assert latest is not None
    return rows, latest


def copy_explicit(store: Store, table: Table, without: Batch, timing: Timing = UNTIMED, now: float = -NEVER) -> None:
    """Add the explicit facts of a table of another store, but for some, and for those whose time is over."""
    rows = table.facts(EXPLICIT)
    given = None if table.times is None else table.times.given
    for batch, for_good in ((without, True), (timing.release, False)):
        if table.predicate in batch:
            columns = batch[table.predicate]
            found, known = table.find(columns, batch_length(columns, table.arity))
            gone = np.zeros(table.count, np.bool_)
            gone[found[known]] = True
            if not for_good:
                gone &= given[: table.count] < NEVER if given is not None else False
            rows = rows[~gone[rows]]
    if given is not None:
        rows = rows[given[rows] > now]
    own = store.tables[table.predicate]
    own_rows = own.intern_each([column[rows] for column in table.columns], len(rows)) if len(rows) else rows
    if given is not None and len(rows) and given[rows].min() < NEVER:
        own.keep_times().given[own_rows] = given[rows]
    _show(own, own_rows)


def _show(table: Table, rows: Ids) -> None:
    table.present += len(rows) - int(np.count_nonzero(table.flags[rows] & PRESENT))
    table.flags[rows] |= np.uint16(PRESENT | EXPLICIT)


def changed(facts: FactSet, hidden: Collection[str], explicit: FactSet | None = None) -> dict[str, Changed]:
    """Copies of facts but for hidden ones, explicit as their flags say or, if given, as `explicit` has them."""
    result: dict[str, Changed] = {}
    for table, rows in facts:
        if table.predicate in hidden:
            continue
        none = slice(0, 0)
        mask = table.flags[rows] & EXPLICIT != 0 if explicit is None else among(rows, explicit.parts.get(table, none))
        result[table.predicate] = Changed([column[rows].copy() for column in table.columns], mask)
    return result


def difference(there: Store, here: Store, hidden: Collection[str]) -> dict[str, Changed]:
    """The facts present in one store and not in the other, but for those of predicates that are hidden there."""
    result: dict[str, Changed] = {}
    for table in there:
        if table.predicate in hidden:
            continue
        other = here.tables[table.predicate]
        rows = table.facts() if table.present else np.empty(0, np.uint32)
        if not len(rows):
            continue
        columns = [column[rows] for column in table.columns]
        known = np.zeros(len(rows), np.bool_)
        if other.present:
            other_rows, known = other.find(columns, len(rows))
            known[known] = other.flags[other_rows[known]] & PRESENT != 0
        if not known.all():
            only = ~known
            result[table.predicate] = Changed([column[only] for column in columns], table.flags[rows[only]] & EXPLICIT != 0)
    return result
