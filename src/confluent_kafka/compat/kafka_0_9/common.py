"""The values that calls of kafka-python 0.9.5 take, return and raise.

If librdkafka raised the error, ``__cause__`` is the ``confluent_kafka.KafkaException``.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple


class MetadataRequest(NamedTuple):
    """A request for the metadata of topics."""

    topics: list[bytes]


class MetadataResponse(NamedTuple):
    """The brokers and topics of the cluster."""

    brokers: list[BrokerMetadata]
    topics: list[TopicMetadata]


class ConsumerMetadataRequest(NamedTuple):
    """A request for a group's coordinator."""

    groups: bytes


class ConsumerMetadataResponse(NamedTuple):
    """A group's coordinator."""

    error: int
    nodeId: int  # noqa: N815
    host: bytes
    port: int


class ProduceRequest(NamedTuple):
    """Messages for a partition."""

    topic: bytes
    partition: int
    messages: Any
    """A list or tuple of Message."""


class ProduceResponse(NamedTuple):
    """The place of the messages in a partition."""

    topic: bytes
    partition: int
    error: int
    offset: int
    """The offset of the first message."""


class FetchRequest(NamedTuple):
    """A partition, and the offset at which to read."""

    topic: bytes
    partition: int
    offset: int
    max_bytes: int


class FetchResponse(NamedTuple):
    """The messages that were read from a partition."""

    topic: bytes
    partition: int
    error: int
    highwaterMark: int  # noqa: N815
    """The offset after the last message that consumers may read."""
    messages: Any
    """An iterator of OffsetAndMessage."""


class OffsetRequest(NamedTuple):
    """A request for offsets of a partition."""

    topic: bytes
    partition: int
    time: int
    """-1 for the end, -2 for the beginning, or a time in milliseconds since the epoch."""
    max_offsets: int


class OffsetResponse(NamedTuple):
    """Offsets of a partition, the highest first."""

    topic: bytes
    partition: int
    error: int
    offsets: tuple[int, ...]


class OffsetCommitRequest(NamedTuple):
    """An offset to store for a group."""

    topic: bytes
    partition: int
    offset: int
    metadata: bytes | None


class OffsetCommitResponse(NamedTuple):
    """The result of storing a group's offset."""

    topic: bytes
    partition: int
    error: int


class OffsetFetchRequest(NamedTuple):
    """A request for a group's offset of a partition."""

    topic: bytes
    partition: int


class OffsetFetchResponse(NamedTuple):
    """A group's offset; -1 if it has none."""

    topic: bytes
    partition: int
    offset: int
    metadata: bytes
    error: int


class BrokerMetadata(NamedTuple):
    """A broker."""

    nodeId: int  # noqa: N815
    host: bytes
    port: int


class TopicMetadata(NamedTuple):
    """A topic."""

    topic: bytes
    error: int
    partitions: list[PartitionMetadata]


class PartitionMetadata(NamedTuple):
    """A partition and its brokers."""

    topic: bytes
    partition: int
    leader: int
    """The broker's id; -1 if there is none."""
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    error: int


class OffsetAndMessage(NamedTuple):
    """A message and its offset."""

    offset: int
    message: Message


class Message(NamedTuple):
    """A message, or several that are compressed together."""

    magic: int
    attributes: int
    """0, or the codec of the messages in ``value``."""
    key: bytes | None
    value: bytes | None


class TopicAndPartition(NamedTuple):
    """A partition of a topic."""

    topic: bytes
    partition: int


class KafkaMessage(NamedTuple):
    """A message that KafkaConsumer returns."""

    topic: bytes
    partition: int
    offset: int
    key: bytes | None
    value: Any
    """The result of ``deserializer_class``."""


class RetryOptions(NamedTuple):
    """How an asynchronous producer sends failed messages again."""

    limit: int | None
    backoff_ms: float
    retry_on_timeouts: bool


class KafkaError(RuntimeError):
    """An operation of Kafka or of this client failed."""


class BrokerResponseError(KafkaError):
    """An error in a broker's answer; it has a number in Kafka's protocol."""

    errno: ClassVar[int]
    message: ClassVar[str]
    """The name of the number in the protocol."""


class UnknownError(BrokerResponseError):
    """The broker failed with an unknown error, or with a number that 0.9.5 does not have."""

    errno = -1
    message = "UNKNOWN"


class OffsetOutOfRangeError(BrokerResponseError):
    """The partition has no such offset."""

    errno = 1
    message = "OFFSET_OUT_OF_RANGE"


class InvalidMessageError(BrokerResponseError):
    """A message's checksum is wrong."""

    errno = 2
    message = "INVALID_MESSAGE"


class UnknownTopicOrPartitionError(BrokerResponseError):
    """There is no such topic or partition."""

    errno = 3
    message = "UNKNOWN_TOPIC_OR_PARTITON"


class InvalidFetchRequestError(BrokerResponseError):
    """A message has a negative size."""

    errno = 4
    message = "INVALID_FETCH_SIZE"


class LeaderNotAvailableError(BrokerResponseError):
    """The partition has no leader at present."""

    errno = 5
    message = "LEADER_NOT_AVAILABLE"


class NotLeaderForPartitionError(BrokerResponseError):
    """The broker is no longer the partition's leader."""

    errno = 6
    message = "NOT_LEADER_FOR_PARTITION"


class RequestTimedOutError(BrokerResponseError):
    """The replicas did not acknowledge in time."""

    errno = 7
    message = "REQUEST_TIMED_OUT"


class BrokerNotAvailableError(BrokerResponseError):
    """The broker is not available."""

    errno = 8
    message = "BROKER_NOT_AVAILABLE"


class ReplicaNotAvailableError(BrokerResponseError):
    """The replica is not available."""

    errno = 9
    message = "REPLICA_NOT_AVAILABLE"


class MessageSizeTooLargeError(BrokerResponseError):
    """A message is larger than the broker allows."""

    errno = 10
    message = "MESSAGE_SIZE_TOO_LARGE"


class StaleControllerEpochError(BrokerResponseError):
    """An error between brokers; clients do not get it."""

    errno = 11
    message = "STALE_CONTROLLER_EPOCH"


class OffsetMetadataTooLargeError(BrokerResponseError):
    """The text to store with an offset is too long."""

    errno = 12
    message = "OFFSET_METADATA_TOO_LARGE"


class StaleLeaderEpochCodeError(BrokerResponseError):
    """An error between brokers; clients do not get it."""

    errno = 13
    message = "STALE_LEADER_EPOCH_CODE"


class OffsetsLoadInProgressCode(BrokerResponseError):
    """The group's coordinator is still reading its offsets."""

    errno = 14
    message = "OFFSETS_LOAD_IN_PROGRESS_CODE"


class ConsumerCoordinatorNotAvailableCode(BrokerResponseError):
    """The group has no coordinator at present."""

    errno = 15
    message = "CONSUMER_COORDINATOR_NOT_AVAILABLE_CODE"


class NotCoordinatorForConsumerCode(BrokerResponseError):
    """The broker is no longer the group's coordinator."""

    errno = 16
    message = "NOT_COORDINATOR_FOR_CONSUMER_CODE"


class KafkaUnavailableError(KafkaError):
    """No broker answers."""


class KafkaTimeoutError(KafkaError):
    """An operation did not end in time."""


class FailedPayloadsError(KafkaError):
    """No broker answered a request for a payload.

    Args:
        payload: the payload.
    """

    def __init__(self, payload: Any, *args: Any) -> None:
        super().__init__(*args)
        self.payload = payload

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.payload, *self.args)


class ConnectionError(KafkaError):  # noqa: A001
    """No connection to a broker."""


class BufferUnderflowError(KafkaError):
    """There are fewer bytes than the protocol requires."""


class ChecksumError(KafkaError):
    """The checksum of a message is wrong."""


class ConsumerFetchSizeTooSmall(KafkaError):
    """The first message is larger than ``max_bytes`` of its request."""


class ConsumerNoMoreData(KafkaError):
    """There is nothing left to read."""


class ConsumerTimeout(KafkaError):
    """There was no message for ``consumer_timeout_ms``."""


class ProtocolError(KafkaError):
    """Bytes do not follow the protocol."""


class UnsupportedCodecError(KafkaError):
    """There is no such codec."""


class KafkaConfigurationError(KafkaError):
    """A keyword is missing, unknown or wrong."""


class AsyncProducerQueueFull(KafkaError):
    """The queue of an asynchronous producer has no room.

    Args:
        failed_msgs: the messages that are not in the queue.
    """

    def __init__(self, failed_msgs: tuple[bytes | None, ...], *args: Any) -> None:
        super().__init__(*args)
        self.failed_msgs = failed_msgs

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.failed_msgs, *self.args)


kafka_errors = {error.errno: error for error in BrokerResponseError.__subclasses__()}
"""The exceptions by number."""


def check_error(response: Any) -> None:
    """Raise the error of a response, if it has one.

    Args:
        response: an object with a field ``error``; or an exception.

    Raises:
        BrokerResponseError: the exception for the error number; it contains the response. It is
            UnknownError for an unknown number.
        Exception: the response itself, if it is one.
    """
    if isinstance(response, Exception):
        raise response
    if response.error:
        raise kafka_errors.get(response.error, UnknownError)(response)


RETRY_BACKOFF_ERROR_TYPES = (
    KafkaUnavailableError,
    LeaderNotAvailableError,
    ConnectionError,
    FailedPayloadsError,
)
"""The errors after which a producer waits before it sends again."""

RETRY_REFRESH_ERROR_TYPES = (
    NotLeaderForPartitionError,
    UnknownTopicOrPartitionError,
    LeaderNotAvailableError,
    ConnectionError,
)
"""The errors after which a producer fetches the topics again."""

RETRY_ERROR_TYPES = RETRY_BACKOFF_ERROR_TYPES + RETRY_REFRESH_ERROR_TYPES
"""The errors after which a producer sends again."""
