"""What applications implement to make bytes of keys and values, and back."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Makes bytes."""

    @abc.abstractmethod
    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the bytes of a key or value.

        Args:
            topic: where the message goes.
            headers: the message's.
            data: the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""


class Deserializer(abc.ABC):
    """Makes objects of bytes."""

    @abc.abstractmethod
    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the object of a key or value.

        Args:
            topic: where the message comes from.
            headers: the message's.
            data: the key's or value's bytes.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""
