"""Follows the cluster's topics, for patterns and for consumers without a group."""

from __future__ import annotations

import asyncio
import logging

from confluent_kafka import KafkaError as Error
from confluent_kafka import KafkaException

from .._failures import failure_of
from ..client import AIOKafkaClient
from ..errors import KafkaError
from ..structs import TopicPartition
from ._background import Background
from ._engine import Engine
from ._group import Membership
from ._positions import Positions
from ._subscription import Subscription

_log = logging.getLogger(__name__)
_REFUSED = frozenset({Error.TOPIC_AUTHORIZATION_FAILED, Error.TOPIC_EXCEPTION})
_AGAIN = 0.1  # seconds until a broker that could not answer is asked again


class Following:
    """Begins to read, and looks for new topics every ``metadata_max_age_ms``.

    This class matches patterns itself, because the regular expressions of Python and librdkafka
    differ. Without a group, the consumer assigns all partitions to itself.

    Args:
        engine: the client.
        subscription: the subscription.
        positions: the positions of partitions.
        client: fetches the cluster's topics.
        group: the membership in a group, if there is one.
        every: seconds between two searches for topics.
    """

    def __init__(
        self,
        engine: Engine,
        subscription: Subscription,
        positions: Positions,
        client: AIOKafkaClient,
        group: Membership | None,
        every: float,
    ) -> None:
        self._engine = engine
        self._subscription = subscription
        self._positions = positions
        self._client = client
        self._group = group
        self._every = every
        self._following = Background(self._follow, engine.fail)
        self._has_looked = asyncio.Event()

    def begin(self) -> None:
        """Follow the new subscription or assignment."""
        self.end()
        self._has_looked.clear()
        if self._subscription.is_subscribed:
            if self._subscription.pattern is not None:
                self._subscription.topics = self._subscription.matching(self._known())
            if self._group is not None:
                self._group.join(self._subscription.topics)
        self._following.begin()

    def end(self) -> None:
        """Stop following."""
        self._following.end()

    def ensure(self) -> None:
        """Start the task again if somebody else has cancelled it."""
        self._following.ensure()

    async def assigned(self) -> None:
        """Wait for the first assignment after begin()."""
        if self._group is not None and self._subscription.is_subscribed:
            await self._group.rebalanced()
        else:
            await self._has_looked.wait()

    async def wait_for_topics(self) -> None:
        """Wait until the cluster has every topic; a request may create topics.

        Raises:
            UnknownTopicOrPartitionError: a topic was missing for ``request_timeout_ms``.
            TopicAuthorizationFailedError, InvalidTopicError: a topic is refused.
        """
        if self._subscription.pattern is None:
            for topic in sorted(self._subscription.topics):
                await self._client._wait_on_metadata(topic)

    async def _follow(self) -> None:
        if not self._subscription.is_subscribed:
            await self._begin_by_hand()
            return
        wait = _AGAIN
        while True:
            try:
                is_whole = await self._look()
            except (KafkaError, KafkaException) as failure:
                _log.warning("could not find the topics to read: %s", failure)
                is_whole = False
            finally:
                self._has_looked.set()
            wait = self._every if is_whole else min(2 * wait, self._every)
            await asyncio.sleep(wait)

    async def _begin_by_hand(self) -> None:
        try:
            await self._positions.settle()
            self._subscription.assigned.begin(always=True)
        finally:
            self._has_looked.set()

    async def _look(self) -> bool:
        """Look for the topics once; return whether the cluster has all of them."""
        if self._subscription.pattern is None:
            await self._look_for_topics()
        else:
            await self._look_for_matches()
        if self._group is None:
            await self._assign_all()
        elif not self._subscription.topics & self._known():
            self._group.nothing_to_assign()
        return self._subscription.topics <= self._known()

    async def _look_for_topics(self) -> None:
        """Ask for each topic by name, because a broker may then create it."""
        for topic in sorted(self._subscription.topics):
            error = await self._client._ask(topic)
            if error is not None and error.code() in _REFUSED:
                self._engine.fail(failure_of(error))

    async def _look_for_matches(self) -> None:
        await self._client.fetch_all_metadata()
        matching = self._subscription.matching(self._known())
        if matching != self._subscription.topics:
            self._subscription.topics = matching
            if self._group is not None:
                self._group.change(matching)

    def _known(self) -> set[str]:
        return self._client.cluster.topics(exclude_internal_topics=False)

    async def _assign_all(self) -> None:
        is_new = self._subscription.assigned.follow(
            TopicPartition(topic, partition)
            for topic in self._subscription.topics
            for partition in self._client.cluster.partitions_for_topic(topic) or ()
        )
        if is_new:
            self._subscription.assigned.begin(always=True)
        # An error may have left some futures unsettled.
        await self._positions.settle()
