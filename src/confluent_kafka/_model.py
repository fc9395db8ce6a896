"""Names of ``confluent_kafka`` under another import path."""

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
