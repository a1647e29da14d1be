"""`auto`: maintain, or materialise anew?

Both are measured in rule instances, which do not depend on how busy the machine is or on what is in its caches. Materialising
anew considers as many as the last time, and has to put the explicit facts into place. How many maintaining considers is learnt
from the updates so far: for insertions and for deletions the latest update of each order of magnitude. Between those, and
beyond them, a larger change considers more, but not in proportion, since what follows from its facts overlaps. Before anything
is learnt, an inserted fact is taken to cost its share of all instances, and a deleted one several times that.

An instance of maintaining costs more time than one of materialising anew, as it is found among few. How much more is learnt
from the seconds that updates took.

An update that is maintained may still turn out to touch nearly everything. It is given up once it has cost as much as
materialising anew would, so that it never costs much more than twice that; and it is remembered. Facts differ, though: one that
thousands hang on says little of the next thousand. So where no update of about that size has been seen, maintaining a change
of a small part of the facts is tried even against expectation, and given up much sooner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tidelog.maintain.algebra import Statistics

MAINTAIN, ANEW = "ranked", "rematerialise"

_UNKNOWN_INSERT, _UNKNOWN_DELETE = 1.0, 3.0
"""What a fact is taken to cost, as a multiple of its share of all instances, before anything is learnt."""
_SUBLINEAR = 0.6
"""Twice as large a change considers 2 to the power of this times as many instances."""
_DEAREST = 3.0
_TELLING = 5_000
"""So many instances make the seconds of an update tell what an instance costs; fewer drown in overhead."""
_LEARNING = 0.2
_FORGETTING = 0.97
"""By so much an expectation that spoke against maintaining is trusted less the next time, so that it is tried again."""
_NOTHING = 0.002
"""Seconds that nobody chooses to save."""
_LEAST_BUDGET = 10_000
_DEAR = 2.0
"""For a budget, an instance is not taken to be dearer than this: what seemed dear may have had to make indexes first."""
_TRIED = 0.2
"""The part of the cost of materialising anew that a try may take."""
_SMALL_PART = 0.05
_ABOUT = 2
"""Changes are of about the same size if one has at most so many bits more than the other."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to do with an update."""

    algorithm: str
    reason: str
    budget: int | None = None
    """How many rule instances it may consider before it is given up."""


@dataclass(slots=True)
class Kind:
    """What is known of insertions, or of deletions."""

    unknown: float
    dearness: float
    """What an instance costs, as a multiple of one of a materialisation."""
    seen: dict[int, tuple[int, float]] = field(default_factory=dict)
    """By the order of magnitude of the change (in bits): the size of the latest such change, and its instances."""

    def expected(self, size: int, share: float) -> float:
        """The instances of a change of so many facts; `share` is what a fact has of those of a materialisation."""
        if not size:
            return 0.0
        if not self.seen:
            return self.unknown * share * size
        nearest = min(self.seen, key=lambda bits: abs(bits - size.bit_length()))
        known, instances = self.seen[nearest]
        return instances * math.pow(size / known, _SUBLINEAR)

    def learn(self, size: int, instances: float) -> None:
        if size:
            self.seen[size.bit_length()] = (size, instances)

    def knows(self, size: int) -> bool:
        """Whether a change of about this size was seen; no change at all needs none."""
        return not size or any(abs(bits - size.bit_length()) <= _ABOUT for bits in self.seen)

    def doubt(self) -> None:
        """What was expected is trusted less."""
        self.seen = {bits: (known, instances * _FORGETTING) for bits, (known, instances) in self.seen.items()}


@dataclass(slots=True)
class Chooser:
    """What earlier updates of one materialisation cost."""

    instances: int = 0
    """Rule instances of the latest materialisation."""
    work: float = 0.0
    """These, and the explicit facts that were put into place: what it cost, ..."""
    seconds: float = 0.0
    """... and in seconds."""
    insert: Kind = field(default_factory=lambda: Kind(_UNKNOWN_INSERT, 1.25))
    delete: Kind = field(default_factory=lambda: Kind(_UNKNOWN_DELETE, 2.5))

    def choose(self, explicit: int, inserts: int, deletes: int) -> Choice:
        """The algorithm for an update of so many facts."""
        if not explicit:
            return Choice(ANEW, "there are no explicit facts yet")
        if not (inserts or deletes):
            return Choice(MAINTAIN, "there is nothing to do")
        expected = self._expected(explicit, inserts, deletes)
        anew = self.work * max(0.0, 1 + (inserts - deletes) / explicit)
        budget = self._budget(anew, deletes)
        if expected < 0.1 * anew:
            return Choice(MAINTAIN, "the change is small against what is there", budget)
        if expected <= anew or expected * self._pace <= _NOTHING:
            return Choice(MAINTAIN, "expected to cost less than materialising anew", budget)
        if inserts + deletes < _SMALL_PART * explicit and not (self.insert.knows(inserts) and self.delete.knows(deletes)):
            return Choice(MAINTAIN, "tried, as no change of about this size was seen", self._budget(_TRIED * anew, deletes))
        self.insert.doubt()
        self.delete.doubt()
        return Choice(ANEW, "expected to cost less than maintaining so large a change")

    def _budget(self, work: float, deletes: int) -> int | None:
        dearness = self.delete.dearness if deletes else self.insert.dearness
        return int(work / min(dearness, _DEAR)) + _LEAST_BUDGET if self.instances else None

    def _expected(self, explicit: int, inserts: int, deletes: int) -> float:
        """What maintaining costs, in instances of a materialisation."""
        share = self.instances / explicit
        kinds = ((self.insert, inserts), (self.delete, deletes))
        return sum(kind.dearness * kind.expected(size, share) for kind, size in kinds)

    @property
    def _pace(self) -> float:
        """Seconds for an instance of a materialisation."""
        return self.seconds / self.work if self.work else 0.0

    def learn_full(self, statistics: Statistics, seconds: float, explicit: int) -> None:
        """Everything was materialised."""
        self.instances = statistics.instances
        self.work, self.seconds = float(statistics.instances + explicit), seconds

    def learn_update(self, statistics: Statistics, seconds: float, explicit: int, inserts: int, deletes: int) -> None:
        """An update was maintained; `explicit` facts there were before it."""
        instances = statistics.instances
        self._learn_instances(instances, explicit, inserts, deletes)
        if instances >= _TELLING and self._pace:
            kind = self.delete if deletes else self.insert
            dearness = min(_DEAREST, max(1.0, seconds / instances / self._pace))
            kind.dearness += _LEARNING * (dearness - kind.dearness)

    def learn_abandoned(self, instances: int, explicit: int, inserts: int, deletes: int) -> None:
        """An update was given up after so many instances: it takes more than that, and is taken to be too large."""
        dearness = self.delete.dearness if deletes else self.insert.dearness
        self._learn_instances(int(max(2 * instances, 1.5 * self.work / dearness)), explicit, inserts, deletes)

    def _learn_instances(self, instances: int, explicit: int, inserts: int, deletes: int) -> None:
        """Insertions and deletions of one update share its instances as they were expected to."""
        share = self.instances / max(1, explicit)
        of_inserts, of_deletes = self.insert.expected(inserts, share), self.delete.expected(deletes, share)
        part = of_inserts / (of_inserts + of_deletes) if of_inserts + of_deletes else inserts / max(1, inserts + deletes)
        self.insert.learn(inserts, part * instances)
        self.delete.learn(deletes, (1 - part) * instances)
