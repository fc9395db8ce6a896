"""What a topic is described with."""

from __future__ import annotations

from dataclasses import dataclass

from confluent_kafka._values.cluster import TopicPartitionInfo
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.cimpl import Uuid


@dataclass(eq=False)
class TopicDescription:
    """The description of a topic.

    Attributes:
        name: its name.
        topic_id: its id; a topic that is deleted and created again gets another one.
        is_internal: whether Kafka itself uses it.
        partitions: a TopicPartitionInfo for each partition.
        authorized_operations: what this client may do with it, or None when not asked for.

    librdkafka: rd_kafka_TopicDescription_t.
    """

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: list[TopicPartitionInfo]
    authorized_operations: list[AclOperation] | None = None
