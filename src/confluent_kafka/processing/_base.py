"""What a worker with threads and a worker of coroutines have in common."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition

from ._delays import Delays
from ._dispatch import Dispatch, Place, Unit
from ._retry import Retry
from ._settings import Settings
from ._statistics import Counters, WorkerStatistics

LOGGER = logging.getLogger("confluent_kafka.processing")
MOST_AT_ONCE = 1000
"""How many messages a turn takes at most."""
SECONDS_BEFORE_PAUSE = 0.5
"""How long a worker with too much in flight waits before it pauses partitions: a pause throws away
the messages that librdkafka has fetched."""
# While messages are in flight, a turn waits for new messages only so long: then it notices which
# ones are done.
_SECONDS_BETWEEN_LOOKS = 0.05
# A worker that has paused its partitions resumes them when this part of the limit is free.
_FREE_PART = 0.25
# After these events the consumer continues by itself.
_TEMPORARY = frozenset(
    {
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._MAX_POLL_EXCEEDED,
        KafkaError._RESOLVE,
        KafkaError._TIMED_OUT,
        KafkaError._TRANSPORT,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.REQUEST_TIMED_OUT,
    }
)


class BaseWorker:
    """The state of a worker that does not depend on how it waits. The arguments are Worker's."""

    _awaits = False

    def __init__(
        self,
        config: Mapping[str, Any],
        topics: Sequence[str],
        handler: Callable[[Any], object],
        *,
        concurrency: str = "key",
        workers: int = 16,
        batch: int | None = None,
        retry: Retry | None = None,
        max_messages: int = 10_000,
        max_bytes: int = 64 * 1024 * 1024,
        commit_interval: float = 1.0,
        drain_timeout: float = 30.0,
        producer_config: Mapping[str, Any] | None = None,
    ) -> None:
        self._settings = Settings(
            config,
            topics,
            handler,
            concurrency=concurrency,
            workers=workers,
            batch=batch,
            retry=retry,
            max_messages=max_messages,
            max_bytes=max_bytes,
            commit_interval=commit_interval,
            drain_timeout=drain_timeout,
            producer_config=producer_config,
            awaits=self._awaits,
        )
        size = self._settings.batch or 1
        self._dispatch = Dispatch(self._settings.concurrency, size, self._hand_out)
        self._delays = Delays(self._settings.recovery.delays)
        self._counters = Counters()
        self._handled = 0
        self._returned = 0  # how many messages calls of step() have counted
        self._next_commit = 0.0
        self._is_paused = False
        self._full_since: float | None = None
        self._failure: BaseException | None = None
        self._is_raised = False  # whether a call has raised the failure
        self._closed = False
        self._has_drained = False  # whether close() has waited for handlers
        try:
            self._open()
        except BaseException:
            self._settings.deserializers.close()
            raise

    def _open(self) -> None:
        """Create the client and what else depends on how the worker waits."""
        raise NotImplementedError

    def _hand_out(self, unit: Unit) -> None:
        raise NotImplementedError

    def statistics(self) -> WorkerStatistics:
        """Return what the worker has done so far."""
        work, counters = self._dispatch, self._counters
        if self._closed:
            work.collect()  # what handlers have ended since then
        # A message that goes to a topic is counted there before it is done.
        handled = work.finished - counters.delayed - counters.dead
        self._handled = max(self._handled, handled)
        return WorkerStatistics(
            self._handled,
            counters.failures,
            counters.delayed,
            counters.dead,
            work.late,
            work.messages,
            work.bytes,
        )

    def _room_left(self) -> int:
        """Return how many messages the next turn may take."""
        settings, work = self._settings, self._dispatch
        if work.bytes >= settings.max_bytes:
            return 0
        return max(0, min(MOST_AT_ONCE, settings.max_messages - work.messages))

    def _must_pause(self, room: int) -> bool:
        """Return whether there has been no room for SECONDS_BEFORE_PAUSE.

        Args:
            room: what _room_left() returned.
        """
        if room:
            self._full_since = None
            return False
        now = time.monotonic()
        if self._full_since is None:
            self._full_since = now
        return now - self._full_since >= SECONDS_BEFORE_PAUSE

    def _can_resume(self) -> bool:
        settings, work = self._settings, self._dispatch
        used = 1 - _FREE_PART
        return (
            work.messages <= used * settings.max_messages
            and work.bytes <= used * settings.max_bytes
        )

    def _enough_done(self) -> int:
        """How many calls of the handler must end before a worker looks for room again."""
        settings = self._settings
        if self._dispatch.bytes >= settings.max_bytes:
            return 1
        return max(1, int(_FREE_PART * settings.max_messages) // (settings.batch or 1))

    def _is_simple(self) -> bool:
        """Whether the handler gets each message as it was received."""
        return self._settings.batch is None and not self._settings.deserializers.convert_something

    def _failed(self, error: BaseException) -> None:
        """Note an exception that ends the worker."""
        if self._failure is None:
            self._failure = error
        elif self._failure is not error:
            LOGGER.error("another failure of a worker that ends", exc_info=error)

    def _raise_failure(self) -> None:
        """Raise the exception that ended the worker, unless a call has raised it."""
        if self._failure is not None and not self._is_raised:
            self._is_raised = True
            raise self._failure

    def _warn_of_late_handlers(self) -> None:
        LOGGER.warning(
            "handlers take longer than drain_timeout (%s s): their messages will be handled again",
            self._settings.drain_timeout,
        )

    def _new_count(self) -> int:
        """Return how many messages are done since the last call."""
        before, self._returned = self._returned, self._dispatch.finished
        return self._returned - before

    def _on_commit(self, error: KafkaError | None, partitions: list[TopicPartition]) -> Any:
        """Note the answer to a commit, and call the callback of the configuration.

        A later turn repeats a commit that has failed.
        """
        failed = [each for each in partitions if error is not None or each.error is not None]
        if failed:
            self._dispatch.not_committed(places_of(failed))
            LOGGER.warning("a commit failed, and will be repeated: %s", error or failed)
        callback = self._settings.on_commit
        return None if callback is None else callback(error, partitions)

    def _offsets_if_due(self) -> list[TopicPartition]:
        """Return the offsets to commit now."""
        now = time.monotonic()
        if now < self._next_commit:
            return []
        self._next_commit = now + self._settings.commit_interval
        return self._dispatch.to_commit()

    def _until_next_turn(self, timeout: float) -> float:
        """Return how long the next turn may wait for messages."""
        waits = [timeout, self._next_commit - time.monotonic()]
        if self._dispatch.messages:
            waits.append(_SECONDS_BETWEEN_LOOKS)
        until_due = self._delays.seconds_left(time.time())
        if until_due is not None and not self._is_paused:
            waits.append(until_due)
        return max(0.0, min(waits))


def places_of(partitions: Iterable[TopicPartition]) -> list[Place]:
    """Return the topics and numbers of partitions."""
    return [(each.topic, each.partition) for each in partitions]


def records_of(messages: list[Message]) -> list[Message]:
    """Return the messages that are records.

    Raises:
        KafkaException: a message reports an error.
    """
    if not any(message.error() for message in messages):
        return messages
    for error in filter(None, (message.error() for message in messages)):
        if error.code() in _TEMPORARY:
            LOGGER.warning("the consumer continues after: %s", error)
        elif error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
    return [message for message in messages if message.error() is None]
