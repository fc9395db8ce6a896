"""aiokafka's API on librdkafka.

To move a program, write ``import confluent_kafka.compat.aiokafka as aiokafka``. Programs and
libraries that contain ``import aiokafka`` run unchanged after
``confluent_kafka.compat.install("aiokafka")``.
"""

from __future__ import annotations

from .abc import ConsumerRebalanceListener
from .client import AIOKafkaClient
from .config import __version__
from .consumer import AIOKafkaConsumer
from .errors import ConsumerStoppedError, IllegalOperation
from .producer import AIOKafkaProducer
from .structs import ConsumerRecord, OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

__all__ = [
    "AIOKafkaClient",
    "AIOKafkaConsumer",
    "AIOKafkaProducer",
    "ConsumerRebalanceListener",
    "ConsumerRecord",
    "ConsumerStoppedError",
    "IllegalOperation",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "TopicPartition",
    "__version__",
]
