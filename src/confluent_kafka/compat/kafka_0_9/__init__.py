"""The API of kafka-python 0.9.5 on librdkafka, for today's brokers.

To move a program, write ``import confluent_kafka.compat.kafka_0_9 as kafka``. Programs that contain
``import kafka`` run unchanged after ``confluent_kafka.compat.install("kafka", generation="0.9")``.
"""

from __future__ import annotations

from .client import KafkaClient
from .conn import KafkaConnection
from .consumer import KafkaConsumer, MultiProcessConsumer, SimpleConsumer
from .partitioner import HashedPartitioner, Murmur2Partitioner, RoundRobinPartitioner
from .producer import KeyedProducer, SimpleProducer
from .protocol import create_gzip_message, create_message, create_snappy_message

__version__ = "0.9.5"

__all__ = [
    "HashedPartitioner",
    "KafkaClient",
    "KafkaConnection",
    "KafkaConsumer",
    "KeyedProducer",
    "MultiProcessConsumer",
    "Murmur2Partitioner",
    "RoundRobinPartitioner",
    "SimpleConsumer",
    "SimpleProducer",
    "__version__",
    "create_gzip_message",
    "create_message",
    "create_snappy_message",
]
