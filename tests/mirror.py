"""A mirror of a materialisation: the explicit facts as plain sets, and what follows from them by the oracle.

Tests tell the mirror and the materialisation of the same updates, and compare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cache
from typing import NamedTuple

from tests import oracle
from tests.oracle import Facts, without_empty
from tests.updates import Row, Update
from tidelog import Materialisation, Program


class Mirror:
    def __init__(self, program: Program, facts: Mapping[str, Iterable[Row]] | None = None) -> None:
        self.program = program
        self.explicit: Facts = oracle.explicit_facts(program, facts or {})
        self.facts = self.from_scratch()

    def from_scratch(self) -> Facts:
        return without_empty(oracle.from_scratch(self.program, self.explicit, own_facts=False))

    def update(self, update: Update) -> tuple[Facts, Facts]:
        """Apply an update; gives what must have been inserted and deleted, net."""
        for predicate, rows in update.delete.items():
            self.explicit.setdefault(predicate, set()).difference_update(rows)
        for predicate, rows in update.insert.items():
            self.explicit.setdefault(predicate, set()).update(rows)
        before, self.facts = self.facts, self.from_scratch()
        return difference(self.facts, before), difference(before, self.facts)

    def check(self, mat: Materialisation, update: Update, expected: tuple[Facts, Facts]) -> None:
        """Apply the update that gave `expected` here to a materialisation; compare all facts, explicit ones, changes."""
        changes = mat.update(insert=update.insert, delete=update.delete)
        self.compare(mat)
        assert (net(changes.inserted), net(changes.deleted)) == expected

    def compare(self, mat: Materialisation) -> None:
        assert facts_of(mat) == self.facts
        assert explicit_of(mat) == without_empty(self.explicit)


class Step(NamedTuple):
    """One update, told to a mirror: for many materialisations to be told, too."""

    update: Update
    after: Mirror
    expected: tuple[Facts, Facts]

    def check(self, mat: Materialisation) -> None:
        self.after.check(mat, self.update, self.expected)


def steps(program: Program, updates: Iterable[Update]) -> list[Step]:
    """What a stream of updates must do, asked of the oracle once."""
    mirror, told = Mirror(program), []
    for update in updates:
        expected = mirror.update(update)
        after = copy(mirror)
        after.explicit = {predicate: set(rows) for predicate, rows in mirror.explicit.items()}
        told.append(Step(update, after, expected))
    return told


def facts_of(mat: Materialisation) -> Facts:
    return without_empty({predicate: as_set(mat[predicate]) for predicate in mat.predicates})


def rank_in(mat: Materialisation) -> Callable[[str, Row], int]:
    """The ranks as they are now, each asked for once."""

    @cache
    def rank(predicate: str, row: Row) -> int:
        found = mat.rank(predicate, row)
        assert found is not None, f"{predicate}{row} holds and has no rank"
        return found

    return rank


def pairs(facts: Facts) -> set[tuple[str, Row]]:
    return {(predicate, row) for predicate, rows in facts.items() for row in rows}


def explicit_of(mat: Materialisation) -> Facts:
    return without_empty({predicate: as_set(mat.explicit(predicate)) for predicate in mat.predicates})


def net(relations: Mapping[str, Iterable[Row]]) -> Facts:
    return without_empty({predicate: as_set(relation) for predicate, relation in relations.items()})


def as_set(rows: Iterable[Row]) -> set[Row]:
    """The rows as a set; a relation that lists a fact twice is wrong."""
    listed = list(rows)
    assert len(listed) == len(set(listed)), "a fact is listed twice"
    return set(listed)


def difference(facts: Facts, minus: Facts) -> Facts:
    return without_empty({predicate: rows - minus.get(predicate, set()) for predicate, rows in facts.items()})
