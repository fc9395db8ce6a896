"""What a consumer reads, as its application says it; and who is told of it."""

from __future__ import annotations

import abc
import re
from collections.abc import Iterable, Sequence, Set
from typing import Any

from ..._common.reading import Reading
from .._refusals import RefusedState, RefusedType, RefusedValue
from ..cluster import check_topic
from ..errors import IllegalStateError
from ..structs import TopicPartition

__all__ = ["AsyncConsumerRebalanceListener", "ConsumerRebalanceListener", "SubscriptionState"]


class ConsumerRebalanceListener(abc.ABC):
    """Told when the group gives partitions to a consumer, and takes them. See subscribe().

    Its methods are called by the consumer's poll() and the like. What they raise, that call raises
    as the cause of a KafkaError.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> Any:
        """Called before a rebalance, when no more messages come: the place to commit.

        Args:
            revoked: the partitions that the consumer had.
        """

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> Any:
        """Called after a rebalance, before the first message: the place to seek.

        Args:
            assigned: the partitions that the consumer has now; with a cooperative protocol, those
                that are new.
        """

    def on_partitions_lost(self, lost: set[TopicPartition]) -> Any:
        """Called when partitions were given to another member already.

        Args:
            lost: the partitions that the consumer had. Calls on_partitions_revoked() unless
                overridden.
        """
        return self.on_partitions_revoked(lost)


class AsyncConsumerRebalanceListener(abc.ABC):
    """The same with coroutines, each of which runs to its end in an event loop of its own."""

    @abc.abstractmethod
    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> Any:
        """See ConsumerRebalanceListener."""

    @abc.abstractmethod
    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> Any:
        """See ConsumerRebalanceListener."""

    async def on_partitions_lost(self, lost: set[TopicPartition]) -> Any:
        """See ConsumerRebalanceListener."""
        return await self.on_partitions_revoked(lost)


_LISTENERS = (ConsumerRebalanceListener, AsyncConsumerRebalanceListener)


class SubscriptionState(Reading):
    """Topics or a pattern, or partitions that were assigned by hand."""

    @property
    def subscription(self) -> set[str] | None:
        """The topics that are subscribed to, or that match the pattern; None without."""
        return set(self.topics) if self.is_subscribed else None

    def subscribe(self, topics: Any, pattern: Any, listener: Any) -> None:
        """Note what subscribe() was given; what is assigned stays until the group takes it.

        Raises:
            IllegalStateError: it was told otherwise before.
            TypeError, ValueError, AssertionError: an argument is wrong.
        """
        if self.is_by_hand or (topics and pattern):
            raise _exclusive()
        if self.is_subscribed and (pattern is None) != (self.pattern is None):
            raise _exclusive()
        if not topics and not pattern:
            raise RefusedValue("Must provide topics or pattern")
        if pattern is None:
            _check_topics(topics)
        if listener is not None and not isinstance(listener, _LISTENERS):
            raise RefusedType(
                "listener must be a ConsumerRebalanceListener or AsyncConsumerRebalanceListener, "
                f"not {type(listener).__name__}"
            )
        self.pattern = None if pattern is None else re.compile(pattern)
        self.is_subscribed, self.listener = True, listener
        self.topics = frozenset(topics)

    def assign_by_hand(self, partitions: Set[TopicPartition]) -> None:
        """Note what assign() was given.

        Raises:
            IllegalStateError: topics are subscribed to.
        """
        if self.is_subscribed:
            raise _exclusive()
        self.is_by_hand = True
        self.assigned.assign_by_hand(partitions)

    def require(self, partition: Any) -> None:
        """Check that a partition is assigned.

        Raises:
            TypeError: it is none.
            IllegalStateError: it is not.
        """
        if checked(partition) not in self.assigned.partitions:
            raise RefusedState(f"Partition is not assigned: {partition}")


def checked(partition: Any) -> TopicPartition:
    """Return a partition that an application has given.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(partition, TopicPartition):
        raise RefusedType(
            f"partition must be a TopicPartition namedtuple, not {type(partition).__name__}"
        )
    return partition


def all_checked(partitions: Iterable[Any]) -> list[TopicPartition]:
    """Return partitions that an application has given; see checked()."""
    return [checked(partition) for partition in partitions]


def _check_topics(topics: Any) -> None:
    if isinstance(topics, str) or not isinstance(topics, Sequence):
        raise RefusedType("Topics must be a list (or non-str sequence)")
    for topic in topics:
        check_topic(topic)


def _exclusive() -> IllegalStateError:
    return IllegalStateError(
        "Topics by name, topics by a pattern, and partitions assigned by hand exclude each other: "
        "call unsubscribe() in between"
    )
