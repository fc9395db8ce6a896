"""The application's callbacks, plain functions and coroutines, run in its event loop."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

# The callbacks in a client's configuration. oauth_cb is handled apart, because it returns a value.
_NAMES = ("error_cb", "throttle_cb", "stats_cb", "on_commit")

# The Callbacks object whose start() made the current task, and the task itself. A task that this
# task creates has the same value.
_INSIDE: ContextVar[tuple[Callbacks, asyncio.Task[Any] | None] | None] = ContextVar(
    "_INSIDE", default=None
)


def is_running(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether the caller runs on the thread of this loop, while the loop is running."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


class Callbacks:
    """Runs callbacks in an event loop. Any thread may serve librdkafka's events.

    Args:
        loop: the event loop.
        failed: called with the exception of a callback that nobody waits for.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, failed: Callable[[BaseException], object]
    ) -> None:
        self._loop = loop
        self._failed = failed
        self._tasks: set[asyncio.Task[Any]] = set()

    def of_configuration(self, own: dict[str, Any]) -> dict[str, Any]:
        """Replace the callbacks in a client's configuration by functions that run them here."""
        for name in _NAMES:
            if callable(own.get(name)):
                own[name] = self.wrap(own[name])
        if callable(own.get("oauth_cb")):
            own["oauth_cb"] = self._wrap_oauth(own["oauth_cb"])
        return own

    def wrap(self, callback: Callable[..., Any]) -> Callable[..., None]:
        """Return a function that runs the callback in the loop, at once if it is called there."""

        def run(*arguments: Any) -> None:
            if is_running(self._loop):
                self._call(callback, arguments)
            else:
                self._loop.call_soon_threadsafe(self.call, callback, *arguments)

        return run

    def call(self, callback: Callable[..., Any], *arguments: Any) -> None:
        """Run a callback in the loop. Its exception is reported and not raised."""
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
            # The thread that fetches tokens calls result(), and waits for the loop. There is no
            # deadlock: if the loop is inside the client's __init__(), __init__() does not wait.
            return asyncio.run_coroutine_threadsafe(_result_of(result), self._loop).result

        return token


async def _result_of(work: Awaitable[Any]) -> Any:
    return await work
