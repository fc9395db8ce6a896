"""The underlying client of a consumer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_STORED,
    Consumer,
    KafkaException,
)
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import ClusterMetadata

from ..._common.events import UNKNOWN
from ..._common.topics import creation, without_creation
from ..structs import TopicPartition


class Engine(Consumer):
    """A Consumer with methods in kafka-python's form.

    Args:
        conf: librdkafka's configuration.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        conf, self._creates = without_creation(conf)
        super().__init__(conf)

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """Request metadata; create the named topic if necessary."""
        if topic is not None and self._creates:
            self.request(*creation(topic), timeout=timeout)
        return super().list_topics(topic, timeout)

    def committed_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float
    ) -> dict[TopicPartition, Place]:
        """Return the group's offsets; a negative number for a partition without one.

        Args:
            partitions: the partitions.
            timeout: seconds.

        Raises:
            KafkaException: a broker's error, or no answer came in time.
        """
        answer = self.committed(places(partitions), timeout)
        return _by_partition(answer, UNKNOWN)  # without a topic, nothing is committed

    def forget_stored_offsets(self, partitions: Iterable[TopicPartition]) -> None:
        """Forget the stored offsets, so that librdkafka does not commit them automatically."""
        self._store([Place(*partition, OFFSET_STORED) for partition in partitions])

    def bounds(
        self, partitions: Iterable[TopicPartition], which: str, timeout: float
    ) -> dict[TopicPartition, int]:
        """Return the first offsets of partitions, or their end offsets.

        Args:
            partitions: the partitions.
            which: "earliest" or "latest".
            timeout: seconds.

        Raises:
            KafkaException: a broker's error, or no answer came in time.
        """
        # Brokers accept these two numbers as special times.
        at = OFFSET_BEGINNING if which == "earliest" else OFFSET_END
        asked = [Place(*partition, at) for partition in partitions]
        if not asked:  # librdkafka would refuse the argument
            return {}
        answer = _by_partition(self.offsets_for_times(asked, timeout))
        return {partition: place.offset for partition, place in answer.items()}


def places(partitions: Iterable[TopicPartition]) -> list[Place]:
    """Convert kafka-python's partitions to the client's partitions."""
    return [Place(*partition) for partition in partitions]


def partitions_of(given: Iterable[Place]) -> frozenset[TopicPartition]:
    """Convert the client's partitions to kafka-python's partitions."""
    return frozenset(TopicPartition(one.topic, one.partition) for one in given)


def _by_partition(
    answer: Sequence[Place], ignored: Set[int] = frozenset()
) -> dict[TopicPartition, Place]:
    for place in answer:
        if place.error is not None and place.error.code() not in ignored:
            raise KafkaException(place.error)
    return {TopicPartition(place.topic, place.partition): place for place in answer}
