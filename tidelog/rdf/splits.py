"""A file of lines cut into ranges of bytes, to be read apart from each other.

A range owns the lines that *begin* in it, wherever they end: whoever reads the range [start, end) skips what is left of the
line before it and reads its own last line beyond `end`. So every line is read exactly once, wherever the cuts fall. How
many lines come before a range is counted only if somebody has to say where a bad one stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tidelog.errors import DataError
from tidelog.io.files import GZIP

BLOCK = 1 << 23


class Range(NamedTuple):
    """The lines of a file that begin at these bytes."""

    path: str
    start: int
    end: int


def ranges(path: Path, size: int) -> list[Range]:
    """The ranges of a file, each about `size` bytes; one that is packed cannot be cut."""
    length = path.stat().st_size
    count = 1 if packed(path) else max(1, round(length / size))
    cuts = [length * number // count for number in range(count + 1)]
    return [Range(str(path), start, end) for start, end in pairwise(cuts)]


def packed(path: Path) -> bool:
    """Whether it is gzip, whatever its name."""
    with path.open("rb") as file:
        return file.read(2) == GZIP


def blocks(part: Range, size: int = BLOCK) -> Iterator[bytes]:
    """The lines of a range in blocks of whole lines; the last line of a file gets its newline if it has none."""
    try:
        with Path(part.path).open("rb") as file:
            position = part.start
            if position:  # the line that ends here or later is another range's
                file.seek(position - 1)
                position += len(file.readline()) - 1
            while position < part.end:
                block = file.read(min(size, part.end - position))
                if not block:  # shorter than it was
                    raise DataError("became shorter while it was read", source=part.path)
                if not block.endswith(b"\n"):
                    block += file.readline()
                position += len(block)
                yield block if block.endswith(b"\n") else block + b"\n"
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", source=part.path) from error


def lines_before(part: Range) -> int:
    """How many lines of the file begin before the range."""
    count, left = 0, part.start
    with Path(part.path).open("rb") as file:
        last = b"\n"
        while left and (block := file.read(min(BLOCK, left))):
            count += block.count(b"\n")
            left -= len(block)
            last = block[-1:]
    return count + (last != b"\n")
