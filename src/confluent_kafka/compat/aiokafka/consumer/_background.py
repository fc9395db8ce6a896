"""Tasks in the background, each with an owner that notices its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Background:
    """A task that only its owner ends.

    A framework that cancels all tasks of a loop cancels this one, too: then ensure() begins it
    again. It is called when the application uses the consumer next, so that nothing begins at the
    end of a loop.

    Args:
        work: what to do, perhaps again after it was cut off anywhere.
        failed: told of what it raises.
    """

    def __init__(
        self, work: Callable[[], Coroutine[Any, Any, None]], failed: Callable[[Exception], None]
    ) -> None:
        self._work = work
        self._failed = failed
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Do the work, from the beginning."""
        self.end()
        self._task = asyncio.get_running_loop().create_task(self._run())

    def begin_if_over(self) -> None:
        """Do the work, unless that is going on."""
        if self._task is None or self._task.done():
            self.begin()

    def ensure(self) -> None:
        """Do the work again if others have cancelled it."""
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
