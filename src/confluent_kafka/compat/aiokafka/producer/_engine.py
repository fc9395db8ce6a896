"""The underlying asyncio producer, whose deliveries have aiokafka's form."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.aio import AIOProducer

from .._failures import failure_of
from ..errors import IllegalOperation, ProducerClosed
from ..structs import RecordMetadata, TopicPartition

# Few: only requests for metadata and steps of transactions wait there.
_WORKERS = 2


class Engine(AIOProducer):
    """An AIOProducer that settles futures with RecordMetadata, or with aiokafka's exceptions.

    With ``acks=0`` no broker returns the place of a message, and the result is None.

    Args:
        conf: librdkafka's configuration.
    """

    _alias = "AIOKafkaProducer"
    _unclosed = "Unclosed {}: await stop() or use 'async with'"  # begins like aiokafka's text

    def __init__(self, conf: Mapping[str, Any]) -> None:
        super().__init__(conf, max_workers=_WORKERS)
        record = None if conf.get("acks") == 0 else RecordMetadata
        self._client._settle_as(record, TopicPartition, failure_of)

    def send_now(
        self, topic: str, value: Any, key: Any, partition: int, timestamp: int, headers: Any
    ) -> Future[Any] | None:
        """Put a message into the queue, if that is possible without waiting.

        Returns:
            The future; None if the message has to wait for room or for other tasks. Then call
            send_in_turn().

        Raises:
            KafkaException: the message is refused.
        """
        if self._waiting:
            return None
        delivery: Future[Any] | None = self._client._send_now(
            topic, value, key, partition, timestamp, headers
        )
        return delivery

    async def send_in_turn(
        self, topic: str, value: Any, key: Any, partition: int, timestamp: int, headers: Any
    ) -> Future[Any]:
        """Put a message into the queue when there is room, and after other waiting tasks.

        Raises:
            KafkaException: the message is refused.
        """
        delivery = await self.produce(topic, value, key, partition, timestamp, headers)
        if delivery.done():
            delivery.result()  # raises the reason of the refusal
        return delivery

    async def flush(self, timeout: float = -1) -> int:
        """Wait until every message is delivered or has failed, even while stop() is running."""
        try:
            return await super().flush(timeout)
        except RuntimeError:
            if self._closing is None:
                raise
            await self.close()
            return 0

    def _closed_error(self) -> ProducerClosed:
        return ProducerClosed("the producer was stopped meanwhile")


def refusal(failure: KafkaException) -> Exception:
    """Return the exception of a send that librdkafka refuses."""
    if failure.args[0].code() == KafkaError._STATE:
        return has_failed()
    exception: Exception = failure_of(failure)
    return exception


def has_failed() -> IllegalOperation:
    """Return the exception of a send in a transaction that has failed."""
    return IllegalOperation("the transaction has failed: abort_transaction() ends it")
