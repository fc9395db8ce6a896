"""Consumer groups, as requests name them and results describe them."""

from __future__ import annotations

from confluent_kafka._values.ordered import OrderedEnum

TYPE_CHECKING = False  # importing it from typing would load typing
if TYPE_CHECKING:
    from confluent_kafka.cimpl import TopicPartition


class ConsumerGroupState(OrderedEnum):
    """What a consumer group is doing. librdkafka: rd_kafka_consumer_group_state_t."""

    UNKNOWN = 0
    UNKOWN = UNKNOWN  # a misspelt name that older versions had
    PREPARING_REBALANCING = 1
    COMPLETING_REBALANCING = 2
    STABLE = 3
    DEAD = 4
    EMPTY = 5


class ConsumerGroupType(OrderedEnum):
    """The protocol of a group. librdkafka: rd_kafka_consumer_group_type_t (KIP-848)."""

    UNKNOWN = 0
    CONSUMER = 1
    CLASSIC = 2


class ConsumerGroupTopicPartitions:
    """Partitions, with or without offsets, of one consumer group.

    Attributes:
        group_id: the group's name.
        topic_partitions: a list of TopicPartition, or None for all partitions of the group.

    librdkafka: rd_kafka_ListConsumerGroupOffsets_t, rd_kafka_AlterConsumerGroupOffsets_t.
    """

    __slots__ = ("group_id", "topic_partitions")

    def __init__(self, group_id: str, topic_partitions: list[TopicPartition] | None = None) -> None:
        self.group_id: str = group_id
        self.topic_partitions: list[TopicPartition] | None = topic_partitions

    def __repr__(self) -> str:
        return f"ConsumerGroupTopicPartitions({self.group_id!r}, {self.topic_partitions!r})"
