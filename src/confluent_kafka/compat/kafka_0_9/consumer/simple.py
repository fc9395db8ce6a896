"""A consumer that fetches messages when it has none."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from types import TracebackType
from typing import Any

from ..client import KafkaClient
from ..common import (
    ConsumerFetchSizeTooSmall,
    FailedPayloadsError,
    FetchRequest,
    KafkaError,
    NotLeaderForPartitionError,
    OffsetAndMessage,
    OffsetOutOfRangeError,
    OffsetRequest,
    UnknownTopicOrPartitionError,
    check_error,
)
from .base import (
    AUTO_COMMIT_INTERVAL,
    AUTO_COMMIT_MSG_COUNT,
    FETCH_BUFFER_SIZE_BYTES,
    FETCH_DEFAULT_BLOCK_TIMEOUT,
    FETCH_MAX_WAIT_TIME,
    FETCH_MIN_BYTES,
    ITER_TIMEOUT_SECONDS,
    MAX_FETCH_BUFFER_SIZE_BYTES,
    NO_MESSAGES_WAIT_TIME_SECONDS,
    Consumer,
)

__all__ = ["FetchContext", "SimpleConsumer"]

log = logging.getLogger("kafka.consumer")

_END, _BEGINNING = -1, -2
_RESETS = {"largest": _END, "smallest": _BEGINNING}

# How many seconds a broker may delay an answer. Meanwhile it answers no other request, not even one
# that stores offsets.
_LONGEST_WAIT = 0.5


class FetchContext:
    """How a consumer fetches within a block: with or without waiting.

    Args:
        consumer: the consumer.
        block: whether a broker waits until there is a message.
        timeout: how many seconds the broker waits; None means 1.
    """

    def __init__(self, consumer: SimpleConsumer, block: Any, timeout: float | None) -> None:
        self.consumer = consumer
        self.block = block
        self.timeout = FETCH_DEFAULT_BLOCK_TIMEOUT if block and timeout is None else timeout

    def __enter__(self) -> None:
        if self.block:
            self.consumer.fetch_max_wait_time = int((self.timeout or 0) * 1000)
            self.consumer.fetch_min_bytes = 1
        else:
            self.consumer.fetch_min_bytes = 0

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.consumer.fetch_max_wait_time = FETCH_MAX_WAIT_TIME
        self.consumer.fetch_min_bytes = FETCH_MIN_BYTES


class SimpleConsumer(Consumer):
    """Reads partitions of a topic. Several consumers do not share a topic automatically.

    Args:
        client: the KafkaClient.
        group: the name of the group; with None nothing is stored.
        topic: the name of the topic.
        auto_commit: whether offsets are stored automatically.
        partitions: the partitions to read; None means all.
        auto_commit_every_n: after how many messages offsets are stored; None means never.
        auto_commit_every_t: after how many milliseconds offsets are stored; None means never.
        fetch_size_bytes: no effect; use buffer_size.
        buffer_size: how many bytes of a partition a broker sends, unless the first message is
            larger.
        max_buffer_size: the limit in bytes up to which buffer_size doubles for a larger message;
            None means no limit.
        iter_timeout: seconds without a message after which an iteration ends; None means never.
        auto_offset_reset: where to continue if the partition does not have the offset, "largest" or
            "smallest"; any other value raises OffsetOutOfRangeError.

    Raises:
        ValueError: buffer_size is larger than max_buffer_size.
        KafkaError: the same errors as in KafkaClient.load_metadata_for_topics().
    """

    def __init__(
        self,
        client: KafkaClient,
        group: str | bytes | None,
        topic: str | bytes,
        auto_commit: bool = True,
        partitions: Iterable[int] | None = None,
        auto_commit_every_n: int | None = AUTO_COMMIT_MSG_COUNT,
        auto_commit_every_t: float | None = AUTO_COMMIT_INTERVAL,
        fetch_size_bytes: int = FETCH_MIN_BYTES,
        buffer_size: int = FETCH_BUFFER_SIZE_BYTES,
        max_buffer_size: int | None = MAX_FETCH_BUFFER_SIZE_BYTES,
        iter_timeout: float | None = None,
        auto_offset_reset: str = "largest",
    ) -> None:
        if max_buffer_size is not None and buffer_size > max_buffer_size:
            raise ValueError(
                f"buffer_size ({buffer_size}) is greater than max_buffer_size ({max_buffer_size})"
            )
        self.partition_info = False
        self.buffer_size = buffer_size
        self.max_buffer_size = max_buffer_size
        self.fetch_max_wait_time = FETCH_MAX_WAIT_TIME
        self.fetch_min_bytes = FETCH_MIN_BYTES
        self.iter_timeout = iter_timeout
        self.auto_offset_reset = auto_offset_reset
        super().__init__(
            client,
            group,
            topic,
            partitions=partitions,
            auto_commit=auto_commit,
            auto_commit_every_n=auto_commit_every_n,
            auto_commit_every_t=auto_commit_every_t,
        )
        self._read_on()

    def __repr__(self) -> str:
        return (
            f"<SimpleConsumer group={self.group!r}, topic={self.topic!r}, "
            f"partitions={list(self.offsets)}>"
        )

    def provide_partition_info(self) -> None:
        """Return pairs of partition and message from now on."""
        self.partition_info = True

    def fetch_last_known_offsets(self, partitions: Iterable[int] | None = None) -> None:
        """Continue at the group's offsets; at 0 in partitions without an offset.

        Args:
            partitions: the partitions; None means all that are read.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_fetch_request().
        """
        super().fetch_last_known_offsets(partitions)
        self._read_on()

    def reset_partition_offset(self, partition: int) -> int | None:
        """Continue at the offset of auto_offset_reset.

        Args:
            partition: the number of the partition.

        Returns:
            The offset; None if no broker could return it.

        Raises:
            OffsetOutOfRangeError: auto_offset_reset gives no offset.
        """
        if self.auto_offset_reset not in _RESETS:
            raise OffsetOutOfRangeError(
                "Cannot reset partition offsets without a valid auto_offset_reset setting "
                "(largest|smallest)"
            )
        try:
            (offset,) = self._ask([partition], _RESETS[self.auto_offset_reset]).values()
        except KafkaError as failure:
            log.error("partition %d has no offset to read on: %s", partition, failure)
            return None
        self.offsets[partition] = self.fetch_offsets[partition] = offset
        return offset

    def seek(self, offset: int, whence: int | None = None, partition: int | None = None) -> None:
        """Continue at another offset.

        Args:
            offset: the offset.
            whence: where the offset counts from: None from 0, 0 from the partition's beginning, 1
                from the next message, 2 from the partition's end.
            partition: the number of the partition; None means all. Then an offset from the
                beginnings or ends counts for all partitions together and is divided among them.

        Raises:
            ValueError: whence is wrong.
            KafkaError: the same errors as in KafkaClient.send_offset_request().
        """
        wanted = list(self.offsets) if partition is None else [partition]
        if whence is None:
            self.offsets.update(dict.fromkeys(wanted, offset))
        elif whence == 1:
            self.offsets.update({one: self.offsets[one] + offset for one in wanted})
        elif whence in (0, 2):
            starts = self._ask(wanted, _BEGINNING if whence == 0 else _END)
            share, more = divmod(offset, len(wanted))
            self.offsets.update(
                {one: starts[one] + share + (index < more) for index, one in enumerate(wanted)}
            )
        else:
            raise ValueError(f"whence must be None, 0, 1 or 2, not {whence!r}")
        self._read_on()
        if self.auto_commit:
            self._read += 1
            self.commit()

    def get_messages(
        self, count: int = 1, block: bool | int = True, timeout: float | None = 0.1
    ) -> list[Any]:
        """Read messages.

        Args:
            count: the largest number of messages.
            block: whether to wait for `count` messages; a number waits for this number of messages.
            timeout: how long to wait, in seconds; None waits without limit.

        Returns:
            A list of OffsetAndMessage, or of pairs of partition and OffsetAndMessage; it may be
            empty.

        Raises:
            ConsumerFetchSizeTooSmall: a message is larger than max_buffer_size.
            OffsetOutOfRangeError: there is no such offset, and auto_offset_reset gives none.
            KafkaError: the same errors as in KafkaClient.send_fetch_request(). Messages that were
                read before an error are returned; the next call raises the error if it persists.
        """
        collect = partial(self._collect, count, block, timeout)
        return self._collected(self.queue, collect, self.partition_info)

    def get_message(
        self,
        block: bool = True,
        timeout: float | None = 0.1,
        get_partition_info: bool | None = None,
    ) -> Any:
        """Read a message.

        Args:
            block: whether to wait for a message.
            timeout: how long to wait, in seconds; None waits without limit.
            get_partition_info: whether to return the partition, too; None means the setting of
                provide_partition_info().

        Returns:
            An OffsetAndMessage, or a pair of partition and OffsetAndMessage; None if there is none.

        Raises:
            KafkaError: the same errors as in get_messages().
        """
        with_partition = self.partition_info if get_partition_info is None else get_partition_info
        collect = partial(self._collect, 1, block, timeout)
        found = self._collected(self.queue, collect, with_partition)
        return found[0] if found else None

    def __iter__(self) -> Iterator[Any]:
        while True:
            timeout = ITER_TIMEOUT_SECONDS if self.iter_timeout is None else self.iter_timeout
            message = self.get_message(True, timeout)
            if message is not None:
                yield message
            elif self.iter_timeout is not None:
                return

    def _read_on(self) -> None:
        self.fetch_offsets = self.offsets.copy()
        self.queue: deque[tuple[int, OffsetAndMessage]] = deque()

    def _ask(self, partitions: list[int], when: int) -> dict[int, int]:
        answers = self.client.send_offset_request(
            [OffsetRequest(self.topic, partition, when, 1) for partition in partitions]
        )
        return {answer.partition: answer.offsets[0] for answer in answers}

    def _collect(
        self, count: int, block: bool | int, timeout: float | None, found: list[Any]
    ) -> None:
        """Add messages with their partitions to a list, and wait as in get_messages()."""
        end = None if timeout is None else time.monotonic() + timeout
        while len(found) < count:
            waits = block if isinstance(block, bool) else len(found) < block
            left = None if end is None else max(0.0, end - time.monotonic())
            pair = self._next(waits, left)
            if pair is None:
                break
            found.append(pair)

    def _next(self, block: bool, timeout: float | None) -> tuple[int, OffsetAndMessage] | None:
        """Return a message with its partition, if there is one in time."""
        end = None if timeout is None else time.monotonic() + timeout
        while not self.queue:
            left = _LONGEST_WAIT if end is None else end - time.monotonic()
            with FetchContext(self, block, max(0.0, min(left, _LONGEST_WAIT))):
                self._fetch()
            if not block or (end is not None and time.monotonic() >= end):
                break
        if not self.queue:
            return None
        # With Ctrl-C, a call such as popleft() could end without returning its result.
        pair = self.queue[0]
        del self.queue[0]
        return pair

    def _fetch(self) -> None:
        """Put messages into the queue, if there are any."""
        sizes = dict.fromkeys(self.fetch_offsets, self.buffer_size)
        while sizes:
            answers = self.client.send_fetch_request(
                [
                    FetchRequest(self.topic, one, self.fetch_offsets[one], size)
                    for one, size in sizes.items()
                ],
                fail_on_error=False,
                max_wait_time=self.fetch_max_wait_time,
                min_bytes=self.fetch_min_bytes,
            )
            again = {}
            for answer in answers:
                if not self._is_usable(answer):
                    continue
                if answer.error:  # the offset has changed
                    again[answer.partition] = sizes[answer.partition]
                elif not self._take(answer):
                    again[answer.partition] = self._larger(sizes[answer.partition])
            sizes = again

    def _is_usable(self, answer: Any) -> bool:
        """Return whether an answer is usable; a new leader is asked later."""
        try:
            check_error(answer)
        except OffsetOutOfRangeError:
            if self.auto_offset_reset not in _RESETS:
                raise
            log.warning("offset out of range: %s-%d", answer.topic, answer.partition)
            return self.reset_partition_offset(answer.partition) is not None
        except UnknownTopicOrPartitionError:
            self.client.reset_topic_metadata(self.topic)
            raise
        except (NotLeaderForPartitionError, FailedPayloadsError) as failure:
            log.warning("no answer from a leader: %s", failure)
            self.client.reset_topic_metadata(self.topic)
            time.sleep(NO_MESSAGES_WAIT_TIME_SECONDS)
            return False
        return True

    def _take(self, answer: Any) -> bool:
        """Take the messages of an answer; return whether none was too large."""
        try:
            pairs = [(answer.partition, message) for message in answer.messages]
        except ConsumerFetchSizeTooSmall:
            return False
        # Both steps happen, even with Ctrl-C, which can only arrive at a call.
        self.queue += pairs
        self.fetch_offsets[answer.partition] = answer.messages.next_offset
        return True

    def _larger(self, size: int) -> int:
        """Return the size for a message that was too large.

        Raises:
            ConsumerFetchSizeTooSmall: the size may not be larger.
        """
        if self.max_buffer_size is None:
            return size * 2
        if size >= self.max_buffer_size:
            raise ConsumerFetchSizeTooSmall(
                f"a message is larger than max_buffer_size ({self.max_buffer_size} bytes)"
            )
        return min(size * 2, self.max_buffer_size)
