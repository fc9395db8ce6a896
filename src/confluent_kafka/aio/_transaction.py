"""A transaction of the asyncio producer, as an ``async with`` block."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT

if TYPE_CHECKING:
    from ._consumer import AIOConsumer
    from ._steps import Steps


_LOGGER = logging.getLogger("confluent_kafka")


class TransactionalProducer(Protocol):
    """The methods of AIOProducer that a transaction uses."""

    _steps: Steps

    async def begin_transaction(self) -> None: ...
    async def send_offsets_to_transaction(
        self, positions: list[TopicPartition], group_metadata: Any, timeout: float = -1
    ) -> None: ...
    async def commit_transaction(self, timeout: float = -1) -> None: ...
    async def abort_transaction(self, timeout: float = -1) -> None: ...


class Transaction:
    """The object that ``async with producer.transaction()`` yields.

    Entering the block begins the transaction. The end of the block commits the transaction, or
    aborts it if the block raised.

    Args:
        producer: a producer whose init_transactions() has been called.
        timeout: seconds for each request; -1 waits for the rest of transaction.timeout.ms.
    """

    def __init__(self, producer: TransactionalProducer, timeout: float) -> None:
        self._producer = producer
        self._timeout = timeout

    async def send_offsets(
        self, consumer: AIOConsumer, offsets: list[TopicPartition] | None = None
    ) -> None:
        """Commit the offsets of a consumer as a part of the transaction.

        Args:
            consumer: a member of a group, with ``enable.auto.commit`` off.
            offsets: the next offsets to read. By default they are the offsets after the messages
                that the consumer has returned.

        Raises:
            KafkaException: the offsets could not be added; end the block.
        """
        if offsets is None:
            offsets = await consumer.position(await consumer.assignment())
        metadata = await consumer.consumer_group_metadata()
        await self._producer.send_offsets_to_transaction(offsets, metadata, self._timeout)

    async def __aenter__(self) -> Self:
        await self._producer.begin_transaction()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            await self._abort(error)
            return
        try:
            await self._producer.commit_transaction(self._timeout)
        except asyncio.CancelledError:
            self._producer._steps.abort_if_refused()
            raise
        except KafkaException as refused:
            if refused.error is not None and refused.error.txn_requires_abort():
                await self._abort(refused)
            raise

    async def _abort(self, error: BaseException) -> None:
        await abort_because_of(error, partial(self._producer.abort_transaction, self._timeout))


async def abort_because_of(error: BaseException, abort: Callable[[], Awaitable[None]]) -> None:
    """Abort a block's transaction because of an error. The caller raises that error.

    After a cancellation, such as the one that Ctrl-C causes, the call waits for a limited time.

    Args:
        error: the error that ends the block.
        abort: aborts the transaction; it continues if its task is cancelled.
    """
    limit = None if isinstance(error, Exception) else SECONDS_ON_THE_WAY_OUT
    try:
        async with asyncio.timeout(limit):
            await abort()
    except TimeoutError:
        _LOGGER.warning(
            "a transaction is aborted in the background: after %s, the block waits for its "
            "abort_transaction() for at most %s s",
            type(error).__name__,
            limit,
        )
    except Exception as failed:
        error.add_note(f"abort_transaction() failed as well: {failed}")
