"""The class that tracing packages use for messages."""

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
        """The offset in the partition."""

    @property
    @abstractmethod
    def timestamp(self) -> int:
        """The timestamp in milliseconds since the epoch."""

    @property
    @abstractmethod
    def timestamp_type(self) -> int | None:
        """0 if the timestamp is the creation time, 1 if it is the broker's append time."""

    @property
    @abstractmethod
    def key(self) -> Any:
        """The key, or None."""

    @property
    @abstractmethod
    def value(self) -> Any:
        """The value, or None."""

    @property
    @abstractmethod
    def checksum(self) -> int | None:
        """The checksum, in formats older than Kafka 0.11."""

    @property
    @abstractmethod
    def headers(self) -> Any:
        """The headers, as pairs of a name and a value."""


ABCRecord.register(ConsumerRecord)
