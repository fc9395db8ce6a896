"""Where a message is, as soon as that is known: with ``log_start_offset``."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...kafka.producer import future
from ...kafka.structs import TopicPartition


class RecordMetadata(NamedTuple):
    """Where a broker has put a message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    """-1 with ``acks=0``."""
    timestamp: int | None
    """In milliseconds since the epoch."""
    log_start_offset: int | None
    """Always None: librdkafka does not tell it."""
    checksum: int | None
    """Always None, as of every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """In bytes; -1 without a key."""
    serialized_value_size: int
    """In bytes; -1 without a value."""
    serialized_header_size: int
    """In bytes; -1 without headers."""


class FutureRecordMetadata(future.FutureRecordMetadata):
    """A future of RecordMetadata: what KafkaProducer.send() returns.

    Args:
        produce_future: whose result this has.
        relative_offset: how many messages of that are before this one.
        timestamp_ms: of the message, in milliseconds since the epoch.
        checksum: None.
        serialized_key_size: in bytes; -1 without a key.
        serialized_value_size: in bytes; -1 without a value.
        serialized_header_size: in bytes; -1 without headers.
    """

    def __init__(
        self,
        produce_future: Any,
        relative_offset: int,
        timestamp_ms: int | None,
        checksum: int | None,
        serialized_key_size: int,
        serialized_value_size: int,
        serialized_header_size: int,
    ) -> None:
        sizes = serialized_key_size, serialized_value_size, serialized_header_size
        super().__init__(produce_future, relative_offset, timestamp_ms, checksum, *sizes)

    def _record(
        self, topic: str, partition: int, place: TopicPartition, offset: int, timestamp: int | None
    ) -> Any:
        return RecordMetadata(topic, partition, place, offset, timestamp, None, *self.args[2:])
