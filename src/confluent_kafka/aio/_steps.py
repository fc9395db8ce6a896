"""The steps of transactions. A cancellation never interrupts a step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from confluent_kafka import KafkaError, KafkaException, Producer

from ._threads import on_daemon_thread

INIT = "init_transactions()"
BEGIN = "begin_transaction()"
SEND_OFFSETS = "send_offsets_to_transaction()"
COMMIT = "commit_transaction()"
ABORT = "abort_transaction()"


class _Left(NamedTuple):
    """A step that continues although the task that waited for it was cancelled."""

    name: str
    future: asyncio.Future[None]
    undoes: bool = False  # whether it aborts the transaction that another step left behind


class Steps:
    """The steps of a producer's transactions.

    If the task of a step is cancelled, the step continues, and the next call waits for its end. If
    the next call takes the same step, it returns the result of the cancelled step. If it takes
    another step, it raises the error of the cancelled step; only an abort does not raise that
    error. If the cancelled step began a transaction, the transaction is aborted, because no task
    would end it.

    Args:
        client: the producer, whose calls wait on threads.
        loop: the event loop of the tasks.
    """

    def __init__(self, client: Producer, loop: asyncio.AbstractEventLoop) -> None:
        self._client = client
        self._loop = loop
        self._left: _Left | None = None
        self._undo: Callable[[asyncio.Future[None]], None] | None = None

    async def take(self, name: str, call: Callable[[], None], timeout: float = -1) -> None:
        """Take a step.

        Args:
            name: the name of the step.
            call: takes the step, and waits for brokers.
            timeout: seconds to wait for an earlier step that was cancelled; -1 waits without limit.

        Raises:
            KafkaException: the error of the call, or of the earlier step; _TIMED_OUT: the earlier
                step has not ended in time.
        """
        if await self._is_taken(name, timeout):
            return
        future = on_daemon_thread(self._loop, call, name)
        try:
            await asyncio.shield(future)
        except asyncio.CancelledError:
            self._left = _Left(name, future)
            if name == BEGIN:
                self._when_done(future, self._undo_begin)
            raise

    def abort_if_refused(self) -> None:
        """Abort the transaction if the cancelled commit fails and requires an abort."""
        if self._left is not None and self._left.name == COMMIT:
            self._when_done(self._left.future, self._undo_commit)

    def _when_done(
        self, future: asyncio.Future[None], undo: Callable[[asyncio.Future[None]], None]
    ) -> None:
        """When a step whose task was cancelled has ended, undo it if necessary."""
        self._undo = undo
        future.add_done_callback(self._look)

    def _look(self, future: asyncio.Future[None]) -> None:
        if self._left is not None and self._left.future is future and self._undo is not None:
            undo, self._undo = self._undo, None
            undo(future)

    def _undo_begin(self, begun: asyncio.Future[None]) -> None:
        if not begun.cancelled() and begun.exception() is None:
            self._abort()

    def _undo_commit(self, committed: asyncio.Future[None]) -> None:
        if not committed.cancelled() and _requires_abort(committed.exception()):
            self._abort()

    def _abort(self) -> None:
        aborting = on_daemon_thread(self._loop, partial(self._client.abort_transaction, -1), ABORT)
        aborting.add_done_callback(_retrieve)  # perhaps no later call raises its error
        self._left = _Left(ABORT, aborting, undoes=True)

    async def _is_taken(self, name: str, timeout: float) -> bool:
        """Wait for the step that a cancelled task left. Return whether it was this step."""
        until = None if timeout < 0 else self._loop.time() + timeout
        while (left := self._left) is not None:
            await self._wait(left, until)
            self._look(left.future)  # the future's own callbacks may not have run yet
            if self._left is not left:
                continue  # the step had to be undone
            error = left.future.exception()
            if left.undoes and error is not None and name != ABORT:
                self._abort()  # begin another abort, for the call after this one
                raise error
            self._left = None
            return not left.undoes and _is_result_of(name, left.name, error)
        return False

    async def _wait(self, left: _Left, until: float | None) -> None:
        if not left.future.done():
            timeout = None if until is None else max(0, until - self._loop.time())
            await asyncio.wait([left.future], timeout=timeout)
        if not left.future.done():
            text = f"{left.name}, whose task was cancelled, has not ended yet"
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, text, retriable=True))


def _retrieve(future: asyncio.Future[None]) -> None:
    if not future.cancelled():
        future.exception()


def _requires_abort(error: BaseException | None) -> bool:
    return (
        isinstance(error, KafkaException)
        and error.error is not None
        and error.error.txn_requires_abort()
    )


def _is_result_of(name: str, left: str, error: BaseException | None) -> bool:
    """Return whether a step is the one that was left. Raise the error of the step that was left.

    Raises:
        BaseException: the error of the step; another step must not continue as if it had succeeded.
        KafkaException: an abort comes too late.
    """
    same = name == left and name != SEND_OFFSETS
    if error is not None and (same or name != ABORT):
        raise error
    if error is None and name == ABORT and left == COMMIT:
        text = f"{ABORT} came too late: {COMMIT}, whose task was cancelled, has committed"
        raise KafkaException(KafkaError(KafkaError._STATE, text))
    return same
