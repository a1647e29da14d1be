"""What Spark says of its own work: jobs, tasks, bytes shuffled, and how even the tasks were."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Any

_LOOKED_AT = 1000
"""How many tasks of a stage are looked at."""


@dataclass(frozen=True, slots=True)
class Work:
    """What Spark did between two looks."""

    jobs: int
    tasks: int
    shuffled: int
    """Bytes written for other tasks to read."""
    run: float
    """Seconds of tasks, added up."""
    longest: float
    """Seconds of the longest task of the stage that took longest,"""
    typical: float
    """and of the task in the middle."""


class Metrics:
    """Looks at the status store of a Spark session, which is there with and without the web pages."""

    def __init__(self, spark: Any) -> None:
        self._gateway = spark.sparkContext._gateway
        self._context = spark.sparkContext._jsc.sc()
        self._stage = self._job = -1
        self.since()

    def since(self) -> Work:
        """What was done since this was asked last."""
        assert self._gateway is not None
        self._context.listenerBus().waitUntilEmpty()
        store, jvm = self._context.statusStore(), self._gateway.jvm
        jobs = [job.jobId() for job in _listed(store.jobsList(None))]
        none, quantiles = jvm.java.util.ArrayList(), self._gateway.new_array(jvm.double, 0)
        stages = [one for one in _listed(store.stageList(None, False, False, quantiles, none)) if one.stageId() > self._stage]
        run = [one for one in stages if one.numCompleteTasks()]
        heaviest = max(run, key=lambda one: one.executorRunTime(), default=None)
        times = [0.0] if heaviest is None else self._times(store, heaviest)
        work = Work(
            sum(job > self._job for job in jobs),
            sum(one.numCompleteTasks() for one in run),
            sum(one.shuffleWriteBytes() for one in run),
            sum(one.executorRunTime() for one in run) / 1000,
            max(times),
            median(times),
        )
        self._job = max([self._job, *jobs])
        self._stage = max([self._stage, *(one.stageId() for one in stages)])
        return work

    def _times(self, store: Any, stage: Any) -> list[float]:
        tasks = _listed(store.taskList(stage.stageId(), stage.attemptId(), _LOOKED_AT))
        return [task.duration().get() / 1000 for task in tasks if task.duration().isDefined()] or [0.0]


def _listed(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.length())]
