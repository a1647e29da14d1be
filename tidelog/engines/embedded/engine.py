"""The embedded engine: one materialisation in this process, in numpy tables.

It owns the store and is the only one to change it. Two locks keep readers right: `commit` is held for the moments in which
facts appear and vanish, and by whoever copies facts out; `work` by whoever grows tables or indexes: updates, and queries.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.sets import FactSet
from tidelog.engines.embedded.working import Commit
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids, Mask, sorted_unique
from tidelog.facts.store import Store
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.maintain.algebra import Statistics, Update
from tidelog.maintain.dred import dred
from tidelog.maintain.fbf import bf, fbf
from tidelog.maintain.ranked import ranked
from tidelog.maintain.seminaive import seminaive
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import Working
from tidelog.program.stratify import Stratification

Columns = Sequence[Ids]
"""Facts of one predicate, column by column."""
Batch = Mapping[str, Columns]
"""Facts by predicate."""
OnRound = Callable[[Statistics], None]


ALGORITHMS: Mapping[str, Callable[[EmbeddedAlgebra, Update], None]] = {"bf": bf, "dred": dred, "fbf": fbf, "ranked": ranked}
"""The algorithms that maintain by the algebra."""


class EmbeddedEngine:
    """Tables, and the algorithms that keep them true."""

    def __init__(
        self,
        strata: Stratification,
        arities: Mapping[str, int],
        *,
        on_round: OnRound | None = None,
        max_facts: int | None = None,
    ) -> None:
        self.strata = strata
        self.arities = dict(arities)
        self.on_round = on_round
        self.max_facts = max_facts
        self.dictionary = Dictionary()
        self.commit = threading.Lock()
        self.work = threading.RLock()
        self.store = self._new_store()
        self.algebra = self._new_algebra(self.store)

    def _new_store(self) -> Store:
        store = Store(self.dictionary)
        store.add_predicates(self.arities)
        return store

    def _new_algebra(self, store: Store) -> EmbeddedAlgebra:
        return EmbeddedAlgebra(store, self.strata, on_round=self.on_round, max_facts=self.max_facts)

    def add_predicate(self, predicate: str, arity: int) -> None:
        """Make a predicate known, if it is not."""
        self.arities.setdefault(predicate, arity)
        self.store.table(predicate, arity)

    # Changing

    def materialise(self, explicit: Sequence[Batch]) -> Statistics:
        """The first materialisation; call once, on a new engine."""
        with self.work:
            for batch in explicit:
                _make_explicit(self.store, batch)
            self.algebra.statistics.algorithm = "seminaive"
            seminaive(self.algebra)
            return self.algebra.statistics

    def rematerialise(self, insert: Batch, delete: Batch) -> tuple[Batch, Batch, Statistics]:
        """Materialise anew for the changed explicit facts; gives the facts that appeared and those that vanished.

        Works on a store of its own, which takes the place of the present one at the end: whatever stops it half-way, nothing
        has changed. Rows that hold no fact any more are left behind with the old store.
        """
        with self.work:
            store = self._new_store()
            algebra = self._new_algebra(store)
            algebra.statistics.algorithm = "rematerialise"
            for table in self.store:
                rows = table.facts(EXPLICIT)
                keep = ~self._mentioned(table, delete, rows)
                _make_explicit(store, {table.predicate: [column[rows[keep]] for column in table.columns]}, int(keep.sum()))
            _make_explicit(store, insert)
            seminaive(algebra)
            inserted = _difference(store, self.store)
            deleted = _difference(self.store, store)
            with self.commit:
                self.store, self.algebra = store, algebra
            return inserted, deleted, algebra.statistics

    def maintain(self, algorithm: str, insert: Batch, delete: Batch) -> tuple[Batch, Batch, Statistics]:
        """Keep the materialisation true under a change of the explicit facts, by one of `ALGORITHMS`.

        Gives the facts that appeared and those that vanished. If it raises, nothing has changed.
        """
        with self.work:
            algebra = self.algebra
            algebra.statistics = Statistics(algorithm)
            sets = algebra.sets
            sets.recording = True
            committed = False
            try:
                update = self._update(insert, delete)
                ALGORITHMS[algorithm](algebra, update)
                now_explicit, no_longer = algebra.facts(update.insert), algebra.facts(update.delete)
                inserted, deleted = sets.inserted, sets.deleted
                commit = Commit(deleted, inserted, no_longer, now_explicit)
                result = _columns_of(inserted), _columns_of(deleted), algebra.statistics
                with self.commit:
                    committed = True
                    try:
                        commit.apply()
                    except BaseException:
                        commit.apply()
                        raise
                return result
            finally:
                if not committed:
                    sets.restore_ranks()
                sets.end()

    def _update(self, insert: Batch, delete: Batch) -> Update:
        """E+ and E- as sets: what the change really changes about the explicit facts."""
        plus, minus = self.algebra.working("E+"), self.algebra.working("E-")
        for predicate, columns in insert.items():
            table = self.store.tables[predicate]
            rows = table.intern_all(columns, batch_length(columns, table.arity))
            plus |= FactSet(self.algebra.bits, {table: rows})
        for predicate, columns in delete.items():
            table = self.store.tables[predicate]
            rows, known = table.find(columns, batch_length(columns, table.arity))
            rows = sorted_unique(rows[known])
            minus |= FactSet(self.algebra.bits, {table: rows}) & E - plus
        return Update(minus, self._new_explicit(plus))

    def _new_explicit(self, plus: Working) -> Working:
        """Those facts of E+ that are not explicit yet."""
        new = self.algebra.working("new E+")
        new |= self.algebra.facts(plus - E)
        return new

    def _mentioned(self, table: Table, facts: Batch, rows: Ids) -> Mask:
        """Which of these rows are among `facts`."""
        hit = np.zeros(table.count, np.bool_)
        if table.predicate in facts:
            columns = facts[table.predicate]
            found, known = table.find(columns, batch_length(columns, table.arity))
            hit[found[known]] = True
        mask: Mask = hit[rows]
        return mask

    # Reading

    def table(self, predicate: str) -> Table:
        return self.store.tables[predicate]

    def count(self, predicate: str) -> int:
        table = self.table(predicate)
        return table.count - table.invisible

    def columns(self, predicate: str, *, mask: int = PRESENT) -> tuple[list[Ids], int]:
        """A copy of the facts of a predicate that carry these flags, and how many they are."""
        with self.commit:
            table = self.table(predicate)
            if mask == PRESENT and not table.invisible:
                return [column[: table.count].copy() for column in table.columns], table.count
            rows = table.facts(mask | PRESENT)
            return [column[rows] for column in table.columns], len(rows)

    def flags_of(self, predicate: str, ids: Sequence[int]) -> int:
        """The flags of one fact, 0 if there is no such row."""
        with self.work:
            table = self.table(predicate)
            rows, known = table.find([np.array([i], np.uint32) for i in ids], 1)
            return int(table.flags[rows[0]]) if known[0] else 0

    def ranks(self, predicate: str, columns: Columns) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """The ranks of facts that hold."""
        table = self.table(predicate)
        rows, _ = table.find(columns, batch_length(columns, table.arity))
        return table.rank[rows]

    def rank_of(self, predicate: str, ids: Sequence[int]) -> int | None:
        """The rank of one fact; None if it does not hold."""
        with self.work:
            if not self.flags_of(predicate, ids) & PRESENT:
                return None
            return int(self.ranks(predicate, [np.array([i], np.uint32) for i in ids])[0])

    @property
    def nbytes(self) -> int:
        return self.store.nbytes


def batch_length(columns: Columns, arity: int) -> int:
    """How many facts; without columns (arity 0) a batch that is there holds the one fact there can be."""
    return len(columns[0]) if arity else 1


def _make_explicit(store: Store, batch: Batch, length: int | None = None) -> None:
    for predicate, columns in batch.items():
        table = store.tables[predicate]
        rows = table.intern_all(columns, batch_length(columns, table.arity) if length is None else length)
        table.invisible -= len(rows) - int(np.count_nonzero(table.flags[rows] & PRESENT))
        table.flags[rows] |= np.uint16(PRESENT | EXPLICIT)


def _columns_of(facts: FactSet) -> dict[str, list[Ids]]:
    return {table.predicate: [column[rows].copy() for column in table.columns] for table, rows in facts}


def _difference(there: Store, here: Store) -> dict[str, list[Ids]]:
    """The facts present in one store and not in the other."""
    found: dict[str, list[Ids]] = {}
    for table in there:
        other = here.tables[table.predicate]
        rows = table.facts()
        columns = [column[rows] for column in table.columns]
        other_rows, known = other.find(columns, len(rows))
        known[known] = other.flags[other_rows[known]] & PRESENT != 0
        if not known.all():
            found[table.predicate] = [column[~known] for column in columns]
    return found
