"""Runs tests that are coroutines, each test in an event loop of its own."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Coroutine
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT

# The limit in seconds for a whole test. A test can wait more than once.
BOUND = 4 * TIMEOUT

_BEFORE_OUTAGE = 10  # number of messages


def _uvloop() -> asyncio.AbstractEventLoop:
    return pytest.importorskip("uvloop", reason="uvloop is not installed").new_event_loop()


class LoopWithoutReaders(asyncio.SelectorEventLoop):
    """A loop without add_reader(), like asyncio.ProactorEventLoop, the default of Windows."""

    def add_reader(self, *_: Any) -> None:
        raise NotImplementedError


LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": _uvloop,
}


def in_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test in a loop of each kind, with a time limit and in debug mode."""

    @functools.wraps(test)
    def run(*arguments: Any, loop_kind: str, **keywords: Any) -> None:
        run_in(LOOPS[loop_kind], test(*arguments, **keywords))

    signature = inspect.signature(test)
    own = inspect.Parameter("loop_kind", inspect.Parameter.KEYWORD_ONLY)
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*signature.parameters.values(), own]
    )
    return pytest.mark.parametrize("loop_kind", LOOPS)(run)


def run_in(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
    test: Coroutine[Any, Any, None],
    bound: float = BOUND,
) -> None:
    """Run a test in a loop of its own, for at most `bound` seconds."""
    with contextlib.ExitStack() as stack:
        stack.callback(test.close)
        runner = stack.enter_context(asyncio.Runner(debug=True, loop_factory=loop_factory))
        runner.get_loop()  # this kind of loop may be missing
        runner.run(asyncio.wait_for(test, bound))


def consumer_at(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOConsumer:
    """A consumer that starts at the beginning. It commits only if a test calls commit()."""
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


async def across_an_outage(
    cluster: MockCluster,
    producer: Producer,
    topic: str,
    waiting: Collection[asyncio.Future[Any]],
) -> list[Any]:
    """Return the results of calls that each wait for one message, while all brokers stop.

    The function sends one message for each call. It sends some messages before the brokers stop,
    and the other messages when the brokers run again. The brokers stop when the first message has
    arrived.
    """
    await asyncio.to_thread(send, producer, topic, numbers(0, _BEFORE_OUTAGE))
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    cluster.set_broker_down()
    await asyncio.sleep(0.05)
    cluster.set_broker_up()
    await asyncio.to_thread(send, producer, topic, numbers(_BEFORE_OUTAGE, len(waiting)))
    return await asyncio.gather(*waiting)


async def until(condition: Callable[[], object]) -> None:
    """Let the event loop run until a condition holds."""
    while not condition():
        await asyncio.sleep(0.002)


class LoopErrors:
    """Collects the exceptions that the running loop's exception handler gets in a block."""

    def __init__(self) -> None:
        self.seen: list[BaseException | None] = []

    def __enter__(self) -> LoopErrors:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.seen.append(context.get("exception")))
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.get_running_loop().set_exception_handler(None)
