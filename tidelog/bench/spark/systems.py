"""The systems: the Spark engine, a loop over DataFrames, and the embedded engine, on the closure of a graph."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias, cast

import numpy as np

import tidelog
from tidelog.bench.graphs import Rows
from tidelog.bench.process import peak_bytes
from tidelog.bench.spark.metrics import Metrics, Work
from tidelog.spark.options import Spark

Session: TypeAlias = Any
"""A Spark session: pyspark is not imported here."""
Frame: TypeAlias = Any
"""A Spark DataFrame."""

RULES = "path(?x, ?y) :- edge(?x, ?y) . path(?x, ?z) :- path(?x, ?y), edge(?y, ?z) ."
WEIGHT = 1_000_003


@dataclass(frozen=True, slots=True)
class Round:
    """One round: how many facts were new in it, how long it took, and what Spark did."""

    facts: int
    seconds: float
    work: Work | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What a system found, and what it took."""

    seconds: float
    facts: int
    checksum: int
    rounds: tuple[Round, ...] = ()
    updates: tuple[float, ...] = ()
    """Seconds of each of some small updates."""
    peak: int = 0
    """Bytes that the driver's Python process had at most."""
    answers: tuple[tuple[int, int], ...] = field(default=())
    """How many facts came and went with each of them."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Found:
        rounds = tuple(Round(one["facts"], one["seconds"], one["work"] and Work(**one["work"])) for one in data["rounds"])
        answers = tuple((one[0], one[1]) for one in data["answers"])
        return cls(**{**data, "rounds": rounds, "updates": tuple(data["updates"]), "answers": answers})


class Rounds:
    """Takes the time of rounds, and has Spark's metrics taken between them, which does not count."""

    def __init__(self, metrics: Metrics | None) -> None:
        self._metrics = metrics
        self.found: list[Round] = []
        self._facts = 0
        self.start()

    def start(self) -> None:
        if self._metrics is not None:
            self._metrics.since()
        self._started = time.perf_counter()

    def end(self, facts: int) -> None:
        """A round has ended, and so many facts were derived so far. Strata without rules have rounds of nothing."""
        taken = time.perf_counter() - self._started
        if facts or self.found:
            self.found.append(Round(facts - self._facts, taken, None if self._metrics is None else self._metrics.since()))
        self._facts = facts
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        return sum(one.seconds for one in self.found) + time.perf_counter() - self._started


def started(master: str) -> tuple[Session, Spark]:
    """A session that has done something already, so that what is measured is not Java's beginning."""
    from tidelog.spark.session import session

    spark, engine = session(master), Spark(master=master)
    for system in (_closed, _looped):
        system(spark, engine, np.array([(n, n + 1) for n in range(8)]), Rounds(None))
    return spark, engine


def closure(master: str | None, system: str, edges: Rows) -> Found:
    """The closure of a graph, round by round."""
    if system == "embedded":
        begun = time.perf_counter()
        mat = tidelog.Materialisation(RULES)
        mat.update(insert={"edge": edges})
        taken = time.perf_counter() - begun
        return Found(taken, len(mat["path"]), _sum(mat["path"].to_arrow()), peak=peak_bytes())
    assert master is not None
    spark, engine = started(master)
    rounds = Rounds(Metrics(spark))
    frame = SYSTEMS[system](spark, engine, edges, rounds)
    taken = rounds.seconds
    facts, checksum = frame.selectExpr("count(*)", f"sum((c0 * {WEIGHT} + c1) % {WEIGHT * 31})").collect()[0]
    return Found(taken, facts, checksum or 0, tuple(rounds.found), peak=peak_bytes())


def _sum(facts: Any) -> int:
    left, right = (facts.column(place).to_numpy() for place in (0, 1))
    return int(((left * WEIGHT + right) % (WEIGHT * 31)).sum())


def _closed(spark: Session, engine: Spark, edges: Rows, rounds: Rounds) -> Frame:
    def tell(phase: str | None = None, **figures: int) -> None:
        if "rounds" in figures:
            rounds.end(figures["facts"])

    mat = tidelog.Materialisation(RULES, engine=engine, algorithm="rematerialise", progress=tell)
    rounds.start()
    rounds.found.clear()
    mat.update(insert={"edge": edges})
    return cast(Any, mat._engine).frame("path")


def _looped(spark: Session, engine: Spark, edges: Rows, rounds: Rounds) -> Frame:
    """What one writes without an engine: join, distinct, subtract, union, each round checkpointed."""
    rounds.start()
    edge = spark.createDataFrame(list(map(tuple, edges.tolist())), "c0 bigint, c1 bigint").localCheckpoint()
    step = edge.toDF("from", "to")
    paths = delta = edge
    while True:
        joined = delta.join(step, delta["c1"] == step["from"]).select("c0", step["to"].alias("c1"))
        delta = joined.distinct().subtract(paths).localCheckpoint()
        paths = paths.union(delta).localCheckpoint()
        rounds.end(paths.count())
        if not rounds.found[-1].facts:
            return paths


SYSTEMS: Mapping[str, Callable[..., Any]] = {"spark": _closed, "loop": _looped}


def updates(master: str | None, base: int, length: int, times: int) -> Found:
    """Small updates of a base of many short chains: the closure of one chain more, then of one less."""
    spark = None if master is None else started(master)[0]
    engine: str | Spark = "embedded" if master is None else Spark(master=master)
    mat = tidelog.Materialisation(RULES, engine=engine)
    begun = time.perf_counter()
    mat.update(insert={"edge": chains(0, base, length)})
    first = time.perf_counter() - begun
    mat.algorithm = "ranked"
    metrics = None if spark is None else Metrics(spark)
    taken, answers, rounds = [], [], []
    for number in range(times):
        for part in ("insert", "delete"):
            chain = {"edge": chains(base + number, 1, length)}
            begun = time.perf_counter()
            changes = mat.update(**{part: chain})
            taken.append(time.perf_counter() - begun)
            answers.append((len(changes.inserted["path"]), len(changes.deleted["path"])))
            work = None if metrics is None else metrics.since()
            rounds.append(Round(changes.statistics.rounds, taken[-1], work))
    facts = len(mat["path"])
    return Found(first, facts, facts, tuple(rounds), tuple(taken[2:]), peak_bytes(), tuple(answers))


def chains(first: int, count: int, length: int) -> Rows:
    """The edges of chains of so many nodes, numbered from `first`."""
    starts = (np.arange(first, first + count) * length)[:, None] + np.arange(length - 1)[None, :]
    return np.stack([starts.ravel(), starts.ravel() + 1], axis=1)


def stars(edges: int, hubs: int, before: int = 2) -> Rows:
    """Two steps through some hubs: so many nodes lead to each, and all of `edges` leave one of them."""
    hub = np.arange(edges) % hubs
    into = np.stack([np.arange(hubs * before) + hubs, np.arange(hubs * before) % hubs], axis=1)
    return np.concatenate([into, np.stack([hub, np.arange(edges) + hubs * (before + 1)], axis=1)])
