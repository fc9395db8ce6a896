"""kafka-python's API on librdkafka, that of version 2.

It is that of version 3, ``confluent_kafka.compat.kafka``, with what was different before.
``import confluent_kafka.compat.kafka_2 as kafka`` is the move; programs and libraries that say
``import kafka`` run unchanged after ``confluent_kafka.compat.install("kafka", generation="2")``.
"""

from __future__ import annotations

from ._config import __version__
from .admin import KafkaAdminClient
from .client_async import KafkaClient
from .conn import BrokerConnection
from .consumer import KafkaConsumer
from .consumer.subscription_state import ConsumerRebalanceListener
from .producer import KafkaProducer
from .serializer import Deserializer, Serializer
from .structs import OffsetAndMetadata, TopicPartition

__all__ = [
    "BrokerConnection",
    "ConsumerRebalanceListener",
    "Deserializer",
    "KafkaAdminClient",
    "KafkaClient",
    "KafkaConsumer",
    "KafkaProducer",
    "OffsetAndMetadata",
    "Serializer",
    "TopicPartition",
    "__version__",
]
