"""The base class of assignors."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn


class AbstractPartitionAssignor(abc.ABC):
    """Names an assignor, which distributes a group's partitions to its members.

    librdkafka assigns partitions itself and never calls this class. You cannot use a class of your
    own in ``AIOKafkaConsumer(partition_assignment_strategy=...)``.
    """

    version: ClassVar[int] = 0

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """The assignor's name in the group's protocol."""

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
    def on_assignment(cls, assignment: Any) -> None:
        """Does nothing: librdkafka does not call it."""
