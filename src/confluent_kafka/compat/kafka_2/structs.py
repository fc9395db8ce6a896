"""What kafka-python 2's calls take and return: as version 3, and what it has no more.

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
    """Of the message that is read next."""
    metadata: str | None


class OffsetAndTimestamp(NamedTuple):
    """The first message at or after a time."""

    offset: int
    timestamp: int
    """In milliseconds since the epoch."""


def with_epochs(offsets: Any) -> Any:
    """Return offsets by partition as version 3 takes them; what is none is for it to refuse."""
    if not isinstance(offsets, Mapping):
        return offsets
    return {
        partition: version_3.OffsetAndMetadata(*to) if isinstance(to, OffsetAndMetadata) else to
        for partition, to in offsets.items()
    }


def without_epochs(offsets: Mapping[TopicPartition, Any]) -> dict[TopicPartition, Any]:
    """Return offsets by partition, of version 3, as version 2 has them."""
    return {
        partition: OffsetAndMetadata(to.offset, to.metadata) for partition, to in offsets.items()
    }


class MemberInformation(NamedTuple):
    """A member of a group."""

    member_id: str
    client_id: str
    client_host: str
    member_metadata: Any
    """A consumer's ``version``, ``subscription`` and ``user_data``; bytes of others."""
    member_assignment: Any
    """A consumer's ``version``, ``assignment`` and ``user_data``; bytes of others."""


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
    """How often something is tried again. Nothing here takes it."""

    limit: int | None
    backoff_ms: int
    retry_on_timeouts: bool
