"""Tests that are coroutines, each in an event loop of its own."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in a loop, with a bound, and with what asyncio's debug mode notices."""

    @functools.wraps(test)
    def run(*arguments: Any, **keywords: Any) -> None:
        asyncio.run(asyncio.wait_for(test(*arguments, **keywords), TIMEOUT), debug=True)

    return run


def consumer_at(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOConsumer:
    """A consumer that starts at the beginning, and commits only when told to."""
    common: dict[str, Any] = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "fetch.wait.max.ms": 50,
        "heartbeat.interval.ms": 100,
        "reconnect.backoff.ms": 10,
        "reconnect.backoff.max.ms": 50,
    }
    return AIOConsumer(common | (config or {}))


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
