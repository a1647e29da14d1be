"""What an update changes about the explicit facts, as an algorithm takes it, on whichever engine."""

from __future__ import annotations

from typing import Generic, NamedTuple

from tidelog.maintain.algebra import Algebra, F, Update
from tidelog.maintain.sets import EXPLICIT as E


class Given(NamedTuple, Generic[F]):
    """An update of the explicit facts, and which facts become explicit, or cease to be."""

    update: Update
    now_explicit: F
    no_longer: F


class Timed(NamedTuple, Generic[F]):
    """What an update says where facts hold for a time, and what time takes away."""

    plus: F
    """What is inserted, and not over yet."""
    deleted: F
    """Explicit facts that are deleted, or released."""
    longer: F
    """Inserted facts that are new, or hold longer than they did; ..."""
    shorter: F
    """... and those that are deleted, too, and hold less long."""
    expired: F
    """Facts whose expiry has come, ..."""
    over: F
    """... and explicit ones whose time is over, though they may have a derivation that lasts."""

    def given(self, algebra: Algebra[F], *, expiring: bool) -> Given[F]:
        """With `expiring`, for the algorithm that looks after expiries itself.

        To the others a fact whose time is over is one that is deleted, and a longer time is nothing new.
        """
        now_explicit, no_longer = self.plus - E, (self.deleted | self.over) - self.plus
        minus, new = algebra.working("E-"), algebra.working("new E+")
        if not expiring:
            minus |= no_longer
            new |= now_explicit
            return Given(Update(minus, new), now_explicit, no_longer)
        minus |= (self.deleted - self.plus) | self.shorter
        new |= self.longer
        lapsed, gone = algebra.working("lapsed"), algebra.working("expired")
        lapsed |= self.over
        gone |= self.expired
        return Given(Update(minus, new, expired=gone, lapsed=lapsed), now_explicit, no_longer)
