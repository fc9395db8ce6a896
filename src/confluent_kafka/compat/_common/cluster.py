"""The known brokers, topics and partitions of a cluster."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka import KafkaError
from confluent_kafka.admin import ClusterMetadata as Answer
from confluent_kafka.admin import TopicMetadata

from .structs import BrokerMetadata, PartitionMetadata, TopicPartition

_NO_LEADER = -1
# Kafka's internal topics: librdkafka does not return which topics are internal.
INTERNAL_TOPICS = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})


class ClusterMetadata:
    """The brokers, topics and partitions in the latest answers to a client."""

    def __init__(self) -> None:
        self.controller: BrokerMetadata | None = None
        self.unauthorized_topics: set[str] = set()
        self._brokers: dict[int, BrokerMetadata] = {}
        self._partitions: dict[str, dict[int, PartitionMetadata]] = {}

    def __repr__(self) -> str:
        return f"ClusterMetadata(brokers: {len(self._brokers)}, topics: {len(self._partitions)})"

    def brokers(self) -> set[BrokerMetadata]:
        """Return all brokers."""
        return set(self._brokers.values())

    def broker_metadata(self, broker_id: int) -> BrokerMetadata | None:
        """Return a broker, or None if it is unknown."""
        return self._brokers.get(broker_id)

    def topics(self, exclude_internal_topics: bool = True) -> set[str]:
        """Return the names of topics.

        Args:
            exclude_internal_topics: whether to leave out Kafka's internal topics.
        """
        known = set(self._partitions)
        return known - INTERNAL_TOPICS if exclude_internal_topics else known

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Return the partitions of a topic, or None if it is unknown."""
        partitions = self._partitions.get(topic)
        return None if partitions is None else set(partitions)

    def available_partitions_for_topic(self, topic: str) -> set[int] | None:
        """Return the partitions of a topic that have a leader, or None if it is unknown."""
        partitions = self._partitions.get(topic)
        if partitions is None:
            return None
        return {number for number, one in partitions.items() if one.leader != _NO_LEADER}

    def leader_for_partition(self, partition: TopicPartition) -> int | None:
        """Return the id of a partition's leader: -1 if it has none, None if it is unknown."""
        one = self._partitions.get(partition.topic, {}).get(partition.partition)
        return None if one is None else one.leader

    def partitions_for_broker(self, broker_id: int) -> set[TopicPartition] | None:
        """Return the partitions that a broker leads, or None if it leads none."""
        led = {
            TopicPartition(topic, number)
            for topic, partitions in self._partitions.items()
            for number, one in partitions.items()
            if one.leader == broker_id
        }
        return led or None

    def _update(self, answer: Answer) -> None:
        """Store the brokers and topics of an answer."""
        self._brokers = {
            broker.id: BrokerMetadata(broker.id, str(broker.host), broker.port, None)
            for broker in answer.brokers.values()
        }
        self.controller = self._brokers.get(answer.controller_id)
        for name, topic in answer.topics.items():
            self._update_topic(name, topic)

    def _update_topic(self, name: str, topic: TopicMetadata) -> None:
        self.unauthorized_topics.discard(name)
        if topic.error is None:
            self._partitions[name] = {
                one.id: PartitionMetadata(
                    name, one.id, one.leader, list(one.replicas), list(one.isrs), None
                )
                for one in sorted(topic.partitions.values(), key=lambda one: one.id)
            }
        else:
            self._partitions.pop(name, None)
            if topic.error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                self.unauthorized_topics.add(name)

    def _keep(self, topics: Iterable[str]) -> None:
        """Forget the topics that a complete answer does not contain."""
        for name in set(self._partitions).difference(topics):
            del self._partitions[name]
