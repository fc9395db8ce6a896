"""A topic to create, with checks of its counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...kafka.admin import topics
from .. import errors

__all__ = ["NewTopic"]

_DEFAULT = -1


class NewTopic(topics.NewTopic):
    """A topic to create.

    Args:
        name: the name of the topic.
        num_partitions: the number of partitions; -1 with ``replica_assignments``.
        replication_factor: the number of replicas of each partition; -1 with
            ``replica_assignments``.
        replica_assignments: the ids of the brokers for each partition, by partition number.
        topic_configs: the configuration of the topic.

    Raises:
        IllegalArgumentError: counts and ``replica_assignments`` are both given, or a count is -1
            without ``replica_assignments``. Without any of these arguments the broker's defaults
            apply, as since version 2.1.
    """

    def __init__(
        self,
        name: str,
        num_partitions: int | None = None,
        replication_factor: int | None = None,
        replica_assignments: Mapping[int, list[int]] | None = None,
        topic_configs: Mapping[str, Any] | None = None,
    ) -> None:
        counts = [one for one in (num_partitions, replication_factor) if one is not None]
        if counts and (_DEFAULT in counts) == (replica_assignments is None):
            raise errors.IllegalArgumentError(
                "either num_partitions/replication_factor or replica_assignment must be specified"
            )
        super().__init__(
            name,
            _DEFAULT if num_partitions is None else num_partitions,
            _DEFAULT if replication_factor is None else replication_factor,
            replica_assignments,
            topic_configs,
        )
