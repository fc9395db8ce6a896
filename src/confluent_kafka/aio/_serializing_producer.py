"""An asyncio producer of objects."""

from __future__ import annotations

import asyncio
from typing import Any, Generic

from confluent_kafka import Message
from confluent_kafka.serialization._clients import Serializers
from confluent_kafka.serialization._types import K, V

from ._producer import AIOProducer
from ._serdes import ClientOfObjects


class AsyncSerializingProducer(ClientOfObjects, AIOProducer, Generic[K, V]):
    """An AIOProducer whose keys and values are objects. You can call the class or await the call.

    produce() takes objects. produce_many(), produce_batch() and produce_arrow() take bytes, as they
    do for an AIOProducer.

    Args:
        conf: the configuration of an AIOProducer, plus ``key.serializer`` and ``value.serializer``.
            Each is a callable or a coroutine function that takes an object and a
            SerializationContext, and returns bytes or None. Instead of a serializer you can pass a
            SerializerBuilder, as ``key.serializer.builder`` or ``value.serializer.builder``; the
            producer's close() closes the serializer that it builds.
        kwargs: the other arguments of AIOProducer.

    Raises:
        TypeError: a serializer is not callable.
    """

    _serdes: Serializers
    _serdes_of = Serializers

    async def produce(  # type: ignore[override]
        self,
        topic: str,
        key: K | None = None,
        value: V | None = None,
        partition: int = -1,
        timestamp: int = 0,
        headers: Any = None,
        **kwargs: Any,
    ) -> asyncio.Future[Message]:
        """Serialize a message and put it into the queue; waits while the queue is full.

        Serializers may add headers to the message; the object passed as ``headers`` is not changed.

        Args:
            topic: the topic.
            key: the message's key, as the key serializer takes it.
            value: the message's value, as the value serializer takes it.
            partition: -1 lets the partitioner choose.
            timestamp: milliseconds since the epoch; 0 is now.
            headers: a list of (name, value) pairs or a dict.
            kwargs: the other arguments of AIOProducer.produce().

        Returns:
            A future. Its result is the delivered message; it fails with KafkaException.

        Raises:
            KeySerializationError: the key serializer raised; ``kafka_message`` has the key and
                value that were given.
            ValueSerializationError: the value serializer raised.
            KafkaException: any other error.
        """
        self._check_open()
        data_key, data, own = await self._serdes.serialize(topic, key, value, headers)
        return await super().produce(
            topic,
            data,
            data_key,
            partition=partition,
            timestamp=timestamp,
            headers=own,
            **kwargs,
        )
