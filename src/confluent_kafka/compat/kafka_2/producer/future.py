"""The future of a delivered message, with ``log_start_offset``."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...kafka.producer import future
from ...kafka.structs import TopicPartition


class RecordMetadata(NamedTuple):
    """The place of a delivered message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    """-1 with ``acks=0``."""
    timestamp: int | None
    """In milliseconds since the epoch."""
    log_start_offset: int | None
    """Always None, because librdkafka does not return it."""
    checksum: int | None
    """Always None, as for every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """The key's size in bytes; -1 without a key."""
    serialized_value_size: int
    """The value's size in bytes; -1 without a value."""
    serialized_header_size: int
    """The headers' size in bytes; -1 without headers."""


class FutureRecordMetadata(future.FutureRecordMetadata):
    """A future of RecordMetadata: what KafkaProducer.send() returns.

    Args:
        produce_future: the future whose result this future gets.
        relative_offset: the place of this message in the request.
        timestamp_ms: the message's timestamp, in milliseconds since the epoch.
        checksum: None.
        serialized_key_size: the key's size in bytes; -1 without a key.
        serialized_value_size: the value's size in bytes; -1 without a value.
        serialized_header_size: the headers' size in bytes; -1 without headers.
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
