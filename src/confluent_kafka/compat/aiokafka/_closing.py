"""Stops a client at the end of its block."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT

_log = logging.getLogger("confluent_kafka")
_going_on: set[asyncio.Task[None]] = set()  # the loop alone would not keep the tasks alive


async def leave(
    engine: Any, stop: Callable[[], Coroutine[Any, Any, None]], error: BaseException | None
) -> None:
    """Stop a client at the end of its block.

    After an exception or a cancellation, a program usually ends. Without a broker it would wait for
    messages or for the group, and the user would have to press Ctrl-C again.

    Args:
        engine: the underlying client of confluent_kafka.aio; None if it is gone.
        stop: the client's own stop() or close().
        error: the exception that ends the block.
    """
    if error is None or engine is None:
        await stop()
        return
    with contextlib.suppress(RuntimeError):  # the client is closed already
        engine._client._close_soon()
    stopping = asyncio.get_running_loop().create_task(stop())
    _going_on.add(stopping)
    stopping.add_done_callback(_going_on.discard)
    await asyncio.wait([stopping], timeout=SECONDS_ON_THE_WAY_OUT)
    if stopping.done():
        stopping.result()
    else:
        _log.warning(
            "%s goes on closing in the background%s", engine._called(), engine._what_is_left()
        )
