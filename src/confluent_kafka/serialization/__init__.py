"""Conversion of keys and values from objects to bytes and back."""

from __future__ import annotations

import codecs
import struct
from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeAlias

from confluent_kafka.cimpl import KafkaException
from confluent_kafka.error import SerializationError

__all__ = [
    "Deserializer",
    "DeserializerBuilder",
    "DoubleDeserializer",
    "DoubleSerializer",
    "HeadersType",
    "IntegerDeserializer",
    "IntegerSerializer",
    "KafkaException",
    "MessageField",
    "SerializationContext",
    "SerializationError",
    "Serializer",
    "SerializerBuilder",
    "StringDeserializer",
    "StringSerializer",
]

HeadersType: TypeAlias = dict[str, str | bytes | None] | list[tuple[str, str | bytes | None]]
"""The headers of a message, as producers take them."""


class MessageField(StrEnum):
    """A part of a message: its key or its value."""

    NONE = "none"
    KEY = "key"
    VALUE = "value"

    # Without this, Enum would hash its names in Python code, for each serialized message.
    __hash__ = str.__hash__


class SerializationContext:
    """The message and the field that is being serialized or deserialized.

    Args:
        topic: the topic of the message.
        field: the key or the value.
        headers: the headers of the message; a serializer may add to them.
    """

    def __init__(self, topic: str, field: MessageField, headers: Any = None) -> None:
        self.topic = topic
        self.field = field
        self.headers = headers

    def __repr__(self) -> str:
        return f"SerializationContext({self.topic!r}, {self.field}, headers={self.headers!r})"


class _Serde:
    def close(self) -> None:
        """Release resources; does nothing by default."""

    def set_cluster_id_resolver(self, resolver: Callable[[], str | None]) -> None:
        """Set a function that returns the cluster's id; ignored by default.

        Args:
            resolver: returns the id, or None while it is unknown.
        """


class Serializer(_Serde):
    """Converts objects to bytes. Any callable with the same arguments works as well."""

    def __call__(self, obj: Any, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the bytes of an object; None for None.

        Args:
            obj: the object.
            ctx: the message and the field that the bytes are for.

        Raises:
            SerializationError: the object cannot be serialized.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__()")


class Deserializer(_Serde):
    """Converts bytes to objects. Any callable with the same arguments works as well."""

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> Any:
        """Return the object that the bytes represent; None for None.

        Args:
            value: the bytes.
            ctx: the message and the field that the bytes come from.

        Raises:
            SerializationError: the bytes cannot be deserialized.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define __call__()")


class SerializerBuilder:
    """Makes the serializer of a producer. The producer's close() also closes the serializer."""

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Serializer, dict[str, Any]]:
        """Return a serializer, and the configuration without the serializer's own keys.

        Args:
            conf: the configuration of the producer.
            is_key: True if the serializer is for keys, False if it is for values.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define build()")


class DeserializerBuilder:
    """Makes the deserializer of a consumer. The consumer's close() also closes the deserializer."""

    def build(self, conf: dict[str, Any], is_key: bool) -> tuple[Deserializer, dict[str, Any]]:
        """Return a deserializer, and the configuration without the deserializer's own keys.

        Args:
            conf: the configuration of the consumer.
            is_key: True if the deserializer is for keys, False if it is for values.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define build()")


def _pack(form: struct.Struct, obj: Any, kind: str) -> bytes | None:
    if obj is None:
        return None
    try:
        return form.pack(obj)
    except (struct.error, OverflowError) as error:
        raise SerializationError(f"{obj!r:.100} is not {kind}: {error}") from error


def _unpack(form: struct.Struct, value: bytes | None, kind: str) -> Any:
    if value is None:
        return None
    try:
        return form.unpack(value)[0]
    except (struct.error, TypeError) as error:
        size = f"{len(value)} bytes" if isinstance(value, bytes) else type(value).__name__
        raise SerializationError(f"{kind} is {form.size} bytes, not {size}") from error


_INTEGER = struct.Struct(">i")
_DOUBLE = struct.Struct(">d")


class IntegerSerializer(Serializer):
    """Integers of 32 bits, big-endian. Kafka: IntegerSerializer."""

    def __call__(self, obj: int | None, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the four bytes of an integer.

        Raises:
            SerializationError: the object is not an integer of 32 bits.
        """
        return _pack(_INTEGER, obj, "an integer of 32 bits")


class IntegerDeserializer(Deserializer):
    """Integers of 32 bits, big-endian. Kafka: IntegerDeserializer."""

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> int | None:
        """Return the integer of four bytes.

        Raises:
            SerializationError: the value does not have four bytes.
        """
        number: int | None = _unpack(_INTEGER, value, "an integer")
        return number


class DoubleSerializer(Serializer):
    """Floating-point numbers of 64 bits, big-endian. Kafka: DoubleSerializer."""

    def __call__(self, obj: float | None, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the eight bytes of a number.

        Raises:
            SerializationError: the object is not a number, or too large.
        """
        return _pack(_DOUBLE, obj, "a floating-point number of 64 bits")


class DoubleDeserializer(Deserializer):
    """Floating-point numbers of 64 bits, big-endian. Kafka: DoubleDeserializer."""

    def __call__(
        self, value: bytes | None, ctx: SerializationContext | None = None
    ) -> float | None:
        """Return the number of eight bytes.

        Raises:
            SerializationError: the value does not have eight bytes.
        """
        number: float | None = _unpack(_DOUBLE, value, "a floating-point number")
        return number


def _known_codec(codec: str) -> str:
    try:
        codecs.lookup(codec)
    except LookupError:
        raise ValueError(f"codec: Python has no codec named {codec!r}") from None
    return codec


class StringSerializer(Serializer):
    """Text in an encoding.

    Args:
        codec: the name of the encoding, as :meth:`str.encode` takes it.

    Raises:
        ValueError: there is no such encoding.
    """

    def __init__(self, codec: str = "utf_8") -> None:
        self.codec: str = _known_codec(codec)

    def __call__(self, obj: str | None, ctx: SerializationContext | None = None) -> bytes | None:
        """Return the bytes of a text.

        Raises:
            SerializationError: the object is not a str, or the encoding cannot represent it.
        """
        if obj is None:
            return None
        if not isinstance(obj, str):
            raise SerializationError(f"a text must be a str, not {type(obj).__name__}")
        try:
            return obj.encode(self.codec)
        except UnicodeError as error:
            raise SerializationError(str(error)) from error


class StringDeserializer(Deserializer):
    """Text in an encoding.

    Args:
        codec: the name of the encoding, as :meth:`bytes.decode` takes it.

    Raises:
        ValueError: there is no such encoding.
    """

    def __init__(self, codec: str = "utf_8") -> None:
        self.codec: str = _known_codec(codec)

    def __call__(self, value: bytes | None, ctx: SerializationContext | None = None) -> str | None:
        """Return the text of some bytes.

        Raises:
            SerializationError: the bytes are not text in this encoding.
        """
        if value is None:
            return None
        try:
            return str(value, self.codec)
        except (UnicodeError, TypeError) as error:
            raise SerializationError(str(error)) from error
