"""What the consumer knows of the cluster's topics."""

from __future__ import annotations

from confluent_kafka.admin import ClusterMetadata


class Topics:
    """Topics and their partitions, as last heard of."""

    def __init__(self) -> None:
        self._partitions: dict[str, frozenset[int]] = {}

    def update(self, metadata: ClusterMetadata, *, everything: bool) -> None:
        """Take over what a broker answered.

        Args:
            metadata: the answer.
            everything: whether it was asked for all topics: those that it lacks are gone.
        """
        if everything:
            self._partitions = {}
        for topic in metadata.topics.values():
            if topic.error is None and topic.topic is not None:
                self._partitions[topic.topic] = frozenset(topic.partitions)
            elif topic.topic is not None:
                self._partitions.pop(topic.topic, None)

    def names(self) -> set[str]:
        """Return the names of all topics."""
        return set(self._partitions)

    def partitions(self, topic: str) -> frozenset[int] | None:
        """Return the numbers of a topic's partitions; None if there is no such topic."""
        return self._partitions.get(topic)
