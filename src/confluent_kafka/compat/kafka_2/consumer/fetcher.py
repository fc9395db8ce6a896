"""What a consumer returns: without ``leader_epoch``, which came with version 2.1."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..record.abc import ABCRecord


class ConsumerRecord(NamedTuple):
    """A message that was consumed."""

    # The extension fills them in, in this order.
    topic: str
    partition: int
    offset: int
    timestamp: int
    """In milliseconds since the epoch; -1 if the message has none."""
    timestamp_type: int
    """0: the time that the message was made; 1: the time that the broker got it."""
    key: Any
    """What the key deserializer returned, or the key's bytes."""
    value: Any
    """What the value deserializer returned, or the value's bytes."""
    headers: list[tuple[str, bytes]]
    checksum: int | None
    """Always None, as of every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """In bytes; -1 without a key."""
    serialized_value_size: int
    """In bytes; -1 without a value."""
    serialized_header_size: int
    """In bytes; -1 without headers."""


ABCRecord.register(ConsumerRecord)
