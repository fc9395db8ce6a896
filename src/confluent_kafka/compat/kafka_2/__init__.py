"""The API of kafka-python 2 on librdkafka.

It is the API of version 3, ``confluent_kafka.compat.kafka``, with the differences of version 2. To
move a program, write ``import confluent_kafka.compat.kafka_2 as kafka``. Programs and libraries
that contain ``import kafka`` run unchanged after ``confluent_kafka.compat.install("kafka",
generation="2")``.
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
