"""What applications implement to choose partitions."""

from __future__ import annotations

import abc
from typing import Any


class Partitioner(abc.ABC):
    """Chooses the partition of a message that is given none."""

    @abc.abstractmethod
    def partition(
        self,
        topic: str,
        key: Any,
        serialized_key: bytes | None,
        value: Any,
        serialized_value: bytes | None,
        cluster: Any,
    ) -> int:
        """Choose a partition.

        Args:
            topic: of the message.
            key: of the message.
            serialized_key: its bytes.
            value: of the message.
            serialized_value: its bytes.
            cluster: a ClusterMetadata, which has the topic's partitions.

        Returns:
            The partition's number.
        """
