"""Errors when records are encoded or decoded."""

from __future__ import annotations

__all__ = ["KeySerializerError", "SerializerError", "ValueSerializerError"]


class SerializerError(Exception):
    """A record cannot be encoded, or a message cannot be decoded.

    Args:
        message: the error.
    """

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class KeySerializerError(SerializerError):
    """The key cannot be encoded or decoded."""


class ValueSerializerError(SerializerError):
    """The value cannot be encoded or decoded."""
