"""Sources: what can be asked for the next thing, and also whether that is there already, without waiting for it.

Everything that updates can come from is brought into this one form: lists, iterators, queues, bytes of a file or of a pipe.
Nothing is read before somebody asks, so that who is slow slows down who sends; at most what was looked at waits here.

An iterator can only be asked by calling it, and the call may take its time. So the look ahead happens in a thread of its own,
which begins with the first look: who never looks has no thread.
"""

from __future__ import annotations

import os
import queue
import select
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum
from typing import BinaryIO, Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Signal(Enum):
    """What a source gives when it has nothing to give."""

    LATER = "later"
    """Nothing is there yet; only for who does not wait."""
    END = "end"
    """Nothing more will come."""


LATER, END = Signal.LATER, Signal.END
Taken: TypeAlias = T | Signal


@runtime_checkable
class Source(Protocol[T_co]):
    """Anything that gives things in order."""

    def take(self, wait: bool) -> T_co | Signal:
        """The next thing, for good. Without `wait`, LATER if it is not there at once. After END, END again."""
        ...


def source_of(things: Source[T] | Iterable[T] | queue.Queue[T] | queue.SimpleQueue[T], look_ahead: int = 1) -> Source[T]:
    """The source that these things are."""
    if isinstance(things, Source):
        return things
    if isinstance(things, queue.Queue | queue.SimpleQueue):
        return FromQueue(things)
    return Ready(things) if isinstance(things, Sequence) else Prefetched(iter(things), look_ahead)


class Ready(Generic[T]):
    """Things that are all there."""

    def __init__(self, things: Iterable[T]) -> None:
        self._things = iter(things)

    def take(self, wait: bool) -> Taken[T]:
        return next(self._things, END)


class FromQueue(Generic[T]):
    """Things that others put into a queue; None is the end, and so is shutting the queue down."""

    def __init__(self, things: queue.Queue[T] | queue.SimpleQueue[T]) -> None:
        self._queue = things
        self._ended = False

    def take(self, wait: bool) -> Taken[T]:
        if self._ended:
            return END
        try:
            thing = self._queue.get(block=wait)
        except queue.Empty:
            return LATER
        except Exception as error:
            if type(error).__name__ != "ShutDown":  # queue.ShutDown, which Python has since 3.13
                raise
            thing = None
        if thing is None:
            self._ended = True
            return END
        return thing


class Prefetched(Generic[T]):
    """The things of an iterator; from the first look ahead on, a thread asks for so many of them beforehand."""

    def __init__(self, things: Iterator[T], look_ahead: int = 1) -> None:
        self._things = things
        self._look_ahead = look_ahead
        self._asked = 0
        """How many things the thread has been asked for and has not handed over."""
        self._questions: queue.SimpleQueue[None] | None = None
        self._answers: queue.SimpleQueue[tuple[Taken[T], BaseException | None]] = queue.SimpleQueue()
        self._ended = False

    def take(self, wait: bool) -> Taken[T]:
        if not wait:
            self._ask()
        if self._ended:
            return END
        if not self._asked:
            return self._direct() if wait else LATER
        try:
            thing, error = self._answers.get(block=wait)
        except queue.Empty:
            return LATER
        self._asked -= 1
        self._ended = thing is END
        if error is not None:
            raise error
        return thing

    def _direct(self) -> Taken[T]:
        thing: Taken[T] = next(self._things, END)
        self._ended = thing is END
        return thing

    def _ask(self) -> None:
        if self._questions is None:
            self._questions = queue.SimpleQueue()
            threading.Thread(target=self._answer, args=(self._questions,), name="tidelog look-ahead", daemon=True).start()
        while self._asked < self._look_ahead:
            self._questions.put(None)
            self._asked += 1

    def _answer(self, questions: queue.SimpleQueue[None]) -> None:
        """What the thread does."""
        thing: Taken[T] | None = None
        while thing is not END:
            questions.get()
            try:
                thing = next(self._things, END)
            except BaseException as error:
                self._answers.put((END, error))
                return
            self._answers.put((thing, None))


# --- lines of bytes ---------------------------------------------------------------------------------------------------

_BLOCK = 1 << 16
_POLL = 0.05
"""Seconds between two looks whether a file has grown."""


class ByteLines:
    """The lines of a file or pipe, as they come; with `growing`, what is appended to a file later belongs to it, too.

    A growing file has no end, until `stop` is called. The last line may lack its newline where there is an end.
    """

    def __init__(self, open_: Callable[[], BinaryIO], *, growing: bool = False) -> None:
        self._open = open_
        """Called when the first line is waited for: opening a named pipe waits, too."""
        self._file: BinaryIO | None = None
        self._growing = growing
        self._lines: list[bytes] = []
        """Complete lines, the next one last."""
        self._rest = bytearray()
        self._ended = False
        self._stopped = threading.Event()

    def stop(self) -> None:
        """What is there by now is all there is."""
        self._stopped.set()

    def take(self, wait: bool) -> Taken[bytes]:
        while not self._lines:
            if self._ended:
                return END
            if self._file is None:
                if not wait:
                    return LATER
                self._file = self._open()
            if not (wait or _can_read(self._file)):
                return LATER
            block = os.read(self._file.fileno(), _BLOCK)
            if block:
                self._add(block)
            elif self._growing and not self._stopped.is_set():
                if not wait:
                    return LATER
                self._stopped.wait(_POLL)
            else:
                self._end()
        return self._lines.pop()

    def _add(self, block: bytes) -> None:
        if b"\n" in block:
            *complete, rest = block.split(b"\n")
            complete[0] = bytes(self._rest) + complete[0]
            self._lines, self._rest = complete[::-1], bytearray(rest)
        else:
            self._rest += block

    def _end(self) -> None:
        self._ended = True
        if self._rest:
            self._lines, self._rest = [bytes(self._rest)], bytearray()


def _can_read(file: BinaryIO) -> bool:
    """Whether reading would not wait; where the system cannot tell, it is taken to."""
    try:
        return bool(select.select([file], [], [], 0)[0])
    except (OSError, ValueError):
        return False
