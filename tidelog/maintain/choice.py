"""`auto`: maintain, or materialise anew?

Maintaining costs in proportion to the change, materialising anew in proportion to everything. Where the two meet depends on
rules and data, so it is learnt: the seconds that each explicit fact cost when everything was materialised, and, relative
to that, what each inserted and each deleted fact cost in the updates since. Before anything is learnt, an insertion is
taken to cost somewhat more than its share of a materialisation, and a deletion several times more.

An update that is maintained may still turn out to touch nearly everything. It is given up when it has considered as many
rule instances as materialising anew would, so that it never costs much more than twice that.
"""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.maintain.algebra import Statistics

MAINTAIN, ANEW = "ranked", "rematerialise"

_START_INSERT, _START_DELETE = 1.5, 5.0
_LEARNING = 0.5
"""The weight of the latest update in what is learnt."""
_OVERHEAD = 0.002
"""Seconds that any update takes; below a few times that, its time says nothing about its facts."""


@dataclass(slots=True)
class Chooser:
    """What earlier updates of one materialisation cost."""

    per_fact: float = 0.0
    """Seconds for each explicit fact when all was materialised."""
    instances: int = 0
    """Rule instances considered then."""
    insert: float = _START_INSERT
    delete: float = _START_DELETE
    """What an inserted, a deleted fact costs, as a multiple of `per_fact`."""

    def choose(self, explicit: int, inserts: int, deletes: int) -> tuple[str, str]:
        """The algorithm for an update of so many facts, and the reason in words."""
        if not explicit:
            return ANEW, "there are no explicit facts yet"
        change = inserts * self.insert + deletes * self.delete
        everything = explicit + inserts - deletes
        share = change / max(1, everything)
        if share > 1 and change * self.per_fact > _OVERHEAD:
            return ANEW, "expected to cost less than maintaining so large a change"
        if not change:
            return MAINTAIN, "there is nothing to do"
        return (
            MAINTAIN,
            "the change is small against what is there" if share < 0.1 else "expected to cost less than materialising anew",
        )

    def budget(self) -> int | None:
        """How many rule instances an update may consider before it is given up."""
        return 2 * self.instances + 100_000 if self.instances else None

    def learn_full(self, statistics: Statistics, seconds: float, explicit: int) -> None:
        """Everything was materialised."""
        self.instances = statistics.instances
        if explicit:
            self.per_fact = seconds / explicit

    def learn_update(self, seconds: float, inserts: int, deletes: int) -> None:
        """An update was maintained."""
        expected = (inserts * self.insert + deletes * self.delete) * self.per_fact
        if seconds > 3 * _OVERHEAD and expected > 0:
            # Expectation and outcome are set in proportion, each kind of change taking its share of the blame.
            factor = (seconds / expected) ** _LEARNING
            weight = inserts * self.insert * self.per_fact / expected
            self.insert *= factor**weight
            self.delete *= factor ** (1 - weight)
