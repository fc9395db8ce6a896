"""Membership in a group, with listeners called as aiokafka calls them."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Set
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Place

from ..structs import TopicPartition
from ._engine import Engine, places
from ._positions import Positions
from ._subscription import Subscription

_log = logging.getLogger(__name__)
_AGAIN = 0.1  # seconds until the coordinator is asked again


class Membership:
    """A consumer's membership in its group.

    Every rebalance takes all partitions away and gives others, and the listener is told both, an
    empty set where there were none. The consumer's own unsubscribe() and stop() are not told. With
    an incremental protocol, which aiokafka does not have, partitions that stay are read on, and
    the listener is told the same.

    Args:
        engine: the client.
        subscription: what is subscribed to and assigned.
        positions: where partitions are read.
        is_incremental: whether rebalances leave a member the partitions that it keeps.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: Subscription,
        positions: Positions,
        is_incremental: bool,
    ) -> None:
        self._is_incremental = is_incremental
        self._engine = engine
        self._subscription = subscription
        self._positions = positions
        self._joined = 0
        self._is_revoked = False
        # There was none of the topics after join(), as was, or will be, told.
        self._is_empty = False
        self._has_rebalanced = asyncio.Event()

    def join(self, topics: Set[str]) -> None:
        """Join the group with these topics, or with others than before."""
        self._joined += 1
        self._is_revoked = False
        self._is_empty = False
        self._positions.release()
        self._has_rebalanced.clear()
        if self._is_incremental:
            self._engine.leave()  # so that everything is taken away first
        if topics:
            self._engine.join(
                sorted(topics), self._only_now(self._assigned), self._only_now(self._revoked)
            )
        else:
            self.nothing_to_assign()

    def leave(self) -> None:
        """Leave the group; the listener is not told."""
        self.stop_telling()
        self._positions.release()
        self._engine.leave()

    def stop_telling(self) -> None:
        """Call the listener no more."""
        self._joined += 1

    def nothing_to_assign(self) -> None:
        """Note that there is none of the topics: librdkafka joins only when there is one."""
        if not self._is_empty and not self._has_rebalanced.is_set():
            self._is_empty = True
            self._engine.run(self._assigned([]))

    async def rebalanced(self) -> None:
        """Wait for the first assignment after join(), and the listener that is told of it."""
        await self._has_rebalanced.wait()

    def _only_now(
        self, told: Callable[[list[Place]], Awaitable[None]]
    ) -> Callable[[Any, list[Place]], Any]:
        number = self._joined

        def call(engine: Engine, partitions: list[Place]) -> Any:
            return told(partitions) if number == self._joined else None

        return call

    async def _revoked(self, partitions: list[Place]) -> None:
        self._positions.hold()
        await self._tell_of_revocation()
        if self._is_incremental:
            self._lose(_partitions(partitions))
            if self._subscription.partitions:
                await self._tell_of_assignment()
            self._positions.release()

    async def _assigned(self, partitions: list[Place]) -> None:
        self._positions.hold()
        if not self._is_revoked:
            await self._tell_of_revocation()
        new = _partitions(partitions)
        if self._is_incremental:
            self._subscription.extend(self._subscription.partitions | new)
        else:
            self._take_over(new)
        await self._tell_of_assignment()
        await self._begin(new)
        self._positions.release()
        self._has_rebalanced.set()

    async def _tell_of_revocation(self) -> None:
        self._is_revoked = True
        if self._subscription.listener is not None:
            had = self._subscription.previous or self._subscription.partitions
            await _tell(self._subscription.listener.on_partitions_revoked, had)

    async def _tell_of_assignment(self) -> None:
        self._is_revoked = False
        if self._subscription.listener is not None:
            has = set(self._subscription.partitions)
            await _tell(self._subscription.listener.on_partitions_assigned, has)

    def _take_over(self, assigned: frozenset[TopicPartition]) -> None:
        self._resume(self._subscription.paused)
        self._positions.forget()
        self._subscription.assign(assigned)

    def _lose(self, revoked: frozenset[TopicPartition]) -> None:
        self._resume(self._subscription.paused & revoked)
        self._positions.forget_some(revoked)
        self._subscription.lose(revoked)

    def _resume(self, partitions: Set[TopicPartition]) -> None:
        """End pauses, which a rebalance does not outlast; librdkafka's do."""
        if partitions:
            self._engine.client.resume(places(partitions))

    async def _begin(self, new: Set[TopicPartition]) -> None:
        """Begin to read, after the listener, which may have sought."""
        number = self._joined
        while number == self._joined:
            try:
                starts = await self._positions.settle(new)
            except KafkaException as failure:
                _log.warning("where to begin could not be read: %s", failure)
                await asyncio.sleep(_AGAIN)
                continue
            if self._is_incremental:
                self._positions.assign_incrementally(new, starts)
            else:
                self._engine.client.assign(starts)
            self._positions.begin(starts)
            return


def _partitions(given: list[Place]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(one.topic, one.partition) for one in given)


async def _tell(method: Callable[[Any], Any], partitions: Set[TopicPartition]) -> None:
    """Call a listener. Its exceptions go to the log, and the rebalance goes on.

    It has a task of its own, which it may cancel.
    """
    task = asyncio.get_running_loop().create_task(_call(method, partitions))
    try:
        await asyncio.wait([task])
    finally:
        task.cancel()  # with this one
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        _log.error("%s() of a rebalance listener failed", method.__name__, exc_info=error)


async def _call(method: Callable[[Any], Any], partitions: Set[TopicPartition]) -> None:
    result = method(partitions)
    if inspect.isawaitable(result):
        await result
