"""The subscription of a consumer, and its rebalance listener."""

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
    """Called when the group assigns and revokes a consumer's partitions. Pass it to subscribe().

    Methods such as the consumer's poll() call its methods. If one of them raises an exception, that
    call raises a KafkaError with the exception as its cause.
    """

    @abc.abstractmethod
    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> Any:
        """Called before a rebalance, after the last message: commit offsets here.

        Args:
            revoked: the partitions that the consumer gives up.
        """

    @abc.abstractmethod
    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> Any:
        """Called after a rebalance, before the first message: call seek() here.

        Args:
            assigned: the partitions that the consumer has now; with a cooperative protocol, only
                the new ones.
        """

    def on_partitions_lost(self, lost: set[TopicPartition]) -> Any:
        """Called when partitions already belong to another member.

        Args:
            lost: the partitions that the consumer had. The default calls on_partitions_revoked().
        """
        return self.on_partitions_revoked(lost)


class AsyncConsumerRebalanceListener(abc.ABC):
    """A ConsumerRebalanceListener with coroutines.

    Each coroutine runs to its end in its own event loop.
    """

    @abc.abstractmethod
    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> Any:
        """Like the method of ConsumerRebalanceListener."""

    @abc.abstractmethod
    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> Any:
        """Like the method of ConsumerRebalanceListener."""

    async def on_partitions_lost(self, lost: set[TopicPartition]) -> Any:
        """Like the method of ConsumerRebalanceListener."""
        return await self.on_partitions_revoked(lost)


_LISTENERS = (ConsumerRebalanceListener, AsyncConsumerRebalanceListener)


class SubscriptionState(Reading):
    """Topics, a pattern, or partitions that were assigned by hand."""

    @property
    def subscription(self) -> set[str] | None:
        """The topics that are subscribed to or match the pattern; None without a subscription."""
        return set(self.topics) if self.is_subscribed else None

    def subscribe(self, topics: Any, pattern: Any, listener: Any) -> None:
        """Note the arguments of subscribe(); the assignment stays until the group revokes it.

        Raises:
            IllegalStateError: another kind of subscription exists.
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
        """Note the arguments of assign().

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
            TypeError: it is not a TopicPartition.
            IllegalStateError: it is not assigned.
        """
        if checked(partition) not in self.assigned.partitions:
            raise RefusedState(f"Partition is not assigned: {partition}")


def checked(partition: Any) -> TopicPartition:
    """Check and return an application's partition.

    Raises:
        TypeError: it is not a TopicPartition.
    """
    if not isinstance(partition, TopicPartition):
        raise RefusedType(
            f"partition must be a TopicPartition namedtuple, not {type(partition).__name__}"
        )
    return partition


def all_checked(partitions: Iterable[Any]) -> list[TopicPartition]:
    """Check and return an application's partitions; see checked()."""
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
