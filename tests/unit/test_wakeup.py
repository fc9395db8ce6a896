"""wakeup() ends the wait of a call, at once and from any thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, ShareConsumer
from confluent_kafka.admin import AdminClient
from tests.support.clients import config, partitions
from tests.support.patches import LACKS
from tests.support.waiting import SOON, TIMEOUT, Stopwatch


def waiting_producer() -> Producer:
    # The configuration has no brokers, because error events would also count as outstanding.
    producer = Producer(config({"bootstrap.servers": "", "queue.buffering.max.messages": 1}))
    producer.produce("topic", b"value")
    return producer


def make(kind: str) -> Any:
    if kind == "Consumer":
        # A commit without an answer fails after this time.
        return Consumer(config({"session.timeout.ms": 3000}))
    if kind == "ShareConsumer":
        sharing = ShareConsumer(config(client=ShareConsumer))
        sharing.subscribe(["topic"])
        return sharing
    if kind == "AdminClient":
        return AdminClient(config())
    return waiting_producer()


WOKEN: list[tuple[str, Callable[[Any], object], object]] = [
    ("Producer", lambda client: client.poll(), 0),
    ("Producer", lambda client: client.flush(), 1),
    ("Producer", lambda client: client.produce("topic", b"value", block=-1), BufferError),
    ("Producer", lambda client: client.produce_batch("topic", [{}] * 3, block=-1), 0),
    ("Producer", lambda client: client.list_topics(), KafkaError._INTR),
    ("Producer", lambda client: client.cluster_id(), KafkaError._INTR),
    ("AdminClient", lambda client: client.poll(), 0),
    ("AdminClient", lambda client: client.list_groups(), KafkaError._INTR),
    ("Consumer", lambda client: client.poll(), None),
    ("Consumer", lambda client: client.consume(10), []),
    ("Consumer", lambda client: len(client.consume_arrow(10)), 0),
    ("Consumer", list, []),
    ("Consumer", lambda client: client.list_topics(), KafkaError._INTR),
    ("Consumer", lambda client: client.cluster_id(), KafkaError._INTR),
    ("Consumer", lambda client: client.committed(partitions()), KafkaError._INTR),
    ("Consumer", lambda client: client.offsets_for_times(partitions()), KafkaError._INTR),
    ("Consumer", lambda client: client.get_watermark_offsets(partitions()[0]), KafkaError._INTR),
    (
        "Consumer",
        lambda client: client.commit(offsets=partitions(), asynchronous=False),
        KafkaError._INTR,
    ),
    ("ShareConsumer", lambda client: client.poll().records(), []),
    ("ShareConsumer", lambda client: client.list_topics(), KafkaError._INTR),
    ("ShareConsumer", lambda client: client.cluster_id(), KafkaError._INTR),
]
if "raw-request" not in LACKS:
    WOKEN += [
        (kind, call, KafkaError._INTR)
        for kind in ("Producer", "AdminClient", "Consumer", "ShareConsumer")
        for call in (lambda client: client.request(3, 1), lambda client: client.api_versions())
    ]


class Waiting(threading.Thread):
    """A call in a thread of its own.

    `ended` is its result, the type of its exception, or a Kafka code.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.call = call
        self.ended: object = "not yet"
        self.start()

    def run(self) -> None:
        try:
            self.ended = self.call()
        except KafkaException as error:
            self.ended = error.args[0].code()
        except BaseException as error:
            self.ended = type(error)


class TestWakeup:
    @pytest.mark.parametrize(("kind", "call", "ending"), WOKEN)
    def test_from_another_thread(
        self, kind: str, call: Callable[[Any], object], ending: object
    ) -> None:
        """The call ends at once.

        It ends as after its timeout, or raises _INTR if it needs a response.
        """
        client = make(kind)
        thread = Waiting(lambda: call(client))
        # So that wakeup() comes in the middle of a time slice; otherwise the result is the same.
        time.sleep(0.15)
        watch = Stopwatch()
        client.wakeup()
        thread.join(TIMEOUT)
        took = watch.elapsed
        assert thread.ended == ending
        assert took < SOON
        client.close(0) if kind == "Producer" else client.close()

    @pytest.mark.parametrize(("kind", "call", "ending"), WOKEN)
    def test_before_the_call(
        self, kind: str, call: Callable[[Any], object], ending: object
    ) -> None:
        """wakeup() ends the next call that would wait, so that it is never lost."""
        client = make(kind)
        client.wakeup()
        thread = Waiting(lambda: call(client))
        thread.join(TIMEOUT)
        assert thread.ended == ending
        client.close(0) if kind == "Producer" else client.close()

    @pytest.mark.parametrize("kind", ["Producer", "Consumer", "ShareConsumer"])
    def test_is_used_up(self, kind: str) -> None:
        """A wakeup ends only one call. The next call waits for its whole timeout."""
        client = make(kind)
        client.wakeup()
        client.wakeup()
        client.poll()
        if kind == "Producer":
            client.purge()
            client.flush()
        watch = Stopwatch()
        client.poll(0.3)
        assert watch.elapsed >= 0.3
        client.close()

    def test_call_that_does_not_wait(self) -> None:
        """A call that does not wait neither fails nor consumes the wakeup."""
        watch = Stopwatch()
        with Consumer(config()) as consumer:
            consumer.wakeup()
            assert consumer.poll(0) is None
            assert consumer.consume(10, 0) == []
            assert consumer.assignment() == []
            assert consumer.poll(TIMEOUT) is None
        producer = waiting_producer()
        producer.wakeup()
        producer.poll(0)
        assert producer.flush(0) == 1
        with pytest.raises(BufferError):
            producer.produce("topic", b"value")
        assert producer.flush(TIMEOUT) == 1
        assert watch.elapsed < SOON
        producer.close(0)

    def test_flush_keeps_what_is_queued(self) -> None:
        """If wakeup() ends flush(), the queued messages stay in the queue."""
        producer = waiting_producer()
        producer.wakeup()
        assert producer.flush() == 1
        assert len(producer) == 1
        producer.close(0)

    def test_close_does_not_listen(self) -> None:
        """close() after wakeup() still waits for queued messages, because they would be lost."""
        reports: list[object] = []
        producer = Producer(config({"message.timeout.ms": 300}))
        producer.produce("topic", b"value", callback=lambda error, _: reports.append(error))
        producer.wakeup()
        producer.close()
        assert reports == [KafkaError._MSG_TIMED_OUT]
