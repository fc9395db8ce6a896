"""Callbacks of the application, plain functions and coroutines, in its event loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

# What a client's configuration may have; oauth_cb besides, which returns something.
_NAMES = ("error_cb", "throttle_cb", "stats_cb", "on_commit")

# The callbacks that a task belongs to, and the coroutine of theirs that it is, or was made by.
_INSIDE: ContextVar[tuple[Callbacks, asyncio.Task[Any] | None] | None] = ContextVar(
    "_INSIDE", default=None
)


def is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether this is the thread of the loop, inside it."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


class Callbacks:
    """Runs callbacks in an event loop, whichever thread librdkafka's events are served on.

    Args:
        loop: the loop.
        failed: called with an exception of a callback that nobody waits for.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, failed: Callable[[BaseException], object]
    ) -> None:
        self._loop = loop
        self._failed = failed
        self._tasks: set[asyncio.Task[Any]] = set()

    def of_configuration(self, own: dict[str, Any]) -> dict[str, Any]:
        """Put callbacks that run here into a client's configuration."""
        for name in _NAMES:
            if callable(own.get(name)):
                own[name] = self.wrap(own[name])
        if callable(own.get("oauth_cb")):
            own["oauth_cb"] = self._wrap_oauth(own["oauth_cb"])
        return own

    def wrap(self, callback: Callable[..., Any]) -> Callable[..., None]:
        """Return a function that calls back in the loop: at once there, soon from elsewhere."""

        def run(*arguments: Any) -> None:
            if is_running(self._loop):
                self._call(callback, arguments)
            else:
                self._loop.call_soon_threadsafe(self.call, callback, *arguments)

        return run

    def call(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Call back in the loop; an exception is told and ends here."""
        try:
            self._call(callback, arguments)
        except (Exception, asyncio.CancelledError) as error:
            self._failed(error)

    def start(self, work: Awaitable[Any]) -> asyncio.Task[Any]:
        """Run the awaitable that a callback returned."""
        task = self._loop.create_task(self._run(work))
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def is_inside(self) -> bool:
        """Return whether the caller is a coroutine that start() runs, or a task created by one."""
        inside = _INSIDE.get()
        return (
            inside is not None
            and inside[0] is self
            and inside[1] is not None
            and not inside[1].done()
        )

    async def finish(self) -> None:
        """Wait for the running coroutines."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _run(self, work: Awaitable[Any]) -> None:
        _INSIDE.set((self, asyncio.current_task()))
        await work

    def _call(self, callback: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        result = callback(*arguments)
        if inspect.isawaitable(result):
            self.start(result)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            error = task.exception()
            if error is not None:
                self._failed(error)

    def _wrap_oauth(self, callback: Callable[[str], Any]) -> Callable[[str], Any]:
        def token(config: str) -> Any:
            result = callback(config)
            if not inspect.isawaitable(result):
                return result
            # The function is called on the thread that fetches tokens, and waits for the loop;
            # the client's __init__(), which the loop is inside of now, does not wait for that.
            return asyncio.run_coroutine_threadsafe(_result_of(result), self._loop).result

        return token


async def _result_of(work: Awaitable[Any]) -> Any:
    return await work
