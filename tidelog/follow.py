"""Following a stream of updates: each is applied when its turn comes, and its changes are handed on.

Algorithms that mark (`tidelog.maintain.marking`) look at the next update while they work on one. So an update may be read
before its turn comes, if it is there; but what is wrong with it is said when its turn has come.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from tidelog.changes import Changes
from tidelog.engines.embedded.batches import Encoded
from tidelog.errors import DataError
from tidelog.stream.durations import Duration
from tidelog.stream.sources import END, Signal, Source, source_of
from tidelog.stream.windowed import Windowed
from tidelog.stream.windows import Window

if TYPE_CHECKING:
    from tidelog.io.bad_rows import BadRows
    from tidelog.io.updates import Lines
    from tidelog.materialisation import Materialisation

Facts: TypeAlias = Mapping[str, Any]


class HasFacts(Protocol):
    """Anything with facts to insert and to delete, such as `tidelog.io.updates.WrittenUpdate`."""

    @property
    def insert(self) -> Facts: ...

    @property
    def delete(self) -> Facts: ...


AnyUpdate: TypeAlias = HasFacts | Mapping[str, Facts]
_Queue: TypeAlias = "Queue[AnyUpdate | None] | SimpleQueue[AnyUpdate | None]"
Updates: TypeAlias = "Iterable[AnyUpdate] | Source[AnyUpdate] | _Queue | Path | Lines | io.IOBase"
"""Whatever updates come from, one after another."""


def growing(path: str | Path) -> Lines:
    """A file of updates, one on a line, to which somebody appends: a source without an end, until its `stop` is called."""
    from tidelog.io.updates import Lines

    return Lines.growing(Path(path))


def follow(mat: Materialisation, updates: Updates, look_ahead: int) -> Iterator[Changes]:
    """The changes of each update, numbered as the updates are."""
    stream = Stream(mat, source_of(written(updates, mat.bad_rows), look_ahead))
    while True:
        turn = stream.next()
        if turn is None:
            return
        changes = turn.apply(mat, stream.look if look_ahead else None)
        if changes is not None:
            yield changes


def windowed(
    updates: Updates | Mapping[str, Updates],
    windows: Window | str | Iterable[Window | str],
    *,
    lateness: Duration = 0,
    late: Callable[[Any], None] | None = None,
    every_step: bool = False,
) -> Windowed:
    """Updates, each with a time, seen through windows: slides for `Materialisation.follow`.

    `updates` is what `follow` takes, or a mapping from the names of several streams to theirs; each update has a `time`.
    `windows` is a `Window` or text such as `10s/1s`, or several. What happened more than `lateness` before the latest event is
    late: `late` is told of it, and it is counted in `.late`. With `every_step` there is a slide for every tick, also where
    nothing enters or leaves.
    """
    from tidelog.io.bad_rows import BadRows

    streams: Mapping[str, Any] = updates if isinstance(updates, Mapping) else {"": updates}
    sources = {name: written(some, BadRows()) for name, some in streams.items()}
    return Windowed(sources, windows, lateness=lateness, late=late, every_step=every_step)


def written(updates: Any, bad_rows: BadRows) -> Any:
    """The updates in a file, if it is one."""
    if not isinstance(updates, Path | io.IOBase) and not hasattr(updates, "lines"):
        return updates
    from tidelog.io.updates import Lines, read

    if isinstance(updates, Path):
        lines = Lines.of(updates)
    else:
        lines = updates if isinstance(updates, Lines) else Lines.of_stream(updates)
    return read([lines], bad_rows)


class Stream:
    """The updates of one source, of which one may be known beforehand."""

    def __init__(self, mat: Materialisation, source: Source[AnyUpdate]) -> None:
        self._mat = mat
        self._source = source
        self._count = 0
        self._ahead: Turn | None = None
        self._ended = False

    def next(self) -> Turn | None:
        """The next update, when it comes; None if there are no more."""
        self._read(wait=True)
        turn, self._ahead = self._ahead, None
        return turn

    def look(self) -> Encoded | None:
        """What the next update says, if it is there and says something that can be understood."""
        self._read(wait=False)
        return None if self._ahead is None else self._ahead.encoded(self._mat)

    def _read(self, wait: bool) -> None:
        if self._ahead is not None or self._ended:
            return
        self._count += 1
        try:
            update = self._source.take(wait)
        except Exception as error:
            self._ahead = Turn(self._count, error=error)
            return
        if isinstance(update, Signal):
            self._count -= 1
            self._ended = update is END
        else:
            self._ahead = Turn(self._count, update)


@dataclass(slots=True)
class Turn:
    """An update, or why there is none."""

    position: int
    update: AnyUpdate | None = None
    error: Exception | None = None
    ready: Encoded | None = None
    """The update as the engine takes it, once somebody has looked."""
    refused: bool = False

    def encoded(self, mat: Materialisation) -> Encoded | None:
        """None for what cannot be encoded; it is tried once more, and told, when the turn has come."""
        if self.ready is None and self.update is not None and not self.refused:
            with suppress(DataError):
                self.ready = mat._encode_ahead(*_parts(self.update))
            self.refused = self.ready is None
        return self.ready

    def apply(self, mat: Materialisation, look: Any) -> Changes | None:
        """Apply it; None if it is refused and bad rows are passed over."""
        if self.error is not None:
            raise self.error
        assert self.update is not None
        parts = _parts(self.update)
        try:
            changes = mat._apply(*parts, encoded=self.ready, ahead=look)
        except DataError as error:
            _refuse(mat, self.update, error)
            return None
        return replace(changes, number=getattr(self.update, "number", 0) or self.position)


class _Parts(NamedTuple):
    """What an update says, as `Materialisation.advance` takes it."""

    insert: Facts
    delete: Facts
    expires: Any = None
    now: Any = None
    release: Facts | None = None


def _parts(update: AnyUpdate) -> _Parts:
    hint = 'updates are a list or stream of such as {"insert": {"edge": [("a", "b")]}, "delete": {}}'
    if isinstance(update, Mapping):
        for name in update:
            if name not in _Parts._fields:
                raise DataError(f"an update has insert and delete, not {name!r}", hint=hint)
        return _Parts(**{"insert": {}, "delete": {}, **update})
    if not (hasattr(update, "insert") and hasattr(update, "delete")):
        raise DataError(f"{update!r} is not an update", hint=hint)
    return _Parts(update.insert, update.delete, *(getattr(update, name, None) for name in _Parts._fields[2:]))


def _refuse(mat: Materialisation, update: AnyUpdate, error: DataError) -> None:
    """Nothing of the update was applied. One that stands on a line of a file is a bad row like any other; else raise."""
    from tidelog.io.updates import WrittenUpdate, refusal

    if not isinstance(update, WrittenUpdate) or update.line is None:
        raise error
    try:
        mat.bad_rows.report(update.source, update.line, refusal(error), update.text)
    except DataError as told:
        raise told from error
