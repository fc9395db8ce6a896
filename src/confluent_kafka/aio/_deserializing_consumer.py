"""An asyncio consumer of objects."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from confluent_kafka import KafkaException, Message, TopicPartition
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
from ._serdes import ClientOfObjects, applied, resolve_cluster_id

K = TypeVar("K")
V = TypeVar("V")

_STORE = "enable.auto.offset.store"


class AsyncDeserializingConsumer(ClientOfObjects, AIOConsumer, Generic[K, V]):
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
        # Offsets are stored here, when a message has been deserialized.
        self._stores = str(serdes.rest.get(_STORE)).lower() in ("none", "true", "t", "1")
        if self._stores:
            serdes.rest[_STORE] = False
        try:
            super().__init__(serdes.rest, **kwargs)
        except BaseException:
            serdes.close()
            raise
        resolve_cluster_id(serdes, self)

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
        if message is None:
            return None
        try:
            return await self._deserialized(message)
        finally:
            self._settle([message])

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Return a number of messages, whose keys and values are objects.

        Messages that cannot be deserialized do not take the others with them: these are returned,
        and the next calls raise an error for each.

        Args:
            num_messages: at most so many, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without an end.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came in the place of a message.
        """
        taken = await super().consume(num_messages, timeout)
        messages: list[Message] = []
        failures: list[BaseException] = []
        try:
            for message in taken:
                try:
                    messages.append(await self._deserialized(message))
                except (ConsumeError, KeyDeserializationError, ValueDeserializationError) as error:
                    failures.append(error)
        finally:
            self._settle(taken)
        self._failures.extend(failures)
        if self._failures and not messages:
            raise self._failures.popleft()
        return messages

    def _settle(self, messages: list[Message]) -> None:
        """Store the offsets of messages that are returned; fetch them again if they are not.

        They are not where the task was cancelled while a deserializer was awaited.
        """
        places = [one for one in map(_place, messages) if one is not None]
        if isinstance(sys.exception(), asyncio.CancelledError):
            # The earliest of each partition goes last, and is the one that counts.
            earliest = {(one.topic, one.partition): one for one in reversed(places)}
            with contextlib.suppress(RuntimeError):  # closed meanwhile: they were not stored
                self._client._go_back(list(earliest.values()))
        elif self._stores:
            last = {(one.topic, one.partition): one for one in places}
            for one in last.values():
                one.offset += 1
            # Partitions that were taken away meanwhile are their new owners' business.
            with contextlib.suppress(KafkaException):
                self._client.store_offsets(offsets=list(last.values()))

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


def _place(message: Message) -> TopicPartition | None:
    topic, partition, offset = message.topic(), message.partition(), message.offset()
    if message.error() is not None or topic is None or partition is None or offset is None:
        return None
    return TopicPartition(topic, partition, offset)
