"""An asyncio consumer of objects."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Generic

from confluent_kafka import KafkaException, Message, TopicPartition
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    ValueDeserializationError,
)
from confluent_kafka.serialization._clients import Deserializers, place_of
from confluent_kafka.serialization._types import K, V

from ._consumer import AIOConsumer
from ._serdes import ClientOfObjects


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

    _serdes: Deserializers
    _serdes_of = Deserializers
    _stores_offsets = False  # but when their objects are: see _handing_out()

    async def poll(  # type: ignore[override]
        self, timeout: float = -1
    ) -> Message[K, V] | None:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        A message that cannot be deserialized is skipped: the next call returns the message after
        it.

        Args:
            timeout: seconds to wait; -1 waits without limit.

        Returns:
            The message; None if none came.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came instead of a message.
        """
        message = await super().poll(timeout)
        if message is None:
            return None
        with self._handing_out([message]):
            return await self._serdes.deserialize(message)

    async def consume(  # type: ignore[override]
        self, num_messages: int = 1, timeout: float = -1
    ) -> list[Message[K, V]]:
        """Return a number of messages, whose keys and values are objects.

        Messages that cannot be deserialized do not affect the others: those are returned, and the
        next calls raise one error for each of these.

        Args:
            num_messages: the maximum number of messages, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came instead of a message.
        """
        return await self._deserialized(await super().consume(num_messages, timeout))

    async def getone(  # type: ignore[override]
        self, *partitions: TopicPartition
    ) -> Message[K, V]:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        Args and Raises: as for AIOConsumer.getone(), and as for poll().
        """
        message = await super().getone(*partitions)
        with self._handing_out([message]):
            return await self._serdes.deserialize(message)

    async def getmany(  # type: ignore[override]
        self, *partitions: TopicPartition, timeout: float = -1, max_records: int = 500
    ) -> dict[TopicPartition, list[Message[K, V]]]:
        """Return messages by partition, whose keys and values are objects.

        Args, Returns and Raises: as for AIOConsumer.getmany(), and as for consume().
        """
        found = await super().getmany(*partitions, timeout=timeout, max_records=max_records)
        messages = await self._deserialized([one for run in found.values() for one in run])
        result: dict[TopicPartition, list[Message[K, V]]] = {}
        for one in messages:
            place = TopicPartition(str(one.topic()), one.partition() or 0)
            result.setdefault(place, []).append(one)
        return result

    async def _deserialized(self, taken: list[Message]) -> list[Message[K, V]]:
        messages: list[Message[K, V]] = []
        failures: list[BaseException] = []
        with self._handing_out(taken):
            for message in taken:
                try:
                    messages.append(await self._serdes.deserialize(message))
                except (ConsumeError, KeyDeserializationError, ValueDeserializationError) as error:
                    failures.append(error)
        self._put_off(failures)
        if self._failures and not messages:
            raise self._failures.popleft()
        return messages

    @contextlib.contextmanager
    def _handing_out(self, messages: list[Message]) -> Iterator[None]:
        """Store messages' offsets when the block ends; fetch them again if it is interrupted.

        KafkaException skips a message. Ctrl-C, or cancelling the task while a deserializer is
        awaited, interrupts the block.
        """
        places = [place for place in map(place_of, messages) if place is not None]
        try:
            yield
        except KafkaException:
            self._store(places)
            raise
        except BaseException:
            # The earliest of each partition goes last, and is the one that counts.
            earliest = {(one.topic, one.partition): one for one in reversed(places)}
            with contextlib.suppress(RuntimeError):  # closed meanwhile: they were not stored
                self._client._rewind(list(earliest.values()))
            raise
        self._store(places)

    def _store(self, places: list[TopicPartition]) -> None:
        last = {(one.topic, one.partition): one for one in places}
        for one in last.values():
            one.offset += 1
        self._client._store(list(last.values()))
