"""The API of kafka-python 3 on librdkafka.

To move a program, write ``import confluent_kafka.compat.kafka as kafka``. Programs and libraries
that contain ``import kafka`` run unchanged after ``confluent_kafka.compat.install("kafka")``.
"""

from __future__ import annotations

from ._config import __version__
from .admin import KafkaAdminClient
from .consumer import KafkaConsumer
from .consumer.subscription_state import (
    AsyncConsumerRebalanceListener,
    ConsumerRebalanceListener,
)
from .producer import KafkaProducer
from .serializer import DefaultSerializer, Deserializer, JsonSerializer, Serializer
from .structs import (
    ConsumerGroupMetadata,
    IsolationLevel,
    OffsetAndMetadata,
    OffsetSpec,
    TopicPartition,
    TopicPartitionReplica,
)

__all__ = [
    "AsyncConsumerRebalanceListener",
    "ConsumerGroupMetadata",
    "ConsumerRebalanceListener",
    "DefaultSerializer",
    "Deserializer",
    "IsolationLevel",
    "JsonSerializer",
    "KafkaAdminClient",
    "KafkaConsumer",
    "KafkaProducer",
    "OffsetAndMetadata",
    "OffsetSpec",
    "Serializer",
    "TopicPartition",
    "TopicPartitionReplica",
    "__version__",
]
