"""The base class of an application's partitioners."""

from __future__ import annotations

import abc
from typing import Any


class Partitioner(abc.ABC):
    """Chooses the partition of a message that is sent without a partition."""

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
            topic: the topic of the message.
            key: the key of the message.
            serialized_key: the bytes of the key.
            value: the value of the message.
            serialized_value: the bytes of the value.
            cluster: a ClusterMetadata, which has the topic's partitions.

        Returns:
            The partition's number.
        """
