"""Apache Kafka clients for Python, over librdkafka."""

from confluent_kafka._other_clients import CONSUMER, PRODUCER, explaining
from confluent_kafka._values.cluster import (
    Node,
    TopicCollection,
    TopicIdCollection,
    TopicPartitionInfo,
)
from confluent_kafka._values.groups import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
)
from confluent_kafka._values.options import ElectionType, IsolationLevel
from confluent_kafka._values.share import AcknowledgeType, Messages
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
    build_info,
    consistent,
    fnv1a,
    libversion,
    murmur2,
    version,
)

try:
    from confluent_kafka.cimpl import (
        ConcurrentModificationException,
        IllegalStateException,
        ShareConsumer,
    )
except ImportError:  # __getattr__() explains the error if a program uses these names
    _MISSING = frozenset(
        {
            "ConcurrentModificationException",
            "DeserializingShareConsumer",
            "IllegalStateException",
            "ShareConsumer",
            "renewing",
        }
    )
else:
    _MISSING = frozenset()

explaining(PRODUCER)(Producer)
explaining(CONSUMER)(Consumer)
del CONSUMER, PRODUCER, explaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from confluent_kafka import error as error
    from confluent_kafka import serialization as serialization
    from confluent_kafka._share_renewal import renewing
    from confluent_kafka.deserializing_consumer import DeserializingConsumer
    from confluent_kafka.deserializing_share_consumer import DeserializingShareConsumer
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
    "AcknowledgeType",
    "ConcurrentModificationException",
    "Consumer",
    "ConsumerGroupState",
    "ConsumerGroupTopicPartitions",
    "ConsumerGroupType",
    "DeserializingConsumer",
    "DeserializingShareConsumer",
    "ElectionType",
    "IllegalStateException",
    "IsolationLevel",
    "KafkaError",
    "KafkaException",
    "Message",
    "MessageBatch",
    "Messages",
    "Node",
    "Producer",
    "SerializingProducer",
    "ShareConsumer",
    "ThrottleEvent",
    "TopicCollection",
    "TopicIdCollection",
    "TopicPartition",
    "TopicPartitionInfo",
    "Uuid",
    "build_info",
    "consistent",
    "fnv1a",
    "libversion",
    "murmur2",
    "renewing",
    "version",
]

__all__ = [name for name in __all__ if name not in _MISSING]

# Modules that load other packages. They are imported at their first use, so that a program which
# needs only the clients starts faster.
_LAZY = {
    "DeserializingConsumer": "deserializing_consumer",
    "DeserializingShareConsumer": "deserializing_share_consumer",
    "SerializingProducer": "serializing_producer",
    "renewing": "_share_renewal",
}
_LAZY_MODULES = frozenset({"error", "serialization", *_LAZY.values()})


def __getattr__(name: str) -> object:
    if name in _MISSING:
        raise ImportError(
            f"confluent_kafka.{name} needs librdkafka 2.15 or newer, and this is "
            f"{libversion()[0]}: install the wheel of confluent-kafka, which contains it"
        )
    if name not in _LAZY and name not in _LAZY_MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    module = importlib.import_module(f"{__name__}.{_LAZY.get(name, name)}")
    found: object = getattr(module, name) if name in _LAZY else module
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_MODULES})
