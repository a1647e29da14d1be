"""Wide ids: 64 bits, made from a term alone, so that many machines give a term the same id without asking each other.

An integer v, -2**62 <= v < 2**62, is its own id. Any other term has its *home*: 2**62 + 61 bits of the xxHash64 (seed 42, as
Spark's `xxhash64`) of its text in N-Triples. Of two terms with one home the second to come lives at the next free id
above; a dictionary that knows all terms says which, so ids are exact. Who has no dictionary of displaced terms at hand, and
knows that there are none, computes.

>>> wide = home_of('"a"')
>>> wide >= WIDE and wide == int(homes(['"b"', '"a"'])[1])
True
>>> home_of('"7"^^<http://www.w3.org/2001/XMLSchema#integer>')
7
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tidelog.terms import XSD

WIDE = 1 << 62
HASH_BITS = 61
INTEGER_TEXT = rf'"(0|-?[1-9][0-9]{{0,18}})"\^\^<{re.escape(XSD)}integer>'
"""The text of an integer that may be its own id."""

WideIds: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
_Words: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint64]]

_INTEGER = re.compile(INTEGER_TEXT)
_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_P1, _P2, _P3, _P4, _P5 = map(np.uint64, _PRIMES)
_SEED = 42
_STARTS = (_SEED + _PRIMES[0] + _PRIMES[1], _SEED + _PRIMES[1], _SEED, _SEED - _PRIMES[0])


def home_of(text: str, bits: int = HASH_BITS) -> int:
    """The id of the term with this text in N-Triples, if it is not displaced."""
    return int(homes([text], bits)[0])


def homes(texts: Sequence[str], bits: int = HASH_BITS) -> WideIds:
    """The ids of terms, if they are not displaced. Fewer bits of the hash are for tests of what happens then."""
    hashed = xxhash64([text.encode() for text in texts])
    ids = (hashed & np.uint64((1 << bits) - 1)).astype(np.int64) + WIDE
    for row, text in enumerate(texts):
        if text.endswith("integer>") and (written := _INTEGER.fullmatch(text)) and -WIDE <= int(written[1]) < WIDE:
            ids[row] = int(written[1])
    return ids


def xxhash64(texts: Sequence[bytes]) -> _Words:
    """xxHash64 with the seed that Spark uses, for all texts of the same length at once."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    hashed = np.empty(len(texts), np.uint64)
    order = np.argsort(lengths, kind="stable")
    cuts = np.flatnonzero(np.diff(lengths[order])) + 1
    for rows in np.split(order, cuts) if len(texts) else []:
        length = int(lengths[rows[0]])
        joined = np.frombuffer(b"".join([texts[row] for row in rows.tolist()]), np.uint8)
        hashed[rows] = _hash(joined.reshape(len(rows), length), length)
    return hashed


def _hash(texts: np.ndarray[tuple[int, int], np.dtype[np.uint8]], length: int) -> _Words:
    """The algorithm as its specification has it, on columns instead of one text."""

    def word(at: int, size: int = 8) -> _Words:
        return np.ascontiguousarray(texts[:, at : at + size]).view(f"<u{size}").ravel().astype(np.uint64)

    at = 0
    if length >= 32:
        lanes = [np.full(len(texts), start % (1 << 64), np.uint64) for start in _STARTS]
        while at + 32 <= length:
            lanes = [_round(word(at + 8 * number), lane) for number, lane in enumerate(lanes)]
            at += 32
        state = np.zeros(len(texts), np.uint64)
        for lane, turn in zip(lanes, (1, 7, 12, 18), strict=True):
            state += _rotated(lane, turn)
        for lane in lanes:
            state = (state ^ _round(lane)) * _P1 + _P4
    else:
        state = np.full(len(texts), _SEED + _PRIMES[4], np.uint64)
    state = state + np.uint64(length)
    while at + 8 <= length:
        state = _rotated(state ^ _round(word(at)), 27) * _P1 + _P4
        at += 8
    if at + 4 <= length:
        state = _rotated(state ^ (word(at, 4) * _P1), 23) * _P2 + _P3
        at += 4
    for last in range(at, length):
        state = _rotated(state ^ (texts[:, last].astype(np.uint64) * _P5), 11) * _P1
    state = (state ^ (state >> np.uint64(33))) * _P2
    state = (state ^ (state >> np.uint64(29))) * _P3
    return state ^ (state >> np.uint64(32))


def _round(word: _Words, lane: _Words | None = None) -> _Words:
    mixed = word * _P2
    return _rotated(mixed if lane is None else lane + mixed, 31) * _P1


def _rotated(words: _Words, turn: int) -> _Words:
    return (words << np.uint64(turn)) | (words >> np.uint64(64 - turn))
