"""Ranges of lines: wherever a file is cut, every line is read once and its number is right."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tidelog.errors import DataError
from tidelog.rdf.splits import Range, blocks, lines_before, ranges

TEXTS = [
    b"",
    b"\n",
    b"one",
    b"one\n",
    b"one\ntwo",
    b"\n\none\r\n\ntwo three\n\n",
    b"a\nbb\nccc\ndddd\n",
    b"a long first line\nb\nc\n",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("size", [1, 3, 100])
def test_every_line_is_read_once_wherever_the_file_is_cut(text: bytes, size: int, tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(text)
    lines = text.splitlines(keepends=True)
    for cut in range(len(text) + 1):
        for second in range(cut, len(text) + 1):
            parts = [Range(str(path), *bounds) for bounds in pairwise((0, cut, second, len(text)))]
            read = [b"".join(blocks(part, size)) for part in parts]
            assert b"".join(read).splitlines() == [line.rstrip(b"\r\n") for line in lines]
            for part, content in zip(parts, read, strict=True):
                if content:
                    assert content.startswith(lines[lines_before(part)])


def test_a_file_is_cut_into_ranges_of_about_the_size_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"x\n" * 500)
    cut = ranges(path, 300)
    assert [part.end - part.start for part in cut] == [333, 333, 334]
    assert b"".join(block for part in cut for block in blocks(part)) == path.read_bytes()


def test_a_packed_file_is_one_range(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(b"\x1f\x8b" + bytes(1000))
    assert len(ranges(path, 10)) == 1


def test_a_file_that_shrinks_is_not_read_as_if_it_were_whole(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\ntwo\n")
    with pytest.raises(DataError, match="became shorter"):
        list(blocks(Range(str(path), 0, 100)))
