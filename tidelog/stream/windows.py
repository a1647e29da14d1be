"""Windows over streams: which facts of a stream hold at a time, and the slides that make a materialisation hold them.

A stream is a sequence of updates, each with the time at which it happened. At time T a window over time holds what happened in
(T - range, T]. It moves at the multiples of its step, its *ticks*: a fact enters at the first tick that is not before it
happened, and leaves at the first that is not before that time plus the range. So at a tick all is known about a fact that
enters, also when it leaves: it is inserted with that as its expiry, and nobody has to take it out again.

    sliding     moves on every step; with a step as long as the range it tumbles, with none it moves all the time
    last        holds the last so many facts, whenever they happened; those that make room are released

Events may come out of order. A tick is taken as soon as an event was seen that happened later than it by more than the allowed
*lateness*; until then it waits for others. An event that comes later than that goes to a side output, and is counted.

`Slides` is told of events and gives the slides that are complete by then; `tidelog.stream.windowed` draws events from sources
and is a source of slides itself, for `Materialisation.follow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations
from math import inf, nextafter
from typing import Any, TypeAlias

from tidelog.errors import DataError
from tidelog.io.updates import seconds
from tidelog.stream.durations import Duration, duration, ticks
from tidelog.stream.last import Last, Row, key_of

Facts: TypeAlias = Mapping[str, Sequence[Row]]

UNTIL_RELEASED = 2.0**62
"""The expiry of a fact in a window that cannot tell when it leaves; any that was given for good outlasts it."""


@dataclass(frozen=True, slots=True)
class Window:
    """What of a stream holds: made by `sliding`, `tumbling`, `continuous`, `last` or `parse`.

    `stream` is the name of the stream, where there are several. With `into`, the window takes only facts of the predicates
    that it names, each into the predicate that it says; so several windows over one stream can be told apart in rules.
    """

    range: float = 0.0
    step: float = 0.0
    count: int = 0
    """For windows of the last so many facts, else 0."""
    stream: str = ""
    into: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def sliding(cls, range: Duration, step: Duration, *, stream: str = "", into: Mapping[str, str] | None = None) -> Window:
        """The last `range`, moved on every `step`."""
        width, often = duration(range), duration(step)
        if width <= 0:
            raise ValueError(f"a window has a range above 0, not {range!r}")
        if not 0 <= often <= width:
            raise ValueError(
                f"a window's step is at most its range, or facts would be passed over: {step!r} is more than {range!r}"
            )
        return cls(width, often, 0, stream, dict(into or {}))

    @classmethod
    def tumbling(cls, range: Duration, *, stream: str = "", into: Mapping[str, str] | None = None) -> Window:
        """One `range` after the other."""
        return cls.sliding(range, range, stream=stream, into=into)

    @classmethod
    def continuous(cls, range: Duration, *, stream: str = "", into: Mapping[str, str] | None = None) -> Window:
        """The last `range` at any time."""
        return cls.sliding(range, 0, stream=stream, into=into)

    @classmethod
    def last(cls, count: int, *, stream: str = "", into: Mapping[str, str] | None = None) -> Window:
        """The last so many facts."""
        if count < 1:
            raise ValueError(f"a window holds the last 1 or more facts, not {count}")
        return cls(count=count, stream=stream, into=dict(into or {}))

    @classmethod
    def parse(cls, text: str, *, stream: str = "", into: Mapping[str, str] | None = None) -> Window:
        """`10s/1s` slides, `10s` tumbles, `10s/0` moves all the time, `100` are the last hundred facts."""
        range, slash, step = text.partition("/")
        if not slash and text.strip().isdecimal():
            return cls.last(int(text), stream=stream, into=into)
        return cls.sliding(range.strip(), step.strip() if slash else range.strip(), stream=stream, into=into)

    def tick(self, time: float) -> float:
        """The first tick not before a time."""
        return ticks(time, self.step) if self.step else time

    def next_tick(self, tick: float) -> float:
        """The first tick of this window after a tick of any."""
        at_once = self.tick(tick)
        return at_once if at_once > tick else self.tick(tick + self.step / 2)

    def overlaps(self, other: Window) -> bool:
        """Whether facts may enter both under the same name, and leave one of them too early for the other."""
        if self.stream != other.stream and not (self.count or other.count):
            return False  # a fact then has the later expiry
        return not (self.into and other.into) or bool({*self.into.values()} & {*other.into.values()})

    def mapped(self, facts: Facts) -> Facts:
        """The facts that this window takes, under the names they have in it."""
        return {self.into[predicate]: facts[predicate] for predicate in facts if predicate in self.into} if self.into else facts


@dataclass(frozen=True, slots=True)
class Slide:
    """All that a tick changes: an update for `Materialisation.follow`, at a time."""

    now: float | None
    insert: Mapping[str, list[Row]] = field(default_factory=dict)
    delete: Mapping[str, list[Row]] = field(default_factory=dict)
    expires: Mapping[str, list[float]] = field(default_factory=dict)
    """Until when each inserted fact holds, in the order of `insert`."""
    release: Mapping[str, list[Row]] = field(default_factory=dict)
    """Facts that leave, unless they were given for good."""
    number: int = 0


@dataclass(frozen=True, slots=True)
class _Event:
    """What happened at a time, for one window."""

    window: int
    insert: Facts
    delete: Facts


class Slides:
    """Windows that are told of events, and give the slides that are complete.

    Windows over time wait for what may still come; windows of the last facts alone do not, and need no times.
    """

    def __init__(
        self,
        windows: Window | str | Iterable[Window | str],
        *,
        lateness: Duration = 0,
        late: Callable[[Any], None] | None = None,
        every_step: bool = False,
    ) -> None:
        given = [windows] if isinstance(windows, Window | str) else windows
        self.windows = [Window.parse(window) if isinstance(window, str) else window for window in given]
        if not self.windows:
            raise ValueError("there is no window")
        if any(a.overlaps(b) for a, b in combinations(self.windows, 2)):
            raise ValueError("these windows need `into`, with predicates of their own, so that their facts can be told apart")
        self.timed = any(window.range for window in self.windows)
        self.lateness = duration(lateness)
        if self.lateness < 0 or (self.lateness and not self.timed):
            raise ValueError("lateness is a duration, for windows over time")
        self.late = 0
        """How many updates came too late."""
        self._on_late = late
        self._every_step = every_step
        self._latest = {window.stream: -inf for window in self.windows}
        """By stream the time of the latest event; infinite when the stream is over."""
        self._complete = -inf
        """All ticks before this were taken, and what happened before is late."""
        self._events: dict[float, list[tuple[float, _Event]]] = {}
        """By tick, what enters then, with the time at which it happened."""
        self._ticks: list[float] = []
        """A heap of the moments at which something enters or leaves, each once, ..."""
        self._scheduled: set[float] = set()
        """... and the same as a set."""
        self._contents = [Last(window.count) for window in self.windows]
        self._number = 0

    @property
    def streams(self) -> list[str]:
        """The names of the streams."""
        return list(self._latest)

    def add(self, update: Any, stream: str = "") -> list[Slide]:
        """Something happened: the slides that are complete now. An update has `insert`, `delete`, and a `time`."""
        insert, delete, time = parts_of(update)
        if stream not in self._latest:
            raise DataError(
                f"there is no window over the stream {stream!r}", hint=f"there are: {', '.join(map(repr, self._latest))}"
            )
        events = [
            _Event(number, window.mapped(insert), window.mapped(delete))
            for number, window in enumerate(self.windows)
            if window.stream == stream
        ]
        if not self.timed:
            return [self._slide(None, [(0.0, event) for event in events])]
        if time is None:
            raise DataError("an update of a windowed stream needs a time", hint='such as {"time": 1772366400, "insert": [...]}')
        if time < self._complete:
            self.late += 1
            if self._on_late is not None:
                self._on_late(update)
            return []
        for event in events:
            self._expect(time, event)
        self._latest[stream] = max(self._latest[stream], time)
        return self._take(min(self._latest.values()) - self.lateness)

    def _expect(self, time: float, event: _Event) -> None:
        if not (event.insert or event.delete):
            return
        window = self.windows[event.window]
        enters = window.tick(time)
        self._events.setdefault(enters, []).append((time, event))
        self._schedule(enters)
        if window.range:
            self._schedule(window.tick(time + window.range))

    def _schedule(self, tick: float) -> None:
        if tick not in self._scheduled:
            self._scheduled.add(tick)
            heappush(self._ticks, tick)

    def advance(self, now: float) -> list[Slide]:
        """Nothing will come any more that happened by `now`: the slides up to then."""
        for stream, latest in self._latest.items():
            self._latest[stream] = max(latest, now)
        return self._take(nextafter(now, inf))

    def end_of(self, stream: str) -> list[Slide]:
        """Nothing will come any more from one of the streams."""
        self._latest[stream] = inf
        complete = min(self._latest.values())
        return self._take(complete - self.lateness) if complete < inf else self.end()

    def end(self) -> list[Slide]:
        """Nothing will come any more: the slides up to the last tick at which something enters."""
        return self._take(nextafter(max(self._events), inf)) if self._events else []

    def _take(self, complete: float) -> list[Slide]:
        """Take all ticks before a time."""
        slides: list[Slide] = []
        while self._ticks and self._ticks[0] < complete:
            tick = heappop(self._ticks)
            self._scheduled.discard(tick)
            slides.append(self._slide(tick, sorted(self._events.pop(tick, ()), key=lambda timed: timed[0])))
            if self._every_step:
                for window in self.windows:
                    if window.step:
                        self._schedule(window.next_tick(tick))
        self._complete = max(self._complete, complete)
        return slides

    def _slide(self, now: float | None, events: Sequence[tuple[float, _Event]]) -> Slide:
        """What enters at a tick, each fact as the last of the events has it."""
        self._number += 1
        slide = _Collected()
        for time, event in events:
            window, content = self.windows[event.window], self._contents[event.window]
            for predicate, rows in event.delete.items():
                slide.delete(predicate, rows)
                content.remove(predicate, rows)
            for predicate, rows in event.insert.items():
                if window.count:
                    content.add(predicate, rows)
                else:
                    slide.insert(predicate, rows, window.tick(time + window.range))
        for content in self._contents:
            for there, predicate, row in content.changes():
                if there:
                    slide.insert(predicate, [row], UNTIL_RELEASED)
                else:
                    slide.releases.setdefault(predicate, []).append(row)
        return Slide(now, slide.inserts, slide.deletes, slide.expires, slide.releases, self._number)


class _Collected:
    """The facts of a slide while they are collected."""

    def __init__(self) -> None:
        self.inserts: dict[str, list[Row]] = {}
        self.expires: dict[str, list[float]] = {}
        self.deletes: dict[str, list[Row]] = {}
        self.releases: dict[str, list[Row]] = {}

    def insert(self, predicate: str, rows: Sequence[Row], until: float) -> None:
        self.inserts.setdefault(predicate, []).extend(rows)
        self.expires.setdefault(predicate, []).extend([until] * len(rows))

    def delete(self, predicate: str, rows: Sequence[Row]) -> None:
        """What this slide has inserted so far is not inserted after all."""
        if predicate in self.inserts:
            gone = set(map(key_of, rows))
            both = zip(self.inserts[predicate], self.expires[predicate], strict=True)
            kept = [(row, expiry) for row, expiry in both if key_of(row) not in gone]
            self.inserts[predicate], self.expires[predicate] = [row for row, _ in kept], [expiry for _, expiry in kept]
        self.deletes.setdefault(predicate, []).extend(rows)


def parts_of(update: Any) -> tuple[Facts, Facts, float | None]:
    """What an update inserts and deletes, and when it happened."""
    if isinstance(update, Mapping):
        insert, delete, time = update.get("insert", {}), update.get("delete", {}), update.get("time")
    else:
        insert, delete, time = update.insert, update.delete, getattr(update, "time", None)
    return insert, delete, None if time is None else seconds(time)
