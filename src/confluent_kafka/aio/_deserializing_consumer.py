"""An asyncio consumer of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from confluent_kafka import KafkaException, Message, TopicPartition
from confluent_kafka.serialization._clients import Deserializers, Taking, next_take, place_of
from confluent_kafka.serialization._types import K, V

from ._consumer import AIOConsumer
from ._serdes import ClientOfObjects


class AsyncDeserializingConsumer(ClientOfObjects, AIOConsumer, Generic[K, V]):
    """An AIOConsumer whose keys and values are objects. You can call the class or await the call.

    Args:
        conf: the configuration of an AIOConsumer, plus ``key.deserializer`` and
            ``value.deserializer``. Each is a callable or a coroutine function that takes the bytes
            (or None) and a SerializationContext, and returns an object. Instead of a deserializer
            you can pass a DeserializerBuilder, as ``key.deserializer.builder`` or
            ``value.deserializer.builder``; the consumer's close() closes the deserializer that it
            builds.
        kwargs: the other arguments of AIOConsumer.

    Raises:
        TypeError: a deserializer is not callable.
    """

    _serdes: Deserializers
    _serdes_of = Deserializers

    def __init__(self, conf: Mapping[str, Any], **kwargs: Any) -> None:
        # The errors that later calls raise, with the number of the take that has the message. The
        # message stays in flight until a call raises its error.
        self._takes: dict[BaseException, int] = {}
        super().__init__(conf, **kwargs)

    async def poll(  # type: ignore[override]
        self, timeout: float = -1
    ) -> Message[K, V] | None:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        A message that cannot be deserialized is skipped: the next call returns the message after
        it.

        Args:
            timeout: seconds to wait; -1 waits without limit.

        Returns:
            The message. None if no message arrived in time.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came instead of a message.
        """
        until = self._deadline(timeout)
        result = None
        while result is None:
            with Taking(self) as take:
                message = self._client._poll_now(timeout, take)
                if message is None:
                    message = await self._poll_until(until, take)
                if message is None:
                    return None
                result = await self._deserialized(message, take)
        return result

    async def consume(  # type: ignore[override]
        self, num_messages: int = 1, timeout: float = -1
    ) -> list[Message[K, V]]:
        """Return a number of messages, whose keys and values are objects.

        A message that cannot be deserialized does not affect the other messages: the call returns
        the other messages, and each of the next calls raises one of the errors.

        Args:
            num_messages: the maximum number of messages, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came instead of a message.
        """
        until = self._deadline(timeout)
        result = None
        while result is None:
            with Taking(self) as take:
                messages = self._client._consume_now(num_messages, take)
                if not messages:
                    ready = await self._gather(num_messages, until)
                    messages = self._client._take(num_messages if ready else 0, take)
                result = await self._all_deserialized(messages, take)
        return result

    async def getone(  # type: ignore[override]
        self, *partitions: TopicPartition
    ) -> Message[K, V]:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        Args and Raises: as for AIOConsumer.getone(), and as for poll().
        """
        result = None
        while result is None:
            with Taking(self) as take:
                result = await self._deserialized(await self._getone(partitions, take), take)
        return result

    async def getmany(  # type: ignore[override]
        self, *partitions: TopicPartition, timeout: float = -1, max_records: int = 500
    ) -> dict[TopicPartition, list[Message[K, V]]]:
        """Return messages by partition, whose keys and values are objects.

        Args, Returns and Raises: as for AIOConsumer.getmany(), and as for consume().
        """
        until = self._deadline(timeout)
        messages = None
        while messages is None:
            with Taking(self) as take:
                found = await self._getmany(partitions, until, max_records, take)
                taken = [message for run in found.values() for message in run]
                messages = await self._all_deserialized(taken, take)
        result: dict[TopicPartition, list[Message[K, V]]] = {}
        for one in messages:
            place = TopicPartition(str(one.topic()), one.partition() or 0)
            result.setdefault(place, []).append(one)
        return result

    async def _deserialized(self, message: Message, take: int) -> Message[K, V] | None:
        """Return a taken message with its objects. None if its partition was revoked meanwhile."""
        try:
            result = await self._serdes.deserialize(message)
        except KafkaException:
            if self._client._hand_out(take):
                raise
        else:
            if self._client._hand_out(take):
                return result
        self._give_back(take)
        return None

    async def _all_deserialized(
        self, taken: list[Message], take: int
    ) -> list[Message[K, V]] | None:
        """Deserialize all messages of a take. The next calls raise the errors of the messages."""
        messages: list[Message[K, V]] = []
        failures: list[KafkaException] = []
        for message in taken:
            try:
                messages.append(await self._serdes.deserialize(message))
            except KafkaException as error:
                failures.append(error)
        takes: dict[BaseException, int] = {error: self._own_take(error, take) for error in failures}
        if not self._client._hand_out(take):
            for one in (take, *takes.values()):
                self._give_back(one)
            return None
        self._takes |= takes
        self._put_off(failures)
        if not messages and (failure := self._next_failure()) is not None:
            raise failure
        return messages

    def _own_take(self, error: KafkaException, take: int) -> int:
        """Keep the message of an error in flight until the error is raised."""
        own_take = next_take()
        place = None if error.kafka_message is None else place_of(error.kafka_message)
        if place is not None:
            self._client._split_take(take, place, own_take)
        return own_take

    def _next_failure(self) -> BaseException | None:
        while (failure := super()._next_failure()) is not None:
            take = self._takes.pop(failure, None)
            if take is None or self._client._hand_out(take):
                return failure
            self._give_back(take)  # this or another consumer gets the message again
        return None

    async def _close(self) -> None:
        # close() reports the remaining errors, so that the offsets of these messages are committed.
        failures = list(iter(self._next_failure, None))
        self._put_off(failures)
        await super()._close()
