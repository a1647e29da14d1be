"""Updates in files and streams: what to insert and what to delete, one update after another.

An update is written as a line of JSON, and a file of such lines (NDJSON) is a sequence of updates:

    {"insert": [["edge", "a", "b"], ["weight", "a", 1.5]], "delete": [["edge", "b", "c"]]}

A fact is a list: its predicate, then its terms. JSON's strings, integers, other numbers, `true` and `false` are what they are
in Python. Every other term is an object with its text in N-Triples: `{"term": "<http://example.org/a>"}`,
`{"term": "\\"1.5\\"^^<http://www.w3.org/2001/XMLSchema#decimal>"}`. Changes are written in the same form, so that what one
program concludes can be the updates of the next; `update` and `explicit`, which they have besides, are passed over. `time`
may say when an update happened: seconds since 1970, or a date with a time of day.

Or an update is made of tables, a file for each predicate that is inserted into or deleted from.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import count
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tidelog.errors import DataError
from tidelog.io import files
from tidelog.io.bad_rows import BadRows, shortened
from tidelog.notation import ntriples, parse_term
from tidelog.stream.sources import END, LATER, ByteLines, Ready, Signal, Source, Taken, source_of
from tidelog.terms import Term

if TYPE_CHECKING:
    from tidelog.facts.dictionary import Dictionary, Ids

Facts: TypeAlias = Mapping[str, Any]
"""Facts by predicate: rows, or the files that hold them."""

EXAMPLE = '{"insert": [["edge", 1, 2]], "delete": [["edge", 2, 3]]}'
_PARTS, _PASSED_OVER = ("insert", "delete"), {"update", "explicit", "time"}


@dataclass(frozen=True, slots=True)
class WrittenUpdate:
    """An update and where it stands: `line` is None if it is made of tables."""

    insert: Facts = field(default_factory=dict)
    delete: Facts = field(default_factory=dict)
    number: int = 0
    """Its place among all updates that are read, from 1; a bad one has a number, too."""
    source: str = ""
    line: int | None = None
    text: str = ""
    time: float | None = None
    """When it happened, in seconds since 1970, if the source says so."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A source of lines, read as far as updates are asked for: a file, or a stream that may go on for ever."""

    source: str
    lines: Iterable[bytes] | Source[bytes]

    @classmethod
    def of(cls, path: Path) -> Lines:
        """The lines of a file, unpacked if it is gzip; those of a pipe as they come."""
        path = files.check(path)
        return cls(str(path), Ready(_lines(path)) if path.is_file() else ByteLines(lambda: path.open("rb")))

    @classmethod
    def growing(cls, path: Path) -> Lines:
        """The lines of a file to which somebody appends; they never end."""
        path = files.check(path)
        return cls(str(path), ByteLines(lambda: path.open("rb"), growing=True))

    @classmethod
    def of_stream(cls, stream: Any, name: str = "") -> Lines:
        """The lines of an open file, such as `sys.stdin`."""
        name = name or str(getattr(stream, "name", "<stream>"))
        binary = getattr(stream, "buffer", stream)
        try:
            binary.fileno()
        except (AttributeError, OSError):  # it is all in memory
            return cls(name, Ready(line if isinstance(line, bytes) else line.encode() for line in binary))
        return cls(name, ByteLines(lambda: binary))

    def stop(self) -> None:
        """No more lines are waited for at the end of a growing file."""
        if isinstance(self.lines, ByteLines):
            self.lines.stop()


def _lines(path: Path) -> Iterator[bytes]:
    return (line for block in files.line_blocks(path) for line in block.split(b"\n")[:-1])


def read(sources: Iterable[Lines | WrittenUpdate], bad_rows: BadRows) -> Written:
    """The updates of all sources in order, each read when it is asked for; bad lines are reported."""
    return Written(sources, bad_rows)


class Written:
    """Updates on lines, and between them those that are made of tables: a source (`tidelog.stream.sources`) and an iterator."""

    def __init__(self, sources: Iterable[Lines | WrittenUpdate], bad_rows: BadRows) -> None:
        self._sources = iter(sources)
        self._bad_rows = bad_rows
        self._numbers = count(1)
        self._name, self._line = "", 0
        self._lines: Source[bytes] = Ready(())
        self.time: float | None = None
        """That of the update read last."""

    def __iter__(self) -> Iterator[WrittenUpdate]:
        return self

    def __next__(self) -> WrittenUpdate:
        update = self.take(wait=True)
        if isinstance(update, Signal):
            raise StopIteration
        return update

    def take(self, wait: bool) -> Taken[WrittenUpdate]:
        while True:
            raw = self._lines.take(wait)
            if raw is LATER:
                return LATER
            if not isinstance(raw, Signal):
                self._line += 1
                if (update := self._read(raw)) is not None:
                    return update
                continue
            source = next(self._sources, END)
            if isinstance(source, Lines):
                self._name, self._lines, self._line = source.source, source_of(source.lines), 0
            elif isinstance(source, Signal):
                return END
            else:
                return replace(source, number=next(self._numbers))

    def _read(self, raw: bytes) -> WrittenUpdate | None:
        """The update of a line; None if there is none, or a bad one that is passed over."""
        content = raw.removeprefix(b"\xef\xbb\xbf") if self._line == 1 else raw
        if not content.strip():
            return None
        number, text = next(self._numbers), content.decode(errors="backslashreplace").strip()
        try:
            insert, delete, self.time = _parse(content)
        except DataError as error:
            self._bad_rows.report(self._name, self._line, error.message, text)
            return None
        return WrittenUpdate(insert, delete, number, self._name, self._line, text, self.time)


# --- from JSON --------------------------------------------------------------------------------------------------------


def _parse(line: bytes) -> tuple[Facts, Facts, float | None]:
    update = _json(line)
    if not isinstance(update, dict):
        raise DataError(f"an update is an object such as {EXAMPLE}")
    for name in update:
        if name not in _PARTS and name not in _PASSED_OVER:
            raise DataError(f"an update has the names insert and delete, not {name!r}")
    insert, delete = (_facts(update.get(part, []), part) for part in _PARTS)
    time = update.get("time")
    return insert, delete, None if time is None else seconds(time)


def seconds(time: object) -> float:
    """Since 1970, of a number or of a date with a time of day, which is in UTC if it does not say."""
    if isinstance(time, int | float | Decimal) and not isinstance(time, bool) and isfinite(time):
        return float(time)
    try:
        moment = time if isinstance(time, datetime) else datetime.fromisoformat(str(time))
    except ValueError:
        raise DataError(
            f"{shortened(str(time))} is no time: seconds since 1970 are, and dates such as 2026-03-01T12:00:00Z"
        ) from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _json(line: bytes) -> Any:
    try:
        return json.loads(line.decode(), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_float)
    except UnicodeDecodeError as error:
        raise DataError(f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise DataError(f"not JSON, with one update on a line: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise DataError("brackets are nested too deeply") from None
    except ValueError:
        raise DataError("a number has too many digits") from None


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DataError("a name occurs twice in an object")
    return found


def _no_number(written: str) -> float:
    raise DataError(f'{written} is no number in JSON; a fact can hold {{"term": ...}} with a double in N-Triples')


def _float(written: str) -> float:
    value = float(written)
    if value - value != 0:
        raise DataError(f"{written} is too large for a double")
    return value


def _facts(rows: Any, part: str) -> Facts:
    if not isinstance(rows, list):
        raise DataError(f'{part} is a list of facts such as [["edge", 1, 2]], not {_shown(rows)}')
    facts: dict[str, list[tuple[Term, ...]]] = {}
    for number, row in enumerate(rows, 1):
        if not (isinstance(row, list) and row and isinstance(row[0], str)):
            raise DataError(f'{part}, fact {number}: a fact is a list such as ["edge", 1, 2], not {_shown(row)}')
        try:
            facts.setdefault(row[0], []).append(tuple(map(_term, row[1:])))
        except DataError as error:
            raise DataError(f"{part}, fact {number}: {error.message}") from None
    return facts


def _term(value: Any) -> Term:
    if isinstance(value, str) and not value.isascii():
        _check_characters(value)
    if isinstance(value, str | int | float):  # and bool
        return value
    if not (isinstance(value, dict) and value.keys() == {"term"} and isinstance(value["term"], str)):
        raise DataError(f'{_shown(value)} is not a value: strings, numbers, true, false and {{"term": "<N-Triples>"}} are')
    term = parse_term(value["term"])
    if term is None:
        raise DataError(f"{shortened(value['term'])} is not a term in N-Triples")
    return term


def _check_characters(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise DataError(f"{shortened(value)} has half a surrogate pair, which is no character") from None


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


# --- to JSON ----------------------------------------------------------------------------------------------------------


def facts_to_json(predicate: str, dictionary: Dictionary, columns: Sequence[Ids], length: int) -> list[str]:
    """The text of each fact as updates have it; each different term is written once."""
    import numpy as np

    from tidelog.facts.dictionary import factorize

    name = _json_text(predicate)
    if not columns or not length:
        return [f"[{name}]"] * length
    distinct, inverse = factorize(np.concatenate(columns))
    texts = np.array([_json_text(term_to_json(term)) for term in dictionary.decode(distinct)], object)
    rows = texts[inverse].reshape(len(columns), length).T.tolist()
    return [f"[{name}, {', '.join(row)}]" for row in rows]


def _json_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def term_to_json(term: Term) -> Any:
    """The value that is read as this term again."""
    if isinstance(term, str | int) or (isinstance(term, float) and term - term == 0):
        return term
    return {"term": ntriples(term)}


# --- words for messages -----------------------------------------------------------------------------------------------


def refusal(error: DataError) -> str:
    """Why a whole update was refused, in one line: the error of a fact, with its place within the update."""
    place = f"{error.source}{'' if error.row is None else f', fact {error.row}'}: " if error.source else ""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{place}{error.message}{hint}"
