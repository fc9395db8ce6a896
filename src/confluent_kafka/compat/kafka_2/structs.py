"""The values of kafka-python 2's calls, including values that version 3 no longer has.

The offsets have no ``leader_epoch``, which came with version 2.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..kafka import structs as version_3
from ..kafka.structs import BrokerMetadata, PartitionMetadata, TopicPartition

__all__ = [
    "BrokerMetadata",
    "GroupInformation",
    "MemberInformation",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionMetadata",
    "RetryOptions",
    "TopicPartition",
]


class OffsetAndMetadata(NamedTuple):
    """An offset to commit, and a text that the group keeps with it."""

    offset: int
    """The offset of the next message to read."""
    metadata: str | None


class OffsetAndTimestamp(NamedTuple):
    """The first message at or after a time."""

    offset: int
    timestamp: int
    """In milliseconds since the epoch."""


def with_epochs(offsets: Any) -> Any:
    """Convert offsets by partition to version 3, which refuses invalid offsets."""
    if not isinstance(offsets, Mapping):
        return offsets
    return {
        partition: version_3.OffsetAndMetadata(*to) if isinstance(to, OffsetAndMetadata) else to
        for partition, to in offsets.items()
    }


def without_epochs(offsets: Mapping[TopicPartition, Any]) -> dict[TopicPartition, Any]:
    """Convert offsets by partition of version 3 to version 2."""
    return {
        partition: OffsetAndMetadata(to.offset, to.metadata) for partition, to in offsets.items()
    }


class MemberInformation(NamedTuple):
    """A member of a group."""

    member_id: str
    client_id: str
    client_host: str
    member_metadata: Any
    """A consumer's ``version``, ``subscription`` and ``user_data``; bytes for other clients."""
    member_assignment: Any
    """A consumer's ``version``, ``assignment`` and ``user_data``; bytes for other clients."""


class GroupInformation(NamedTuple):
    """A group, with its members."""

    error_code: int
    group: str
    state: str
    protocol_type: str
    protocol: str
    members: list[MemberInformation]
    authorized_operations: list[str] | None


class RetryOptions(NamedTuple):
    """How often something is tried again. This package does not use it."""

    limit: int | None
    backoff_ms: int
    retry_on_timeouts: bool
