"""Errors of clients whose keys and values are objects."""

from __future__ import annotations

from typing import Any

from confluent_kafka.cimpl import KafkaError, KafkaException, Message

__all__ = [
    "ConsumeError",
    "KafkaError",
    "KafkaException",
    "KeyDeserializationError",
    "KeySerializationError",
    "ProduceError",
    "SerializationError",
    "ValueDeserializationError",
    "ValueSerializationError",
]


class _Code(int):
    """An error code that supports `error.code` and `error.code()`, as KafkaException does."""

    def __call__(self) -> int:
        return int(self)


class _ClientError(KafkaException):
    """A KafkaException with its cause and its message."""

    def __init__(
        self,
        kafka_error: KafkaError,
        exception: BaseException | None = None,
        kafka_message: Message | None = None,
    ) -> None:
        super().__init__(kafka_error)
        self.kafka_error = kafka_error
        self.exception = exception
        self.kafka_message = kafka_message

    @property
    def code(self) -> _Code:
        """The number of the error, one of KafkaError's constants."""
        return _Code(self.kafka_error.code())

    @property
    def name(self) -> str:
        """The name of the error, such as ``_VALUE_DESERIALIZATION``."""
        return self.kafka_error.name()

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args, self.__dict__)


def _restore(kind: type[_ClientError], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """Recreate an exception from its pickle. The subclasses take different arguments."""
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ConsumeError(_ClientError):
    """A message could not be consumed.

    Args:
        kafka_error: the error.
        exception: the cause.
        kafka_message: the message, with key and value as they were received.
    """


class ProduceError(_ClientError):
    """A message could not be produced.

    Args:
        kafka_error: the error.
        exception: the cause.
        kafka_message: the message, with key and value as they were given.
    """


class SerializationError(KafkaException):
    """An object could not be serialized, or bytes could not be deserialized."""


class _ObjectError(_ClientError):
    """An error of a serializer or deserializer, with a code that names the key or the value."""

    _code: int

    def __init__(
        self, exception: BaseException | None = None, kafka_message: Message | None = None
    ) -> None:
        reason = None if exception is None else str(exception) or repr(exception)
        super().__init__(KafkaError(self._code, reason), exception, kafka_message)


class KeySerializationError(_ObjectError, ProduceError, SerializationError):
    """The key of a message could not be serialized.

    Args:
        exception: the serializer's exception.
        kafka_message: the message, with key and value as they were given.
    """

    _code = KafkaError._KEY_SERIALIZATION


class ValueSerializationError(_ObjectError, ProduceError, SerializationError):
    """The value of a message could not be serialized.

    Args:
        exception: the serializer's exception.
        kafka_message: the message, with key and value as they were given.
    """

    _code = KafkaError._VALUE_SERIALIZATION


class KeyDeserializationError(_ObjectError, ConsumeError, SerializationError):
    """The key of a message could not be deserialized.

    Args:
        exception: the deserializer's exception.
        kafka_message: the message, with key and value as they were received.
    """

    _code = KafkaError._KEY_DESERIALIZATION


class ValueDeserializationError(_ObjectError, ConsumeError, SerializationError):
    """The value of a message could not be deserialized.

    Args:
        exception: the deserializer's exception.
        kafka_message: the message, with key and value as they were received.
    """

    _code = KafkaError._VALUE_DESERIALIZATION
