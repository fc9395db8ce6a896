"""A topic to create."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import IllegalArgumentError


class NewTopic:
    """A topic to create.

    Args:
        name: the name of the topic.
        num_partitions: the number of partitions; -1 with ``replica_assignments``.
        replication_factor: the number of replicas of each partition; -1 with
            ``replica_assignments``.
        replica_assignments: the ids of the brokers for each partition, by partition number.
        topic_configs: the configuration of the topic.

    Raises:
        IllegalArgumentError: both numbers and assignments are given, or neither.
    """

    def __init__(
        self,
        name: str,
        num_partitions: int,
        replication_factor: int,
        replica_assignments: Mapping[int, list[int]] | None = None,
        topic_configs: Mapping[str, Any] | None = None,
    ) -> None:
        by_number = num_partitions != -1 and replication_factor != -1
        if by_number == (replica_assignments is not None):
            raise IllegalArgumentError(
                "either num_partitions/replication_factor or replica_assignment must be specified"
            )
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.replica_assignments = dict(replica_assignments or {})
        self.topic_configs = dict(topic_configs or {})
