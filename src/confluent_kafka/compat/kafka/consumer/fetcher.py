"""The records that a consumer returns."""

from __future__ import annotations

from typing import Any, NamedTuple


class ConsumerRecord(NamedTuple):
    """A message that was consumed."""

    # The C extension sets the fields in this order.
    topic: str
    partition: int
    leader_epoch: int
    """The epoch of the partition's leader; -1 if it is unknown."""
    offset: int
    timestamp: int
    """In milliseconds since the epoch; -1 if the message has none."""
    timestamp_type: int
    """0 if the timestamp is the message's creation time, 1 if it is the broker's append time."""
    key: Any
    """The result of the key deserializer, or the key's bytes."""
    value: Any
    """The result of the value deserializer, or the value's bytes."""
    headers: list[tuple[str, bytes]]
    checksum: int | None
    """Always None, as for every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """The key's size in bytes; -1 without a key."""
    serialized_value_size: int
    """The value's size in bytes; -1 without a value."""
    serialized_header_size: int
    """The headers' size in bytes; -1 without headers."""
