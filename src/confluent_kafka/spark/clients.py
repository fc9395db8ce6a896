"""Clients that outlive a task: one pool per Python worker process.

Spark gives a worker process one task after the other. A client that is connected already saves
each of them the connections and the metadata, which cost more than a small batch takes to read.
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
# Seconds. Longer than the pause between the batches of most streams, so that these find their
# client; after it, the brokers are not held to connections of a worker that does other work.
_IDLE_SECONDS = 300.0

_CONSUMER_DEFAULTS: dict[str, str] = {
    # As Spark's own source, and Java's clients, have it; librdkafka's is read_committed.
    "isolation.level": "read_uncommitted",
    "allow.auto.create.topics": "false",
    # librdkafka waits a second before it fetches again after its queue was full, which leaves
    # a scan without messages for most of that second.
    "fetch.queue.backoff.ms": "10",
    # How long a broker holds the empty answer that shows a range to be over where no message
    # is at its end. A consumer has a partition only while it reads, so it never waits for news.
    "fetch.wait.max.ms": "50",
}
_CONSUMER_FIXED: dict[str, str] = {
    # A jump to another offset would lose rows in silence; an error does not.
    "auto.offset.reset": "error",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    # Tells that a range is over where its last offsets hold no message: those were compacted
    # away or are markers of transactions.
    "enable.partition.eof": "true",
}
_PRODUCER_DEFAULTS: dict[str, str] = {
    "enable.idempotence": "true",
    # Java's own, so that a key goes to the partition where Spark's own sink would put it.
    "partitioner": "murmur2_random",
    # Some 7 MB for rows of 100 bytes, in each worker. librdkafka's 100,000 take more than caches
    # hold, and a row that has left the cache costs more to send and to acknowledge.
    "queue.buffering.max.messages": "20000",
}
_PRODUCER_FIXED: dict[str, str] = {
    # A task needs to know what failed; reports of success would only cost.
    "delivery.report.only.error": "true",
}


class _Client(Protocol):
    def close(self) -> object: ...


C = TypeVar("C", bound=_Client)
# The process and the configuration.
_Key: TypeAlias = tuple[int, frozenset[tuple[str, str]]]


@dataclass(frozen=True, eq=False)
class _Idle(Generic[C]):
    """A client that nobody uses, since when by the monotonic clock."""

    key: _Key
    client: C
    since: float


class Pool(Generic[C]):
    """Clients that nobody uses now, by process and configuration.

    Args:
        create: makes a client from a configuration.
        at_most: how many idle clients are kept; of more, those unused longest are closed.
        idle_seconds: how long a client is kept that nobody uses.
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
        # Those unused longest come first.
        self._idle: list[_Idle[C]] = []
        self._timer: threading.Timer | None = None

    @contextmanager
    def borrow(self, config: Mapping[str, str]) -> Iterator[C]:
        """Lend a client for the time of a ``with`` block; one at a time has it.

        A client whose block raised is closed, since its state is unknown.
        """
        # A forked process finds its parent's clients here and must leave them alone: their
        # threads did not come along. With the process in the key it never takes one.
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
        """In a forked process: make the pool usable, whatever the parent's threads did with it."""
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
        """Close the surplus of this process's clients, or those of it unused since a time."""
        with self._lock:
            mine = [entry for entry in self._idle if entry.key[0] == os.getpid()]
            surplus = mine[: max(0, len(mine) - at_most)]
            surplus = [entry for entry in surplus if entry.since <= unused_since]
            for entry in surplus:
                self._idle.remove(entry)
        for entry in surplus:
            entry.client.close()

    def _watch(self) -> None:
        """Have idle clients closed in time. A thread waits for that, while there are some."""
        # A timer of the parent is not alive in a forked process.
        if self._timer is not None and self._timer.is_alive():
            return
        mine = [entry.since for entry in self._idle if entry.key[0] == os.getpid()]
        if not mine:
            return
        wait = max(0.0, min(mine) + self._idle_seconds - time.monotonic())
        self._timer = threading.Timer(wait, self._expire)
        self._timer.name = "idle Kafka clients"
        # Nothing waits for it: the end of the process closes clients as well.
        self._timer.daemon = True
        self._timer.start()

    def _expire(self) -> None:
        self._shrink(0, unused_since=time.monotonic() - self._idle_seconds)
        with self._lock:
            self._timer = None
            self._watch()


class RangeConsumer(Consumer):
    """A consumer that remembers the errors of its brokers.

    librdkafka goes on for ever where brokers cannot be reached or refuse the credentials, and a
    call only reports a timeout. The errors that arrived meanwhile give the reason.
    """

    def __init__(self, config: Mapping[str, str]) -> None:
        self.servers: str = config["bootstrap.servers"]
        self.reached = False
        """Whether any broker has ever given an answer."""
        # Of each kind the last: some of them come ten times a second.
        self._errors: dict[int, KafkaError] = {}
        try:
            super().__init__(dict(config), error_cb=self._note)
        except KafkaException as failure:
            if failure.args[0].code() != KafkaError._INVALID_ARG:
                raise
            raise ValueError(f"options kafka.*: {failure.args[0].str()}") from None

    def recent_errors(self) -> list[KafkaError]:
        """Return the last error of each kind since it was asked the last time."""
        # Callbacks are served here. Nothing is assigned while questions are asked, or it is a
        # range that has failed already: no message is lost.
        self.poll(0)
        found = list(self._errors.values())
        self._errors.clear()
        return found

    def _note(self, error: KafkaError) -> None:
        self._errors[error.code()] = error


consumers: Pool[RangeConsumer] = Pool(RangeConsumer)
producers: Pool[Producer] = Pool(Producer)

if hasattr(os, "register_at_fork"):  # Windows has no fork.
    for _pool in (consumers, producers):
        os.register_at_fork(after_in_child=_pool.after_fork)


def consumer_config(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return the configuration of a consumer of exact ranges, over the user's ``kafka.*``."""
    return {**_CONSUMER_DEFAULTS, **kafka, **_CONSUMER_FIXED}


def producer_config(kafka: Mapping[str, str]) -> dict[str, str]:
    """Return the configuration of a producer that loses nothing, over the user's ``kafka.*``."""
    return {**_PRODUCER_DEFAULTS, **kafka, **_PRODUCER_FIXED}
