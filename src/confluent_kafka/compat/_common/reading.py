"""What a consumer reads, as its application sees it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Any

from confluent_kafka import TopicPartition as Place

from .cluster import INTERNAL_TOPICS
from .structs import TopicPartition

_NONE: frozenset[Any] = frozenset()


class Reading:
    """Topics or a pattern, or partitions that were assigned by hand; and what is assigned.

    Args:
        exclude_internal_topics: whether a pattern leaves out Kafka's own topics.
    """

    def __init__(self, exclude_internal_topics: bool) -> None:
        self._excluded = INTERNAL_TOPICS if exclude_internal_topics else _NONE
        self.topics: Set[str] = set()
        self.pattern: re.Pattern[str] | None = None
        self.listener: Any = None
        self.is_subscribed = False
        self.is_by_hand = False
        self.partitions: Set[TopicPartition] = set()
        """What the application may read."""
        self.is_assigned = False
        """Whether there is an assignment, which may be empty."""
        self.previous: Set[TopicPartition] = _NONE
        """What it had until it subscribed to something else; the group takes it back later."""
        self.hidden: set[TopicPartition] = set()
        """Partitions whose messages must wait."""
        self.paused: set[TopicPartition] = set()
        self.is_whole = False
        """Whether messages of every partition may be taken."""
        self._wanted: dict[tuple[TopicPartition, ...], list[Place] | None] = {}

    def matching(self, topics: Iterable[str]) -> frozenset[str]:
        """Return those of the cluster's topics that the pattern is for."""
        assert self.pattern is not None
        match = self.pattern.match
        return frozenset(name for name in topics if name not in self._excluded and match(name))

    def assign(self, partitions: Set[TopicPartition]) -> None:
        """Note what the group, or the consumer itself, has assigned."""
        self.partitions = partitions
        self.previous = _NONE
        self.paused = set()
        self.hidden = set()
        self._assigned()

    def forget(self) -> None:
        """Note that unsubscribe() was called."""
        self._reset()
        self.previous = _NONE
        self.is_subscribed = self.is_by_hand = False

    def extend(self, partitions: Set[TopicPartition]) -> None:
        """Note partitions of which some were assigned before, and are read on."""
        self.partitions = partitions
        self.previous = _NONE
        self._assigned()

    def lose(self, partitions: Set[TopicPartition]) -> None:
        """Note partitions that the group has taken away, while the others are read on."""
        self.partitions = self.partitions - partitions
        self.previous = _NONE
        self.paused -= partitions
        self.hidden -= partitions
        self._change()

    def hide(self, partition: TopicPartition) -> None:
        """Keep the messages of a partition back."""
        self.hidden.add(partition)
        self._change()

    def show(self, partition: TopicPartition) -> None:
        """Let the messages of a partition come again."""
        self.hidden.discard(partition)
        self._change()

    def wanted(self, partitions: tuple[TopicPartition, ...]) -> list[Place] | None:
        """Return which partitions' messages may be taken now; None for any.

        Args:
            partitions: those that the application asks for; () for all.
        """
        try:
            return self._wanted[partitions]
        except KeyError:
            wanted = self._wanted[partitions] = self._select(partitions)
            return wanted

    def _assigned(self) -> None:
        self.is_assigned = True
        self._change()

    def _change(self) -> None:
        self._wanted = {}
        self.is_whole = bool(self.partitions) and not self.hidden

    def _select(self, partitions: tuple[TopicPartition, ...]) -> list[Place] | None:
        for partition in partitions:
            if not isinstance(partition, TopicPartition):
                kind = type(partition).__name__
                raise TypeError(f"partitions must be TopicPartition, not {kind}")
        if self.is_whole and not partitions:
            return None
        named = set(partitions or self.partitions) & self.partitions
        return [Place(*partition) for partition in sorted(named - self.hidden)]

    def _reset(self) -> None:
        self.topics, self.pattern, self.listener = set(), None, None
        self.partitions = set()
        self.is_assigned = False
        self.paused = set()
        self.hidden = set()
        self._change()
