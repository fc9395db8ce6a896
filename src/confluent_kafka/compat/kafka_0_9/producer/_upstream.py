"""The thread of an asynchronous producer."""

from __future__ import annotations

import logging
import time
from collections import defaultdict
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, NamedTuple

from confluent_kafka import KafkaError as ErrorCode

from .. import _produced
from .._sender import Delivery
from ..client import KafkaClient
from ..common import (
    RETRY_BACKOFF_ERROR_TYPES,
    RETRY_ERROR_TYPES,
    RETRY_REFRESH_ERROR_TYPES,
    FailedPayloadsError,
    KafkaError,
    Message,
    ProduceRequest,
    RequestTimedOutError,
    RetryOptions,
    TopicAndPartition,
    UnknownError,
    kafka_errors,
)

log = logging.getLogger("kafka.producer")

STOP_ASYNC_PRODUCER = -1
"""The message that makes the thread end."""

# Temporary errors of today's brokers, for example when one of them dies; the old API does not have
# them.
_PASSING = frozenset(
    {
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_ID,
    }
)


class Batching(NamedTuple):
    """When and how often messages are sent.

    Raises:
        ValueError: every_n or every_t is not positive.
    """

    every_n: int
    """The number of messages that are sent together."""
    every_t: float | None
    """Seconds until fewer messages are sent."""
    retry: RetryOptions
    log_messages: bool
    """Whether the log contains failed messages; otherwise it contains their hashes."""
    stop_timeout: float | None
    """Seconds for the remaining messages when the producer stops."""

    def check(self) -> None:
        """Raise ValueError if nothing would ever be sent."""
        if self.every_n < 1:
            raise ValueError(f"batch_send_every_n must be at least 1, not {self.every_n!r}")
        if self.every_t is not None and self.every_t <= 0:
            raise ValueError(f"batch_send_every_t must be positive, not {self.every_t!r}")


class Upstream:
    """Sends the messages in a queue.

    Args:
        client: the thread's own client.
        queue: a queue of partition, message and key.
        delivery: how to send.
        batching: when and how often to send.

    Attributes:
        stop_event: set when the producer stops.
    """

    def __init__(
        self,
        client: KafkaClient,
        queue: Queue[Any],
        delivery: Delivery,
        batching: Batching,
    ) -> None:
        batching.check()
        self.stop_event = Event()
        self._client = client
        self._queue = queue
        self._delivery = delivery
        self._batching = batching
        self._end: float | None = None

    def start(self) -> Thread:
        """Start the thread."""
        thread = Thread(target=self.run, name="kafka-producer", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Let the thread send the remaining messages, and end."""
        limit = self._batching.stop_timeout
        self._end = None if limit is None else time.monotonic() + limit
        self.stop_event.set()
        with suppress(Full):  # a full queue needs no wake-up
            self._queue.put_nowait((STOP_ASYNC_PRODUCER, None, None))

    def run(self) -> None:
        """Send until the producer stops."""
        while not (self.stop_event.is_set() and self._queue.empty()):
            messages = self._collected()
            try:
                self._send(self._requests(messages))
            # Without the thread, later messages would stay in the queue for ever.
            except BaseException:
                log.exception("up to %d messages are lost", len(messages))
        self._client.close()

    def _collected(self) -> list[Any]:
        """Wait for the messages that are sent together."""
        found: list[Any] = []
        end: float | None = None
        while len(found) < self._batching.every_n:
            left = None if end is None else end - time.monotonic()
            try:
                one = self._queue.get(timeout=None if left is None else max(0, left))
            except Empty:
                break
            if one[0] == STOP_ASYNC_PRODUCER:
                break
            if end is None and self._batching.every_t is not None:
                end = time.monotonic() + self._batching.every_t
            if self.stop_event.is_set():
                end = 0.0  # take existing messages without waiting
            found.append(one)
        return found

    def _requests(self, messages: list[Any]) -> list[ProduceRequest]:
        compression = self._delivery.codec, self._delivery.level
        grouped: dict[TopicAndPartition, list[Message]] = defaultdict(list)
        for place, value, key in messages:
            grouped[place].append(Message(0, 0, key, value))
        return [
            _produced.compressed(place.topic, place.partition, tuple(some), *compression)
            for place, some in grouped.items()
        ]

    def _send(self, requests: list[ProduceRequest]) -> None:
        """Send until all messages are delivered or given up, in the order of each partition."""
        limit = self._batching.retry.limit
        attempt = 0
        while requests:
            failed = self._attempt(requests)
            lost = [(one, kind) for one, kind in failed if not self._is_retried(kind)]
            again = [(one, kind) for one, kind in failed if self._is_retried(kind)]
            attempt += 1
            if (limit is not None and attempt > limit) or self._is_over():
                lost, again = failed, []
            self._log_lost(lost)
            self._wait([kind for _, kind in again])
            requests = [one for one, _ in again]

    def _attempt(self, requests: list[ProduceRequest]) -> list[tuple[ProduceRequest, type]]:
        """Send once; return the failed messages and their errors."""
        try:
            answers = self._client.send_produce_request(
                requests,
                acks=self._delivery.acks,
                timeout=self._delivery.timeout,
                fail_on_error=False,
            )
        except KafkaError as failure:
            return [(one, type(failure)) for one in requests]
        if self._delivery.acks == 0:  # without an answer there are only errors
            failed = {(one.payload.topic, one.payload.partition) for one in answers}
            return [
                (one, FailedPayloadsError)
                for one in requests
                if (one.topic, one.partition) in failed
            ]
        kinds = [(one, _kind(answer)) for one, answer in zip(requests, answers, strict=True)]
        return [(one, kind) for one, kind in kinds if kind is not None]

    def _is_retried(self, kind: type) -> bool:
        if issubclass(kind, RequestTimedOutError):
            return self._batching.retry.retry_on_timeouts
        return issubclass(kind, RETRY_ERROR_TYPES)

    def _is_over(self) -> bool:
        return self._end is not None and time.monotonic() > self._end

    def _log_lost(self, lost: list[tuple[ProduceRequest, type]]) -> None:
        for request, kind in lost:
            said = request if self._batching.log_messages else hash(tuple(request.messages))
            log.error("messages are lost (%s): %s", kind.__name__, said)

    def _wait(self, kinds: list[type]) -> None:
        """Do what the errors require before the next attempt."""
        if any(issubclass(kind, RETRY_BACKOFF_ERROR_TYPES) for kind in kinds):
            time.sleep(self._batching.retry.backoff_ms / 1000)
        if any(issubclass(kind, RETRY_REFRESH_ERROR_TYPES) for kind in kinds):
            try:
                self._client.load_metadata_for_topics()
            except KafkaError as failure:
                log.warning("no metadata: %s", failure)


def _kind(answer: Any) -> type | None:
    if isinstance(answer, Exception):
        return type(answer)
    if answer.error in _PASSING:
        return FailedPayloadsError
    if answer.error == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND:
        return RequestTimedOutError  # the leader has stored the messages
    return kafka_errors.get(answer.error, UnknownError) if answer.error else None
