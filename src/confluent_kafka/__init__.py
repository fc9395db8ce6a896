"""Apache Kafka clients for Python, over librdkafka."""

from confluent_kafka._values.cluster import Node, TopicCollection, TopicPartitionInfo
from confluent_kafka._values.groups import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
)
from confluent_kafka._values.options import ElectionType, IsolationLevel
from confluent_kafka._values.throttle import ThrottleEvent
from confluent_kafka.cimpl import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    MessageBatch,
    Producer,
    TopicPartition,
    Uuid,
    consistent,
    fnv1a,
    libversion,
    murmur2,
    version,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from confluent_kafka.deserializing_consumer import DeserializingConsumer
    from confluent_kafka.serializing_producer import SerializingProducer
del TYPE_CHECKING

__version__ = version()

__all__ = [
    "OFFSET_BEGINNING",
    "OFFSET_END",
    "OFFSET_INVALID",
    "OFFSET_STORED",
    "TIMESTAMP_CREATE_TIME",
    "TIMESTAMP_LOG_APPEND_TIME",
    "TIMESTAMP_NOT_AVAILABLE",
    "Consumer",
    "ConsumerGroupState",
    "ConsumerGroupTopicPartitions",
    "ConsumerGroupType",
    "DeserializingConsumer",
    "ElectionType",
    "IsolationLevel",
    "KafkaError",
    "KafkaException",
    "Message",
    "MessageBatch",
    "Node",
    "Producer",
    "SerializingProducer",
    "ThrottleEvent",
    "TopicCollection",
    "TopicPartition",
    "TopicPartitionInfo",
    "Uuid",
    "consistent",
    "fnv1a",
    "libversion",
    "murmur2",
    "version",
]

# Imported where they are first used: they load what the clients alone need not.
_LAZY = {
    "DeserializingConsumer": "deserializing_consumer",
    "SerializingProducer": "serializing_producer",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found: object = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
