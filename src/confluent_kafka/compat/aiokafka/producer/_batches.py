"""Sends batches: many messages with one future."""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka import KafkaError, KafkaException

from .._failures import failure_of
from ..structs import RecordMetadata
from ._engine import Engine, has_failed
from .message_accumulator import BatchBuilder


async def send_batch(
    engine: Engine, batch: BatchBuilder, topic: str, partition: int
) -> asyncio.Future[RecordMetadata | None]:
    """Put the records of a batch into the queue, in their order.

    Args:
        engine: the producer.
        batch: the records.
        topic: the topic.
        partition: the number of the partition.

    Returns:
        A future of the first record's place. It is settled when all records are delivered.

    Raises:
        IllegalOperation: the transaction has failed.
    """
    whole: asyncio.Future[RecordMetadata | None] = asyncio.get_running_loop().create_future()
    deliveries = _Deliveries(whole, len(batch._records))
    for record in batch._records:
        delivery = await engine.produce(
            topic, record.value, record.key, partition, record.timestamp, record.headers
        )
        delivery.add_done_callback(deliveries.count)
        if delivery.done() and _failed_transaction(delivery.exception()):
            whole.cancel()  # nobody waits for it
            raise has_failed()
    return whole


def _failed_transaction(error: BaseException | None) -> bool:
    return isinstance(error, KafkaException) and error.args[0].code() == KafkaError._STATE


class _Deliveries:
    """Settles a batch's future with the last delivery.

    Args:
        whole: the batch's future.
        missing: how many deliveries there will be.
    """

    def __init__(self, whole: asyncio.Future[RecordMetadata | None], missing: int) -> None:
        self._whole = whole
        self._missing = missing
        self._first: RecordMetadata | None = None
        self._error: BaseException | None = None
        if missing == 0:
            self._settle()

    def count(self, delivery: asyncio.Future[Any]) -> None:
        """Count a delivery; deliveries come in the order of the records."""
        error = delivery.exception()
        if isinstance(error, KafkaException):  # refused immediately
            error = failure_of(error)
        if error is not None:
            self._error = self._error or error
        elif self._first is None:
            self._first = delivery.result()
        self._missing -= 1
        if self._missing == 0:
            self._settle()

    def _settle(self) -> None:
        if self._whole.done():  # cancelled
            return
        if self._error is None:
            self._whole.set_result(self._first)
        else:
            self._whole.set_exception(self._error)
