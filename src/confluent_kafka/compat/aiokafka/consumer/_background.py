"""Background tasks, each with an owner that notices the end of the task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Background:
    """A task that only its owner can end.

    A framework that cancels all tasks of a loop also cancels this one. Then ensure() starts it
    again. The consumer calls ensure() when the application uses it next, so nothing starts at the
    end of a loop.

    Args:
        work: a coroutine function. It may be cancelled anywhere, and then runs again.
        failed: called with the exception that the work raises.
    """

    def __init__(
        self, work: Callable[[], Coroutine[Any, Any, None]], failed: Callable[[Exception], None]
    ) -> None:
        self._work = work
        self._failed = failed
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start the work from the beginning."""
        self.end()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def begin_if_over(self) -> None:
        """Start the work unless it is running."""
        if self._task is None or self._task.done():
            self.begin()

    def ensure(self) -> None:
        """Start the work again if somebody else has cancelled it."""
        if self._task is not None and self._task.cancelled():
            self.begin()

    def end(self) -> None:
        """Stop the work."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        try:
            await self._work()
        except Exception as failure:
            self._failed(failure)
