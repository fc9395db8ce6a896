"""The base class of assignors."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any, ClassVar, NoReturn


class RebalanceProtocol(IntEnum):
    """What happens in a rebalance to partitions that stay with their member."""

    EAGER = 0
    """The partitions are revoked and assigned again."""
    COOPERATIVE = 1
    """The member continues to read the partitions."""


class AbstractPartitionAssignor(abc.ABC):
    """A name of an assignor, which distributes a group's partitions to its members.

    librdkafka assigns partitions itself and never calls this class. You cannot use a class of your
    own in ``KafkaConsumer(partition_assignment_strategy=...)``.
    """

    version: ClassVar[int] = 0
    _protocols: ClassVar[tuple[RebalanceProtocol, ...]] = (RebalanceProtocol.EAGER,)

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The assignor's name in the group's protocol."""

    def supported_protocols(self) -> list[RebalanceProtocol]:
        """Return the protocol of its rebalances."""
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
        """Does nothing: librdkafka does not call it."""
