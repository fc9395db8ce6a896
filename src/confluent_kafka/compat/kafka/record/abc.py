"""What tracing packages call a message: the records themselves are librdkafka's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..consumer.fetcher import ConsumerRecord

__all__ = ["ABCRecord"]


class ABCRecord(ABC):
    """A message in a partition; a ConsumerRecord is one."""

    __slots__ = ()

    @property
    @abstractmethod
    def offset(self) -> int:
        """Where it is in the partition."""

    @property
    @abstractmethod
    def timestamp(self) -> int:
        """In milliseconds since the epoch."""

    @property
    @abstractmethod
    def timestamp_type(self) -> int | None:
        """0: of its creation; 1: of its arrival at the broker."""

    @property
    @abstractmethod
    def key(self) -> Any:
        """Its key, if it has one."""

    @property
    @abstractmethod
    def value(self) -> Any:
        """Its value, if it has one."""

    @property
    @abstractmethod
    def checksum(self) -> int | None:
        """Of formats older than Kafka 0.11."""

    @property
    @abstractmethod
    def headers(self) -> Any:
        """Pairs of name and value."""


ABCRecord.register(ConsumerRecord)
