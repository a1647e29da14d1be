"""The Spark engine: one materialisation on a cluster, driven from this process.

Facts lie on the cluster as runs; the driver keeps what it has met, which is what an update of ordinary size is worked out on
(`tables`). An update that outgrows the driver is given up, and everything is derived anew on the cluster. Locks are as in the
embedded engine: `commit` is held while facts appear and vanish and while they are copied out, `work` by who changes anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.engines.embedded.batches import Batch, Encoded, batch_length
from tidelog.engines.embedded.engine import EmbeddedEngine
from tidelog.engines.marks import MARKING, Marks
from tidelog.engines.spark.algebra import SparkAlgebra
from tidelog.engines.spark.changed import Reader, copy, decoded, difference, of_few
from tidelog.engines.spark.facts import Expiries, FactSet, Few, TooLarge
from tidelog.engines.spark.frames import Cluster
from tidelog.engines.spark.loading import load, make_explicit, rows_of
from tidelog.engines.spark.lookup import meet
from tidelog.engines.spark.places import Inexact, unknown
from tidelog.engines.spark.rewriting import rewriting
from tidelog.engines.spark.tables import State, Tables
from tidelog.engines.spark.terms import Terms
from tidelog.engines.spark.times import Change, timed, untimed
from tidelog.engines.spark.touched import Touched, touched
from tidelog.engines.spark.truth import EXPLICIT, PRESENT, STATE
from tidelog.engines.updating import ALGORITHMS, EXPIRY, NOTHING, Abandoned, Ahead, Nodes, OnRound, Result, UpdatingEngine
from tidelog.errors import LimitExceeded, SetupError
from tidelog.facts.dictionary import Dictionary
from tidelog.facts.kernel import Ids
from tidelog.maintain.algebra import Statistics, Update
from tidelog.maintain.choice import ANEW
from tidelog.maintain.counting import seminaive_counting
from tidelog.maintain.expiry import seminaive_expiry
from tidelog.maintain.fbf import fbf
from tidelog.maintain.given import Given
from tidelog.maintain.seminaive import seminaive
from tidelog.maintain.sets import PRESENT as I
from tidelog.plan.layout import Layouts
from tidelog.plan.modules import EVERYTHING_STANDARD
from tidelog.program import Program

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ALGORITHMS: Mapping[str, Callable[[Any, Update], None]] = {**ALGORITHMS, "rewriting": rewriting}
_COPIED = 2_000_000
"""How many facts are copied for questions and proofs."""
FEW = 5_000
"""How many facts, or rule instances, of one step the driver takes."""


class SparkEngine(UpdatingEngine):
    """Frames, and the algorithms that keep them true."""

    def __init__(
        self,
        program: Program,
        arities: Mapping[str, int],
        session: SparkSession,
        *,
        single: bool = False,
        few: int = FEW,
        partitions: int | None = None,
        on_round: OnRound | None = None,
        max_facts: int | None = None,
        checkpoints: str | None = None,
    ) -> None:
        super().__init__(arities)
        self.program, self.single = program, single
        self.strata = program.stratify(single=single)
        self.few, self.on_round, self.max_facts = few, on_round, max_facts
        self.cluster = Cluster(session, partitions, checkpoints)
        self.dictionary = Dictionary()
        self.terms = Terms(self.dictionary)
        self.algebra = self._new_algebra()
        self._commit: list[tuple[State, int]] | None = None
        """The flags that facts are going to have, once that is known."""
        self._held = True, True
        """Whether ranks held when the running update began, and expiries."""
        self._after = 0, self.now
        """How many facts are going to be explicit, and what time it is going to be."""
        self._marks: Marks[FactSet] = Marks()
        self.touched: Touched | None = None
        """What the last update touched; None if everything was derived anew."""
        self.kept = False
        """Whether a warehouse keeps the facts; it does not keep times."""

    def _new_algebra(self) -> SparkAlgebra:
        tables = Tables(self.cluster)
        if self.has_times:
            tables.keep_times()
        for predicate, arity in self.arities.items():
            tables.add(predicate, arity)
        return SparkAlgebra(tables, self.strata, self.terms, few=self.few, on_round=self.on_round, max_facts=self.max_facts)

    def add_predicate(self, predicate: str, arity: int) -> None:
        """Make a predicate known, if it is not."""
        self.arities.setdefault(predicate, arity)
        self.algebra.tables.add(predicate, arity)

    # Changing

    def materialise(self, explicit: Sequence[Batch], *, counting: bool = False) -> Statistics:
        """The first materialisation; call once, on a new engine."""
        with self.work:
            started = time.perf_counter()
            for batch in explicit:
                make_explicit(self.algebra.tables, self.algebra.tables, self.terms, Encoded(batch, {}), self.now, self.few)
            self.algebra.statistics.algorithm = "seminaive"
            try:
                self._learn(self.algebra, started, counting)
            except Inexact:
                self.terms.careful = True
                self._anew(NOTHING, "since conditions meet more than small integers", counting=counting)
            return self.algebra.statistics

    def _update(self, algorithm: str, encoded: Encoded, ahead: Ahead | None, reason: str) -> Result:
        """Once more, and carefully from then on, if conditions meet what SQL cannot calculate with."""
        while True:
            try:
                return super()._update(algorithm, encoded, ahead, reason)
            except Inexact:
                if self.terms.careful:
                    raise unknown() from None
                self.terms.careful = True

    def load(self, frames: Mapping[str, DataFrame]) -> None:
        """Take over a materialisation that is there: frames of c0, c1, ..., explicit, rank."""
        with self.work:
            self.explicit += load(self.algebra.tables, frames)

    def reload(self, frames: Mapping[str, DataFrame]) -> None:
        """Take over a materialisation in the place of what is here, which may have been lost."""
        with self.work:
            self._unsettled = False
            algebra = self._new_algebra()
            explicit = load(algebra.tables, frames)
            with self.commit:
                self.algebra, self.explicit, self.touched, self._marks = algebra, explicit, None, Marks()

    def _ranks_hold(self) -> bool:
        return self.algebra.ranks_hold

    def _begin_times(self) -> None:
        if self.kept:
            hint = "leave the warehouse out, or insert the facts for good and delete them"
            raise SetupError(f"facts that hold for a time only are not kept in warehouses\n    hint: {hint}")
        self.has_times = True
        self.algebra.tables.keep_times()
        self.algebra.expiries_hold = self.algebra.ranks_hold

    def _expiries_hold(self) -> bool:
        return self.algebra.expiries_hold if self.has_times else self.algebra.ranks_hold

    def _restore_for(self, algorithm: str) -> str:
        self._settle()
        if algorithm == "counting" and self.algebra.trace.stale:
            self._anew(NOTHING, "to count all derivations", counting=True)
            return f"; {self.algebra.statistics.reason.partition('; ')[2]}"
        return super()._restore_for(algorithm)

    def _anew(self, encoded: Encoded, reason: str, *, expiring: bool = False, counting: bool = False) -> Result:
        """Materialise for the changed explicit facts, in tables of their own that take the place of the present ones."""
        started = time.perf_counter()
        algebra = self._new_algebra()
        algebra.statistics = Statistics(ANEW, reason)
        old, now = self.algebra.tables, self.time_after(encoded.timing)
        expiring = expiring and self.has_times
        algebra.ranks_hold, algebra.expiries_hold = not expiring, expiring
        try:
            make_explicit(algebra.tables, old, self.terms, encoded, now, self.few)
            self._learn(algebra, started, counting, expiring=expiring)
            inserted, deleted = difference(algebra.tables, old, self.terms, self.few)
        except BaseException:
            algebra.release()
            raise
        with self.commit:
            before, self.algebra, self.now = self.algebra, algebra, now
        before.release()
        self.touched = None
        self.cluster.sweep()
        return inserted, deleted, algebra.statistics

    def _learn(self, algebra: SparkAlgebra, started: float, counting: bool = False, *, expiring: bool = False) -> None:
        """Materialise, and take note of what it cost."""
        explicit = algebra.tables.present
        if counting:
            seminaive_counting(algebra, I)
        elif expiring:
            seminaive_expiry(algebra)
        else:
            algebra.building = True
            seminaive(algebra)
            algebra.building = False
        algebra.tables.tidy(self.few)
        self.explicit = explicit
        self._chooser.learn_full(algebra.statistics, time.perf_counter() - started, explicit)

    def _maintain(self, algorithm: str, encoded: Encoded, reason: str, budget: int | None, ahead: Ahead | None) -> Result:
        algebra = self.algebra
        algebra.statistics = Statistics(algorithm, reason)
        algebra.budget = budget
        now, expiring = self.time_after(encoded.timing), algorithm == EXPIRY
        if expiring:
            algebra.tables.keep_times()
        try:
            with self._transaction():
                change = self._change(encoded)
                given = timed(algebra, change, now, expiring=expiring) if self.has_times else untimed(algebra, change)
                update = given.update
                if algorithm in MARKING:
                    with self._marks.looking(algebra, ahead, self._known):
                        MARKING[algorithm](algebra, self._marks.marked(algebra, update), self.marking)
                elif algorithm == "fbf":
                    fbf(algebra, update, self.abort)
                else:
                    _ALGORITHMS[algorithm](algebra, update)
                if self.has_times:
                    algebra.ranks_hold, algebra.expiries_hold = algebra.ranks_hold and not expiring, expiring
                result = self._conclude(given, now)
        except TooLarge:
            raise Abandoned(algebra.statistics.instances) from None
        algebra.tables.tidy(self.few)
        self.cluster.sweep()
        return result

    def _conclude(self, given: Given[FactSet], now: float) -> Result:
        """What the update changes, worked out in full before anything of it becomes true."""
        algebra = self.algebra
        _, now_explicit, no_longer = given
        steps: dict[int, tuple[State, int]] = {}
        for facts, clear, put in (
            (algebra.deleted, PRESENT, 0),
            (algebra.inserted, 0, PRESENT),
            (no_longer, EXPLICIT, 0),
            (now_explicit, 0, EXPLICIT),
        ):
            for predicate, few in facts.few():
                met = algebra.tables[predicate].met
                for row in few:
                    state = met[row]
                    flags = steps.get(id(state), (state, state.flags))[1]
                    steps[id(state)] = state, flags & ~clear | put
        result = (
            of_few(algebra.tables, algebra.inserted, self.terms, now_explicit),
            of_few(algebra.tables, algebra.deleted, self.terms, None),
            algebra.statistics,
        )
        if self.touched is not None:
            self.touched = touched(algebra.tables, steps, algebra.overwritten)
        self._after = self.explicit + len(now_explicit) - len(no_longer), now
        self._commit = list(steps.values())
        return result

    def _remember(self) -> None:
        self._commit, self._held = None, (self.algebra.ranks_hold, self.algebra.expiries_hold)
        self.algebra.overwritten.clear()

    def _settle(self) -> None:
        """End an update: make its commit true, or without one make everything as before. Once more does no harm."""
        if not self._unsettled:
            return
        algebra = self.algebra
        with self.commit:
            if self._commit is not None:
                for state, flags in self._commit:
                    state.flags = flags & STATE
                self.explicit, self.now = self._after
                algebra.trace.keep(same=not self._commit)
            else:
                for state, rank, expiry, since in reversed(algebra.overwritten):
                    state.rank, state.expiry, state.given = rank, expiry, since
                algebra.ranks_hold, algebra.expiries_hold = self._held
                algebra.trace.restore()
            algebra.tables.forget()
        algebra.overwritten.clear()
        algebra.inserted = algebra.deleted = algebra.empty()
        self._unsettled = False

    def _begin(self, delete: Batch) -> None:
        self.touched = {}
        self._marks.begin(self.algebra, delete)

    def _known(self, batch: Batch) -> FactSet:
        return self.algebra.known(self._few(batch))

    def _change(self, encoded: Encoded) -> Change:
        """An update's facts, in the driver."""
        timing, batches = encoded.timing, (encoded.insert, encoded.delete, encoded.timing.release)
        insert, delete, release = map(self._few, batches)
        expiries: dict[str, Expiries] = {}
        for predicate, times in timing.expiries.items():
            until = expiries[predicate] = {}
            for row, time_ in zip(rows_of(encoded.insert[predicate], self.terms), times.tolist(), strict=True):
                until[row] = max(time_, until.get(row, time_))
        return Change(insert, delete, release, expiries)

    def _few(self, batch: Batch) -> dict[str, Few]:
        """The facts of a batch, in the driver."""
        for predicate, columns in batch.items():
            if batch_length(columns, self.arities[predicate]) > 4 * self.few:
                raise TooLarge
        return {predicate: dict.fromkeys(rows_of(columns, self.terms), 0) for predicate, columns in batch.items()}

    # Reading

    @property
    def predicates(self) -> Collection[str]:
        return self.algebra.tables

    @property
    def hidden(self) -> Collection[str]:
        return ()

    @property
    def nodes(self) -> Nodes:
        return Nodes(0, 0)

    def embedded(self) -> EmbeddedEngine:
        """A copy of all facts, as long as they fit the driver."""
        with self.work:
            self.restore_ranks()
            tables = self.algebra.tables
            if tables.present > _COPIED:
                hint = "read what you need from `to_spark()`, or keep a smaller materialisation for questions and proofs"
                raise LimitExceeded(
                    f"questions and proofs need a copy of all {tables.present:,} facts in this process\n    hint: {hint}"
                )
            layouts = Layouts(self.program, EVERYTHING_STANDARD, self.single)
            engine = copy(layouts, self.arities, self.dictionary, tables, Reader(self.terms))
            engine.now, engine.has_times = self.now, self.has_times
            engine.algebra.expiries_hold = self.algebra.expiries_hold
            return engine

    def count(self, predicate: str) -> int:
        return self.algebra.tables[predicate].present

    def total(self, predicates: Iterable[str]) -> int:
        """How many facts of these predicates hold, all at one moment."""
        with self.commit:
            return sum(map(self.count, predicates))

    def given(self, predicates: Iterable[str]) -> int:
        """How many explicit facts of these predicates there are, without a look at them if that is all predicates."""
        wanted = set(predicates)
        return self.explicit if wanted >= set(self.predicates) else super().given(wanted)

    def columns(self, predicate: str, *, explicit: bool = False) -> tuple[list[Ids], int]:
        """A copy of the facts of a predicate, or of its explicit facts, and how many they are."""
        with self.commit:
            return Reader(self.terms).columns(self.algebra.tables[predicate], explicit=explicit)

    def frame(self, predicate: str) -> DataFrame:
        """What holds, as a frame of c0, c1, ..., explicit, rank."""
        with self.commit:
            table = self.algebra.tables[predicate]
            columns = ", ".join([*table.columns[: table.arity], "x AS explicit", "r AS rank"])
            return self.cluster.sql(f"SELECT {columns} FROM ({table.now_sql()})")

    def decoded(self, predicate: str) -> DataFrame:
        with self.commit:
            return decoded(self.algebra.tables[predicate], self.terms)

    def holds(self, predicate: str, ids: Sequence[int]) -> bool:
        with self.work:
            return bool(self._state(predicate, ids).flags & PRESENT)

    def rank_of(self, predicate: str, ids: Sequence[int]) -> int | None:
        """The rank of one fact; None if it does not hold."""
        with self.work:
            if not self.holds(predicate, ids):
                return None
            self.restore_ranks()
            return self._state(predicate, ids).rank

    def expiry_of(self, predicate: str, ids: Sequence[int]) -> float | None:
        """Until when one fact holds if nothing changes but the time; None if it does not hold."""
        with self.work:
            if not self.holds(predicate, ids):
                return None
            if self.has_times:
                self.restore_expiries()
            return self._state(predicate, ids).expiry

    def _state(self, predicate: str, ids: Sequence[int]) -> State:
        row = tuple(self.terms.wide(np.array(ids, np.uint32)).tolist()) or (0,)
        meet(self.algebra.tables, {predicate: {row: 0}})
        state = self.algebra.tables.state(predicate, row)
        self.algebra.tables.forget()
        return state
