"""Commits offsets, also without waiting."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent import futures
from time import monotonic
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka import TopicPartition as Place
from confluent_kafka._daemon_threads import DaemonThreads

from ..._common.commits import NO_LONGER_MEMBER, Reasons
from .. import errors
from .._failures import failure_of
from .._refusals import RefusedType
from ..future import Future
from ..structs import OffsetAndMetadata, TopicPartition
from ._engine import Engine

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Callback = Callable[[Offsets, Any], object]


class Commits:
    """Sends commits, one request after another.

    Args:
        engine: the client.
        default: the callback of commits without their own callback; called with the offsets and the
            answer or the error.
    """

    def __init__(self, engine: Engine, default: Callback | None) -> None:
        self._engine = engine
        self._default = default
        self._thread: DaemonThreads | None = None
        self._last: futures.Future[None] | None = None
        self._is_over = False
        self._reasons = Reasons()
        self.answered: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()

    def commit(self, offsets: Offsets, timeout: float = math.inf) -> None:
        """Commit, and wait for the broker's answer.

        Args:
            offsets: the offsets of the next messages to read, by partition.
            timeout: seconds.

        Raises:
            KafkaTimeoutError: no answer came in time.
            CommitFailedError: the group has rebalanced meanwhile.
            KafkaError: the broker refuses the commit.
        """
        given = _places(offsets)
        if not given:
            return
        until = monotonic() + timeout
        # In order with the commits that nobody waits for.
        if not self._lock.acquire(timeout=-1 if math.isinf(timeout) else timeout):
            raise errors.KafkaTimeoutError("an earlier commit was not answered in time")
        try:
            answer = self._engine._commit(given, max(0.0, until - monotonic()))
        except KafkaException as failure:
            raise self._failure(failure) from failure
        finally:
            self._lock.release()
        for place in answer:
            if place.error is not None:
                raise self._failure(place.error)

    def commit_async(
        self, offsets: Offsets, callback: Callback | None, check_member: Callable[[], None]
    ) -> Future:
        """Commit on a thread; return a future of None.

        Args:
            offsets: the offsets of the next messages to read, by partition.
            callback: called with the offsets and the answer.
            check_member: called before the commit is sent; raises an error if it must not be sent.
        """
        check(offsets)
        future = Future()
        if self._thread is None:
            self._thread = DaemonThreads(1, "kafka-python-commits")
        self._last = self._thread.submit(
            self._commit_for, future, dict(offsets), callback or self._default, check_member
        )
        return future

    def call_back(self) -> None:
        """Call the callbacks of answered commits, on the application's thread."""
        while self.answered:
            self.answered.popleft()()

    def wait(self, until: float) -> None:
        """Wait for commits without an answer, and call their callbacks.

        Args:
            until: the time of time.monotonic() at which the remaining commits fail.
        """
        if self._last is not None:
            futures.wait([self._last], None if math.isinf(until) else max(0.0, until - monotonic()))
        self._is_over = True
        self.call_back()

    def close(self) -> None:
        """Give up commits without an answer, after the client is closed."""
        if self._thread is not None:
            self._thread.shutdown()
            # The client is closed, so the running commit fails at once.
            futures.wait([self._last] if self._last is not None else [])
        self.call_back()

    def _failure(self, failure: KafkaError | KafkaException) -> errors.KafkaError:
        error = self._reasons.of(failure)
        if error.code() in NO_LONGER_MEMBER:
            return errors.CommitFailedError(error.str())
        exception: errors.KafkaError = failure_of(error)
        return exception

    def _commit_for(
        self,
        future: Future,
        offsets: Offsets,
        callback: Callback | None,
        check_member: Callable[[], None],
    ) -> None:
        try:
            if self._is_over:
                raise errors.Cancelled("the consumer was closed before this commit was sent")
            if offsets:
                check_member()
            self.commit(offsets)
        except Exception as failure:
            self._answer(callback, offsets, failure)
            future.failure(failure)
        else:
            self._answer(callback, offsets, None)
            future.success(None)

    def _answer(self, callback: Callback | None, offsets: Offsets, result: Any) -> None:
        if callback is not None:
            self.answered.append(lambda: callback(offsets, result))


def check(offsets: Any) -> None:
    """Check the offsets that an application commits.

    Raises:
        TypeError: they are not OffsetAndMetadata by TopicPartition.
    """
    if not isinstance(offsets, Mapping) or not all(
        isinstance(each, TopicPartition) and isinstance(at, OffsetAndMetadata)
        for each, at in offsets.items()
    ):
        raise RefusedType("offsets must be dict[TopicPartition, OffsetAndMetadata]")


def _places(offsets: Offsets) -> list[Place]:
    return [
        Place(*each, at.offset, at.metadata or None, _epoch(at.leader_epoch))
        for each, at in offsets.items()
    ]


def _epoch(leader_epoch: int | None) -> int | None:
    return None if leader_epoch is None or leader_epoch < 0 else leader_epoch
