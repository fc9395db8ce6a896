"""Calls that wait, on threads that the end of the process does not wait for."""

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
    """Run a call that may wait for long, on a thread of its own.

    Args:
        loop: the loop of the future.
        function: the call.
        name: what the thread does.

    Returns:
        A future of the call's result. Cancelling it does not stop the call.
    """
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():  # cancelled
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
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, result, raised)

    threading.Thread(target=run, name=f"confluent_kafka.aio.{name}", daemon=True).start()
    return done
