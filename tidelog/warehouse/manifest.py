"""The manifest: what a version of a warehouse consists of, as a small JSON file that never changes once it is there.

A table is a list of *segments*. Each takes some facts away, which its `removed` files name, and then adds those in its
`files`; so an update writes what it changes, and versions share the files of what it does not. Every row of a predicate's
table is a fact that holds, with a column for each term (`c0`, `c1`, ...: ids of `tidelog.facts.wide`) and its annotations
(`explicit`, `rank`, ...). The dictionary and the quarantine are tables, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tidelog.errors import DataError

FORMAT, FORMAT_VERSION = "tidelog warehouse", 1
MATERIALISED = "materialised"
"""The note that is true if a version holds everything that follows from its explicit facts, with ranks."""
DICTIONARY = {"id": "bigint", "text": "string"}
QUARANTINE = {"source": "string", "line": "bigint", "reason": "string", "text": "string"}
_TERM = re.compile(r"c[0-9]+")


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows that come, in `files`, after others have gone, in `removed`; paths start at the warehouse."""

    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rows: int = 0
    removed_rows: int = 0


@dataclass(frozen=True, slots=True)
class Table:
    """One table of one version."""

    columns: Mapping[str, str]
    """The names and SQL types."""
    segments: tuple[Segment, ...] = ()
    delta: int | None = None
    """The version of the Delta table that this is; its files are those of the one segment."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of terms."""
        return tuple(name for name in self.columns if _TERM.fullmatch(name))

    @property
    def rows(self) -> int:
        return sum(segment.rows - segment.removed_rows for segment in self.segments)

    @property
    def schema(self) -> str:
        """The columns as SQL has them."""
        return ", ".join(f"`{name}` {kind}" for name, kind in self.columns.items())

    def then(self, segment: Segment) -> Table:
        return replace(self, segments=(*self.segments, segment))


@dataclass(frozen=True, slots=True)
class Manifest:
    """One version of a warehouse."""

    version: int
    rules: str
    """The program's rules: whoever opens the warehouse has them or the same."""
    predicates: Mapping[str, Table] = field(default_factory=dict)
    dictionary: Table = Table(DICTIONARY)
    displaced: int = 0
    """How many terms of the dictionary do not live at their home (see `tidelog.facts.wide`)."""
    quarantine: Table = Table(QUARANTINE)
    changes: Mapping[str, Table] = field(default_factory=dict)
    """What this version has and the one before had not, or the other way round: facts with a column `change`, +1 or -1."""
    batches: Mapping[str, int] = field(default_factory=dict)
    """Of each stream, the last batch that this version has taken in."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What else is to be known of this version, as JSON."""
    storage: str = "parquet"
    """What its tables are: plain `parquet` files, or `delta` tables."""
    made_by: str = ""
    written: str = ""

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, "format_version": FORMAT_VERSION, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str, source: str) -> Manifest:
        """The manifest that a file holds; DataError if it is none, or one of another format."""
        try:
            read = json.loads(text)
            known = read.pop("format") == FORMAT
            version = read.pop("format_version")
        except (ValueError, AttributeError, KeyError, TypeError) as error:
            raise DataError("is not a manifest of a Tidelog warehouse", source=source) from error
        if not known:
            raise DataError("is not a manifest of a Tidelog warehouse", source=source)
        if version != FORMAT_VERSION:
            by = read.get("made_by") or "another Tidelog"
            message = f"the warehouse has format {version}, made by {by}; this Tidelog reads format {FORMAT_VERSION}"
            raise DataError(message, source=source, hint="use the Tidelog that made it, or make it anew")
        try:
            for part in ("predicates", "changes"):
                read[part] = {name: _table(table) for name, table in read[part].items()}
            return cls(**{**read, "dictionary": _table(read["dictionary"]), "quarantine": _table(read["quarantine"])})
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"is not a complete manifest: {error}", source=source) from error

    def files(self) -> set[str]:
        """Every file that this version needs."""
        tables = (*self.predicates.values(), *self.changes.values(), self.dictionary, self.quarantine)
        segments = [segment for table in tables for segment in table.segments]
        return {file for segment in segments for file in (*segment.files, *segment.removed)}


def _table(read: Mapping[str, Any]) -> Table:
    segments = (
        Segment(tuple(one["files"]), tuple(one["removed"]), one["rows"], one["removed_rows"]) for one in read["segments"]
    )
    return Table(read["columns"], tuple(segments), read["delta"])
