"""A consumer that reads in child processes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from multiprocessing.connection import Pipe, wait
from typing import Any, NamedTuple

from ..client import KafkaClient
from ..common import KafkaError
from .base import AUTO_COMMIT_INTERVAL, AUTO_COMMIT_MSG_COUNT, Consumer

__all__ = ["Events", "MultiProcessConsumer"]

# The largest number of messages that a process sends at once.
_CHUNK = 100

# Seconds without a message after which an iteration ends.
_ITERATION_TIMEOUT = 1.0

# Seconds until a process that does not end is killed.
_PATIENCE = 10

_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; "
    "from confluent_kafka.compat.kafka_0_9.consumer._worker import main; main({number})"
)


class Events(NamedTuple):
    """The events of kafka-python 0.9.5's processes. Nothing here uses them."""

    start: Any
    pause: Any
    exit: Any


class MultiProcessConsumer(Consumer):
    """Reads partitions of a topic in several processes.

    Each process reads some of the partitions. All processes end with stop(), and when this process
    ends.

    Args:
        client: the KafkaClient; each process makes its own client.
        group: the name of the group; with None nothing is stored.
        topic: the name of the topic.
        partitions: the partitions to read; None means all.
        auto_commit: whether offsets are stored automatically.
        auto_commit_every_n: after how many messages offsets are stored; None means never.
        auto_commit_every_t: after how many milliseconds offsets are stored; None means never.
        num_procs: the number of processes.
        partitions_per_proc: how many partitions each of them reads, instead of num_procs.
        simple_consumer_options: keywords for the SimpleConsumers of the processes.

    Raises:
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
        num_procs: int = 1,
        partitions_per_proc: int = 0,
        **simple_consumer_options: Any,
    ) -> None:
        self._workers: list[_Worker] = []
        self._ready: deque[tuple[int, Any]] = deque()
        self._partition_info = False
        super().__init__(
            client,
            group,
            topic,
            partitions=partitions,
            auto_commit=auto_commit,
            auto_commit_every_n=auto_commit_every_n,
            auto_commit_every_t=auto_commit_every_t,
        )
        for number, share in enumerate(_shares(list(self.offsets), num_procs, partitions_per_proc)):
            options = {**simple_consumer_options, "partitions": share}
            self._workers.append(_Worker(self, number, options))

    def __repr__(self) -> str:
        return (
            f"<MultiProcessConsumer group={self.group!r}, topic={self.topic!r}, "
            f"processes={len(self._workers)}>"
        )

    def provide_partition_info(self) -> None:
        """Return pairs of partition and message from now on."""
        self._partition_info = True

    def stop(self) -> None:
        """End the processes, and store the group's offsets one last time."""
        workers, self._workers = self._workers, []
        for worker in workers:
            worker.let_end()
        for worker in workers:
            worker.wait_for_end()
        super().stop()

    def get_messages(
        self, count: int = 1, block: bool | int = True, timeout: float | None = 10
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
            KafkaError: the same errors as in SimpleConsumer.get_messages(), or a process has ended.
                Messages that were read before an error are returned; the next call raises the error
                if it persists.
        """
        collect = partial(self._collect, count, block, timeout)
        return self._collected(self._ready, collect, self._partition_info)

    def __iter__(self) -> Iterator[Any]:
        """Iterate until all processes read and no message came for a second."""
        while self._workers:
            found = self.get_messages(1, True, _ITERATION_TIMEOUT)
            if not found and all(worker.has_answered for worker in self._workers):
                return
            yield from found

    def _collect(
        self, count: int, block: bool | int, timeout: float | None, found: list[Any]
    ) -> None:
        """Add messages with their partitions to a list, and wait as in get_messages()."""
        end = None if timeout is None else time.monotonic() + timeout
        least = count if block is True else int(block)
        while len(found) < count:
            if self._ready:
                # With Ctrl-C, a call such as popleft() could end without returning its result.
                found += (self._ready[0],)
                del self._ready[0]
                continue
            left = None if end is None else end - time.monotonic()
            is_over = len(found) >= least or (left is not None and left <= 0)
            self._receive(0 if is_over else left)
            if is_over and not self._ready:
                break

    def _receive(self, timeout: float | None) -> None:
        """Take the messages of the processes; wait until a process has some."""
        if not self._workers:
            raise KafkaError("no process reads: the consumer was stopped, or has no partitions")
        for worker in self._workers:
            worker.ask(_CHUNK)
        readable = wait([worker.pipe for worker in self._workers], timeout)
        for worker in self._workers:
            if worker.pipe in readable:
                self._ready.extend(worker.take())


class _Worker:
    """A child process that reads.

    Attributes:
        has_answered: whether it has begun to read.

    Args:
        consumer: the consumer that starts the process.
        number: the number of the process.
        options: the keywords for its SimpleConsumer.
    """

    def __init__(self, consumer: Consumer, number: int, options: dict[str, Any]) -> None:
        self.pipe, theirs = Pipe()
        self._partitions = options["partitions"]
        self._is_asked = False
        self.has_answered = False
        client = consumer.client
        # Not a fork, because librdkafka's threads would be missing; and not multiprocessing's
        # spawn, which runs the program's own file again.
        program = _PROGRAM.format(path=sys.path, number=theirs.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        self.pipe.send(
            (client._arguments(), consumer.group, consumer.topic, {**options, "auto_commit": False})
        )

    def ask(self, count: int) -> None:
        """Ask for messages, unless that was done already."""
        if not self._is_asked:
            self._send(count)
            self._is_asked = True

    def take(self) -> list[tuple[int, Any]]:
        """Return the messages that were asked for.

        Raises:
            KafkaError: the process could not read, or has ended.
        """
        try:
            answer = self.pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        self._is_asked = False
        self.has_answered = True
        if isinstance(answer, Exception):
            raise answer
        messages: list[tuple[int, Any]] = answer
        return messages

    def let_end(self) -> None:
        """Close the pipe, which ends the process."""
        self.pipe.close()

    def wait_for_end(self) -> None:
        """Wait until the process has ended."""
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _send(self, count: int) -> None:
        try:
            self.pipe.send(count)
        except OSError:
            raise self._ended() from None

    def _ended(self) -> KafkaError:
        status = self._process.wait()
        return KafkaError(
            f"the process that reads partitions {self._partitions} has ended with status {status}"
        )


def _shares(partitions: list[int], processes: int, size: int) -> list[list[int]]:
    """Return the partitions that each process reads."""
    if size > 0:
        processes = -(-len(partitions) // size)
    shares = [partitions[first::processes] for first in range(processes)]
    return [share for share in shares if share]
