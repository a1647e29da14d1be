"""Marks between updates: what one update marks serves the next, if that is the one it was made for.

Marks are hints, so they need not be part of a transaction: whatever becomes of them, no answer depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Generic, Protocol

from tidelog.engines.embedded.batches import Batch
from tidelog.engines.updating import Ahead
from tidelog.maintain.algebra import Algebra, F, Upcoming, Update
from tidelog.maintain.marking import bf_marking, dred_marking

MARKING: Mapping[str, Callable[..., None]] = {"bf-marking": bf_marking, "dred-marking": dred_marking}
"""The algorithms that look at the next update, too."""


class MarkingAlgebra(Algebra[F], Protocol[F]):
    """An algebra as its engine sees it."""

    look: Callable[[], Upcoming[F] | None] | None
    """Tells the next update, if it is there; set while an update runs whose successor may be looked at."""

    def kept_marks(self) -> tuple[F, F]:
        """What `keep_marks` kept: facts that wait and that still hold, and facts that return."""
        ...


class Marks(Generic[F]):
    """Whether the marks that were made are for the update that comes."""

    def __init__(self) -> None:
        self._expected: Batch | None = None
        """What the update deletes that the algebra's marks are for."""

    def begin(self, algebra: MarkingAlgebra[F], delete: Batch) -> None:
        """An update is about to begin."""
        if delete is not self._expected:
            algebra.keep_marks(algebra.empty(), algebra.empty())
        self._expected = None

    def marked(self, algebra: MarkingAlgebra[F], update: Update) -> Update:
        """The update, with the marks that were made for it."""
        waiting, returning = algebra.kept_marks()
        algebra.keep_marks(algebra.empty(), algebra.empty())
        if waiting:
            set_ = algebra.working("waiting")
            set_ |= waiting
            update = replace(update, waiting=set_)
        if returning:
            set_ = algebra.working("returning")
            set_ |= returning
            update = replace(update, returning=set_)
        return update

    @contextmanager
    def looking(self, algebra: MarkingAlgebra[F], ahead: Ahead | None, known: Callable[[Batch], Any]) -> Iterator[None]:
        """Inside, the algebra sees the next update as soon as it is there; `known` gives the facts of a batch that it knows."""

        def look() -> Upcoming[F] | None:
            encoded = None if ahead is None else ahead()
            if encoded is None:
                return None
            self._expected = encoded.delete
            insert: F = known(encoded.insert)
            return Upcoming(known(encoded.delete) - insert, insert)

        algebra.look = look
        try:
            yield
        finally:
            algebra.look = None
