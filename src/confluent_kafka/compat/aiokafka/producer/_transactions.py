"""The state and the steps of transactions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Mapping
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Any, Protocol

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Position
from confluent_kafka.aio._transaction import abort_because_of

from ..._common.groups import written
from .. import errors
from .._failures import failure_of
from ..util import commit_structure_validate
from ._engine import Engine, has_failed

_BACKOFF = 0.1  # seconds until a step that timed out is repeated

_REACHABLE = 1.0  # seconds between two checks whether a broker can be reached

Step = Callable[[], Coroutine[Any, Any, None]]


class Transactions:
    """The transactions of a producer, one after another.

    Each step runs in its own task, which is not cancelled together with the caller. So librdkafka
    completes each step that it has begun, and the state here follows the result. A cancelled begin
    is undone. A cancelled commit, abort or sending of offsets continues. The next begin waits for
    these tasks, because nobody else waits for them.
    """

    def __init__(self) -> None:
        self._is_open = False  # and accepts messages and offsets
        self._beginning: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._left: asyncio.Task[None] | None = None  # cleans up after a cancelled begin
        self._failed: BaseException | None = None  # why it can only be aborted
        self._fenced: errors.KafkaError | None = None
        self._turn = asyncio.Lock()  # librdkafka does one step at a time
        self._sending = 0
        self._all_sent = asyncio.Event()

    @property
    def is_fatal(self) -> bool:
        """Whether the producer is unusable."""
        return self._fenced is not None

    @property
    def can_be_aborted(self) -> bool:
        """Whether there is a transaction that abort() can end."""
        return (
            self._fenced is None
            and self._ending is None
            and (self._is_open or self._failed is not None)
        )

    def check_open(self) -> None:
        """Raise an error unless a transaction accepts messages.

        Raises:
            IllegalOperation: no transaction was begun, or it is ending, or it has failed.
            ProducerFenced: the producer is unusable.
        """
        if self._fenced is not None:
            raise self._fenced
        if self._is_open:
            return
        if self._ending is not None:
            raise errors.IllegalOperation(
                "the transaction is being committed or aborted: begin the next one after that"
            )
        if self._failed is not None:
            raise has_failed() from self._failed
        raise errors.IllegalOperation("no transaction is open: begin_transaction() begins one")

    async def begin(self, engine: Engine) -> None:
        """Begin a transaction. If this is cancelled, no transaction has begun."""
        while (first := self._beginning or self._left) is not None:
            await asyncio.wait([first])
        if not self._is_open and self._ending is None and self._failed is None:
            await self._begin(engine)
            return
        if self._is_open:
            raise errors.IllegalOperation("a transaction is open: commit or abort it first")
        self.check_open()

    async def _begin(self, engine: Engine) -> None:
        if self._fenced is not None:
            raise self._fenced
        beginning = self._beginning = self._task(self._step(engine.begin_transaction))
        try:
            await asyncio.shield(beginning)
        except asyncio.CancelledError:
            self._left = self._task(self._take_back(engine, beginning))
            raise
        finally:
            self._beginning = None
        self._is_open = True

    async def _take_back(self, engine: Engine, beginning: asyncio.Task[None]) -> None:
        """Abort a transaction whose begin was cancelled, because nobody else would end it."""
        await beginning
        await self._step(engine.abort_transaction)

    async def commit(self, engine: Engine) -> None:
        """Commit the open transaction. If this is cancelled, the commit continues."""
        self.check_open()
        await self._end(engine.commit_transaction)

    async def abort(self, engine: Engine) -> None:
        """Abort the open transaction, after all messages have been delivered or have failed."""
        if not self.can_be_aborted:
            self.check_open()

        async def step() -> None:
            await engine.flush()
            try:
                await engine.abort_transaction()
            except KafkaException as failure:
                # The commit has ended although its task was cancelled.
                if failure.args[0].code() != KafkaError._STATE:
                    raise

        await self._end(step)

    def leave(self, engine: Engine) -> None:
        """Let a commit or abort that has not ended with its block continue in the background."""
        if self._ending is not None:
            self._left = self._task(self._see_to(engine, self._ending))

    async def _see_to(self, engine: Engine, ending: asyncio.Task[None]) -> None:
        """Abort if a commit in the background fails, as its block would have done."""
        await asyncio.wait([ending])
        if self.can_be_aborted:
            await self.abort(engine)

    async def send_offsets(self, engine: Engine, offsets: Mapping[Any, Any], group_id: str) -> None:
        """Commit a group's offsets with the open transaction.

        If this is cancelled, the sending continues.
        """
        self.check_open()
        if not isinstance(group_id, str) or not group_id:
            raise ValueError(f"group_id must be the name of a group, not {group_id!r}")
        positions = [
            Position(one.topic, one.partition, to.offset, to.metadata or None)
            for one, to in commit_structure_validate(offsets).items()
        ]
        # Like aiokafka, this does not fence members of an earlier generation.
        send = partial(engine.send_offsets_to_transaction, positions, written(group_id))
        await asyncio.shield(self._task(self._step(send)))

    @contextlib.contextmanager
    def sending(self) -> Iterator[None]:
        """Keep the transaction from ending inside the block, in which a send may wait."""
        self._sending += 1
        self._all_sent.clear()
        try:
            yield
        finally:
            self._sending -= 1
            if self._sending == 0:
                self._all_sent.set()

    async def ended(self, engine: Engine, timeout: float) -> None:
        """Wait for the end of a running commit or abort, as long as a broker can be reached."""
        until = monotonic() + timeout
        with contextlib.suppress(KafkaException):
            while self._ending is not None and monotonic() < until:
                await engine.connect(_REACHABLE)
                if self._ending is not None:
                    await asyncio.wait([self._ending], timeout=_REACHABLE)

    async def _end(self, step: Step) -> None:
        self._is_open = False
        self._ending = self._task(self._finish(step))
        await asyncio.shield(self._ending)

    async def _finish(self, step: Step) -> None:
        if self._sending:
            await self._all_sent.wait()
        await self._step(step)

    async def _step(self, step: Step) -> None:
        """Do a step; resume it after a timeout, because aiokafka's steps have none."""
        async with self._turn:
            while True:
                try:
                    await step()
                except KafkaException as failure:
                    exception = failure_of(failure)
                    if failure.args[0].fatal():
                        self._fenced = exception
                    elif failure.args[0].retriable():
                        await asyncio.sleep(_BACKOFF)
                        continue
                    raise exception from failure
                return

    def _task(self, step: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(step)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        """Note the result of a task; a framework may have cancelled it before its first step."""
        # Its caller may have been cancelled; then the next call raises the error.
        failure = asyncio.CancelledError() if task.cancelled() else task.exception()
        if task is self._ending:
            self._ending, self._failed = None, failure
        elif task is self._left:
            self._left = None


class _Producer(Protocol):
    _engine: Engine | None

    async def begin_transaction(self) -> None: ...
    async def commit_transaction(self) -> None: ...
    async def abort_transaction(self) -> None: ...
    def _transactional(self) -> Transactions: ...


class TransactionContext:
    """The transaction of an ``async with`` block.

    Args:
        producer: the producer of the transaction.
    """

    def __init__(self, producer: _Producer) -> None:
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
        engine = self._producer._engine
        try:
            await self._end(error)
        finally:
            if engine is not None:
                self._producer._transactional().leave(engine)

    async def _end(self, error: BaseException | None) -> None:
        if error is not None:
            await self._abort(error)
            return
        try:
            await self._producer.commit_transaction()
        except errors.KafkaError as failure:
            # If the commit fails, the transaction is aborted, so that the next one can begin.
            await self._abort(failure)
            raise

    async def _abort(self, error: BaseException) -> None:
        if self._producer._transactional().can_be_aborted:
            await abort_because_of(error, self._producer.abort_transaction)
