"""Sources: what is there can be had without waiting, what is not there does not hold anybody up."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tidelog.stream.sources import END, LATER, ByteLines, FromQueue, Prefetched, Ready, Source, source_of

PATIENCE = 30.0


def arrival(source: Source[object]) -> object:
    """What a source gives without waiting, once it gives anything."""
    deadline = time.monotonic() + PATIENCE
    while (thing := source.take(wait=False)) is LATER and time.monotonic() < deadline:
        time.sleep(0.001)
    return thing


def test_a_list_is_all_there() -> None:
    source = source_of([1, 2])
    assert isinstance(source, Ready)
    assert [source.take(wait=False) for _ in range(4)] == [1, 2, END, END]


def test_a_source_is_itself() -> None:
    source = Ready([1])
    assert source_of(source) is source


def test_a_queue_ends_with_none() -> None:
    things: queue.Queue[int | None] = queue.Queue()
    source = source_of(things)
    assert isinstance(source, FromQueue)
    assert source.take(wait=False) is LATER
    for thing in (1, 2, None, 3):
        things.put(thing)
    assert [source.take(wait) for wait in (True, False, True, True)] == [1, 2, END, END]


@pytest.mark.skipif(not hasattr(queue, "ShutDown"), reason="queues can be shut down since Python 3.13")
def test_a_queue_that_is_shut_down_has_ended() -> None:
    things: queue.Queue[int] = queue.Queue()
    things.put(1)
    things.shutdown()  # type: ignore[attr-defined, unused-ignore]
    source = source_of(things)
    assert [source.take(wait=True) for _ in range(2)] == [1, END]


class Numbers:
    """0, 1, ... 4, each as soon as it is released; remembers who asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.released = threading.Semaphore(0)

    def __iter__(self) -> Iterator[int]:
        for number in range(5):
            self.asked.append(threading.current_thread().name)
            self.released.acquire()
            yield number


def test_an_iterator_is_asked_where_it_is_followed_unless_somebody_looks_ahead() -> None:
    numbers = Numbers()
    source = source_of(iter(numbers))
    assert isinstance(source, Prefetched)
    numbers.released.release()
    assert source.take(wait=True) == 0
    assert numbers.asked == ["MainThread"]
    assert source.take(wait=False) is LATER
    numbers.released.release()
    assert arrival(source) == 1
    assert numbers.asked[1:] == ["tidelog look-ahead"] * (len(numbers.asked) - 1)
    numbers.released.release(3)
    assert [source.take(wait=True) for _ in range(4)] == [2, 3, 4, END]
    assert source.take(wait=False) is END


@pytest.mark.parametrize("look_ahead", [1, 3])
def test_nothing_is_read_beyond_the_look_ahead(look_ahead: int) -> None:
    numbers = Numbers()
    numbers.released.release(5)
    source: Source[int] = Prefetched(iter(numbers), look_ahead)
    assert source.take(wait=True) == 0
    source.take(wait=False)
    deadline = time.monotonic() + PATIENCE
    while len(numbers.asked) < 1 + look_ahead and time.monotonic() < deadline:
        time.sleep(0.001)
    time.sleep(0.02)
    assert len(numbers.asked) == 1 + look_ahead


def test_an_error_of_an_iterator_comes_in_its_place() -> None:
    def failing() -> Iterator[int]:
        yield 1
        raise ValueError("on purpose")

    source = source_of(failing())
    assert arrival(source) == 1
    with pytest.raises(ValueError, match="on purpose"):
        source.take(wait=True)
    assert source.take(wait=True) is END


def test_lines_of_a_pipe_come_when_they_are_whole() -> None:
    reading, writing = os.pipe()
    with open(reading, "rb", buffering=0) as file:
        lines = ByteLines(lambda: file)  # type: ignore[arg-type, return-value]
        os.write(writing, b"one\ntwo\nthr")
        assert lines.take(wait=False) is LATER  # it is opened when somebody waits
        assert [lines.take(wait=True), lines.take(wait=False), lines.take(wait=False)] == [b"one", b"two", LATER]
        os.write(writing, b"ee\n\nfour")
        assert [lines.take(wait=False) for _ in range(3)] == [b"three", b"", LATER]
        os.close(writing)
        assert [lines.take(wait=False) for _ in range(3)] == [b"four", END, END]


def test_a_growing_file_ends_when_it_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n")
    lines = ByteLines(lambda: path.open("rb"), growing=True)
    assert [lines.take(wait=True), lines.take(wait=False)] == [b"one", LATER]
    with path.open("ab") as file:
        file.write(b"two\nthree")
    assert [lines.take(wait=True), lines.take(wait=False)] == [b"two", LATER]
    threading.Timer(0.1, lines.stop).start()
    assert [lines.take(wait=True), lines.take(wait=True)] == [b"three", END]
