"""What an update changed: the facts that appeared and those that vanished, and what it took to find out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tidelog.engines.embedded.batches import Changed, ChangedBatch
from tidelog.facts.kernel import Ids, Mask
from tidelog.maintain.algebra import Statistics
from tidelog.relation import Relation, Relations
from tidelog.terms import Term

if TYPE_CHECKING:
    import pyarrow as pa

MakeRelation = Callable[[str, Callable[[], Sequence[Ids]], int], Relation]
"""A relation of a predicate from its columns, which are read when they are wanted, and their length."""


class ChangedRelations(Relations):
    """Facts that appeared, or that vanished, by predicate; `explicit` and `derived` are the two kinds apart."""

    def __init__(self, batch: ChangedBatch, make: MakeRelation, empty: Callable[[str], Relation]) -> None:
        self._batch, self.relation = batch, make
        super().__init__({name: make(name, _columns_of(facts), len(facts)) for name, facts in batch.items()}, empty)

    @property
    def explicit(self) -> Relations:
        """The facts that were given (now, or before they vanished)."""
        return self._only(lambda facts: facts.explicit)

    @property
    def derived(self) -> Relations:
        """The facts that only followed from others."""
        return self._only(lambda facts: ~facts.explicit)

    def mask(self, predicate: str) -> Mask:
        """Which facts of a predicate are, or were, explicit."""
        return self._batch[predicate].explicit if predicate in self._batch else np.zeros(0, np.bool_)

    def _only(self, which: Callable[[Changed], Mask]) -> Relations:
        some: dict[str, Relation] = {}
        for name, facts in self._batch.items():
            mask = which(facts)
            if mask.any():
                columns = [column[mask] for column in facts.columns]
                some[name] = self.relation(name, partial(list, columns), int(np.count_nonzero(mask)))
        return Relations(some, self._empty)


def _columns_of(facts: Changed) -> Callable[[], Sequence[Ids]]:
    return lambda: facts.columns


@dataclass(frozen=True, slots=True)
class Changes:
    """Net changes by predicate: no fact is in both."""

    inserted: ChangedRelations
    deleted: ChangedRelations
    statistics: Statistics
    number: int = 0
    """Which of the updates of `Materialisation.follow` this was, from 1."""
    time: float | None = None
    """What time it was then (`Materialisation.now`)."""

    def __bool__(self) -> bool:
        return bool(len(self.inserted) or len(self.deleted))

    def __iter__(self) -> Iterator[tuple[int, str, tuple[Term, ...]]]:
        """Every change as (-1 or +1, predicate, fact), first what vanished."""
        for sign, relations in self._signed():
            for predicate, relation in relations.items():
                for fact in relation:
                    yield sign, predicate, fact

    @property
    def predicates(self) -> list[str]:
        """The predicates with changes, in alphabetical order."""
        return sorted({*self.inserted, *self.deleted})

    def to_arrow(self, predicate: str) -> pa.Table:
        """The changes of one predicate: its columns, `change` (-1 or +1), and `explicit`."""
        import pyarrow as pa

        relations = [(sign, changed[predicate], changed.mask(predicate)) for sign, changed in self._signed()]
        signs = np.repeat(np.array([sign for sign, _, _ in relations], np.int8), [len(mask) for _, _, mask in relations])
        columns = [np.concatenate(parts) for parts in zip(*(relation.ids() for _, relation, _ in relations), strict=True)]
        table = self.inserted.relation(predicate, partial(list, columns), len(signs)).to_arrow()
        explicit = np.concatenate([mask for _, _, mask in relations])
        return table.append_column("change", pa.array(signs)).append_column("explicit", pa.array(explicit))

    def _signed(self) -> tuple[tuple[int, ChangedRelations], ...]:
        return (-1, self.deleted), (1, self.inserted)

    def __repr__(self) -> str:
        return f"<Changes: inserted {self.inserted!r}, deleted {self.deleted!r}>"
