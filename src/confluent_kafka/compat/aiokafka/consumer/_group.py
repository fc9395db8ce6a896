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
    empty set where there were none. The consumer's own unsubscribe() and stop() are not told.

    Args:
        engine: the client.
        subscription: what is subscribed to and assigned.
        positions: where partitions are read.
    """

    def __init__(self, engine: Engine, subscription: Subscription, positions: Positions) -> None:
        self._engine = engine
        self._subscription = subscription
        self._positions = positions
        self._joined = 0
        self._is_revoked = False
        self._has_rebalanced = asyncio.Event()

    def join(self, topics: Set[str]) -> None:
        """Join the group with these topics, or with others than before."""
        self._joined += 1
        self._is_revoked = False
        self._has_rebalanced.clear()
        if topics:
            self._engine.join(
                sorted(topics), self._only_now(self._assigned), self._only_now(self._revoked)
            )
        else:
            self.nothing_to_assign()

    def leave(self) -> None:
        """Leave the group; the listener is not told."""
        self.stop_telling()
        self._engine.leave()

    def stop_telling(self) -> None:
        """Call the listener no more."""
        self._joined += 1

    def nothing_to_assign(self) -> None:
        """Note that there is none of the topics: librdkafka joins only when there is one."""
        if not self._has_rebalanced.is_set():
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

    async def _revoked(self, _: list[Place]) -> None:
        listener = self._subscription.listener
        self._is_revoked = True
        if listener is not None:
            had = self._subscription.previous or self._subscription.partitions
            await _tell(listener.on_partitions_revoked, had)

    async def _assigned(self, partitions: list[Place]) -> None:
        if not self._is_revoked:
            await self._revoked([])
        self._is_revoked = False
        assigned = frozenset(TopicPartition(one.topic, one.partition) for one in partitions)
        self._take_over(assigned)
        listener = self._subscription.listener
        if listener is not None:
            await _tell(listener.on_partitions_assigned, set(assigned))
        await self._begin(assigned)
        self._has_rebalanced.set()

    def _take_over(self, assigned: Set[TopicPartition]) -> None:
        if self._subscription.paused:
            self._engine.client.resume(places(self._subscription.paused))
        self._positions.forget()
        self._subscription.assign(assigned)

    async def _begin(self, assigned: Set[TopicPartition]) -> None:
        """Begin to read, after the listener, which may have sought."""
        number = self._joined
        while number == self._joined:
            try:
                starts = await self._positions.settle(assigned)
            except KafkaException as failure:
                _log.warning("where to begin could not be read: %s", failure)
                await asyncio.sleep(_AGAIN)
                continue
            self._engine.client.assign(starts)
            self._positions.begin(starts)
            return


async def _tell(method: Callable[[Any], Any], partitions: Set[TopicPartition]) -> None:
    """Call a listener. Its exceptions go to the log, and the rebalance goes on."""
    try:
        result = method(partitions)
        if inspect.isawaitable(result):
            await result
    except (Exception, asyncio.CancelledError):
        _log.exception("%s() of a rebalance listener failed", method.__name__)
