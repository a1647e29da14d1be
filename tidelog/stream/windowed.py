"""Windows as a source: updates with times are drawn from other sources, and slides are given."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import inf
from typing import Any

from tidelog.errors import DataError
from tidelog.stream.durations import Duration
from tidelog.stream.sources import END, LATER, Signal, Source, Taken, source_of
from tidelog.stream.windows import Slide, Slides, Window, parts_of


class Windowed:
    """Slides over sources of updates: a source, for `Materialisation.follow`, and an iterator.

    Of several sources the one that is furthest behind is asked next. `refused` is told of an update that cannot be taken, or
    that `check`, which gets the stream's name, too, refuses by a DataError, and may raise; without it, the error itself is
    raised.
    """

    def __init__(
        self,
        source: Any,
        windows: Window | str | Iterable[Window | str],
        *,
        lateness: Duration = 0,
        late: Callable[[Any], None] | None = None,
        every_step: bool = False,
        refused: Callable[[Any, DataError], None] | None = None,
        check: Callable[[Any, str], None] | None = None,
    ) -> None:
        self.slides = Slides(windows, lateness=lateness, late=late, every_step=every_step)
        given = source if isinstance(source, Mapping) else {"": source}
        if set(given) != set(self.slides.streams):
            raise ValueError(
                f"there are sources for the streams {sorted(given)} and windows over {sorted(self.slides.streams)}"
            )
        self._sources: dict[str, Source[Any]] = {name: source_of(updates) for name, updates in given.items()}
        self._refused, self._check = refused, check
        self._behind = dict.fromkeys(self._sources, -inf)
        """How far each of the sources that go on has come."""
        self._ready: deque[Slide] = deque()
        self.time: float | None = None
        """When the latest event happened."""

    @property
    def late(self) -> int:
        """How many updates came too late."""
        return self.slides.late

    def __iter__(self) -> Iterator[Slide]:
        return self

    def __next__(self) -> Slide:
        slide = self.take(wait=True)
        if isinstance(slide, Signal):
            raise StopIteration
        return slide

    def take(self, wait: bool) -> Taken[Slide]:
        while not self._ready:
            if not self._behind:
                return END
            stream = min(self._behind, key=self._behind.__getitem__)
            update = self._sources[stream].take(wait)
            if update is LATER:
                return LATER
            if update is END:
                del self._behind[stream]
                self._ready += self.slides.end_of(stream) if self._behind else self.slides.end()
            else:
                self._add(update, stream)
        return self._ready.popleft()

    def _add(self, update: Any, stream: str) -> None:
        try:
            if self._check is not None:
                self._check(update, stream)
            self._ready += self.slides.add(update, stream)
            time = parts_of(update)[2]
        except DataError as error:
            if self._refused is None:
                raise
            self._refused(update, error)
        else:
            if time is not None:
                self._behind[stream] = max(self._behind[stream], time)
                self.time = time if self.time is None else max(self.time, time)
