"""Blocking calls on daemon threads, which do not delay the end of the process."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def on_daemon_thread(
    loop: asyncio.AbstractEventLoop, function: Callable[[], T], name: str
) -> asyncio.Future[T]:
    """Run a call that may block for a long time, on a thread of its own.

    Args:
        loop: the event loop of the future.
        function: the call.
        name: the purpose of the thread, for the thread's name.

    Returns:
        A future with the result of the call. Cancelling it does not stop the call.
    """
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():  # the future was cancelled
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result = raised = None
        try:
            result = function()
        except BaseException as error:
            raised = error
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            loop.call_soon_threadsafe(settle, result, raised)

    threading.Thread(target=run, name=f"confluent_kafka.aio.{name}", daemon=True).start()
    return done
