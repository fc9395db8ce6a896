"""Worker and AIOWorker behind the same calls, and handlers that wait."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from confluent_kafka import Message
from confluent_kafka.processing import AIOWorker, Worker, WorkerStatistics
from tests.support.waiting import TIMEOUT


class Gate:
    """Holds the messages with some values in their handler, until it opens.

    Args:
        *values: the values.
    """

    def __init__(self, *values: bytes) -> None:
        self._values = values
        self.entered: list[bytes | None] = []  # the values that were or are held
        self._opened = threading.Event()

    def open(self) -> None:
        self._opened.set()

    def holds(self, argument: Message | list[Message]) -> bool:
        messages = argument if isinstance(argument, list) else [argument]
        held = [one.value() for one in messages if one.value() in self._values]
        self.entered += held
        return bool(held)

    def wait(self) -> None:
        assert self._opened.wait(TIMEOUT)

    async def awaited(self) -> None:
        while not self._opened.is_set():
            await asyncio.sleep(0.001)


Handler = Callable[[Any], object]


class AnyWorker(Protocol):
    """The calls of both workers, which block."""

    def step(self, timeout: float = 1.0) -> int: ...
    def drain(self, timeout: float = 30.0) -> bool: ...
    def run(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
    def statistics(self) -> WorkerStatistics: ...


class Awaiting:
    """An AIOWorker whose event loop runs in each call."""

    def __init__(
        self, config: Any, topics: Sequence[str], handler: Any, options: dict[str, Any]
    ) -> None:
        self.loop = asyncio.new_event_loop()

        async def make() -> AIOWorker:
            return AIOWorker(config, topics, handler, **options)

        self.worker = self.loop.run_until_complete(make())

    def step(self, timeout: float = 1.0) -> int:
        return self.loop.run_until_complete(self.worker.step(timeout))

    def drain(self, timeout: float = 30.0) -> bool:
        return self.loop.run_until_complete(self.worker.drain(timeout))

    def run(self) -> None:
        self.loop.run_until_complete(self.worker.run())

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.worker.stop)

    def close(self) -> None:
        self.loop.run_until_complete(self.worker.close())

    def statistics(self) -> WorkerStatistics:
        return self.worker.statistics()


def make_worker(
    kind: str,
    config: Any,
    topics: Sequence[str],
    handler: Handler,
    gate: Gate | None = None,
    **options: Any,
) -> AnyWorker:
    """Return a worker.

    Args:
        kind: "blocking" or "asyncio".
        config: the configuration.
        topics: the topics.
        handler: a plain function, also for asyncio.
        gate: holds messages before the handler gets them.
        options: the other arguments.
    """
    if kind == "blocking":

        def handle(argument: Any) -> None:
            if gate is not None and gate.holds(argument):
                gate.wait()
            handler(argument)

        return Worker(config, topics, handle, **options)

    async def handle_soon(argument: Any) -> None:
        await asyncio.sleep(0)
        if gate is not None and gate.holds(argument):
            await gate.awaited()
        handler(argument)

    return Awaiting(config, topics, handle_soon, options)


def end(worker: AnyWorker) -> None:
    """Close a worker, and its event loop if it has one."""
    worker.close()
    if isinstance(worker, Awaiting):
        worker.loop.close()
