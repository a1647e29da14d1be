"""Terms as 64-bit ids: the driver's part of the dictionary.

On Spark a term is a long: an integer within 62 bits is its own id, every other term has an id that follows from its text
(`tidelog.facts.wide`), so that executors encode alone and agree. The driver meets few terms: those of the program, of updates
given in Python, and those that somebody reads. It keeps them in the dictionary that the embedded engine has, with 32-bit ids,
and translates; what it has never seen is asked of the dictionary table, through `lookup`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from tidelog.errors import InternalError
from tidelog.facts.dictionary import INLINE, SMALL, ZERO, Dictionary, Ids
from tidelog.facts.wide import WIDE, WideIds, homes
from tidelog.notation import ntriples
from tidelog.terms import Term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Lookup = Callable[[list[int]], Mapping[int, Term]]
"""Finds terms by their 64-bit ids."""


class Terms:
    """Both ids of every term that the driver knows."""

    def __init__(self, dictionary: Dictionary, lookup: Lookup | None = None) -> None:
        self.dictionary = dictionary
        self.lookup = lookup
        self.words: Callable[[], DataFrame] | None = None
        """The dictionary's table, `id` and `text`, if there is one."""
        self.careful = False
        """Whether conditions have met terms that SQL cannot calculate with (`conditions`)."""
        self._wide = np.empty(0, np.int64)
        """By the dictionary's dense number."""
        self._known = 0
        self._dense: dict[int, int] = {}
        self._told = 0

    def wide(self, ids: Ids) -> WideIds:
        """The 64-bit ids of terms of the dictionary."""
        self._learn()
        small = ids >= INLINE
        found = ids.astype(np.int64) - ZERO
        if not small.all():
            found[~small] = self._wide[ids[~small]]
        return found

    def wide_one(self, term: Term) -> int:
        """The 64-bit id of a term, which the dictionary learns."""
        return int(self.wide(np.array([self.dictionary.encode_one(term)], np.uint32))[0])

    def narrow(self, wide: WideIds) -> Ids:
        """The dictionary's ids of terms that come from Spark; those it does not know yet are looked up."""
        self._learn()
        ids = (wide + ZERO).astype(np.uint32)
        small = (wide >= -SMALL) & (wide < SMALL)
        if not small.all():
            others = wide[~small].tolist()
            self._meet({one for one in others if one not in self._dense})
            ids[~small] = np.fromiter((self._dense[one] for one in others), np.uint32, len(others))
        return ids

    def fresh(self) -> list[tuple[int, str]]:
        """The ids and texts of terms learnt since this was asked last, for the dictionary's table."""
        self._learn()
        new = range(self._told, self._known)
        self._told = self._known
        wide = self._wide[new.start : new.stop].tolist()
        return [(i, ntriples(self.dictionary.decode_one(n))) for n, i in zip(new, wide, strict=True) if i >= WIDE]

    def known(self) -> tuple[WideIds, Ids]:
        """All terms that the driver knows, small integers aside: their 64-bit ids, and the dictionary's."""
        self._learn()
        return self._wide[: self._known], np.arange(self._known, dtype=np.uint32)

    def _learn(self) -> None:
        """Give 64-bit ids to the terms that the dictionary has learnt since."""
        new = range(self._known, len(self.dictionary))
        if not new:
            return
        if new.stop > len(self._wide):
            self._wide = np.concatenate([self._wide, np.empty(new.stop + 64, np.int64)])
        terms = [self.dictionary.decode_one(number) for number in new]
        for number, wide in zip(new, homes([ntriples(term) for term in terms]).tolist(), strict=True):
            while wide in self._dense:  # another term has the same hash
                wide += 1
            self._wide[number], self._dense[wide] = wide, number
        self._known = new.stop

    def _meet(self, wide: Iterable[int]) -> None:
        """Make terms known that only Spark has seen."""
        integers = [one for one in wide if -WIDE <= one < WIDE]
        self.dictionary.encode(integers)
        self._learn()
        others = [one for one in wide if not -WIDE <= one < WIDE]
        if not others:
            return
        found = self.lookup(others) if self.lookup is not None else {}
        if missing := [one for one in others if one not in found]:
            raise InternalError(f"no term has the id {missing[0]}")
        numbers = {self.dictionary.encode_one(found[one]): one for one in others}
        self._learn()
        for number, one in numbers.items():  # the table may have chosen another id, to part terms of the same hash
            if (own := int(self._wide[number])) != one:
                del self._dense[own]
                self._wide[number], self._dense[one] = one, number
