"""The base of the assignors' names."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, ClassVar, NoReturn


class RebalanceProtocol(IntEnum):
    """What a rebalance does with the partitions that a member keeps."""

    EAGER = 0
    """They are taken, and given again."""
    COOPERATIVE = 1
    """They are read on."""


class AbstractPartitionAssignor(abc.ABC):
    """Names a way to give a group's partitions to its members.

    librdkafka assigns partitions itself, and calls nothing here: a class of your own is refused by
    ``KafkaConsumer(partition_assignment_strategy=...)``.
    """

    version: ClassVar[int] = 0
    _protocols: ClassVar[tuple[RebalanceProtocol, ...]] = (RebalanceProtocol.EAGER,)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The assignor's name in the group's protocol."""

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """Return what its rebalances do."""
        return list(self._protocols)

    @classmethod
    def assign(cls, cluster: Any, members: Mapping[str, Any]) -> NoReturn:
        """Not supported: librdkafka assigns partitions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{cls.__name__} is a name: librdkafka assigns the partitions")

    @classmethod
    def metadata(cls, topics: Iterable[str]) -> NoReturn:
        """Not supported: librdkafka sends the members' subscriptions.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(f"{cls.__name__} is a name: librdkafka sends the subscriptions")

    @classmethod  # noqa: B027
    def on_assignment(cls, assignment: Any, generation: int) -> None:
        """Called by nobody."""
