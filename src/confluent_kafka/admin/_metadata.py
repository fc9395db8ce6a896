"""Another import path for names of ``confluent_kafka.admin``."""

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
