"""What every engine does with an update, wherever its facts lie: choose an algorithm, run it, and give up in time."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from tidelog.engines.embedded.batches import Batch, ChangedBatch, Encoded, batch_length
from tidelog.maintain.algebra import Statistics, Update
from tidelog.maintain.choice import ANEW, MAINTAIN, Chooser
from tidelog.maintain.counting import counting
from tidelog.maintain.dred import dred
from tidelog.maintain.fbf import Strategy, bf, fbf, never
from tidelog.maintain.marking import AS_WRITTEN, Marking
from tidelog.maintain.ranked import ranked

OnRound = Callable[[Statistics], None]
Result = tuple[ChangedBatch, ChangedBatch, Statistics]
"""The facts that appeared, those that vanished, and what it took."""
Ahead = Callable[[], Encoded | None]
"""Tells the next update if it is there, without waiting for it."""

ALGORITHMS: Mapping[str, Callable[[Any, Update], None]] = {
    "bf": bf,
    "counting": counting,
    "dred": dred,
    "fbf": fbf,
    "ranked": ranked,
}
"""The algorithms that maintain by the algebra alone."""


class Abandoned(Exception):
    """An update was given up because it took too much; for the engine, which has another way."""

    def __init__(self, instances: int) -> None:
        self.instances = instances
        super().__init__(f"maintaining was given up after {instances:,} rule instances")


class UpdatingEngine(ABC):
    """An engine's part above its facts."""

    def __init__(self, arities: Mapping[str, int]) -> None:
        self.arities = dict(arities)
        self.commit = threading.Lock()
        self.work = threading.RLock()
        self.abort: Strategy = never
        """When `fbf` stops looking for another proof of a fact."""
        self.marking: Marking = AS_WRITTEN
        """How the algorithms that mark do it."""
        self.explicit = 0
        """How many facts are explicit."""
        self._chooser = Chooser()

    def update(
        self, algorithm: str, insert: Batch, delete: Batch, *, ahead: Ahead | None = None, reason: str = "as asked"
    ) -> Result:
        """Change the explicit facts and keep what follows true. If it raises, nothing has changed.

        `ahead` is asked for the next update by algorithms that mark. Marks serve if what is deleted next is the very batch that
        it gave.
        """
        with self.work:
            self._settle()
            self._begin(delete)
            inserts, deletes = (sum(batch_length(c, self.arities[p]) for p, c in batch.items()) for batch in (insert, delete))
            automatic = algorithm == "auto"
            if automatic:
                algorithm, reason = self._chooser.choose(self.explicit, inserts, deletes)
            if algorithm == ANEW:
                return self._anew(insert, delete, reason)
            if not self.explicit:
                self._expect(insert)
            if algorithm == MAINTAIN and not self._ranks_hold():
                self.restore_ranks()
                reason += "; ranks had to be restored first, after an algorithm that does not keep them"
            started = time.perf_counter()
            budget = self._chooser.budget() if automatic else None
            try:
                result = self._maintain(algorithm, Encoded(insert, delete), reason, budget, ahead)
            except Abandoned as abandoned:
                return self._anew(insert, delete, str(abandoned))
            if algorithm == MAINTAIN:
                self._chooser.learn_update(time.perf_counter() - started, inserts, deletes)
            return result

    def restore_ranks(self) -> None:
        """Make ranks hold again, after an algorithm that does not keep them: materialises anew."""
        self._settle()
        if not self._ranks_hold():
            self._anew({}, {}, "to restore ranks")

    def _begin(self, delete: Batch) -> None:  # noqa: B027  # engines without marks have nothing to do
        """An update is about to begin."""

    def _expect(self, insert: Batch) -> None:  # noqa: B027  # nor those that lay out no rules
        """The first facts are about to come."""

    @abstractmethod
    def _ranks_hold(self) -> bool: ...

    @abstractmethod
    def _settle(self) -> None:
        """End what was interrupted: make a commit true, or without one make everything as before."""

    @abstractmethod
    def _anew(self, insert: Batch, delete: Batch, reason: str) -> Result:
        """Materialise for the changed explicit facts."""

    @abstractmethod
    def _maintain(self, algorithm: str, encoded: Encoded, reason: str, budget: int | None, ahead: Ahead | None) -> Result:
        """Run an algorithm and commit what it found; `Abandoned` if that takes more rule instances than the budget."""
