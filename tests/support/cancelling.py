"""Coroutines that are cancelled at their first, second, ... n-th suspension."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Generator, Iterator
from typing import Any

# How many suspensions of each call are tried; `make cancellation` tries more.
SUSPENSIONS = int(os.environ.get("CANCELLATION_SUSPENSIONS", "3"))

# When the cancellation comes: while the task waits, or when what it waits for has just come.
MOMENTS = ("waiting", "ready")

NOTHING = object()


class Cut:
    """Awaits something, and cancels the task at a suspension.

    Args:
        work: what is awaited.
        at: the number of the suspension, from 1.
        moment: one of MOMENTS.
    """

    def __init__(self, work: Awaitable[Any], at: int, moment: str) -> None:
        self._work = work
        self._left = at
        self._moment = moment

    @property
    def was_reached(self) -> bool:
        return self._left <= 0

    async def run(self) -> Any:
        """Return the result, or NOTHING if it was cancelled; errors are raised."""
        task = asyncio.ensure_future(self._awaited())
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                raise
            return NOTHING

    async def _awaited(self) -> Any:
        return await self

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        thrown: BaseException | None = None
        while True:
            try:
                waiting = inner.send(None) if thrown is None else inner.throw(thrown)
            except StopIteration as end:
                return end.value
            self._suspended(waiting)
            thrown = None
            try:
                yield waiting
            except BaseException as error:
                thrown = error

    def _suspended(self, waiting: Any) -> None:
        self._left -= 1
        if self._left != 0:
            return
        task = asyncio.current_task()
        assert task is not None
        if self._moment == "ready" and waiting is not None:
            waiting.add_done_callback(lambda _: task.cancel())
        else:
            asyncio.get_running_loop().call_soon(task.cancel)


def cuts() -> Iterator[tuple[int, str]]:
    """The cancellations that are tried with each call."""
    for at in range(1, SUSPENSIONS + 1):
        for moment in MOMENTS:
            yield at, moment
