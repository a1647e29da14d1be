"""Following updates that come asynchronously: as `tidelog.follow`, for `async for`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING

from tidelog.changes import Changes
from tidelog.follow import AnyUpdate, Stream
from tidelog.stream.sources import END, Signal

if TYPE_CHECKING:
    from tidelog.materialisation import Materialisation


async def follow_async(mat: Materialisation, updates: AsyncIterable[AnyUpdate], look_ahead: int) -> AsyncIterator[Changes]:
    """The changes of each update; they are worked out in a thread, so that nobody else has to wait."""
    source = _Awaited(updates)
    stream = Stream(mat, source)
    try:
        while True:
            await source.arrival()
            turn = stream.next()
            if turn is None:
                return
            if look_ahead:
                source.ask()
            changes = await asyncio.to_thread(turn.apply, mat, stream.look if look_ahead else None)
            if changes is not None:
                yield changes
    finally:
        source.close()


class _Awaited:
    """Updates that come asynchronously, as a source: at most one has been asked for."""

    def __init__(self, updates: AsyncIterable[AnyUpdate]) -> None:
        self._updates = aiter(updates)
        self._task: asyncio.Task[AnyUpdate | Signal] | None = None

    def ask(self) -> None:
        async def one() -> AnyUpdate | Signal:
            return await anext(self._updates, END)

        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(one())

    async def arrival(self) -> None:
        """Until the next update is there, or the end, or an error."""
        self.ask()
        assert self._task is not None
        await asyncio.wait([self._task])

    def take(self, wait: bool) -> AnyUpdate | Signal:
        task = self._task
        if task is None or not task.done():
            return Signal.LATER
        if (update := task.result()) is not END:
            self._task = None
        return update

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
