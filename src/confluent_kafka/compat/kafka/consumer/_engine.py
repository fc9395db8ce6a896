"""The client under a consumer."""

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
    """A Consumer, asked in kafka-python's terms.

    Args:
        conf: librdkafka's configuration.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        conf, self._creates = without_creation(conf)
        super().__init__(conf)

    def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """Request metadata; a topic that is named is created, if it has to be."""
        if topic is not None and self._creates:
            self.request(*creation(topic), timeout=timeout)
        return super().list_topics(topic, timeout)

    def committed_offsets(
        self, partitions: Iterable[TopicPartition], timeout: float
    ) -> dict[TopicPartition, Place]:
        """Return the group's offsets; a negative one where there is none.

        Args:
            partitions: of which.
            timeout: seconds.

        Raises:
            KafkaException: a broker's answer, or none in time.
        """
        answer = self.committed(places(partitions), timeout)
        return _by_partition(answer, UNKNOWN)  # without a topic, nothing is committed

    def forget_stored_offsets(self, partitions: Iterable[TopicPartition]) -> None:
        """Let nothing be committed by itself of what was read so far."""
        self._store([Place(*partition, OFFSET_STORED) for partition in partitions])

    def bounds(
        self, partitions: Iterable[TopicPartition], which: str, timeout: float
    ) -> dict[TopicPartition, int]:
        """Return partitions' first offsets, or those behind the last.

        Args:
            partitions: of which.
            which: "earliest" or "latest".
            timeout: seconds.

        Raises:
            KafkaException: a broker's answer, or none in time.
        """
        # Brokers take these two numbers for times.
        at = OFFSET_BEGINNING if which == "earliest" else OFFSET_END
        asked = [Place(*partition, at) for partition in partitions]
        if not asked:  # to librdkafka a wrong argument
            return {}
        answer = _by_partition(self.offsets_for_times(asked, timeout))
        return {partition: place.offset for partition, place in answer.items()}


def places(partitions: Iterable[TopicPartition]) -> list[Place]:
    """Return kafka-python's partitions as the client's."""
    return [Place(*partition) for partition in partitions]


def partitions_of(given: Iterable[Place]) -> frozenset[TopicPartition]:
    """Return the client's partitions as kafka-python's."""
    return frozenset(TopicPartition(one.topic, one.partition) for one in given)


def _by_partition(
    answer: Sequence[Place], ignored: Set[int] = frozenset()
) -> dict[TopicPartition, Place]:
    for place in answer:
        if place.error is not None and place.error.code() not in ignored:
            raise KafkaException(place.error)
    return {TopicPartition(place.topic, place.partition): place for place in answer}
