"""A consumer of objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NoReturn

from confluent_kafka.cimpl import Consumer, KafkaException, Message
from confluent_kafka.error import (
    ConsumeError,
    KeyDeserializationError,
    ValueDeserializationError,
)
from confluent_kafka.serialization import MessageField, SerializationContext
from confluent_kafka.serialization._clients import (
    Deserializers,
    closing,
    cluster_id_of,
    take_deserialized,
)
from confluent_kafka.serialization._coroutines import run
from confluent_kafka.serialization._types import K, V

__all__ = [
    "ConsumeError",
    "DeserializingConsumer",
    "KeyDeserializationError",
    "MessageField",
    "SerializationContext",
    "ValueDeserializationError",
]


class DeserializingConsumer(Consumer, Generic[K, V]):
    """A Consumer whose keys and values are objects.

    poll() and iteration return objects; consume_arrow() returns bytes, as it does for a Consumer.

    Args:
        conf: the configuration of a Consumer, plus ``key.deserializer`` and
            ``value.deserializer``. Each is a callable that takes the bytes (or None) and a
            SerializationContext, and returns an object. Instead of a deserializer you can pass a
            DeserializerBuilder, as ``key.deserializer.builder`` or ``value.deserializer.builder``;
            the consumer's close() closes the deserializer that it builds.

    Raises:
        TypeError: a deserializer is not callable.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        serdes = self._serdes = Deserializers(conf)
        try:
            super().__init__(serdes.rest)
        except BaseException:
            serdes.close()
            raise
        serdes.set_cluster_id_resolver(cluster_id_of(self))

    def poll(  # type: ignore[override]
        self, timeout: float = -1
    ) -> Message[K, V] | None:
        """Return the next message, whose ``key()`` and ``value()`` are objects.

        A message that cannot be deserialized is skipped: the next call returns the message after
        it.

        Args:
            timeout: seconds to wait; -1 waits without limit.

        Returns:
            The message. None if no message arrived in time, or if wakeup() ended the wait.

        Raises:
            KeyDeserializationError: the key deserializer raised; ``kafka_message`` is the message
                as it was received.
            ValueDeserializationError: the value deserializer raised.
            ConsumeError: an error came instead of a message.
        """
        return take_deserialized(self, timeout, self._deserialize, KafkaException)

    def __next__(self) -> Message[K, V]:  # type: ignore[override]
        message = self.poll()
        if message is None:  # wakeup() ended the wait
            raise StopIteration
        return message

    def consume(self, num_messages: int = 1, timeout: float = -1) -> NoReturn:
        """Not supported: one message that cannot be deserialized would lose the other messages.

        Raises:
            NotImplementedError: always; use poll().
        """
        raise NotImplementedError("a DeserializingConsumer has no consume(): use poll()")

    def close(self) -> None:
        """Close the consumer, then the deserializers that it built; see Consumer.close()."""
        with closing(self, self._serdes.close):
            super().close()

    def _deserialize(self, message: Message) -> Message[K, V]:
        return run(self._serdes.deserialize(message))
