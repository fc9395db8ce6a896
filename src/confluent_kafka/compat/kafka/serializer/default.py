"""Serializes text."""

from __future__ import annotations

from typing import Any

from .abstract import Deserializer, Serializer


class DefaultSerializer(Serializer, Deserializer):
    """Converts text to bytes, and back.

    Args:
        encoding: the encoding of the text.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        self.encoding = encoding

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the bytes of a text; bytes and None stay unchanged."""
        if data is None or isinstance(data, bytes | bytearray | memoryview):
            return data  # type: ignore[return-value]
        encoded: bytes = data.encode(self.encoding)
        return encoded

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the text of bytes; None stays None."""
        return None if data is None else data.decode(self.encoding)
