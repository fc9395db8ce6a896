"""What applications implement to make bytes of keys and values, and back: without the headers."""

from __future__ import annotations

import abc
from typing import Any


class Serializer(abc.ABC):
    """Makes bytes.

    Args:
        config: no effect: for serializers that hand on what they were made with.
    """

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def serialize(self, topic: str, value: Any) -> bytes | None:
        """Return the bytes of a key or value.

        Args:
            topic: where the message goes.
            value: the key or value.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""


class Deserializer(abc.ABC):
    """Makes objects of bytes; see Serializer."""

    def __init__(self, **config: Any) -> None:
        super().__init__()

    @abc.abstractmethod
    def deserialize(self, topic: str, bytes_: bytes | None) -> Any:
        """Return the object of a key or value.

        Args:
            topic: where the message comes from.
            bytes_: the key's or value's bytes.
        """

    def close(self) -> None:  # noqa: B027
        """Called when the client is closed."""
