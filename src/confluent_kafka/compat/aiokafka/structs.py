"""What aiokafka's calls take and return."""

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
    """An offset to commit, and a text that the group keeps with it."""

    offset: int
    """Of the message that is read next."""
    metadata: str


class OffsetAndTimestamp(NamedTuple):
    """The first message at or after a time."""

    offset: int
    timestamp: int | None
    """In milliseconds since the epoch."""


class RecordMetadata(NamedTuple):
    """Where a broker has put a message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    """-1 with ``acks=0``."""
    timestamp: int | None
    """In milliseconds since the epoch; None with ``acks=0``."""
    timestamp_type: int
    """0: the time that the message was made; 1: the time that the broker got it."""
    log_start_offset: int | None
    """Always None: librdkafka does not pass it on."""


@dataclass
class ConsumerRecord(_Record, Generic[KT, VT]):
    """A message that was consumed."""

    # The fields are those of the base class, which the extension fills in.
    __slots__ = ()

    topic: str
    partition: int
    offset: int
    timestamp: int
    """In milliseconds since the epoch; -1 if the message has none."""
    timestamp_type: int
    """0: the time that the message was made; 1: the time that the broker got it."""
    key: KT | None
    """What the key deserializer returned, or the key's bytes."""
    value: VT | None
    """What the value deserializer returned, or the value's bytes."""
    checksum: int | None
    """Always None, as of every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """In bytes; -1 without a key."""
    serialized_value_size: int
    """In bytes; -1 without a value."""
    headers: Sequence[tuple[str, bytes]]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))
