"""Transactions: their state, and their steps."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Position

from ..._common.groups import written
from .. import errors
from .._failures import failure_of
from ..util import commit_structure_validate
from ._engine import Engine

if TYPE_CHECKING:
    from .producer import AIOKafkaProducer


class Transactions:
    """The transactions of a producer, one after the other."""

    def __init__(self) -> None:
        self._is_open = False
        self._fenced: errors.KafkaError | None = None

    @property
    def is_fatal(self) -> bool:
        """Whether the producer can do nothing more."""
        return self._fenced is not None

    def check_open(self) -> None:
        """Raise unless a transaction is open.

        Raises:
            IllegalOperation: none is.
            ProducerFenced: the producer can do nothing more.
        """
        if self._fenced is not None:
            raise self._fenced
        if not self._is_open:
            raise errors.IllegalOperation("no transaction is open: begin_transaction() begins one")

    async def begin(self, engine: Engine) -> None:
        """Begin one."""
        if self._is_open:
            raise errors.IllegalOperation("a transaction is open: commit or abort it first")
        await self._step(engine.begin_transaction())
        self._is_open = True

    async def commit(self, engine: Engine) -> None:
        """Commit the open one."""
        self.check_open()
        await self._step(engine.commit_transaction())
        self._is_open = False

    async def abort(self, engine: Engine) -> None:
        """Abort the open one, when what was sent has been delivered or has failed."""
        self.check_open()
        await engine.flush()
        await self._step(engine.abort_transaction())
        self._is_open = False

    async def send_offsets(self, engine: Engine, offsets: Mapping[Any, Any], group_id: str) -> None:
        """Commit a group's offsets with the open one."""
        self.check_open()
        if not isinstance(group_id, str) or not group_id:
            raise ValueError(f"group_id must be the name of a group, not {group_id!r}")
        positions = [
            Position(one.topic, one.partition, to.offset, to.metadata or None)
            for one, to in commit_structure_validate(offsets).items()
        ]
        # As aiokafka, which does not fence members of an earlier generation either.
        await self._step(engine.send_offsets_to_transaction(positions, written(group_id)))

    async def _step(self, step: Any) -> None:
        try:
            await step
        except KafkaException as failure:
            exception = failure_of(failure)
            if failure.args[0].fatal():
                self._fenced = exception
            raise exception from failure


class TransactionContext:
    """A transaction of ``async with``.

    Args:
        producer: whose transaction it is.
    """

    def __init__(self, producer: AIOKafkaProducer) -> None:
        self._producer = producer

    async def __aenter__(self) -> TransactionContext:
        await self._producer.begin_transaction()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        transactions = self._producer._transactional()
        if kind is None:
            await self._commit(transactions)
        elif not transactions.is_fatal:
            await self._producer.abort_transaction()

    async def _commit(self, transactions: Transactions) -> None:
        try:
            await self._producer.commit_transaction()
        except errors.KafkaError:
            # What cannot be committed is aborted, so that the next one can begin.
            if not transactions.is_fatal:
                await self._producer.abort_transaction()
            raise
