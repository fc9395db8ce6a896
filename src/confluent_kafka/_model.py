"""Another import path for names of ``confluent_kafka``."""

from confluent_kafka import (
    AcknowledgeType,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    Message,
    Messages,
    Node,
    TopicCollection,
    TopicPartition,
    TopicPartitionInfo,
)

__all__ = [
    "AcknowledgeType",
    "ConsumerGroupState",
    "ConsumerGroupTopicPartitions",
    "ConsumerGroupType",
    "ElectionType",
    "IsolationLevel",
    "Message",
    "Messages",
    "Node",
    "TopicCollection",
    "TopicPartition",
    "TopicPartitionInfo",
]
