"""The values that aiokafka's calls take and return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, NamedTuple, TypeVar

from confluent_kafka.cimpl import _Record

from .._common.structs import BrokerMetadata, PartitionMetadata, TopicPartition

__all__ = [
    "BrokerMetadata",
    "ConsumerRecord",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionMetadata",
    "RecordMetadata",
    "TopicPartition",
]

KT = TypeVar("KT")
VT = TypeVar("VT")


class OffsetAndMetadata(NamedTuple):
    """An offset to commit, with a text that the group stores with it."""

    offset: int
    """The offset of the next message to read."""
    metadata: str


class OffsetAndTimestamp(NamedTuple):
    """The first message at or after a time."""

    offset: int
    timestamp: int | None
    """In milliseconds since the epoch."""


class RecordMetadata(NamedTuple):
    """The place of a delivered message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    """-1 with ``acks=0``."""
    timestamp: int | None
    """In milliseconds since the epoch; None with ``acks=0``."""
    timestamp_type: int
    """0 if the timestamp is the message's creation time, 1 if it is the broker's append time."""
    log_start_offset: int | None
    """Always None, because librdkafka does not return it."""


@dataclass
class ConsumerRecord(_Record, Generic[KT, VT]):
    """A message that was consumed."""

    # The base class has the fields, and the C extension sets them.
    __slots__ = ()

    topic: str
    partition: int
    offset: int
    timestamp: int
    """In milliseconds since the epoch; -1 if the message has none."""
    timestamp_type: int
    """0 if the timestamp is the message's creation time, 1 if it is the broker's append time."""
    key: KT | None
    """The result of the key deserializer, or the key's bytes."""
    value: VT | None
    """The result of the value deserializer, or the value's bytes."""
    checksum: int | None
    """Always None, as for every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """The key's size in bytes; -1 without a key."""
    serialized_value_size: int
    """The value's size in bytes; -1 without a value."""
    headers: Sequence[tuple[str, bytes]]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))
