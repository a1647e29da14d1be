"""Relations: sets of facts of one predicate, as a caller sees them.

A relation iterates over Python tuples, answers `in` and `len`, and converts to Arrow, pandas and Polars. `mat["path"]` is a
live view of what holds now; the relations of `Changes` and the answers of queries stay as they are. The columns are read
when they are asked for, and all of them at one moment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.errors import DataError, MissingExtra, SetupError
from tidelog.facts.dictionary import Dictionary, factorize
from tidelog.facts.kernel import Ids, Positions
from tidelog.syntax.formatter import format_term
from tidelog.terms import Term, canonical

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa
_SHOWN = 10
"""How many facts a repr shows."""

Fetch = Callable[[], tuple[Sequence[Ids], int]]
"""Gives the columns of a relation, and how many facts they hold."""


class Relation:
    """The facts of one predicate."""

    def __init__(
        self,
        name: str,
        column_names: Sequence[str],
        dictionary: Callable[[], Dictionary],
        fetch: Fetch,
        *,
        count: Callable[[], int] | None = None,
        holds: Callable[[tuple[Term, ...]], bool] | None = None,
        frame: Callable[[], Any] | None = None,
    ) -> None:
        self.name = name
        self.column_names = tuple(column_names)
        self._dictionary = dictionary
        self._fetch = fetch
        self._count = count
        self._holds = holds
        self._frame = frame

    @classmethod
    def frozen(
        cls, name: str, column_names: Sequence[str], dictionary: Dictionary, columns: Sequence[Ids], length: int
    ) -> Relation:
        """A relation of these very facts."""
        return cls(name, column_names, lambda: dictionary, lambda: (columns, length))

    def now(self) -> Relation:
        """The facts that it holds now, whatever comes."""
        return Relation.frozen(self.name, self.column_names, *self._held())

    def _held(self) -> tuple[Dictionary, Sequence[Ids], int]:
        """The facts, with the dictionary that has their ids; another one may take its place at any moment."""
        while True:
            dictionary = self._dictionary()
            columns, length = self._fetch()
            if self._dictionary() is dictionary:
                return dictionary, columns, length

    @property
    def arity(self) -> int:
        return len(self.column_names)

    def __len__(self) -> int:
        return self._count() if self._count is not None else self._fetch()[1]

    def __bool__(self) -> bool:
        return len(self) > 0

    def __iter__(self) -> Iterator[tuple[Term, ...]]:
        dictionary, columns, length = self._held()
        if not self.arity:
            return iter([()] * length)
        return zip(*(dictionary.decode(column) for column in columns), strict=True)

    def __contains__(self, fact: object) -> bool:
        terms = self.terms(fact)
        if self._holds is not None:
            return self._holds(terms)
        dictionary, columns, length = self._held()
        ids = [dictionary.find_one(term) for term in terms]
        if None in ids:
            return False
        hit = np.ones(length, np.bool_)
        for column, value in zip(columns, ids, strict=True):
            hit &= column == np.uint32(value or 0)
        return bool(hit.any())

    def terms(self, fact: object) -> tuple[Term, ...]:
        """The terms of what a caller takes for a fact: a tuple of as many values, or a bare value for a single column."""
        values = fact if isinstance(fact, tuple | list) else (fact,)
        if len(values) != self.arity:
            raise DataError(f"{self.name} has {self.arity} columns, the fact {fact!r} has {len(values)}")
        return tuple(map(canonical, values))

    def ids(self) -> list[Ids]:
        """The columns as ids of terms in `dictionary`."""
        return list(self._fetch()[0])

    @property
    def dictionary(self) -> Dictionary:
        """The dictionary of terms."""
        return self._dictionary()

    def to_arrow(self) -> pa.Table:
        """An Arrow table. A relation without columns has no Arrow form of its own: if it holds, it becomes the value `true`."""
        import pyarrow as pa

        dictionary, columns, length = self._held()
        if not self.arity:
            return pa.table({"holds": pa.array([True] * length, pa.bool_())})
        return pa.table([dictionary.to_arrow(column) for column in columns], names=list(self.column_names))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        _need("pandas", "Relation.to_pandas()")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> polars.DataFrame:
        _need("polars", "Relation.to_polars()")
        import polars

        frame = polars.from_arrow(self.to_arrow())
        assert isinstance(frame, polars.DataFrame)
        return frame

    def to_spark(self) -> Any:
        """A Spark DataFrame of the facts that hold now, if the Spark engine has them; no fact passes through this process.

        Integers are `bigint`; a column with other terms is a column of strings, as in rule text unless all terms are strings.
        """
        if self._frame is None:
            raise SetupError(f"{self.name} is not on Spark\n    hint: spark.createDataFrame(relation.to_arrow())")
        return self._frame()

    def write(
        self, path: str | os.PathLike[str], format: str | None = None, options: Mapping[str, object] | None = None
    ) -> Path:
        """Write the facts to a file, which is replaced only when the new one is complete; returns its path.

        The format follows from the file's name if it is not given; `options` are those of `@export`. A relation without
        columns that holds is written as the value `true`.
        """
        from tidelog import io
        from tidelog.syntax.ast import Export

        dictionary, columns, length = self._held()
        if not self.arity:
            columns = [dictionary.encode([True] * length)]
        resource = Export(self.name, format or io.format_of(path), os.fspath(path), options or {})
        return io.write(resource, columns, dictionary, names=self.column_names or ("holds",))

    def sorted(self) -> list[tuple[Term, ...]]:
        """All facts, in an order that depends on nothing but the facts: numbers by value, then everything by its text."""
        dictionary, columns, length = self._held()
        order = Relation.frozen(self.name, self.column_names, dictionary, columns, length).order()
        return list(Relation.frozen(self.name, self.column_names, dictionary, [column[order] for column in columns], length))

    def order(self) -> Positions:
        """The positions of the facts in the order of `sorted`."""
        dictionary, columns, length = self._held()
        if not columns or not length:
            return np.arange(length)
        distinct, inverse = factorize(np.concatenate(columns))
        keys = list(map(_order, dictionary.decode(distinct)))
        places = np.empty(len(keys), np.int64)
        places[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return np.lexsort(places[inverse].reshape(len(columns), length)[::-1])

    def __repr__(self) -> str:
        facts, count = self._first(_SHOWN)
        rows = [f"({', '.join(map(format_term, fact))})" for fact in facts]
        if count > len(rows):
            rows.append(f"... and {count - len(rows):,} more")
        return f"<{self.name}/{self.arity}: {count:,} facts{': ' if rows else ''}{', '.join(rows)}>"

    def _repr_html_(self) -> str:
        from html import escape

        def row(cells: Iterable[str], tag: str) -> str:
            return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

        facts, count = self._first(2 * _SHOWN)
        body = "".join(row(map(format_term, fact), "td") for fact in facts)
        note = f"<p>... and {count - len(facts):,} more</p>" if count > len(facts) else ""
        head = row(self.column_names, "th")
        return f"<table><caption>{escape(self.name)}: {count:,} facts</caption>{head}{body}</table>{note}"

    def _first(self, most: int) -> tuple[list[tuple[Term, ...]], int]:
        """Some of the facts, and how many they are, at one moment."""
        dictionary, columns, count = self._held()
        shown = min(most, count)
        some = Relation.frozen(self.name, self.column_names, dictionary, [column[:shown] for column in columns], shown)
        return list(some), count


class Relations(Mapping[str, Relation]):
    """Relations by predicate. A known predicate without facts has an empty relation, but is not iterated over."""

    def __init__(self, relations: Mapping[str, Relation], empty: Callable[[str], Relation]) -> None:
        self._relations = dict(relations)
        self._empty = empty

    def __getitem__(self, predicate: str) -> Relation:
        return self._relations[predicate] if predicate in self._relations else self._empty(predicate)

    def __iter__(self) -> Iterator[str]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def __contains__(self, predicate: object) -> bool:
        return predicate in self._relations

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name}: {len(relation):,}' for name, relation in self.items())}}}"


def column_names(predicate: str, arity: int) -> list[str]:
    """What the columns of a predicate are called in a table."""
    if predicate == "triple" and arity == 3:
        return ["subject", "predicate", "object"]
    return [f"c{number}" for number in range(arity)]


def _order(term: Term) -> tuple[int, Any, str]:
    if isinstance(term, int) and not isinstance(term, bool):
        return 0, term, ""
    if isinstance(term, float | Decimal) and term == term:
        return 0, term, format_term(term)  # `1`, `1.0` and `1.0E0` are of one value, and three terms
    return 1, 0, format_term(term)


def _need(package: str, feature: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise MissingExtra(feature, package, package)
