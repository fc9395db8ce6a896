"""The base classes of an application's serializers and deserializers."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Converts keys or values to bytes."""

    @abc.abstractmethod
    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the bytes of a key or value.

        Args:
            topic: the topic of the message.
            headers: the headers of the message.
            data: the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""


class Deserializer(abc.ABC):
    """Converts bytes to keys or values."""

    @abc.abstractmethod
    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the object of a key or value.

        Args:
            topic: the topic of the message.
            headers: the headers of the message.
            data: the bytes of the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""
