"""The dictionary: every term has one 32-bit id, every id one term.

Facts are rows of ids, so that joins compare machine integers. Two kinds of ids, told apart by their highest bit:

- a *small integer* v, -2**30 <= v < 2**30, is its own id, `INLINE + 2**30 + v`: it takes no memory, a column of them is
  encoded by one addition, and ids order as the integers do;
- every other term gets the next dense id 0, 1, 2, ... when it is first seen, and keeps it for good.

A term's life: `_terms` and `_kinds` hold what is needed to make it again (for IRIs and blank nodes only their text; the
object is made on the way out), and one hash table per type of term finds its id. Each table is keyed so that equal keys
mean the same term: Python's own equality would merge `1`, `1.0` and `True`.

Terms are never removed: who wants to be rid of many goes on with another dictionary (`Dictionary.only`). A load that fails may
leave terms behind; no fact mentions them, so nobody sees them. One thread may add terms while others read: what a published
id refers to is written before the id is.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, time
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from tidelog.errors import LimitExceeded
from tidelog.terms import BlankNode, Iri, Term, blank, canonical, iri, text

if TYPE_CHECKING:
    import pyarrow as pa

Ids: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint32]]
Mask: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]

INLINE = 1 << 31
SMALL = 1 << 30
ZERO = INLINE + SMALL  # the id of the integer 0

_PLAIN, _IRI, _BLANK = 0, 1, 2
_BITS = struct.Struct("<d"), struct.Struct("<q")


class _Table(dict[Any, int]):
    """Keys of one type of term to ids; a lookup of a new key with `[]` adds it, so bulk encoding is one `map`."""

    __slots__ = ("kind", "kinds", "stored", "terms")

    def __init__(self, terms: list[object], kinds: bytearray, kind: int, stored: Callable[[Any], object]) -> None:
        self.terms, self.kinds, self.kind, self.stored = terms, kinds, kind, stored

    def __missing__(self, key: Any) -> int:
        number = len(self.terms)
        if number >= INLINE:
            raise LimitExceeded(f"more than {INLINE:,} different terms")
        stored = self.stored(key)
        self.kinds.append(self.kind)
        self.terms.append(stored)
        self[key] = number
        return number


class Dictionary:
    """Terms to ids and back; see the module."""

    def __init__(self) -> None:
        self._terms: list[object] = []
        self._kinds = bytearray()
        self._scopes = 0
        self._strings = self._table(_PLAIN, text)
        self._floats = self._table(_PLAIN, _float_of)  # by bits: -0.0 is not 0.0, and NaN is NaN
        self._iris = self._table(_IRI, lambda value: iri(value).value)
        self._blanks = self._table(_BLANK, lambda label: blank(label).label)
        self._others = self._table(_PLAIN, lambda key: key[-1])

    def __len__(self) -> int:
        """The number of terms held; small integers are not."""
        return len(self._terms)

    def __repr__(self) -> str:
        return f"<Dictionary of {len(self):,} terms, {self.nbytes / 1e6:,.1f} MB>"

    @property
    def nbytes(self) -> int:
        """An estimate: the containers exactly, the terms by a sample."""
        tables = (self._strings, self._floats, self._iris, self._blanks, self._others)
        held = sum(map(sys.getsizeof, (self._terms, self._kinds, *tables)))
        sample = self._terms[:: max(1, len(self) // 1000)]
        each = sum(map(sys.getsizeof, sample)) / max(1, len(sample)) + sys.getsizeof(1 << 29)
        return held + int(each * len(self))

    # --- terms to ids

    def encode(self, terms: Iterable[Term]) -> Ids:
        """The ids of `terms`, adding the new ones; DataError for a value that is not a term."""
        values = terms if isinstance(terms, list | tuple) else list(terms)
        kinds = set(map(type, values))
        kind = kinds.pop() if len(kinds) == 1 else None
        if kind is int:
            return self._encode_integers(cast(Sequence[int], values))
        key = _BULK.get(kind) if kind is not None else None
        if key is None:
            return np.fromiter(map(self.encode_one, values), np.uint32, len(values))
        name, keys = key
        return np.fromiter(map(getattr(self, name).__getitem__, keys(values)), np.uint32, len(values))

    def encode_one(self, term: Term) -> int:
        """The id of `term`, which is added if it is new."""
        if type(term) is int and -SMALL <= term < SMALL:
            return ZERO + term
        table, key = self._place(term)
        return table[key] if table is not None else key

    def find(self, terms: Iterable[Term]) -> tuple[Ids, Mask]:
        """The ids of the terms that are known, and which are; the ids of the others mean nothing."""
        found = [self.find_one(term) for term in terms]
        known = np.fromiter((one is not None for one in found), np.bool_, len(found))
        return np.fromiter((one or 0 for one in found), np.uint32, len(found)), known

    def find_one(self, term: Term) -> int | None:
        """The id of `term`, or None if it was never added."""
        table, key = self._place(term)
        return table.get(key) if table is not None else key

    def encode_arrow(self, array: pa.Array | pa.ChunkedArray) -> Ids:
        """The ids of an Arrow column, set at a time; DataError with the row for a null or a type that has no terms."""
        from tidelog.facts import arrow

        return arrow.encode(self, array)

    def encode_int64(self, values: np.ndarray[Any, Any]) -> Ids:
        """The ids of an array of integers of any width."""
        ids = cast(Ids, values.astype(np.uint32) + np.uint32(ZERO))  # modulo 2**32, so also right for negative ones
        if len(values) and not (int(values.min()) >= -SMALL and int(values.max()) < SMALL):
            large = (values < -SMALL) | (values >= SMALL)
            ids[large] = np.fromiter(map(self.encode_one, values[large].tolist()), np.uint32)
        return ids

    def encode_float64(self, values: np.ndarray[Any, Any]) -> Ids:
        bits = np.where(np.isnan(values), np.nan, values).astype(np.float64).view(np.int64)
        return np.fromiter(map(self._floats.__getitem__, bits.tolist()), np.uint32, len(values))

    def encode_iris(self, texts: Sequence[str]) -> Ids:
        """The ids of IRIs given by their text."""
        return np.fromiter(map(self._iris.__getitem__, texts), np.uint32, len(texts))

    def fresh_scope(self) -> str:
        """A prefix for the labels of one file's blank nodes, which keeps them apart from all other files'."""
        self._scopes += 1
        return f"f{self._scopes}."

    # --- ids to terms

    def decode_one(self, number: int) -> Term:
        """The term with this id."""
        number = int(number)
        if number >= INLINE:
            return number - ZERO
        kind, stored = self._kinds[number], self._terms[number]
        if kind == _PLAIN:
            return cast(Term, stored)
        return Iri(cast(str, stored)) if kind == _IRI else BlankNode(cast(str, stored))

    def decode(self, ids: Ids) -> list[Term]:
        """The terms with these ids, each different one made once."""
        if len(ids) < 64:
            return [self.decode_one(number) for number in ids.tolist()]
        if int(ids.min()) >= INLINE:
            return cast(list[Term], (ids.astype(np.int64) - ZERO).tolist())
        distinct, inverse = factorize(ids)
        return cast(list[Term], self._objects(distinct)[inverse].tolist())

    def distinct(self, ids: Ids) -> Mask:
        """Of which terms it is known at once that they are equal to themselves and to no other: texts, IRIs, integers."""
        distinct = ids >= INLINE
        stored = (~distinct).nonzero()[0]
        if len(stored):
            some, inverse = factorize(ids[stored]) if len(stored) >= 64 else (ids[stored], slice(None))
            terms = self._terms
            known = np.fromiter((type(terms[number]) in (str, int) for number in some.tolist()), np.bool_, len(some))
            distinct[stored] = known[inverse]
        return distinct

    def to_arrow(self, ids: Ids) -> pa.Array:
        """One Arrow column: of a natural type if all terms are of one kind, else of strings in the rule language."""
        from tidelog.facts import arrow

        return arrow.decode(self, ids)

    def _objects(self, distinct: Ids) -> np.ndarray[Any, Any]:
        return np.fromiter(map(self.decode_one, distinct.tolist()), object, len(distinct))

    def only(self, ids: Ids) -> tuple[Dictionary, Ids]:
        """A dictionary of some terms alone (no small integers), and the ids that they have there."""
        only, new = Dictionary(), np.empty(len(ids), np.uint32)
        only._scopes = self._scopes
        iris = np.frombuffer(bytes(self._kinds), np.uint8)[ids] == _IRI
        new[iris] = only.encode_iris([cast(str, self._terms[number]) for number in ids[iris].tolist()])
        new[~iris] = only.encode([self.decode_one(number) for number in ids[~iris].tolist()])
        return only, new

    # --- where a term is kept

    def _table(self, kind: int, stored: Callable[[Any], object]) -> _Table:
        return _Table(self._terms, self._kinds, kind, stored)

    def _place(self, term: Term) -> tuple[_Table, Any] | tuple[None, int]:
        """The table and key of a term, or for a small integer its id."""
        kind = type(term)
        if kind is str:
            return self._strings, term
        if kind is Iri:
            return self._iris, term.value  # type: ignore[union-attr]
        value = canonical(term)
        kind = type(value)
        if kind is int and -SMALL <= cast(int, value) < SMALL:
            return None, ZERO + cast(int, value)
        if kind is float:
            return self._floats, _bits_of(cast(float, value))
        if isinstance(value, datetime | time):  # equal as instants is not the same term: the offset belongs to it
            return self._others, (kind, value.isoformat(), value)
        if kind is str:
            return self._strings, value
        if isinstance(value, BlankNode):
            return self._blanks, value.label
        return (self._iris, value.value) if isinstance(value, Iri) else (self._others, (kind, value))

    def _encode_integers(self, values: Sequence[int]) -> Ids:
        try:
            return self.encode_int64(np.fromiter(values, np.int64, len(values)))
        except OverflowError:
            return np.fromiter(map(self.encode_one, values), np.uint32, len(values))


def factorize(ids: Ids) -> tuple[Ids, np.ndarray[Any, Any]]:
    """The distinct ids in ascending order, and for each id its position among them."""
    highest = int(ids.max()) if len(ids) else 0
    if highest >= INLINE or highest > 16 * len(ids):
        distinct, inverse = np.unique(ids, return_inverse=True)
        return distinct, inverse
    position = np.zeros(highest + 1, np.int32)
    position[ids] = 1
    distinct = np.flatnonzero(position).astype(np.uint32)
    position[distinct] = np.arange(len(distinct), dtype=np.int32)
    return distinct, position[ids]


_NAN_BITS = cast(int, _BITS[1].unpack(_BITS[0].pack(float("nan")))[0])


def _bits_of(value: float) -> int:
    return _NAN_BITS if value != value else cast(int, _BITS[1].unpack(_BITS[0].pack(value))[0])


def _float_of(bits: int) -> float:
    return cast(float, _BITS[0].unpack(_BITS[1].pack(bits))[0])


_BULK: dict[type, tuple[str, Callable[[Sequence[Any]], Iterable[Any]]]] = {
    str: ("_strings", lambda values: values),
    float: ("_floats", lambda values: map(_bits_of, values)),
    Iri: ("_iris", lambda values: map(attrgetter("value"), values)),
    BlankNode: ("_blanks", lambda values: map(attrgetter("label"), values)),
}
