"""The subscription of a consumer, with aiokafka's rules and errors."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ..._common.assignment import Assignment
from ..._common.reading import Reading
from ..abc import ConsumerRebalanceListener
from ..errors import IllegalStateError
from ..structs import TopicPartition
from ._rules import RULES


class Subscription(Reading):
    """What a consumer reads: topics, a pattern, or partitions that were assigned by hand.

    Args:
        exclude_internal_topics: whether a pattern leaves out Kafka's own topics.
    """

    def __init__(self, exclude_internal_topics: bool) -> None:
        super().__init__(exclude_internal_topics, Assignment(RULES))

    def subscribe(
        self,
        topics: Collection[str],
        pattern: str | re.Pattern[str] | None,
        listener: ConsumerRebalanceListener | None,
    ) -> None:
        """Note the arguments of subscribe().

        Raises:
            IllegalStateError: partitions are assigned by hand.
            TypeError, ValueError: an argument is wrong.
        """
        if bool(topics) == (pattern is not None):
            raise TypeError(
                "You can't provide both `topics` and `pattern`"
                if topics
                else "You should provide either `topics` or `pattern`"
            )
        if not isinstance(topics, list | tuple | set):
            raise TypeError(f"Topics should be list of strings, not {type(topics).__name__}")
        for topic in topics:
            if not isinstance(topic, str):
                raise TypeError(f"Topics should be list of strings, not of {type(topic).__name__}")
        if listener is not None and not isinstance(listener, ConsumerRebalanceListener):
            kind = type(listener).__name__
            raise TypeError(
                f"listener should be an instance of ConsumerRebalanceListener, not {kind}"
            )
        compiled = None if pattern is None else _compiled(pattern)
        if self.is_by_hand:
            raise _exclusive()
        self.assigned.leave()
        self.is_subscribed = True
        self.pattern, self.listener = compiled, listener
        self.topics = frozenset(topics)

    def assign_by_hand(self, partitions: Iterable[TopicPartition]) -> None:
        """Note the arguments of assign().

        Raises:
            IllegalStateError: topics are subscribed to.
        """
        if self.is_subscribed:
            raise _exclusive()
        self.is_by_hand = True
        self.assigned.assign_by_hand(partitions)
        self.topics = frozenset(partition.topic for partition in self.assigned.partitions)

    def forget(self) -> None:
        """Note that unsubscribe() was called; the next assignment revokes the old partitions."""
        self.assigned.leave()
        super().forget()

    def require(self, *partitions: TopicPartition) -> None:
        """Check that partitions are assigned.

        Raises:
            IllegalStateError: a partition is not assigned.
        """
        for partition in partitions:
            if partition not in self.assigned.partitions:
                raise IllegalStateError(f"Partition {partition} is not assigned")


def _compiled(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as wrong:
        raise ValueError(f"{pattern!r} is not a valid pattern: {wrong}") from None


def _exclusive() -> IllegalStateError:
    return IllegalStateError(
        "Subscription to topics, partitions and pattern are mutually exclusive: call unsubscribe() "
        "in between"
    )
