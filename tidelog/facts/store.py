"""The store: one table for each predicate, and the dictionary of terms they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tidelog.facts.dictionary import Dictionary
from tidelog.facts.table import Table


class Store:
    """All facts of one materialisation."""

    def __init__(self, dictionary: Dictionary | None = None) -> None:
        self.dictionary = Dictionary() if dictionary is None else dictionary
        self.tables: dict[str, Table] = {}

    def table(self, predicate: str, arity: int) -> Table:
        """The table of a predicate, made if there is none."""
        table = self.tables.get(predicate)
        if table is None:
            table = self.tables[predicate] = Table(predicate, arity)
        return table

    def add_predicates(self, arities: Mapping[str, int]) -> None:
        for predicate, arity in arities.items():
            self.table(predicate, arity)

    def __iter__(self) -> Iterator[Table]:
        return iter(self.tables.values())

    @property
    def nbytes(self) -> int:
        """Bytes in use by tables and indexes, without the dictionary."""
        return sum(table.nbytes for table in self)
