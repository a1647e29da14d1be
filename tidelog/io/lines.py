"""Columns of ids written as lines of text: each distinct term is put into words once, Arrow joins the lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

import numpy as np

from tidelog.facts.dictionary import INLINE, ZERO, Dictionary, Ids
from tidelog.terms import Term

ROWS = 1 << 20

Show = Callable[[Term], str]


def write(
    file: BinaryIO, columns: Sequence[Ids], dictionary: Dictionary, shows: Sequence[Show], between: str, end: str
) -> None:
    """Write a line for each row: the terms as `shows` has them, `between` between them, and `end`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from tidelog.facts import arrow

    nothing, separator = (pa.scalar(text, pa.large_string()) for text in ("", between))
    for start in range(0, len(columns[0]), ROWS):
        texts = [_texts(column[start : start + ROWS], dictionary, show) for column, show in zip(columns, shows, strict=True)]
        ends = arrow.strings([end]).take(arrow.from_numpy(np.zeros(len(texts[0]), np.int8)))
        joined = pc.binary_join_element_wise(*texts[:-1], pc.binary_join_element_wise(texts[-1], ends, nothing), separator)
        _, offsets, data = joined.buffers()
        used = np.frombuffer(offsets, np.int64)
        file.write(memoryview(data)[used[joined.offset] : used[joined.offset + len(joined)]])


def _texts(ids: Ids, dictionary: Dictionary, show: Show) -> Any:
    import pyarrow as pa

    from tidelog.facts import arrow

    if int(ids.min()) >= INLINE and show(1) == "1":
        return arrow.from_numpy(ids.astype(np.int64) - ZERO).cast(pa.large_string())
    return arrow.texts(dictionary, ids, show)
