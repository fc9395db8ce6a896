"""What goes wrong with the records of messages."""

from __future__ import annotations

__all__ = ["KeySerializerError", "SerializerError", "ValueSerializerError"]


class SerializerError(Exception):
    """A record cannot be encoded, or a message not be decoded.

    Args:
        message: what is wrong.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class KeySerializerError(SerializerError):
    """It is the key."""


class ValueSerializerError(SerializerError):
    """It is the value."""
