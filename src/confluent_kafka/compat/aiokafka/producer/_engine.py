"""The asyncio producer under aiokafka's, whose deliveries are aiokafka's."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, KafkaException, Message
from confluent_kafka.aio import AIOProducer

from .._failures import failure_of
from ..structs import RecordMetadata, TopicPartition

# Few: nothing but requests for metadata and the steps of transactions waits there.
_WORKERS = 2

_new_tuple = tuple.__new__


class Engine(AIOProducer):
    """An AIOProducer that settles futures with RecordMetadata, or with aiokafka's exceptions.

    Args:
        conf: librdkafka's configuration.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        super().__init__(conf, max_workers=_WORKERS)
        kind = Unconfirmed if conf.get("acks") == 0 else Delivery
        self._create_future = partial(kind, loop=self._loop)


class Delivery(asyncio.Future[Any]):
    """A future that is settled with librdkafka's report, and has aiokafka's."""

    __slots__ = ()

    def set_result(self, message: Any) -> None:
        """Settle with where the message is."""
        super().set_result(metadata_of(message))

    def set_exception(self, exception: Any) -> None:
        """Settle with why the message was not delivered."""
        if isinstance(exception, KafkaException):
            exception = failure_of(exception)
        super().set_exception(exception)


class Unconfirmed(Delivery):
    """A future of a message that no broker confirms (``acks=0``): its result is None."""

    __slots__ = ()

    def set_result(self, message: Any) -> None:
        """Settle without a place: nobody knows it."""
        asyncio.Future.set_result(self, None)


_partitions: dict[tuple[str, int], TopicPartition] = {}


def metadata_of(message: Message) -> RecordMetadata:
    """Return where a broker has put a message."""
    topic, partition = cast(str, message.topic()), cast(int, message.partition())
    kind, timestamp = message.timestamp()
    place = _partitions.get((topic, partition))
    if place is None:
        place = _partitions[topic, partition] = TopicPartition(topic, partition)
    late = int(kind == TIMESTAMP_LOG_APPEND_TIME)
    return _new_tuple(
        RecordMetadata, (topic, partition, place, message.offset(), timestamp, late, None)
    )
