"""The values that kafka-python's calls take and return."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar, NamedTuple

from .._common.structs import BrokerMetadata, PartitionMetadata, TopicPartition
from ._enums import EnumHelper

__all__ = [
    "BrokerMetadata",
    "ConsumerGroupMetadata",
    "IsolationLevel",
    "MemberState",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "OffsetSpec",
    "PartitionMetadata",
    "TopicPartition",
    "TopicPartitionReplica",
]


class TopicPartitionReplica(NamedTuple):
    """A partition's replica on a broker."""

    topic: str
    partition: int
    broker_id: int


class OffsetAndMetadata(NamedTuple):
    """An offset to commit, and a text that the group keeps with it."""

    offset: Any = None
    """The offset of the next message to read."""
    metadata: str | None = ""
    leader_epoch: int | None = -1
    """The leader epoch of the previous message; -1 if it is unknown."""


class OffsetAndTimestamp(NamedTuple):
    """The first message at or after a time."""

    offset: int
    timestamp: int
    """In milliseconds since the epoch."""
    leader_epoch: int | None
    """-1 if it is unknown."""


class MemberState:
    """The state of a group's member."""

    UNJOINED: ClassVar[str] = "<unjoined>"
    REBALANCING: ClassVar[str] = "<rebalancing>"
    STABLE: ClassVar[str] = "<stable>"


class ConsumerGroupMetadata(NamedTuple):
    """A member of a group, for KafkaProducer.send_offsets_to_transaction()."""

    group_id: str | None = None
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    state: str = MemberState.UNJOINED


class IsolationLevel(EnumHelper, IntEnum):
    """Which messages of transactions a consumer returns."""

    READ_UNCOMMITTED = 0
    READ_COMMITTED = 1


class OffsetSpec(EnumHelper, IntEnum):
    """Special places in a partition."""

    LATEST = -1
    EARLIEST = -2
    MAX_TIMESTAMP = -3
    EARLIEST_LOCAL = -4
    LATEST_TIERED = -5
