"""The description of a topic."""

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
        topic_id: its id. A topic that is deleted and created again gets another id.
        is_internal: whether Kafka itself uses it.
        partitions: a TopicPartitionInfo for each partition.
        authorized_operations: the operations that this client may perform; None if not requested.

    librdkafka: rd_kafka_TopicDescription_t.
    """

    name: str
    topic_id: Uuid
    is_internal: bool
    partitions: list[TopicPartitionInfo]
    authorized_operations: list[AclOperation] | None = None
