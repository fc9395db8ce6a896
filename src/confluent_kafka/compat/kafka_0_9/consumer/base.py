"""The base class of SimpleConsumer and MultiProcessConsumer, which stores a group's offsets."""

from __future__ import annotations

import logging
import weakref
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Integral
from threading import Lock
from typing import Any

from ..client import KafkaClient
from ..common import (
    KafkaError,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    UnknownTopicOrPartitionError,
    check_error,
)
from ..util import ReentrantTimer, kafka_bytestring

__all__ = ["Consumer"]

log = logging.getLogger("kafka.consumer")

AUTO_COMMIT_MSG_COUNT = 100
AUTO_COMMIT_INTERVAL = 5000

FETCH_DEFAULT_BLOCK_TIMEOUT = 1
FETCH_MAX_WAIT_TIME = 100
FETCH_MIN_BYTES = 4096
FETCH_BUFFER_SIZE_BYTES = 4096
MAX_FETCH_BUFFER_SIZE_BYTES = FETCH_BUFFER_SIZE_BYTES * 8

ITER_TIMEOUT_SECONDS = 60
NO_MESSAGES_WAIT_TIME_SECONDS = 0.1
FULL_QUEUE_WAIT_TIME_SECONDS = 0.1
MAX_BACKOFF_SECONDS = 60

_END = -1


class Consumer:
    """Reads partitions of a topic, and stores the offsets of its group.

    Args:
        client: the KafkaClient.
        group: the name of the group; with None nothing is stored.
        topic: the name of the topic.
        partitions: the partitions to read; None means all.
        auto_commit: whether offsets are stored automatically.
        auto_commit_every_n: after how many messages offsets are stored; None means never.
        auto_commit_every_t: after how many milliseconds offsets are stored; None means never.

    Raises:
        AssertionError: a partition is not a number.
        KafkaError: the same errors as in KafkaClient.load_metadata_for_topics().
    """

    def __init__(
        self,
        client: KafkaClient,
        group: str | bytes | None,
        topic: str | bytes,
        partitions: Iterable[int] | None = None,
        auto_commit: bool = True,
        auto_commit_every_n: int | None = AUTO_COMMIT_MSG_COUNT,
        auto_commit_every_t: float | None = AUTO_COMMIT_INTERVAL,
    ) -> None:
        self.client = client
        self.topic = kafka_bytestring(topic)
        self.group = None if group is None else kafka_bytestring(group)
        self.client.load_metadata_for_topics(self.topic)
        if partitions is None:
            partitions = self.client.get_partition_ids_for_topic(self.topic)
        else:
            partitions = list(partitions)
            if not all(isinstance(one, Integral) for one in partitions):
                raise AssertionError(f"partitions must be numbers, not {partitions!r:.100}")
        self.offsets: dict[int, int] = dict.fromkeys(partitions, 0)
        self.commit_lock = Lock()
        # Reading changes the first number, and the holder of commit_lock changes the second one.
        self._read = self._stored = 0
        self.auto_commit = auto_commit
        self.auto_commit_every_n = auto_commit_every_n
        self.auto_commit_every_t = auto_commit_every_t
        if self.group is not None:
            self.fetch_last_known_offsets(list(self.offsets))
        self.commit_timer: ReentrantTimer | None = None
        if auto_commit and auto_commit_every_t is not None:
            # The timer does not keep the consumer alive: a dropped consumer stops the timer.
            self.commit_timer = ReentrantTimer(
                auto_commit_every_t, _commit_if_alive, weakref.ref(self)
            )
            self.commit_timer.start()

    @property
    def count_since_commit(self) -> int:
        """How many messages were read since offsets were stored last; a seek counts, too."""
        return self._read - self._stored

    def provide_partition_info(self) -> None:
        """Return messages together with their partitions from now on."""
        raise NotImplementedError

    def fetch_last_known_offsets(self, partitions: Iterable[int] | None = None) -> None:
        """Continue at the group's offsets; at 0 in partitions without an offset.

        Args:
            partitions: the partitions; None means all that are read.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_fetch_request().
        """
        assert self.group is not None, "a consumer without a group has no offsets"
        wanted = list(self.offsets if partitions is None else partitions)
        for answer in self.client.send_offset_fetch_request(
            self.group,
            [OffsetFetchRequest(self.topic, partition) for partition in wanted],
            fail_on_error=False,
        ):
            with suppress(UnknownTopicOrPartitionError):  # if there is no offset
                check_error(answer)
            self.offsets[answer.partition] = max(0, answer.offset)

    def commit(self, partitions: Iterable[int] | None = None) -> bool | None:
        """Store the group's offsets.

        Args:
            partitions: the partitions to store; None means all that are read.

        Returns:
            Whether the offsets are stored; None if there was nothing to store.
        """
        if self.count_since_commit == 0 or self.group is None:
            return None
        with self.commit_lock:
            read = self._read  # first, because the offsets follow all counted messages
            if read == self._stored:  # another thread was faster
                return None
            offsets = dict(self.offsets)
            wanted = offsets if partitions is None else partitions
            requests = [OffsetCommitRequest(self.topic, one, offsets[one], None) for one in wanted]
            try:
                self.client.send_offset_commit_request(self.group, requests)
            except KafkaError as failure:
                log.error("offsets of group %r are not stored: %s", self.group, failure)
                return False
            self._stored = read  # but not messages that were read meanwhile
        if self.commit_timer is not None and not self.commit_timer.is_current:
            self.commit_timer.start()
        return True

    def pending(self, partitions: Iterable[int] | None = None) -> int:
        """Return how many messages are not read yet.

        Args:
            partitions: the partitions to count; None means all that are read.

        Raises:
            KafkaError: the same errors as in KafkaClient.send_offset_request().
        """
        wanted = list(self.offsets if partitions is None else partitions)
        ends = self.client.send_offset_request(
            [OffsetRequest(self.topic, partition, _END, 1) for partition in wanted]
        )
        return int(sum(end.offsets[0] - self.offsets[end.partition] for end in ends))

    def stop(self) -> None:
        """Stop the automatic storing of offsets, and store them one last time."""
        if self.commit_timer is not None:
            self.commit_timer.stop()
        if self.auto_commit:
            self.commit()

    def _collected(
        self,
        waiting: deque[tuple[int, Any]],
        collect: Callable[[list[Any]], None],
        with_partitions: bool,
    ) -> list[Any]:
        """Return messages, and advance the offsets to the messages after them.

        Args:
            waiting: the buffered messages; they go back there if the call is interrupted.
            collect: adds messages with their partitions to a list. Messages that it added before an
                error are returned.
            with_partitions: whether to return pairs of partition and message.
        """
        found: list[Any] = []
        before: dict[int, int] = {}
        try:
            try:
                collect(found)
            except KafkaError as failure:
                if not found:
                    raise
                log.warning("%d messages were read before: %s", len(found), failure)
            result = found if with_partitions else [message for _, message in found]
            before = self.offsets.copy()
            self.offsets.update((partition, message.offset + 1) for partition, message in found)
            self._read += len(found)
            self._auto_commit()
        except BaseException:  # such as Ctrl-C, also during a commit: the next call returns them
            waiting.extendleft(reversed(found))
            if before:
                self.offsets.update(before)
                self._read += 1  # a change like a seek: the next commit stores these offsets
            raise
        return result

    def _auto_commit(self) -> None:
        if not self.auto_commit or self.auto_commit_every_n is None:
            return
        if self.count_since_commit >= self.auto_commit_every_n:
            self.commit()


def _commit_if_alive(known: Any) -> None:
    consumer = known()
    if consumer is not None:
        consumer.commit()
