"""Wraps functions as serializers and deserializers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .abstract import Deserializer, Serializer


class SerializeWrapper(Serializer):
    """Wraps a function as a serializer.

    Args:
        fn: called with a key or value; None leaves bytes unchanged.
    """

    def __init__(self, fn: Callable[[Any], bytes | None] | None) -> None:
        self.fn = fn

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        """Return the result of the function."""
        return data if self.fn is None else self.fn(data)


class DeserializeWrapper(Deserializer):
    """Wraps a function as a deserializer.

    Args:
        fn: called with the bytes of a key or value; None leaves them unchanged.
    """

    def __init__(self, fn: Callable[[bytes | None], Any] | None) -> None:
        self.fn = fn

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        """Return the result of the function."""
        return data if self.fn is None else self.fn(data)


def serializer_of(name: str, given: Any) -> Serializer | None:
    """Return the serializer of a keyword, or None.

    Args:
        name: the keyword.
        given: a Serializer, an object with the same method, a function, or None.

    Raises:
        TypeError: it is something else.
    """
    if given is None or isinstance(given, Serializer):
        return given
    if callable(getattr(given, "serialize", None)):
        return _Foreign(given)
    if callable(given):
        return SerializeWrapper(given)
    raise TypeError(f"{name} must be a Serializer or a function, not {type(given).__name__}")


def deserializer_of(name: str, given: Any) -> Deserializer | None:
    """Return the deserializer of a keyword, or None; see serializer_of()."""
    if given is None or isinstance(given, Deserializer):
        return given
    if callable(getattr(given, "deserialize", None)):
        return _ForeignDeserializer(given)
    if callable(given):
        return DeserializeWrapper(given)
    raise TypeError(f"{name} must be a Deserializer or a function, not {type(given).__name__}")


class _Foreign(Serializer):
    """Wraps an object with kafka-python 2's method, which has no headers."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def serialize(self, topic: str, headers: Any, data: Any) -> bytes | None:
        result: bytes | None = self._given.serialize(topic, data)
        return result

    def close(self) -> None:
        _close(self._given)


class _ForeignDeserializer(Deserializer):
    def __init__(self, given: Any) -> None:
        self._given = given

    def deserialize(self, topic: str, headers: Any, data: bytes | None) -> Any:
        return self._given.deserialize(topic, data)

    def close(self) -> None:
        _close(self._given)


def _close(given: Any) -> None:
    """Close an object that may not have a close()."""
    if callable(getattr(given, "close", None)):
        given.close()
