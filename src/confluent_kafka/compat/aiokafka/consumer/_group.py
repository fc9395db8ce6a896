"""Membership in a group, which calls listeners like aiokafka."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Set
from typing import Any

from confluent_kafka import TopicPartition as Place

from ..._common.assignment import Assignment, Script, Tell
from ..errors import KafkaError
from ..structs import TopicPartition
from ._background import Background
from ._commits import Underway
from ._engine import Engine
from ._positions import Positions
from ._subscription import Subscription

_log = logging.getLogger(__name__)
_LOOKS = 10  # how often per max_poll_interval_ms to check whether somebody reads


class Membership:
    """A consumer's membership in its group.

    The listener is not called for the consumer's own unsubscribe() and stop().

    Args:
        engine: the client.
        subscription: the subscription.
        positions: does the steps that wait.
        commits: the commits for which a rebalance waits.
        interval: seconds that may pass without a read; None for a static member, which stays.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: Subscription,
        positions: Positions,
        commits: Underway,
        interval: float | None,
    ) -> None:
        self._interval = interval
        self._watching = Background(self._leave_if_nobody_reads, engine.fail)
        self._is_out = False
        self._engine = engine
        self._commits = commits
        self._subscription = subscription
        self._assigned: Assignment = subscription.assigned
        self._positions = positions
        self._joined = 0
        # The topics of all subscriptions: an assignment for an earlier one may still come.
        self._named: set[str] = set()
        # After join(), none of the topics existed; this was or will be reported.
        self._is_empty = False
        self._has_rebalanced = asyncio.Event()

    def join(self, topics: Set[str]) -> None:
        """Join the group with these topics, or change the topics."""
        self._joined += 1
        self._named |= topics
        self._is_empty = self._is_out = False
        self._has_rebalanced.clear()
        if self._assigned.is_incremental:
            self._engine.leave()  # so that all partitions are revoked first
            self._assigned.leave()
        if topics:
            self._engine.join(
                sorted(topics), self._only_now(self._given), self._only_now(self._taken)
            )
        else:
            self.nothing_to_assign()

    def leave(self) -> None:
        """Leave the group without calling the listener."""
        self._is_out = False
        self.stop_telling()
        self._engine.leave()

    def stop_telling(self) -> None:
        """Stop calling the listener."""
        self._joined += 1
        self._watching.end()

    def change(self, topics: Set[str]) -> None:
        """Join with other topics, unless the next read will do so."""
        if not self._is_out:
            self.join(topics)

    def ensure(self) -> None:
        """Join again if the member has left, and start cancelled tasks again."""
        self._watching.ensure()
        if self._is_out:
            self.join(self._subscription.topics)

    async def _leave_if_nobody_reads(self) -> None:
        assert self._interval is not None
        loop = asyncio.get_running_loop()
        reads, since = self._engine.reads(), loop.time()
        while loop.time() < since + self._interval:
            await asyncio.sleep(self._interval / _LOOKS)
            now = self._engine.reads()
            if now != reads:
                reads, since = now, loop.time()
        _log.warning(
            "nobody has read for %g s (max_poll_interval_ms): the consumer leaves its group until "
            "the next read",
            self._interval,
        )
        self._joined += 1
        self._is_out = True
        self._engine.forget_stored_offsets(self._assigned.positions())
        self._assigned.timed_out()
        self._engine.leave()

    def nothing_to_assign(self) -> None:
        """Note that none of the topics exists: librdkafka joins only when one does."""
        if not self._is_empty and not self._has_rebalanced.is_set():
            self._is_empty = True
            self._engine.run(self._given([]))

    async def rebalanced(self) -> None:
        """Wait for the first assignment after join(), and for its listener call."""
        await self._has_rebalanced.wait()

    def _only_now(
        self, told: Callable[[list[Place]], Awaitable[None]]
    ) -> Callable[[Any, list[Place]], Any]:
        number = self._joined

        def call(engine: Engine, partitions: list[Place]) -> Any:
            return told(partitions) if number == self._joined else None

        return call

    async def _taken(self, partitions: list[Place]) -> None:
        await self._commits.finish()
        await self._run(self._assigned.taken(_partitions(partitions), "revoked"))
        await self._commits.finish()  # the commits that the listener has begun

    async def _given(self, partitions: list[Place]) -> None:
        self._refuse_others(partitions)
        await self._run(self._assigned.given(_partitions(partitions)))
        self._has_rebalanced.set()
        if self._interval is not None:
            self._watching.begin_if_over()

    def _refuse_others(self, partitions: list[Place]) -> None:
        """Report an assignment with unsubscribed topics, which may be corrupt."""
        if self._subscription.pattern is not None:
            return  # the group's leader may know a new topic earlier
        for place in partitions:
            if place.topic not in self._named:
                partition = TopicPartition(place.topic, place.partition)
                text = f"Received an assignment for unsubscribed topic: {partition}"
                self._engine.fail(KafkaError(text))

    async def _run(self, script: Script) -> None:
        """Do the steps of a script, unless the consumer leaves or joins again meanwhile."""
        number = self._joined
        await self._positions.run(script, self._tell, lambda: number == self._joined)

    async def _tell(self, step: Tell) -> None:
        listener = self._subscription.listener
        if listener is not None:
            await _tell(getattr(listener, f"on_partitions_{step.what}"), set(step.partitions))


def _partitions(given: list[Place]) -> frozenset[TopicPartition]:
    return frozenset(TopicPartition(one.topic, one.partition) for one in given)


async def _tell(method: Callable[[Any], Any], partitions: Set[TopicPartition]) -> None:
    """Call a listener. Its exceptions are logged, and the rebalance continues.

    The listener runs in its own task, which it may cancel.
    """
    task = asyncio.get_running_loop().create_task(_call(method, partitions))
    try:
        await asyncio.wait([task])
    finally:
        task.cancel()  # together with this task
    error = asyncio.CancelledError() if task.cancelled() else task.exception()
    if error is not None:
        _log.error("%s() of a rebalance listener failed", method.__name__, exc_info=error)


async def _call(method: Callable[[Any], Any], partitions: Set[TopicPartition]) -> None:
    result = method(partitions)
    if inspect.isawaitable(result):
        await result
