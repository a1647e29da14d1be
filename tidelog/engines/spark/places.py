"""Where terms stand in the order of their kind, next to integers that nobody laid out.

A number is told by the greatest integer that is not above it (`floor`), and by its place among the numbers that are laid out
(0 if it is that integer), so it compares with any integer of up to 62 bits. A term of another kind is told by its place alone.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from tidelog.errors import DataError
from tidelog.facts import values
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.facts.values import Number
from tidelog.facts.wide import WIDE

Place: TypeAlias = tuple[int, int, int]
"""A term's kind (see `tidelog.facts.values`), floor and place."""
REFUSAL = "tidelog: not for SQL"
INEXACT = f"raise_error('{REFUSAL}')"


class Inexact(Exception):
    """A condition met what SQL cannot compare or calculate with; for the engine, which can be careful."""


def unknown() -> DataError:
    """A condition met a term that nobody can tell."""
    what = "a condition of a rule compares terms that neither this process nor a dictionary table knows"
    return DataError(what, hint="open the warehouse that has the dictionary, or load the terms as facts")


def places_of(dictionary: Dictionary, ids: Ids) -> list[Place]:
    """The places of terms that are no integers of up to 62 bits."""
    kinds, places = values.ranked(dictionary, ids)
    found: list[Place] = []
    for kind, place, term in zip(kinds.tolist(), places.tolist(), dictionary.decode(ids), strict=True):
        number = values.number(term) if kind == values.NUMBER else None
        if number is None:
            found.append((kind, 0, place))
        else:
            floor = floor_of(number)
            found.append((kind, floor, 0 if floor == number and -WIDE <= floor < WIDE else place + 1))
    return found


def floor_of(number: Number) -> int:
    """The greatest integer that is not above a number; beyond 62 bits, the first one there.

    >>> floor_of(-1.5), floor_of(float("inf")) == 2**62, floor_of(-(10**30)) == -(2**62) - 1
    (-2, True, True)
    """
    if number >= WIDE:
        return WIDE
    return -WIDE - 1 if number < -WIDE else math.floor(number)
