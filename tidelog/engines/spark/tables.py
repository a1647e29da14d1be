"""Where facts are: runs on the cluster, and what the driver has met.

A predicate's facts lie in *runs*: frames of ids, a row for each fact, disjoint, all partitioned alike by a hash of the whole
fact. Beside them the driver keeps the states of the facts it has met: those that the running update is about, and those that
differ from what the runs say, since runs are not rewritten for a small change. What differs becomes a run, or is taken out of
them, when there is enough of it (`Table.settle`).

    columns of a run    c0, c1, ...   ids (a predicate without columns has one, which is 0)
                        x             explicit
                        r             rank
                        e, g          until when it holds, and was given; only where facts hold for a time
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tidelog.engines.spark.frames import Cell, Cluster, Frame, literal
from tidelog.engines.spark.truth import EXPLICIT, PRESENT, STATE
from tidelog.facts.times import NEVER

Row: TypeAlias = tuple[int, ...]

_MANY_RUNS = 4
"""So many runs are put together when an update is over."""
_MANY_WHILE_BUILDING, _OF_THEM = 12, 8
"""While a materialisation is built, each round adds one: of so many, the smallest are put together."""
FOREVER = literal(NEVER, "double")

Stored: TypeAlias = tuple[int, int, float, float]
"""What a run says of a fact: its flags, rank, expiry, and the expiry with which it was given."""


@dataclass(slots=True)
class State:
    """What the driver knows of one fact."""

    flags: int
    """Of `truth`: present, explicit, and the working sets that it is in."""
    rank: int
    stored: Stored | None = None
    """What the runs say of it, if it is in one."""
    expiry: float = NEVER
    """Until when it holds if nothing changes but the time."""
    given: float = NEVER
    """Until when it is explicit, if it is."""

    @property
    def now(self) -> Stored:
        return self.flags & STATE, self.rank, self.expiry, self.given

    @property
    def differs(self) -> bool:
        """Whether the runs do not tell the truth about it."""
        if not self.flags & PRESENT:
            return self.stored is not None
        return self.stored != self.now


@dataclass(slots=True, eq=False)
class Run:
    """Facts of one predicate on the cluster."""

    frame: Frame
    explicit: bool | None = None
    """Whether all are explicit, or none; None: the column `x` says it."""
    rank: int | None = None
    """The rank of all; None: the column `r` says it."""
    times: tuple[str, str] = (FOREVER, FOREVER)
    """What says until when its facts hold, and were given."""

    def select(self, columns: Sequence[str], timed: bool = False) -> str:
        x = "x" if self.explicit is None else f"{literal(self.explicit)} AS x"
        r = "r" if self.rank is None else f"{self.rank} AS r"
        times = f", {self.times[0]} AS e, {self.times[1]} AS g" if timed else ""
        return f"SELECT {', '.join(columns)}, {x}, {r}{times} FROM {self.frame.name}"


@dataclass(slots=True, eq=False)
class Table:
    """The facts of one predicate."""

    predicate: str
    arity: int
    cluster: Cluster
    runs: list[Run] = field(default_factory=list)
    met: dict[Row, State] = field(default_factory=dict)
    timed: bool = False
    """Whether facts may hold for a time only."""

    @property
    def columns(self) -> list[str]:
        return [f"c{i}" for i in range(max(1, self.arity))]

    @property
    def stored(self) -> int:
        """How many rows the runs have."""
        return sum(run.frame.rows for run in self.runs)

    @property
    def present(self) -> int:
        """How many facts hold."""
        change = sum(bool(s.flags & PRESENT) - (s.stored is not None) for s in self.met.values())
        return self.stored + change

    def runs_sql(self, without: Frame | None = None) -> str | None:
        """All rows of the runs; None if there are none."""
        selects = [run.select(self.columns, self.timed) for run in self.runs if run.frame.rows and run.frame is not without]
        return f"({' UNION ALL '.join(selects)})" if selects else None

    def now_sql(self, *, explicit: bool = False) -> str:
        """What holds, with the differences that the driver knows of."""
        names, types = [*self.columns, *self.annotations], self.annotated_types
        differing = {row: state for row, state in self.met.items() if state.differs}
        here = [
            self.annotated(row, s) for row, s in differing.items() if s.flags & PRESENT and (s.flags & EXPLICIT or not explicit)
        ]
        gone = [row for row, s in differing.items() if s.stored is not None]
        parts = [f"SELECT {', '.join(names)} FROM {self.cluster.rows(names, types, here)}"] if here else []
        runs = self.runs_sql()
        if runs is not None:
            where = " WHERE x" if explicit else ""
            stored = f"SELECT * FROM {runs} b{where}"
            if gone:
                minus = self.cluster.rows(self.columns, self.types(), gone)
                stored = f"SELECT /*+ BROADCAST(m) */ b.* FROM ({stored}) b LEFT ANTI JOIN {minus} m ON {self.same('b', 'm')}"
            parts.append(stored)
        return " UNION ALL ".join(parts) or f"SELECT * FROM {self.cluster.rows(names, types, [])}"

    @property
    def annotations(self) -> list[str]:
        """The columns that say what is known of a fact."""
        return ["x", "r", "e", "g"] if self.timed else ["x", "r"]

    @property
    def annotated_types(self) -> list[str]:
        return self.types("boolean", "int", *(["double", "double"] if self.timed else []))

    def annotated(self, row: Row, state: State) -> tuple[Cell, ...]:
        """A fact as a row of a run."""
        times = (state.expiry, state.given) if self.timed else ()
        return (*row, bool(state.flags & EXPLICIT), state.rank, *times)

    def types(self, *more: str) -> list[str]:
        return ["bigint"] * max(1, self.arity) + list(more)

    def same(self, left: str, right: str) -> str:
        """That two relations speak of the same fact."""
        return " AND ".join(f"{left}.{column} = {right}.{column}" for column in self.columns)

    # Changing

    def meet(self, row: Row) -> State:
        """The state of a fact that is in no run."""
        state = self.met.get(row)
        if state is None:
            state = self.met[row] = State(0, 0)
        return state

    def append(self, frame: Frame, *, explicit: bool | None = None, rank: int | None = None) -> Run:
        """A run of facts that are in no other."""
        run = Run(frame, explicit, rank)
        self.runs.append(run)
        return run

    def merge(self) -> None:
        """Put runs together when they are many: the small ones into one, the large one too if they have caught up with it."""
        if len(self.runs) < _MANY_RUNS:
            return
        runs = sorted(self.runs, key=lambda run: run.frame.rows, reverse=True)
        small = sum(run.frame.rows for run in runs[1:])
        self._put_together(runs if 2 * small >= runs[0].frame.rows else runs[1:])

    def merge_smallest(self, keep: Frame) -> None:
        """The same between two rounds: reading many runs costs no more than reading one, so large ones are left alone.

        One frame is still in use as what it is.
        """
        if len(self.runs) >= _MANY_WHILE_BUILDING:
            runs = sorted((run for run in self.runs if run.frame is not keep), key=lambda run: run.frame.rows)
            self._put_together(runs[:_OF_THEM])

    def _put_together(self, runs: Sequence[Run]) -> None:
        statement = " UNION ALL ".join(run.select(self.columns, self.timed) for run in runs)
        frame = self.cluster.hold(self.cluster.sql(statement))
        self.runs = [*(run for run in self.runs if run not in runs), self._whole(frame)]
        for run in runs:
            run.frame.release()

    def make_room(self, few: int, keep: Mapping[Row, object]) -> None:
        """While a materialisation is built: only new facts are in the driver, and all but the newest can go."""
        if len(self.met) > few + len(keep):
            if any(state.stored is not None and state.differs for state in self.met.values()):
                self._rewrite(keep)
                return
            others = [(row, state) for row, state in self.met.items() if row not in keep]
            self._spill([(row, state) for row, state in others if state.flags & PRESENT and state.stored is None])
            self.met = {row: state for row, state in self.met.items() if row in keep}
            self.merge()

    def tidy(self, few: int) -> None:
        """Move what the driver keeps to the cluster where it has become much, and put runs together."""
        new = [(row, state) for row, state in self.met.items() if state.flags & PRESENT and state.stored is None]
        changed = sum(state.differs for state in self.met.values()) - len(new)
        if changed > few:
            self._rewrite()
        elif len(new) > few:
            self._spill(new)
        self.merge()

    def _spill(self, new: Sequence[tuple[Row, State]]) -> None:
        """New facts become a run."""
        rows = [self.annotated(row, state) for row, state in new]
        relation = self.cluster.rows([*self.columns, *self.annotations], self.annotated_types, rows)
        self.runs.append(self._whole(self.cluster.hold(self.cluster.sql(self._spread(f"SELECT * FROM {relation}")))))
        for row, _ in new:
            del self.met[row]

    def _rewrite(self, keep: Mapping[Row, object] | None = None) -> None:
        """Everything becomes one run, for which the driver need not know better; what it is to keep, it still knows."""
        frame = self.cluster.hold(self.cluster.sql(self._spread(self.now_sql())))
        old, self.runs = self.runs, [self._whole(frame)]
        self.met = {row: state for row, state in self.met.items() if row in (keep or {})}
        for state in self.met.values():
            state.stored = state.now if state.flags & PRESENT else None
        for run in old:
            run.frame.release()

    def overtake(self, frame: Frame) -> None:
        """A run with all columns there are, whose facts take the place of what they were before."""
        before = f"SELECT b.* FROM ({self.now_sql()}) b LEFT ANTI JOIN {frame.name} h ON {self.same('b', 'h')}"
        rest = self.cluster.hold(self.cluster.sql(self._spread(before)))
        old, self.runs, self.met = self.runs, [self._whole(rest), self._whole(frame)], {}
        for run in old:
            run.frame.release()

    def _whole(self, frame: Frame) -> Run:
        """A run with all columns there are."""
        return Run(frame, times=("e", "g")) if self.timed else Run(frame)

    def _spread(self, statement: str) -> str:
        return self.cluster.spread(statement, self.columns)

    def forget(self) -> None:
        """Working sets are empty; what the driver knows no better than the runs it need not know."""
        for state in self.met.values():
            state.flags &= STATE
        self.met = {row: state for row, state in self.met.items() if state.differs}

    def release(self) -> None:
        for run in self.runs:
            run.frame.release()
        self.runs, self.met = [], {}


class Tables(Mapping[str, Table]):
    """All facts of one materialisation."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.timed = False
        self._tables: dict[str, Table] = {}

    def __getitem__(self, predicate: str) -> Table:
        return self._tables[predicate]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, predicate: str, arity: int) -> Table:
        table = self._tables.get(predicate)
        if table is None:
            table = self._tables[predicate] = Table(predicate, arity, self.cluster, timed=self.timed)
        return table

    def keep_times(self) -> None:
        """From now on facts may hold for a time only."""
        self.timed = True
        for table in self._tables.values():
            table.timed = True

    def overlay(self) -> Tables:
        """The same tables; others may be added beside them."""
        beside = Tables(self.cluster)
        beside._tables = dict(self._tables)
        return beside

    def state(self, predicate: str, row: Row) -> State:
        return self._tables[predicate].met[row]

    @property
    def present(self) -> int:
        return sum(table.present for table in self._tables.values())

    def tidy(self, few: int) -> None:
        for table in self._tables.values():
            table.tidy(few)

    def forget(self) -> None:
        for table in self._tables.values():
            table.forget()

    def release(self) -> None:
        for table in self._tables.values():
            table.release()
