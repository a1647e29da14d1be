"""The embedded engine: one materialisation in this process, in numpy tables.

It owns the store and is the only one to change it. Two locks keep readers right: `commit` is held for the moments in which
facts appear and vanish, and by whoever copies facts out; `work` by whoever grows tables or indexes: updates, and queries.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tidelog.engines.embedded.algebra import EmbeddedAlgebra
from tidelog.engines.embedded.batches import (
    Batch,
    Columns,
    Encoded,
    Held,
    batch_length,
    changed,
    copy_explicit,
    difference,
    make_explicit,
    make_present,
)
from tidelog.engines.embedded.explicit import known, timed, untimed
from tidelog.engines.embedded.kept import Kept
from tidelog.engines.embedded.rewriting import rewriting
from tidelog.engines.embedded.sets import FactSet, Ranks, row_count
from tidelog.engines.embedded.tidying import DEAD_ROWS, is_due, tidied
from tidelog.engines.embedded.working import Commit
from tidelog.engines.marks import MARKING, Marks
from tidelog.engines.updating import ALGORITHMS, EXPIRY, NOTHING, Ahead, Nodes, OnRound, Result, UpdatingEngine
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids
from tidelog.facts.statistics import Either, StoreStatistics
from tidelog.facts.store import Store
from tidelog.facts.table import EXPLICIT, PRESENT, Table
from tidelog.facts.times import NEVER, Expiries
from tidelog.maintain.algebra import Statistics, Update
from tidelog.maintain.choice import ANEW
from tidelog.maintain.counting import seminaive_counting
from tidelog.maintain.expiry import seminaive_expiry
from tidelog.maintain.fbf import fbf
from tidelog.maintain.given import Given
from tidelog.maintain.seminaive import seminaive
from tidelog.maintain.sets import EXPLICIT as E
from tidelog.maintain.sets import PRESENT as I
from tidelog.plan.layout import Layout, Layouts
from tidelog.plan.modules import SYMMETRIC
from tidelog.plan.replan import cost_now, drifted, is_better
from tidelog.program.stratify import Stratification

_ALGORITHMS: Mapping[str, Callable[[Any, Update], None]] = {**ALGORITHMS, "rewriting": rewriting}


class EmbeddedEngine(UpdatingEngine):
    """Tables, and the algorithms that keep them true."""

    def __init__(
        self,
        layouts: Layouts,
        arities: Mapping[str, int],
        *,
        on_round: OnRound | None = None,
        max_facts: int | None = None,
        dictionary: Dictionary | None = None,
    ) -> None:
        super().__init__(arities)
        self.layouts = layouts
        """Make the rules to evaluate."""
        self.layout = layouts.first()
        self.on_round = on_round
        self.max_facts = max_facts
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.algebra = self._new_algebra(self._new_store(), self.layout)
        self._commit: Commit | None = None
        """What the running update is going to make true, once that is known."""
        self._held = True, True
        """Whether ranks held when it began, and expiries."""
        self._algorithm = ""
        """Whose working sets have bits."""
        self.dead_rows = DEAD_ROWS
        """How many of them there have to be before anything is done about it."""
        self._sizes: Mapping[str, int] | None = None
        """How many facts there were of what complex rules match, when they were last laid out; None before the next update."""
        self._note = ""
        """What was decided between updates, for the next one to tell."""
        self._marks: Marks[FactSet] = Marks()

    @property
    def store(self) -> Store:
        """The tables as they are now; another store takes their place when all is materialised anew."""
        return self.algebra.store

    @property
    def strata(self) -> Stratification:
        """The rules that are evaluated."""
        return self.layout.strata

    @property
    def hidden(self) -> Collection[str]:
        """Predicates that only the layout has."""
        return self.layout.hidden

    def _new_store(self) -> Store:
        store = Store(self.dictionary)
        store.add_predicates(self.arities)
        return store

    def _new_layout(self, store: Store) -> Layout:
        """The layout for a store that has its given facts; what can be derived is judged by the present facts."""
        if not self.layouts.vary:
            return self.layout
        return self.layouts.fitting(Either(StoreStatistics(store), StoreStatistics(self.store)))

    def _new_algebra(self, store: Store, layout: Layout) -> EmbeddedAlgebra:
        store.add_predicates(layout.hidden)
        algebra = EmbeddedAlgebra(store, layout.strata, on_round=self.on_round, max_facts=self.max_facts)
        algebra.kept = Kept(store, algebra.sets, layout.strata, layout.shadows, layout.forests)
        return algebra

    def add_predicate(self, predicate: str, arity: int) -> None:
        """Make a predicate known, if it is not."""
        self.arities.setdefault(predicate, arity)
        self.store.table(predicate, arity)

    # Changing

    def materialise(self, explicit: Sequence[Batch], *, counting: bool = False) -> Statistics:
        """The first materialisation, with all derivations counted or not; call once, on a new engine."""
        with self.work:
            started = time.perf_counter()
            for batch in explicit:
                make_explicit(self.store, batch)
            if self.layouts.vary and any(table.count for table in self.store):
                self.layout = self._new_layout(self.store)
                self.algebra = self._new_algebra(self.store, self.layout)
            self.algebra.statistics.algorithm = "seminaive"
            self._learn(self.algebra, started, counting)
            return self.algebra.statistics

    def restore(self, held: Mapping[str, Held]) -> None:
        """Go on from what was materialised before; call once, on an engine without facts."""
        with self.work:
            self._leave_closures("the ranks to go on from are by the rules as written")
            for predicate, facts in held.items():
                make_present(self.store, predicate, facts)
                self.explicit += int(np.count_nonzero(facts.explicit))
                self.algebra.ranks_hold &= facts.rank is not None
            self.algebra.trace.forget()
            for table in self.store:
                table.settle()

    def _expect(self, insert: Batch) -> None:
        """The first facts are about to come: lay the rules out for them."""
        if not self.layouts.vary:
            return
        store = self._new_store()
        make_explicit(store, insert)
        layout = self._new_layout(store)
        if layout.hidden or self.hidden:
            self._anew(NOTHING, "to lay the rules out", layout)
        else:
            self.layout = replace(layout, strata=self.strata)

    def _ranks_hold(self) -> bool:
        return self.algebra.ranks_hold

    def _leave_closures(self, reason: str) -> None:
        """Have closures evaluated by the rules as they were written."""
        if self.layout.shadows:
            self.layouts = self.layouts.without_closures()
            self._anew(NOTHING, reason, self.layouts.first())

    def _begin_times(self) -> None:
        self._leave_closures("closures are not kept for a time")
        self.has_times = True
        self.algebra.expiries_hold = self.algebra.ranks_hold

    def _expiries_hold(self) -> bool:
        return self.algebra.expiries_hold if self.has_times else self.algebra.ranks_hold

    def _anew(self, encoded: Encoded, reason: str, layout: Layout | None = None, *, expiring: bool = False) -> Result:
        """Materialise for the changed explicit facts, in a store of its own that takes the place of the present one.

        Rows that hold no fact any more are left behind with the old store. The rules are laid out anew, too, unless a layout is
        given.
        """
        started = time.perf_counter()
        store, now = self._new_store(), self.time_after(encoded.timing)
        for table in self.store:
            if table.predicate not in self.hidden:
                copy_explicit(store, table, encoded.delete, encoded.timing, now)
        make_explicit(store, encoded.insert, encoded.timing, now)
        layout = layout or self._new_layout(store)
        expiring = expiring and self.has_times
        algebra = self._new_algebra(store, layout)
        algebra.statistics = Statistics(ANEW, reason)
        algebra.ranks_hold, algebra.expiries_hold = not expiring, expiring
        self._learn(algebra, started, expiring=expiring)
        inserted, deleted = difference(store, self.store, layout.hidden), difference(self.store, store, self.hidden)
        with self.commit:
            self.algebra, self.layout, self.now = algebra, layout, now
        self._sizes = None
        return inserted, deleted, algebra.statistics

    def _learn(self, algebra: EmbeddedAlgebra, started: float, counting: bool = False, *, expiring: bool = False) -> None:
        """Materialise, and take note of what it cost."""
        explicit = sum(table.present for table in algebra.store)
        algebra.statistics.notes += [f"{taken.module}: {taken.reason}" for taken in self.layouts.assignment.taken]
        algebra.kept.shadow_all()
        if counting and not algebra.kept.trees:  # those come with their strata, when it is too late to count them
            seminaive_counting(algebra, I)
        elif expiring:
            algebra.set_expiries(algebra.given(algebra.facts(E)))
            seminaive_expiry(algebra)
        else:
            seminaive(algebra)
        for table in algebra.store:
            table.settle()
            if table.times is not None:
                table.times.schedule(table.facts())
        self.explicit = explicit
        self._chooser.learn_full(algebra.statistics, time.perf_counter() - started, explicit)

    def _maintain(self, algorithm: str, encoded: Encoded, reason: str, budget: int | None, ahead: Ahead | None) -> Result:
        """Run one of `_ALGORITHMS` or `MARKING` and commit what it found."""
        algebra = self.algebra
        algebra.statistics = Statistics(algorithm, reason)
        if self._note:
            algebra.statistics.notes.append(self._note)
            self._note = ""
        algebra.budget = budget
        if algorithm != self._algorithm:
            algebra.bits.forget()
            self._algorithm = algorithm
        now, expiring = self.time_after(encoded.timing), algorithm == EXPIRY
        with self._transaction():
            given = timed(algebra, encoded, now, expiring=expiring) if self.has_times else untimed(algebra, encoded)
            update = given.update
            if algorithm in MARKING:
                with self._marks.looking(algebra, ahead, partial(known, algebra)):
                    MARKING[algorithm](algebra, self._marks.marked(algebra, update), self.marking)
            elif algorithm == "fbf":
                fbf(algebra, update, self.abort)
            else:
                self._able(algorithm)(algebra, update)
            if self.has_times:
                algebra.ranks_hold, algebra.expiries_hold = algebra.ranks_hold and not expiring, expiring
            inserted, deleted = algebra.sets.inserted, algebra.sets.deleted
            result = changed(inserted, self.hidden, given.now_explicit), changed(deleted, self.hidden), algebra.statistics
            if self.layout.shadows:  # more has become explicit meanwhile, for nobody to see
                given = Given(update, algebra.facts(update.insert), algebra.facts(update.delete))
            before = self.explicit - self._hidden_of(given.now_explicit) + self._hidden_of(given.no_longer)
            explicit = given.no_longer, given.now_explicit, before
            self._commit = Commit(deleted, inserted, *explicit, algebra.sets.retimed(), now)
        return result

    def _hidden_of(self, facts: FactSet) -> int:
        """How many of some facts nobody sees."""
        return sum(row_count(rows) for table, rows in facts if table.predicate in self.hidden) if self.layout.shadows else 0

    def tidy(self) -> None:
        with self.work:
            self._settle()
            if not is_due(self.store, self.dead_rows):
                return
            old = self.algebra
            if self.hidden:
                self._anew(NOTHING, "to leave dead rows behind", expiring=self.has_times and old.expiries_hold)
                return
            algebra = self._new_algebra(tidied(self.store), self.layout)
            algebra.ranks_hold, algebra.expiries_hold = old.ranks_hold, old.expiries_hold
            with self.commit:
                self.algebra, self.dictionary = algebra, algebra.store.dictionary

    def _able(self, algorithm: str) -> Callable[[Any, Update], None]:
        """The algorithm, or what stands in for it where the rules it would rewrite are not all there is."""
        if algorithm != "rewriting" or not self.algebra.kept.trees:
            return _ALGORITHMS[algorithm]
        self.algebra.statistics.notes.append(f"dred instead of rewriting: {SYMMETRIC} closures follow from more than rules")
        return _ALGORITHMS["dred"]

    def _begin(self, delete: Batch) -> None:
        self._marks.begin(self.algebra, delete)
        self._replan()

    def _replan(self) -> None:
        """Lay the rules out anew if the facts have become others than they were laid out for, and that pays."""
        if not self.layout.matched or not self.layouts.vary or self.has_times:
            return
        sizes = {predicate: self.count(predicate) for predicate in self.layout.matched}
        if self._sizes is None:
            self._sizes = sizes
        grown = drifted(self._sizes, sizes)
        if grown is None:
            return
        before, self._sizes = self._sizes, sizes
        statistics = StoreStatistics(self.store)
        layout, present = self.layouts.fitting(statistics), cost_now(self.layout, statistics)
        if is_better(layout.cost, present):
            self._anew(NOTHING, "to split rules anew", layout)
            self._note = (
                f"rules were split anew, since {grown} has {sizes[grown]:,} facts and had {before[grown]:,}: "
                f"expected to cost {layout.cost:,.0f} bindings instead of {present:,.0f}"
            )

    def _remember(self) -> None:
        self._commit, self._held = None, (self.algebra.ranks_hold, self.algebra.expiries_hold)
        self.algebra.sets.recording = True

    def _settle(self) -> None:
        """End an update: make its commit true, or without one make everything as before.

        Doing so once more does no harm. Should it be interrupted again and again, the next update begins with it.
        """
        if not self._unsettled:
            return
        algebra = self.algebra
        with self.commit:
            if self._commit is not None:
                self._commit.apply()
                self.explicit, self.now = self._commit.explicit, self._commit.now
                for table in self.store:
                    if table.times is not None:
                        table.times.forget(self.now)
                algebra.trace.keep(same=not self._commit.steps)
            else:
                algebra.sets.restore()
                algebra.trace.restore()
                algebra.ranks_hold, algebra.expiries_hold = self._held
        algebra.sets.end()
        self._unsettled = False

    # Reading

    @property
    def predicates(self) -> Collection[str]:
        """All predicates, hidden ones too."""
        return self.store.tables

    def embedded(self) -> EmbeddedEngine:
        return self

    def table(self, predicate: str) -> Table:
        return self.store.tables[predicate]

    def count(self, predicate: str) -> int:
        return self.table(predicate).present

    def total(self, predicates: Iterable[str]) -> int:
        """How many facts of these predicates hold, all at one moment."""
        with self.commit:
            return sum(map(self.count, predicates))

    def columns(self, predicate: str, *, explicit: bool = False) -> tuple[list[Ids], int]:
        """A copy of the facts of a predicate, or of those that are explicit, and how many they are."""
        mask = EXPLICIT if explicit else PRESENT
        with self.commit:
            table = self.table(predicate)
            count = table.count  # first: what an update appends meanwhile is not present
            if mask == PRESENT and table.present == count:
                return [column[:count].copy() for column in table.columns], count
            rows = table.facts(mask | PRESENT)
            return [column[rows] for column in table.columns], len(rows)

    def holds(self, predicate: str, ids: Sequence[int]) -> bool:
        """Whether a fact holds."""
        return bool(self.flags_of(predicate, ids) & PRESENT)

    def flags_of(self, predicate: str, ids: Sequence[int]) -> int:
        """The flags of one fact, 0 if there is no such row."""
        with self.work:
            table = self.table(predicate)
            rows, known = table.find([np.array([i], np.uint32) for i in ids], 1)
            return int(table.flags[rows[0]]) if known[0] else 0

    def places(self, predicate: str, columns: Columns) -> tuple[Expiries, Ranks]:
        """The expiries and ranks of facts that hold, by which every fact comes after those it is derived from."""
        table = self.table(predicate)
        rows, _ = table.find(columns, batch_length(columns, table.arity))
        timed = table.times is not None and self.has_times and self.algebra.expiries_hold
        return table.times.expiry[rows] if timed and table.times else np.full(len(rows), NEVER), table.rank[rows]

    def place_of(self, predicate: str, ids: Sequence[int]) -> tuple[float, int] | None:
        """That of one fact; None if it does not hold."""
        with self.work:
            if not self.flags_of(predicate, ids) & PRESENT:
                return None
            if not (self.has_times and self.algebra.expiries_hold):
                self.restore_ranks()
            expiries, ranks = self.places(predicate, [np.array([i], np.uint32) for i in ids])
            return float(expiries[0]), int(ranks[0])

    def rank_of(self, predicate: str, ids: Sequence[int]) -> int | None:
        """The rank of one fact; None if it does not hold."""
        with self.work:
            if not self.flags_of(predicate, ids) & PRESENT:
                return None
            self.restore_ranks()
            return int(self.places(predicate, [np.array([i], np.uint32) for i in ids])[1][0])

    def expiry_of(self, predicate: str, ids: Sequence[int]) -> float | None:
        """Until when one fact holds if nothing changes but the time; None if it does not hold."""
        with self.work:
            if not self.flags_of(predicate, ids) & PRESENT:
                return None
            if self.has_times:
                self.restore_expiries()
            return float(self.places(predicate, [np.array([i], np.uint32) for i in ids])[0][0])

    @property
    def nodes(self) -> Nodes:
        """What the hidden predicates of nodes hold."""
        with self.commit:
            tables = [self.table(predicate) for predicate in self.hidden]
            return Nodes(sum(table.present for table in tables), sum(table.nbytes for table in tables))

    @property
    def nbytes(self) -> int:
        """Bytes in use by facts."""
        return self.store.nbytes
