"""The base classes of an application's serializers and deserializers, without headers."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Converts keys or values to bytes.

    Args:
        config: no effect; serializers may pass their arguments to it.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def serialize(self, topic: str, value: Any) -> bytes | None:
        """Return the bytes of a key or value.

        Args:
            topic: the topic of the message.
            value: the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""


class Deserializer(abc.ABC):
    """Converts bytes to keys or values; see Serializer."""

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def deserialize(self, topic: str, bytes_: bytes | None) -> Any:
        """Return the object of a key or value.

        Args:
            topic: the topic of the message.
            bytes_: the bytes of the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""
