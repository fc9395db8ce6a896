"""Rebalance callbacks of an asyncio consumer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from confluent_kafka import Consumer, TopicPartition

from ._callbacks import Callbacks, is_running

RebalanceCallback = Callable[[Any, list[TopicPartition]], Any]


class Ownership:
    """Records which partitions the group has assigned. Does not keep the consumer alive.

    Args:
        loop: the loop of the consumer.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.partitions: set[tuple[str, int]] = set()
        # The partitions that were assigned while close() leaves the group on its own thread.
        self._unseen: set[tuple[str, int]] = set()

    def assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Record partitions that the group assigns."""
        self.partitions.update(map(_key, partitions))
        if not is_running(self._loop):
            self._unseen.update(map(_key, partitions))

    def revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Record partitions that the group revokes."""
        self.partitions.difference_update(map(_key, partitions))

    def seen(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Return only the partitions that the application may have used."""
        return [one for one in partitions if _key(one) not in self._unseen]


def _key(one: TopicPartition) -> tuple[str, int]:
    return one.topic, one.partition


class Rebalances:
    """Calls rebalance callbacks in the event loop. While a coroutine runs, the group waits.

    Args:
        loop: the event loop.
        callbacks: runs the coroutines.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, callbacks: Callbacks) -> None:
        self._loop = loop
        self._callbacks = callbacks
        self._running: asyncio.Task[Any] | None = None
        self.owned = Ownership(loop)

    def assigning(self, owner: Any, callback: RebalanceCallback | None) -> RebalanceCallback:
        """Return a callback for subscribe() of the extension's consumer.

        Args:
            owner: the application's consumer.
            callback: the application's callback.
        """
        return self._telling(owner, callback, self.owned.assigned)

    def revoking(self, owner: Any, callback: RebalanceCallback | None) -> RebalanceCallback:
        """Return a callback for subscribe(), for revoked or lost partitions."""
        return self._telling(owner, callback, self.owned.revoked)

    def _telling(
        self, owner: Any, callback: RebalanceCallback | None, note: RebalanceCallback
    ) -> RebalanceCallback:
        if callback is None:
            return note
        if not callable(callback):
            return callback  # subscribe() raises the TypeError

        def run(consumer: Consumer, partitions: list[TopicPartition]) -> None:
            note(consumer, partitions)
            if not is_running(self._loop):
                # This is the thread of close(), which waits for the callback's end. The application
                # does not have to know of a rebalance that ends there: its callbacks could not use
                # the consumer any more.
                if seen := self.owned.seen(partitions):
                    call = self._call(callback, owner, seen)
                    asyncio.run_coroutine_threadsafe(call, self._loop).result()
                return
            result = callback(owner, partitions)
            if inspect.isawaitable(result):
                number = consumer._defer_rebalance()
                self._running = self._callbacks.start(
                    self._finish(consumer, number, result, self._running)
                )
                consumer._begin_turn(0)  # every further read has to check for this callback first

        return run

    def is_idle(self) -> bool:
        """Return whether no coroutine is running. All tasks get the same answer."""
        return self._running is None or self._running.done()

    def is_running(self) -> bool:
        """Return whether a coroutine is running that the caller has to wait for."""
        return not self.is_idle() and not self._callbacks.is_inside()

    async def finish(self, timeout: float | None = None) -> None:
        """Wait for the running coroutine.

        Args:
            timeout: seconds; None waits without limit.
        """
        if self._running is not None:
            await asyncio.wait([self._running], timeout=timeout)

    async def _call(
        self, callback: RebalanceCallback, owner: Any, partitions: list[TopicPartition]
    ) -> None:
        result = callback(owner, partitions)
        if inspect.isawaitable(result):
            await result

    async def _finish(
        self,
        consumer: Consumer,
        number: int,
        work: Awaitable[Any],
        earlier: asyncio.Task[Any] | None,
    ) -> None:
        try:
            if earlier is not None:
                await asyncio.wait([earlier])
            await work
        finally:
            consumer._finish_rebalance(number)
