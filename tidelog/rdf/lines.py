"""N-Triples and N-Quads, read set at a time.

A block of lines is cut into columns by numpy: subject and predicate hold no blanks, so the first two blanks of a line end
them, and what stands before the final ` .` is the object (in N-Quads, with a graph behind the last blank). Arrow finds
the distinct texts of each column, and only these are read as terms, each by a strict pattern.

The cut is right for every line in the usual spelling. Any other line - a comment, tabs, extra blanks, something wrong - has a
text in some column that is no term; such lines go through pyoxigraph, which either reads them or says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyoxigraph as ox

from tidelog.errors import DataError
from tidelog.facts import arrow
from tidelog.facts.dictionary import Dictionary, Ids
from tidelog.io.bad_rows import BadRows
from tidelog.io.files import Progress
from tidelog.notation import parse_term
from tidelog.rdf import oxigraph
from tidelog.terms import BlankNode, Iri

_Quad: TypeAlias = tuple[int, ...]

_NEWLINE, _BLANK, _DOT, _RETURN = b"\n .\r"
_SAFE = "[A-Za-z0-9_~./:,;=+()!$*'-]"
_PLAIN_IRI = rf"^<https?://[A-Za-z0-9.-]+(/{_SAFE}*)?(\?{_SAFE}*)?(#{_SAFE}*)?>$"  # certainly an absolute IRI
_PLAIN_STRING = r'^"[^"\\\n\r]*"$'
_SUBJECT, _PREDICATE, _OBJECT, _GRAPH = range(4)
_NOT_A_TERM = -1


def read(
    source: str,
    blocks: Iterable[bytes],
    dictionary: Dictionary,
    *,
    quads: bool,
    scope: str,
    bad_rows: BadRows,
    progress: Progress | None = None,
) -> list[Ids]:
    """The columns subject, predicate, object and graph of a text that comes in blocks of whole lines."""
    reader = _Reader(source, dictionary, quads, scope, bad_rows)
    parts: list[list[Ids]] = []
    for block in blocks:
        parts.append(reader.block(block))
        if progress is not None:
            progress(reader.line, None)
    empty = np.empty(0, np.uint32)
    return [np.concatenate([empty, *column]) for column in zip(*parts, strict=True)] if parts else [empty] * 4


class _Reader:
    """Reads one file's blocks, counting lines."""

    def __init__(self, source: str, dictionary: Dictionary, quads: bool, scope: str, bad_rows: BadRows) -> None:
        self.source, self.dictionary, self.quads, self.scope, self.bad_rows = source, dictionary, quads, scope, bad_rows
        self.line = 0
        self.default_graph = dictionary.encode_one(oxigraph.DEFAULT_GRAPH)

    def block(self, block: bytes) -> list[Ids]:
        cut = _cut(block, self.quads)
        columns = [self._encode(position, texts) for position, texts in enumerate(cut.columns)]
        if cut.named is not None:
            graphs = np.full(len(cut.lines), self.default_graph, np.int64)
            graphs[cut.named] = columns[_GRAPH]
            columns[_GRAPH] = graphs
        read = np.logical_and.reduce([column != _NOT_A_TERM for column in columns])
        usual = [column[read].astype(np.uint32) for column in columns]
        if cut.named is None:
            usual.append(np.full(len(usual[0]), self.default_graph, np.uint32))
        other = np.sort(np.concatenate([cut.lines[~read], cut.unusual]))
        odd = self._unusual(block, cut.starts, other)
        self.line += len(cut.starts) - 1
        return [np.concatenate(pair) for pair in zip(usual, odd, strict=True)]

    def _encode(self, position: int, texts: pa.Array) -> np.ndarray[Any, Any]:
        """For each text the id of its term, or `_NOT_A_TERM`; plain IRIs and strings, which most are, all at once."""
        coded = texts.dictionary_encode()
        ids = np.full(len(coded.dictionary), _NOT_A_TERM, np.int64)
        try:
            distinct = coded.dictionary.cast(pa.string())
        except pa.ArrowInvalid:  # not UTF-8 somewhere
            left = np.arange(len(ids))
        else:
            plain = [(_PLAIN_IRI, self.dictionary.encode_iris), (_PLAIN_STRING, self.dictionary.encode)]
            for pattern, encode in plain if position == _OBJECT else plain[:1]:
                fits = pc.match_substring_regex(distinct, pattern)
                ids[arrow.to_numpy(fits)] = encode(pc.utf8_slice_codeunits(distinct.filter(fits), 1, -1).to_pylist())
            left = np.flatnonzero(ids == _NOT_A_TERM)
        for number in left.tolist():
            ids[number] = self._id(position, coded.dictionary[number].as_py())
        return cast("np.ndarray[Any, Any]", ids[arrow.to_numpy(coded.indices)])

    def _id(self, position: int, raw: bytes) -> int:
        try:
            term = parse_term(raw.decode())
        except UnicodeDecodeError:
            return _NOT_A_TERM
        if isinstance(term, BlankNode) and position != _PREDICATE:
            return self.dictionary.encode_one(BlankNode(self.scope + term.label))
        if isinstance(term, Iri):
            return _NOT_A_TERM if oxigraph.iri_problem(term.value) else self.dictionary.encode_one(term)
        return self.dictionary.encode_one(term) if term is not None and position == _OBJECT else _NOT_A_TERM

    def _unusual(self, block: bytes, starts: np.ndarray[Any, Any], lines: np.ndarray[Any, Any]) -> list[Ids]:
        """The quads of lines in an unusual spelling; bad lines are reported."""
        texts = [block[starts[line] : starts[line + 1]] for line in lines.tolist()]
        quads, reason = self._parse(b"".join(texts))
        if reason is not None:
            quads = [quad for line, text in zip(lines.tolist(), texts, strict=True) for quad in self._one(line, text)]
        return [np.fromiter((quad[position] for quad in quads), np.uint32, len(quads)) for position in range(4)]

    def _one(self, line: int, text: bytes) -> list[_Quad]:
        quads, reason = self._parse(text)
        if reason is not None:
            self.bad_rows.report(
                self.source, self.line + line + 1, reason, text.decode(errors="backslashreplace").rstrip("\r\n")
            )
        return quads

    def _parse(self, text: bytes) -> tuple[list[_Quad], str | None]:
        """The quads of a text, or why it cannot be read."""
        syntax = ox.RdfFormat.N_QUADS if self.quads else ox.RdfFormat.N_TRIPLES
        add, scope = self.dictionary.encode_one, self.scope
        try:
            parsed = list(ox.parse(text, format=syntax)) if text.strip() else []
            return [tuple(add(oxigraph.term(part, scope)) for part in quad) for quad in parsed], None
        except DataError as error:
            return [], error.message
        except SyntaxError as error:
            return [], explained(error)


def explained(error: SyntaxError) -> str:
    """What pyoxigraph found wrong, without the line it counted."""
    return re.sub(r"^Parser error (?:at line \d+|between line \d+)[^:]*: ", "", error.msg)


class _Cut:
    """A block cut into lines and columns.

    `columns` hold the texts of the lines numbered `lines`; the graph column only those of them that are `named`. The lines
    `unusual` could not be cut. Line `i` is `block[starts[i]:starts[i + 1]]`.
    """

    __slots__ = ("columns", "lines", "named", "starts", "unusual")

    columns: list[pa.Array]
    lines: np.ndarray[Any, Any]
    named: np.ndarray[Any, Any] | None
    starts: np.ndarray[Any, Any]
    unusual: np.ndarray[Any, Any]


def _cut(block: bytes, quads: bool) -> _Cut:
    cut, text = _Cut(), np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(text == _NEWLINE).astype(np.int32)
    cut.starts = np.concatenate([np.zeros(1, np.int32), ends + np.int32(1)])
    starts = cut.starts[:-1]
    ends = ends - (text[np.maximum(ends - 1, 0)] == _RETURN).astype(np.int32)
    blanks = np.concatenate([np.flatnonzero(text == _BLANK).astype(np.int32), np.full(2, len(text), np.int32)])
    at = np.searchsorted(blanks[:-1], starts)
    first, second, last = blanks[at], blanks[at + 1], ends - np.int32(2)
    usual = (second < last) & (text[np.maximum(last, 0)] == _BLANK) & (text[np.maximum(last, -1) + 1] == _DOT)
    cut.lines, cut.unusual = np.flatnonzero(usual), np.flatnonzero(~usual & (ends > starts))
    starts, first, second, last = starts[usual], first[usual], second[usual], last[usual]
    data, cut.named = pa.py_buffer(block), None
    if quads:
        third = blanks[np.searchsorted(blanks, last) - 1]
        cut.named = (third > second) & np.isin(text[np.minimum(third + 1, len(text) - 1)], np.frombuffer(b"<_", np.uint8))
        graphs = _texts(data, third[cut.named] + 1, last[cut.named])
        last = np.where(cut.named, third, last).astype(np.int32)
    cut.columns = [_texts(data, starts, first), _texts(data, first + 1, second), _texts(data, second + 1, last)]
    if quads:
        cut.columns.append(graphs)
    return cut


def _texts(data: pa.Buffer, starts: np.ndarray[Any, Any], ends: np.ndarray[Any, Any]) -> pa.Array:
    """The pieces of a text as an Arrow column: all pieces and the gaps between them without a copy, then every other one."""
    offsets = np.empty(2 * len(starts) + 1, np.int32)
    offsets[0:-1:2], offsets[1::2] = starts, ends
    offsets[-1] = ends[-1] if len(ends) else 0
    pieces = pa.Array.from_buffers(pa.binary(), 2 * len(starts), [None, pa.py_buffer(offsets), data])
    return pieces.take(arrow.from_numpy(np.arange(0, 2 * len(starts), 2, dtype=np.int32)))
