"""A consumer that reads in processes of its own."""

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

# How many messages a process sends at once, at most.
_CHUNK = 100

# Seconds without a message after which an iteration ends.
_ITERATION_TIMEOUT = 1.0

# Seconds that a process has to end before it is ended.
_PATIENCE = 10

_PROGRAM = (
    "import sys; sys.path[:] = {path!r}; "
    "from confluent_kafka.compat.kafka_0_9.consumer._worker import main; main({number})"
)


class Events(NamedTuple):
    """What the processes of kafka-python 0.9.5 wait for. Nothing here takes it."""

    start: Any
    pause: Any
    exit: Any


class MultiProcessConsumer(Consumer):
    """Reads partitions of a topic in several processes.

    Each process reads some of the partitions. All of them end with stop(), and when this process
    ends.

    Args:
        client: the cluster; the processes have clients of their own.
        group: the group's name; None stores nothing.
        topic: its name.
        partitions: those to read; None is all.
        auto_commit: whether offsets are stored now and then.
        auto_commit_every_n: after how many messages; None is never.
        auto_commit_every_t: after how many milliseconds; None is never.
        num_procs: how many processes.
        partitions_per_proc: how many partitions each of them reads, instead of num_procs.
        simple_consumer_options: keywords for the SimpleConsumers of the processes.

    Raises:
        KafkaError: as KafkaClient.load_metadata_for_topics().
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
        """Let messages come as pairs of partition and message."""
        self._partition_info = True

    def stop(self) -> None:
        """End the processes, and store the group's offsets a last time."""
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
            count: how many at most.
            block: whether to wait until there are so many; a number waits for that many.
            timeout: seconds to wait; None is without limit.

        Returns:
            A list of OffsetAndMessage, or of pairs of partition and OffsetAndMessage; perhaps
            empty.

        Raises:
            KafkaError: as SimpleConsumer.get_messages(); or a process has ended. Messages that were
                read before an error are returned; the next call raises it, if it is still there.
        """
        collect = partial(self._collect, count, block, timeout)
        return self._collected(self._ready, collect, self._partition_info)

    def __iter__(self) -> Iterator[Any]:
        """Iterate until there was no message for a second, since all processes read."""
        while self._workers:
            found = self.get_messages(1, True, _ITERATION_TIMEOUT)
            if not found and all(worker.has_answered for worker in self._workers):
                return
            yield from found

    def _collect(
        self, count: int, block: bool | int, timeout: float | None, found: list[Any]
    ) -> None:
        """Add messages with their partitions to a list, as get_messages() has to wait for them."""
        end = None if timeout is None else time.monotonic() + timeout
        least = count if block is True else int(block)
        while len(found) < count:
            if self._ready:
                # A call, such as popleft(), could end with Ctrl-C and without its result.
                found += (self._ready[0],)
                del self._ready[0]
                continue
            left = None if end is None else end - time.monotonic()
            is_over = len(found) >= least or (left is not None and left <= 0)
            self._receive(0 if is_over else left)
            if is_over and not self._ready:
                break

    def _receive(self, timeout: float | None) -> None:
        """Take what the processes have read; wait until one of them has something."""
        if not self._workers:
            raise KafkaError("no process reads: the consumer was stopped, or has no partitions")
        for worker in self._workers:
            worker.ask(_CHUNK)
        readable = wait([worker.pipe for worker in self._workers], timeout)
        for worker in self._workers:
            if worker.pipe in readable:
                self._ready.extend(worker.take())


class _Worker:
    """A process that reads.

    Attributes:
        has_answered: whether it has begun to read.

    Args:
        consumer: for whom.
        number: of the process.
        options: for its SimpleConsumer.
    """

    def __init__(self, consumer: Consumer, number: int, options: dict[str, Any]) -> None:
        self.pipe, theirs = Pipe()
        self._partitions = options["partitions"]
        self._is_asked = False
        self.has_answered = False
        client = consumer.client
        # Not a fork, as librdkafka's threads would not be there, and not multiprocessing's spawn,
        # which runs the program's own file again.
        program = _PROGRAM.format(path=sys.path, number=theirs.fileno())
        self._process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()]
        )
        theirs.close()
        self.pipe.send(
            (client._arguments(), consumer.group, consumer.topic, {**options, "auto_commit": False})
        )

    def ask(self, count: int) -> None:
        """Ask for messages, if that is not done yet."""
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
        """Close the pipe, with which the process ends."""
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
