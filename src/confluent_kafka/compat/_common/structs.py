"""Values that calls of several compatibility APIs take and return."""

from __future__ import annotations

from typing import NamedTuple


class TopicPartition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


class BrokerMetadata(NamedTuple):
    """A broker."""

    nodeId: int | str  # noqa: N815
    """Its id; "bootstrap-0" and so on until the cluster has returned it."""
    host: str
    port: int
    rack: str | None


class PartitionMetadata(NamedTuple):
    """The brokers of a partition."""

    topic: str
    partition: int
    leader: int
    """The leader's id; -1 if there is none."""
    replicas: list[int]
    isr: list[int]
    """The in-sync replicas."""
    error: Exception | None
