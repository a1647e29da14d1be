"""The streams of a continuous query: which source each window looks at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tidelog.errors import DataError
from tidelog.stream.queries.assembly import windows
from tidelog.stream.queries.tree import TRIPLE, Query
from tidelog.stream.sources import Signal, Source, Taken, source_of
from tidelog.stream.windows import parts_of


def streams(query: Query, given: Any) -> dict[str, Any]:
    """The sources by the IRIs of their streams: as given, or the only one for the only stream."""
    names = list(dict.fromkeys(window.stream.value for window in query.windows))
    if not isinstance(given, Mapping):
        if len(names) > 1:
            shown = ", ".join(f"<{name}>" for name in names)
            raise DataError(f"the query looks at several streams: {shown}", hint="give a source for each, by its IRI")
        return {names[0]: given}
    for name in names:
        if name not in given:
            raise DataError(f"nothing is given for the stream <{name}>", hint=f"there are {', '.join(map(repr, given))}")
    for name in given:
        if name not in names:
            raise DataError(f"the query does not look at a stream {name!r}", hint=f"it looks at {', '.join(map(repr, names))}")
    return {name: given[name] for name in names}


def checked(query: Query, source: Any) -> Any:
    """The source, which raises if it has what the windows would pass over."""
    return OnlyTriples(source_of(source)) if all(window.into for window in windows(query)) else source


class OnlyTriples:
    """A source of updates that are about triples."""

    def __init__(self, source: Source[Any]) -> None:
        self._source = source

    def take(self, wait: bool) -> Taken[Any]:
        update = self._source.take(wait)
        if isinstance(update, Signal):
            return update
        for facts in parts_of(update)[:2]:
            for predicate in facts:
                if predicate != TRIPLE:
                    hint = "a query with one FROM STREAM, and no window with a name, sees all predicates"
                    raise DataError(f"the windows of this query hold triples, not facts of {predicate!r}", hint=hint)
        return update
