"""Clients that outlive a task: one pool per Python worker process.

Spark runs one task after another in a worker process. If a client is already connected, a task
saves the time for connections and metadata, which is longer than the time to read a small batch.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer

_IDLE_AT_MOST = 4
# Seconds. This is longer than the pause between the batches of most streams, so they find their
# client again. Later the client is closed, because the worker may have other work by then.
_IDLE_SECONDS = 300.0

_CONSUMER_DEFAULTS: dict[str, str] = {
    # The default of Spark's own source and of Java's clients; librdkafka's default is
    # read_committed.
    "isolation.level": "read_uncommitted",
    "allow.auto.create.topics": "false",
    # By default librdkafka waits a second after its queue was full, and a scan gets no messages for
    # most of that second.
    "fetch.queue.backoff.ms": "10",
    # How long a broker waits before it sends an empty answer. Such an answer shows the end of a
    # range that has no message at its end. A consumer never waits for new messages, because it has
    # a partition only while it reads a range.
    "fetch.wait.max.ms": "50",
}
_CONSUMER_FIXED: dict[str, str] = {
    # A reset to another offset would lose rows without notice, so it is an error here.
    "auto.offset.reset": "error",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    # Shows the end of a range whose last offsets have no message, because they were compacted away
    # or are transaction markers.
    "enable.partition.eof": "true",
}
_PRODUCER_DEFAULTS: dict[str, str] = {
    "enable.idempotence": "true",
    # Java's partitioner: a key goes to the same partition as with Spark's own sink.
    "partitioner": "murmur2_random",
    # About 7 MB for rows of 100 bytes, in each worker. librdkafka's default of 100,000 rows does
    # not fit into the processor's cache, and a row outside the cache costs more to send and to
    # acknowledge.
    "queue.buffering.max.messages": "20000",
}
_PRODUCER_FIXED: dict[str, str] = {
    # A task needs to know only which messages failed.
    "delivery.report.only.error": "true",
}


class _Client(Protocol):
    def close(self) -> object: ...


C = TypeVar("C", bound=_Client)
# The process and the configuration.
_Key: TypeAlias = tuple[int, frozenset[tuple[str, str]]]


@dataclass(frozen=True, eq=False)
class _Idle(Generic[C]):
    """An idle client, and the time of the monotonic clock at which it became idle."""

    key: _Key
    client: C
    since: float


class Pool(Generic[C]):
    """The idle clients, by process and configuration.

    Args:
        create: makes a client from a configuration.
        at_most: how many idle clients are kept; if there are more, the ones that were idle longest
            are closed.
        idle_seconds: how many seconds an idle client is kept.
    """

    def __init__(
        self,
        create: Callable[[dict[str, str]], C],
        *,
        at_most: int = _IDLE_AT_MOST,
        idle_seconds: float = _IDLE_SECONDS,
    ) -> None:
        self._create = create
        self._at_most = at_most
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        # The clients that were idle longest come first.
        self._idle: list[_Idle[C]] = []
        self._timer: threading.Timer | None = None

    @contextmanager
    def borrow(self, config: Mapping[str, str]) -> Iterator[C]:
        """Lend a client to one user, for the time of a ``with`` block.

        If the block raises an exception, the client is closed, because its state is unknown.
        """
        # A forked process finds its parent's clients here. It must not use them, because their
        # threads exist only in the parent. The process id in the key prevents that.
        key = (os.getpid(), frozenset(config.items()))
        client = self._take(key)
        if client is None:
            client = self._create(dict(config))
        try:
            yield client
        except BaseException:
            client.close()
            raise
        self._give_back(key, client)

    def close(self) -> None:
        """Close all idle clients of this process."""
        self._shrink(0)

    def after_fork(self) -> None:
        """Make the pool usable in a forked process, whatever the parent's threads did with it."""
        self._lock = threading.Lock()

    def _take(self, key: _Key) -> C | None:
        with self._lock:
            for index, entry in enumerate(self._idle):
                if entry.key == key:
                    del self._idle[index]
                    return entry.client
        return None

    def _give_back(self, key: _Key, client: C) -> None:
        with self._lock:
            self._idle.append(_Idle(key, client, time.monotonic()))
        self._shrink(self._at_most)
        with self._lock:
            self._watch()

    def _shrink(self, at_most: int, unused_since: float = math.inf) -> None:
        """Close this process's clients beyond the limit, or clients that are idle for too long."""
        with self._lock:
            mine = [entry for entry in self._idle if entry.key[0] == os.getpid()]
            surplus = mine[: max(0, len(mine) - at_most)]
            surplus = [entry for entry in surplus if entry.since <= unused_since]
            for entry in surplus:
                self._idle.remove(entry)
        for entry in surplus:
            entry.client.close()

    def _watch(self) -> None:
        """Start a thread that closes idle clients when their time is over."""
        # In a forked process the parent's timer is not alive.
        if self._timer is not None and self._timer.is_alive():
            return
        mine = [entry.since for entry in self._idle if entry.key[0] == os.getpid()]
        if not mine:
            return
        wait = max(0.0, min(mine) + self._idle_seconds - time.monotonic())
        self._timer = threading.Timer(wait, self._expire)
        self._timer.name = "idle Kafka clients"
        # The process does not wait for this thread: its end closes the clients, too.
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        self._shrink(0, unused_since=time.monotonic() - self._idle_seconds)
        with self._lock:
            self._timer = None
            self._watch()


class RangeConsumer(Consumer):
    """A consumer that remembers the errors of its brokers.

    If brokers cannot be reached or refuse the credentials, librdkafka keeps trying, and a call only
    reports a timeout. The errors that arrived meanwhile give the reason.
    """

    def __init__(self, config: Mapping[str, str]) -> None:
        self.servers: str = config["bootstrap.servers"]
        self.reached = False
        """Return whether any broker has ever answered."""
        # The last error of each kind: some errors come ten times a second.
        self._errors: dict[int, KafkaError] = {}
        try:
            super().__init__(dict(config), error_cb=self._note)
        except KafkaException as failure:
            if failure.args[0].code() != KafkaError._INVALID_ARG:
                raise
            raise ValueError(f"options kafka.*: {failure.args[0].str()}") from None

    def recent_errors(self) -> list[KafkaError]:
        """Return the last error of each kind since the previous call."""
        # This call serves the callbacks. It loses no message: at this time nothing is assigned, or
        # only a range that has failed already.
        self.poll(0)
        found = list(self._errors.values())
        self._errors.clear()
        return found

    def _note(self, error: KafkaError) -> None:
        self._errors[error.code()] = error


consumers: Pool[RangeConsumer] = Pool(RangeConsumer)
producers: Pool[Producer] = Pool(Producer)

if hasattr(os, "register_at_fork"):  # Windows has no fork().
    for _pool in (consumers, producers):
        os.register_at_fork(after_in_child=_pool.after_fork)


def consumer_config(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return the configuration of a consumer of exact ranges: the user's, with our own values."""
    return {**_CONSUMER_DEFAULTS, **kafka, **_CONSUMER_FIXED}


def producer_config(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return the configuration of a lossless producer: the user's, with our own values."""
    return {**_PRODUCER_DEFAULTS, **kafka, **_PRODUCER_FIXED}
