"""The known brokers, topics and partitions of the cluster."""

from __future__ import annotations

from .common import BrokerMetadata, MetadataResponse, PartitionMetadata, TopicAndPartition
from .util import kafka_bytestring


class Metadata:
    """Brokers, topics and partitions.

    Attributes:
        brokers: the brokers by id.
        topics_to_brokers: the leaders by partition; None for a partition without a leader.
        topic_partitions: the partitions by topic and number.
    """

    def __init__(self) -> None:
        self.brokers: dict[int, BrokerMetadata] = {}
        self.topics_to_brokers: dict[TopicAndPartition, BrokerMetadata | None] = {}
        self.topic_partitions: dict[bytes, dict[int, PartitionMetadata]] = {}

    @property
    def topics(self) -> list[bytes]:
        """The known topics."""
        return list(self.topic_partitions)

    def has_metadata_for_topic(self, topic: str | bytes) -> bool:
        """Return whether a topic's partitions are known."""
        return bool(self.topic_partitions.get(kafka_bytestring(topic)))

    def get_partition_ids_for_topic(self, topic: str | bytes) -> list[int]:
        """Return the numbers of a topic's partitions; an empty list for an unknown topic."""
        return sorted(self.topic_partitions.get(kafka_bytestring(topic), ()))

    def reset_topic_metadata(self, *topics: str | bytes) -> None:
        """Forget topics.

        Args:
            topics: the names of the topics.
        """
        for topic in map(kafka_bytestring, topics):
            for partition in self.topic_partitions.pop(topic, ()):
                self.topics_to_brokers.pop(TopicAndPartition(topic, partition), None)

    def reset_all_metadata(self) -> None:
        """Forget all topics."""
        self.topics_to_brokers.clear()
        self.topic_partitions.clear()

    def _learn(self, answer: MetadataResponse) -> None:
        """Store the contents of a broker's answer."""
        self.brokers = {one.nodeId: one for one in answer.brokers}
        for topic in answer.topics:
            self.reset_topic_metadata(topic.topic)
            if topic.error:
                continue
            self.topic_partitions[topic.topic] = {one.partition: one for one in topic.partitions}
            for one in topic.partitions:
                leader = self.brokers.get(one.leader)
                self.topics_to_brokers[TopicAndPartition(topic.topic, one.partition)] = leader
