"""An asyncio consumer of objects."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Generic, Self, TypeVar

from confluent_kafka import Message
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    ValueDeserializationError,
)
from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
)
from confluent_kafka.serialization._clients import Serdes

from ._consumer import AIOConsumer
from ._serdes import applied, close, ready, resolve_cluster_id

K = TypeVar("K")
V = TypeVar("V")


class AsyncDeserializingConsumer(AIOConsumer, Generic[K, V]):
    """An AIOConsumer whose keys and values are objects. The class may be awaited as well as called.

    Args:
        conf: the configuration of an AIOConsumer, and ``key.deserializer`` and
            ``value.deserializer``: callables or coroutines that take bytes or None and a
            SerializationContext and return an object; or ``key.deserializer.builder`` and
            ``value.deserializer.builder``.
        kwargs: the other arguments of AIOConsumer.

    Raises:
        TypeError: a deserializer is not callable.
    """

    def __init__(self, conf: Mapping[str, Any], **kwargs: Any) -> None:
        serdes = Serdes(conf, "deserializer", DeserializerBuilder)
        self._serdes = serdes
        try:
            super().__init__(serdes.rest, **kwargs)
        except BaseException:
            serdes.close()
            raise
        resolve_cluster_id(serdes, self)

    def __await__(self) -> Generator[None, None, Self]:
        return ready(self)

    async def poll(self, timeout: float = -1) -> Message | None:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        A message that cannot be deserialized is passed over: the next call returns the one behind
        it.

        Args:
            timeout: seconds to wait; -1 waits without an end.

        Returns:
            The message; None if none came.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came in the place of a message.
        """
        message = await super().poll(timeout)
        return None if message is None else await self._deserialized(message)

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Return a number of messages, whose keys and values are objects.

        Args:
            num_messages: at most so many, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without an end.

        Messages that cannot be deserialized do not take the others with them: these are returned,
        and the next calls raise an error for each.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came in the place of a message.
        """
        messages: list[Message] = []
        for message in await super().consume(num_messages, timeout):
            try:
                messages.append(await self._deserialized(message))
            except (ConsumeError, KeyDeserializationError, ValueDeserializationError) as error:
                self._failures.append(error)
        if self._failures and not messages:
            raise self._failures.popleft()
        return messages

    async def _deserialized(self, message: Message) -> Message:
        failure = message.error()
        if failure is not None:
            raise ConsumeError(failure, kafka_message=message)
        topic: Any = message.topic()
        headers = message.headers()
        key, value = message.key(), message.value()
        if self._serdes.key is not None:
            context = SerializationContext(topic, MessageField.KEY, headers)
            try:
                key = await applied(self._serdes.key, key, context)
            except Exception as error:
                raise KeyDeserializationError(error, message) from error
        if self._serdes.value is not None:
            context = SerializationContext(topic, MessageField.VALUE, headers)
            try:
                value = await applied(self._serdes.value, value, context)
            except Exception as error:
                raise ValueDeserializationError(error, message) from error
        message.set_key(key)
        message.set_value(value)
        return message

    async def _close(self) -> None:
        try:
            await super()._close()
        finally:
            await close(self._serdes)
