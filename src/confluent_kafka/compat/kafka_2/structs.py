"""What kafka-python 2's calls take and return: as version 3, and what it has no more.

The offsets have a ``leader_epoch``, as since version 2.1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..kafka.structs import (
    BrokerMetadata,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    PartitionMetadata,
    TopicPartition,
)

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
