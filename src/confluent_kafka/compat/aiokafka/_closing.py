"""The end of a client's block."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT

_log = logging.getLogger("confluent_kafka")
_going_on: set[asyncio.Task[None]] = set()  # a loop alone would not keep them


async def leave(
    engine: Any, stop: Callable[[], Coroutine[Any, Any, None]], error: BaseException | None
) -> None:
    """Stop a client at the end of its block.

    An exception, or a cancellation, ends the program as a rule: without a broker it would wait for
    messages, or for the group, and a second Ctrl-C would be needed.

    Args:
        engine: the client of confluent_kafka.aio below; None if there is none any more.
        stop: the client's own stop() or close().
        error: what ends the block.
    """
    if error is None or engine is None:
        await stop()
        return
    with contextlib.suppress(RuntimeError):  # it is closed
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
