"""The future of a delivered message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .. import errors
from ..future import Future
from ..structs import TopicPartition


class RecordMetadata(NamedTuple):
    """The place of a delivered message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    """-1 with ``acks=0``."""
    timestamp: int | None
    """In milliseconds since the epoch."""
    checksum: int | None
    """Always None, as for every message in the format of Kafka 0.11 and newer."""
    serialized_key_size: int
    """The key's size in bytes; -1 without a key."""
    serialized_value_size: int
    """The value's size in bytes; -1 without a value."""
    serialized_header_size: int
    """The headers' size in bytes; -1 without headers."""


class Delivered(NamedTuple):
    """The extension's report about a delivered message."""

    topic: str
    partition: int
    topic_partition: TopicPartition
    offset: int
    timestamp: int | None
    timestamp_type: int
    log_start_offset: None


class FutureProduceResult(Future):
    """The result of the request that contains the message.

    Args:
        topic_partition: the partition of the message.
    """

    def __init__(self, topic_partition: TopicPartition) -> None:
        self.topic_partition = topic_partition

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the result for up to `timeout` seconds; return whether the result exists."""
        return self._wait(timeout)


class FutureRecordMetadata(Future):
    """A future of RecordMetadata: what KafkaProducer.send() returns.

    Args:
        produce_future: a FutureProduceResult of (offset, timestamp, ...), whose result this future
            gets.
        batch_index: the place of this message in the request.
        timestamp_ms: the message's timestamp, in milliseconds since the epoch.
        checksum: None.
        serialized_key_size: the key's size in bytes; -1 without a key.
        serialized_value_size: the value's size in bytes; -1 without a value.
        serialized_header_size: the headers' size in bytes; -1 without headers.
    """

    _target: tuple[str, int]
    _request: Future | None = None

    def __init__(
        self,
        produce_future: Any,
        batch_index: int,
        timestamp_ms: int | None,
        checksum: int | None,
        serialized_key_size: int,
        serialized_value_size: int,
        serialized_header_size: int,
    ) -> None:
        self.args = (
            batch_index,
            timestamp_ms,
            checksum,
            serialized_key_size,
            serialized_value_size,
            serialized_header_size,
        )
        if produce_future is not None:
            self.rebind(produce_future, batch_index)

    def get(self, timeout: float | None = None) -> RecordMetadata:
        """Wait for the result.

        Args:
            timeout: the timeout in seconds; None waits without limit.

        Raises:
            KafkaTimeoutError: the result did not come in this time.
            KafkaError: the message was not delivered.
        """
        if not self.is_done and not self._wait(timeout):
            raise errors.KafkaTimeoutError(f"Timeout after waiting for {timeout} secs.")
        if self.exception is not None:
            raise self.exception
        place: RecordMetadata = self.value
        return place

    def rebind(self, new_produce_future: Any, new_batch_index: int) -> None:
        """Take the result from another request."""
        self.args = (new_batch_index, *self.args[1:])
        self._request = new_produce_future
        new_produce_future.add_callback(self._produced)
        new_produce_future.add_errback(self.failure)

    @property
    def value(self) -> Any:
        """The RecordMetadata; None before the result."""
        if self._value.__class__ is Delivered:
            topic, partition, place, offset, timestamp = self._value[:5]
            # A negative value of librdkafka means that the offset is unknown.
            self._value = self._record(topic, partition, place, max(offset, -1), timestamp)
        return self._value

    @property
    def _produce_future(self) -> Any:
        """The request's result, in which tracing packages read the message's partition."""
        if self._request is None:
            done = self._value is not None
            place = self.value.topic_partition if done else TopicPartition(*self._target)
            self._request = FutureProduceResult(place)
            self.add_callback(self._tell)
            self.add_errback(self._request.failure)
        return self._request

    def _tell(self, place: RecordMetadata) -> None:
        assert isinstance(self._request, FutureProduceResult)
        self._request.topic_partition = place.topic_partition
        self._request.success((place.offset, place.timestamp, None))

    def _produced(self, result: tuple[int, int | None]) -> None:
        offset, timestamp = result[:2]
        if timestamp in (None, -1):
            timestamp = self.args[1]
        topic, partition = place = self._produce_future.topic_partition
        at = offset + self.args[0] if offset >= 0 else -1
        self.success(self._record(topic, partition, place, at, timestamp))

    def _record(
        self, topic: str, partition: int, place: TopicPartition, offset: int, timestamp: int | None
    ) -> RecordMetadata:
        return RecordMetadata(topic, partition, place, offset, timestamp, *self.args[2:])

    # ---- for the extension, which settles what looks like a future of asyncio ----

    @classmethod
    def get_loop(cls) -> type[_Now]:
        """Return the replacement for an event loop: it calls functions at once."""
        return _Now

    def done(self) -> bool:
        """Return whether the future is settled."""
        return self.is_done

    def set_result(self, result: Any) -> None:
        """Settle the future with a Delivered."""
        self._value = result
        self._has_settled()

    def set_exception(self, exception: BaseException) -> None:
        """Settle the future with an exception."""
        self.exception = exception
        self._has_settled()


class _Now:
    """Replaces an event loop. It calls functions at once, on the reporting thread."""

    @staticmethod
    def call_soon_threadsafe(callback: Callable[..., object], *args: Any) -> None:
        callback(*args)

    @staticmethod
    def is_closed() -> bool:
        return False
