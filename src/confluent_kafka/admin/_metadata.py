"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import (
    BrokerMetadata,
    ClusterMetadata,
    GroupMember,
    GroupMetadata,
    KafkaError,
    PartitionMetadata,
    TopicMetadata,
)

__all__ = [
    "BrokerMetadata",
    "ClusterMetadata",
    "GroupMember",
    "GroupMetadata",
    "KafkaError",
    "PartitionMetadata",
    "TopicMetadata",
]
