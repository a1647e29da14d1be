"""Leaving behind rows that hold no fact any more, and terms that no fact has.

A fact keeps its row for good, and a term its id; so a stream from which as much goes as comes would fill the memory all the
same. Once in a while the facts that hold therefore move to a store of their own, with a dictionary of its own if most terms
are gone, which takes the place of the old one at one moment. Relations that somebody got before keep the old dictionary.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tidelog.facts.dictionary import INLINE, Dictionary
from tidelog.facts.kernel import Ids
from tidelog.facts.store import Store

DEAD_ROWS = 1 << 18
"""So many dead rows are not worth the trouble."""


def is_due(store: Store, least: int) -> bool:
    """Whether there are more than so many dead rows, and more than live ones: moving costs no more than making them did.

    Who materialises anew has no dead rows; then it is many more terms than the facts can have.
    """
    live = sum(table.present for table in store)
    cells = sum(table.present * table.arity for table in store)
    return sum(table.count for table in store) - live > max(least, live) or len(store.dictionary) > 2 * max(least, cells)


def tidied(store: Store) -> Store:
    """The facts that hold, with all that is known of them, in a new store."""
    held = {table: table.facts() for table in store}
    columns = {table: [column[rows] for column in table.columns] for table, rows in held.items()}
    dictionary, renamed = _needed(store.dictionary, [column for some in columns.values() for column in some])
    new = Store(dictionary)
    for table, rows in held.items():
        new.tables[table.predicate] = table.only(rows, [renamed(column) for column in columns[table]])
    return new


def _needed(dictionary: Dictionary, columns: list[Ids]) -> tuple[Dictionary, Callable[[Ids], Ids]]:
    """A dictionary for the terms in some columns, and what the columns are in it; the same one, unless most terms can go."""
    used = np.zeros(len(dictionary), np.bool_)
    for column in columns:
        used[column[column < INLINE]] = True
    old = used.nonzero()[0].astype(np.uint32)
    if 2 * len(old) >= len(used):
        return dictionary, lambda column: column
    only, new = dictionary.only(old)
    number = np.zeros(len(used), np.uint32)
    number[old] = new

    def renamed(column: Ids) -> Ids:
        kept = column < INLINE
        column[kept] = number[column[kept]]
        return column

    return only, renamed
