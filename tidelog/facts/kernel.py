"""The few whole-array operations that everything in the embedded engine is made of.

Keys are unsigned 64-bit integers. A key packs one or two columns of 32-bit term ids exactly, so that sorting keys sorts
facts and a prefix is a range; for three columns and more it is a mixed hash, and whoever uses it verifies the columns.
`np.unique` is avoided: sorting and comparing neighbours does the same work many times faster. Where arrays may be small,
methods of arrays are called rather than functions of numpy that lead to them: `mask.nonzero()[0]` takes a tenth of
`np.flatnonzero(mask)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.uint32]
Positions: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

N = TypeVar("N", bound=np.generic)

SHIFT = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_FOLD = np.uint64(29)


def pack(columns: Sequence[Ids], length: int) -> Keys:
    """The key of each fact; exact for up to two columns, a hash for more (see `is_exact`)."""
    if not columns:
        return np.zeros(length, np.uint64)
    key: Keys = columns[0].astype(np.uint64)
    if len(columns) == 2:
        key <<= SHIFT
        key |= columns[1]
    elif len(columns) > 2:
        for column in columns[1:]:
            key *= _MULTIPLIER
            key ^= key >> _FOLD
            key += column
        key *= _MULTIPLIER
        key ^= key >> _FOLD
    return key


def is_exact(width: int) -> bool:
    """Whether keys of `width` columns determine the columns."""
    return width <= 2


def unpack(keys: Keys, width: int) -> list[Ids]:
    """The columns behind exact keys."""
    if width == 0:
        return []
    if width == 1:
        return [keys.astype(np.uint32)]
    return [(keys >> SHIFT).astype(np.uint32), keys.astype(np.uint32)]


def starts_of_groups(ordered: NDArray[np.generic]) -> Mask:
    """True where a value differs from the one before it."""
    first = np.empty(len(ordered), np.bool_)
    first[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return first


def sorted_unique(keys: NDArray[N]) -> NDArray[N]:
    """The distinct values in order; sorts in place."""
    if len(keys) < 2:
        return keys
    keys.sort()
    return keys[starts_of_groups(keys)]


def expand(starts: Positions, counts: Positions, total: int) -> tuple[Positions, Positions]:
    """For ranges given by start and length: the range each element belongs to, and the element's position."""
    source = np.arange(len(counts)).repeat(counts)
    before = counts.cumsum()
    before -= counts
    position = np.arange(total)
    position += (starts - before)[source]
    return source, position


def merge(a_keys: Keys, a_rows: Rows, b_keys: Keys, b_rows: Rows) -> tuple[Keys, Rows]:
    """Two sorted runs as one; cheap when `b` is much the smaller."""
    total = len(a_keys) + len(b_keys)
    if total < 2048 or 4 * len(b_keys) > len(a_keys):
        keys = np.concatenate((a_keys, b_keys))
        order = np.argsort(keys, kind="stable")
        return keys[order], np.concatenate((a_rows, b_rows))[order]
    at = np.searchsorted(a_keys, b_keys)
    at += np.arange(len(b_keys))
    from_a = np.ones(total, np.bool_)
    from_a[at] = False
    keys = np.empty(total, np.uint64)
    rows = np.empty(total, np.uint32)
    keys[at], rows[at] = b_keys, b_rows
    keys[from_a], rows[from_a] = a_keys, a_rows
    return keys, rows


def offset_table(keys: Keys, lowest: int, span: int) -> Positions:
    """Where in sorted keys each upper half from `lowest` on begins, between two entries for what lies outside."""
    offsets = np.zeros(span + 3, np.int64)
    offsets[-1] = len(keys)
    if 32 * span < len(keys):  # a search for each is less than a pass over the keys
        offsets[1:-1] = keys.searchsorted(np.arange(lowest, lowest + span + 1, dtype=np.uint64) << SHIFT)
    else:
        upper = (keys >> SHIFT).astype(np.int64)
        upper -= lowest
        np.cumsum(np.bincount(upper, minlength=span), out=offsets[2:-1])
    return offsets


_BUCKET_BITS = 3
_MOST_STEPS = 8


@dataclass(frozen=True, slots=True)
class Directory:
    """Where in sorted keys those begin that share their first bits."""

    starts: Rows
    shift: np.uint64
    steps: int
    """How often the longest of these parts must be halved until one key is left."""

    def places(self, keys: Keys, wanted: Keys) -> Positions:
        """As `np.searchsorted`, but all keys at once, step by step: the processor fetches many places in memory together."""
        place = self.starts.take((wanted >> self.shift).astype(np.int64)).astype(np.int64)
        last = len(keys) - 1
        for step in range(self.steps - 1, -1, -1):
            half = 1 << step
            at = place + (half - 1)
            place += (keys.take(np.minimum(at, last, out=at)) < wanted) * half
        return np.minimum(place, len(keys), out=place)


def directory(keys: Keys) -> Directory | None:
    """The directory of many sorted keys; None if they are spread too unevenly for it to help."""
    bits = len(keys).bit_length() - 1 - _BUCKET_BITS
    shift = np.uint64(64 - bits)
    starts = np.searchsorted(keys, np.arange(1 << bits, dtype=np.uint64) << shift)
    longest = int(np.diff(starts, append=len(keys)).max())
    steps = longest.bit_length()
    return Directory(starts.astype(np.uint32), shift, steps) if steps <= _MOST_STEPS else None
