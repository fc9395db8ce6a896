"""Tests that are coroutines, each in an event loop of its own."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

from tests.support.waiting import TIMEOUT


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in a loop, with a bound, and with what asyncio's debug mode notices."""

    @functools.wraps(test)
    def run(*arguments: Any, **keywords: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **keywords), TIMEOUT), debug=True)

    return run


async def until(condition: Callable[[], object]) -> None:
    """Let the loop go on until a condition holds."""
    while not condition():
        await asyncio.sleep(0.002)


class LoopErrors:
    """What the running loop's exception handler is told, in a block."""

    def __init__(self) -> None:
        self.seen: list[BaseException | None] = []

    def __enter__(self) -> LoopErrors:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.seen.append(context.get("exception")))
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().set_exception_handler(None)
