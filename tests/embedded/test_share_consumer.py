"""ShareConsumer on MockCluster: records, acknowledgements, callbacks, threads and the end."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    AcknowledgeType,
    ConcurrentModificationException,
    IllegalStateException,
    KafkaError,
    KafkaException,
    Message,
    Messages,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.support.clients import COMMON_CALLS, SHARE_CALLS
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

Answer = tuple[dict[TopicPartition, set[int]], KafkaException | None]
MakeShareConsumer = Callable[..., ShareConsumer]

LATE = 6.0  # a round trip that is longer than any wait of a test


class Answers:
    """An acknowledgement callback that records its calls."""

    def __init__(self) -> None:
        self.calls: list[Answer] = []

    def __call__(
        self, offsets: dict[TopicPartition, set[int]], exception: KafkaException | None
    ) -> None:
        self.calls.append((offsets, exception))


@pytest.fixture
def cluster(kafka_cluster: MockCluster) -> MockCluster:
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.set_share_group_heartbeat_interval(0.1)
    return kafka_cluster


@pytest.fixture
def make(cluster: MockCluster, kafka_topic: str) -> Iterator[MakeShareConsumer]:
    """make("explicit", {...}): a ShareConsumer that has subscribed to `kafka_topic`."""
    with contextlib.ExitStack() as consumers:

        def new(mode: str = "explicit", config: dict[str, Any] | None = None) -> ShareConsumer:
            common: dict[str, Any] = {
                "bootstrap.servers": cluster.bootstrap_servers,
                "group.id": "group",
                "share.acknowledgement.mode": mode,
                "fetch.wait.max.ms": 20,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 50,
                "log_level": 3,
            }
            consumer = ShareConsumer(common | (config or {}))
            consumers.callback(consumer.close)
            consumer.subscribe([kafka_topic])
            return consumer

        yield new


@pytest.fixture
def ten(kafka_topic: str, producer: Producer) -> str:
    """The topic with the values b"0" to b"9"."""
    send(producer, kafka_topic, numbers(0, 10))
    return kafka_topic


def fetch(consumer: ShareConsumer) -> list[Message]:
    """The next records."""
    batch = consumer.poll(TIMEOUT)
    assert [message.error() for message in batch] == [None] * len(batch)
    assert batch
    return batch.records()


def accept_ten(consumer: ShareConsumer) -> list[Message]:
    """Fetch the ten records and accept them, without sending the acknowledgements."""
    records = fetch(consumer)
    assert [record.value() for record in records] == numbers(0, 10)
    for record in records:
        consumer.acknowledge(record)
    return records


class TestPoll:
    def test_records(self, kafka_topic: str, producer: Producer, make: MakeShareConsumer) -> None:
        """Records are Messages, as from a Consumer, with the number of their deliveries."""
        producer.produce(kafka_topic, b"v", b"k", 0, headers={"h": b"x", "none": None}, timestamp=7)
        producer.produce(kafka_topic, None, None, 0)
        assert producer.flush(TIMEOUT) == 0
        first, second = fetch(make("implicit"))
        assert (first.topic(), first.partition(), first.offset()) == (kafka_topic, 0, 0)
        assert (first.key(), first.value()) == (b"k", b"v")
        assert first.headers() == [("h", b"x"), ("none", None)]
        assert first.timestamp() == (1, 7)
        assert first.delivery_count() == 1
        assert (second.key(), second.value(), second.headers()) == (None, None, None)

    def test_nothing(self, make: MakeShareConsumer) -> None:
        """Without records, poll() returns an empty batch after the whole timeout."""
        consumer = make()
        watch = Stopwatch()
        batch = consumer.poll(0.3)
        assert isinstance(batch, Messages)
        assert batch.is_empty()
        assert watch.elapsed >= 0.3

    def test_without_memory_for_the_batch(
        self, ten: str, make: MakeShareConsumer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """If memory for the batch is missing, the next poll() returns the records.

        They are neither lost nor accepted.
        """

        def fail(messages: object) -> None:
            raise MemoryError

        consumer, answers = make("implicit"), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        with monkeypatch.context() as patch:
            patch.setattr("confluent_kafka._values.share.Messages", fail)
            with pytest.raises(MemoryError):
                consumer.poll(TIMEOUT)
        for commit in (consumer.commit_sync, consumer.commit_async):
            with pytest.raises(IllegalStateException, match=r"call poll\(\) again"):
                commit()
        assert [record.value() for record in fetch(consumer)] == numbers(0, 10)
        assert answers.calls == []
        assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}

    def test_callbacks(self, make: MakeShareConsumer) -> None:
        """stats_cb runs in poll(), on the same thread, and poll() raises its exception."""
        seen: list[int] = []

        def note(_: str) -> None:
            seen.append(threading.get_ident())
            if len(seen) == 1:
                raise ZeroDivisionError

        consumer = make("implicit", {"statistics.interval.ms": 20, "stats_cb": note})
        with pytest.raises(ZeroDivisionError):
            consumer.poll(TIMEOUT)
        assert set(seen) == {threading.get_ident()}

    def test_brokers_that_go_away(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """The callback gets the failed acknowledgements, and poll() continues to wait for
        brokers."""
        consumer = make()
        accept_ten(consumer)
        cluster.set_broker_down()
        (exception,) = consumer.commit_sync(TIMEOUT).values()
        assert isinstance(exception, KafkaException)
        assert consumer.poll(0.1).is_empty()
        cluster.set_broker_up()


class TestAcknowledge:
    def test_accept_release_reject(self, ten: str, make: MakeShareConsumer) -> None:
        """Only released records come again, with a delivery count of 2."""
        consumer = make()
        for record in accept_ten(consumer)[:2]:
            kind = AcknowledgeType.REJECT if record.offset() else AcknowledgeType.RELEASE
            consumer.acknowledge(record, kind)
        assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}
        (again,) = fetch(consumer)
        assert (again.offset(), again.delivery_count()) == (0, 2)
        consumer.acknowledge_offset(ten, 0, 0)
        assert consumer.poll(0.2).is_empty()

    @pytest.mark.parametrize(
        "message",
        [Message("no such topic", 0, 0), Message("topic", 0, 99), Message("topic", 99, 0)],
    )
    def test_record_that_was_not_fetched(self, message: Message, make: MakeShareConsumer) -> None:
        """acknowledge() raises an IllegalStateException that names the record."""
        with pytest.raises(IllegalStateException, match=rf"{message.topic()} \[\d+\] at offset"):
            make().acknowledge(message)

    def test_message_without_a_position(self, make: MakeShareConsumer) -> None:
        """acknowledge() raises a ValueError, because poll() cannot have returned this message."""
        for message in (Message(value=b"mine"), Message("t", 0), Message("t", offset=5)):
            with pytest.raises(ValueError, match="only consumed messages"):
                make().acknowledge(message)

    @pytest.mark.parametrize("kind", [0, 5, -1])
    def test_kind_that_does_not_exist(self, kind: int, ten: str, make: MakeShareConsumer) -> None:
        """A ValueError names the argument and the allowed values; the record stays
        unacknowledged."""
        consumer = make()
        records = fetch(consumer)
        with pytest.raises(ValueError, match=r"ack_type must be an int from 1 to [34]"):
            consumer.acknowledge(records[0], kind)
        with pytest.raises(IllegalStateException, match="10 records"):
            consumer.poll(0)

    def test_implicit_mode(self, ten: str, make: MakeShareConsumer) -> None:
        """poll() accepts the records of the previous poll(), and the callback gets the result."""
        consumer, answers = make("implicit"), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        assert len(fetch(consumer)) == 10
        assert answers.calls == []
        wait_until(lambda: answers.calls, lambda: consumer.poll(0.05))
        assert answers.calls == [({TopicPartition(ten, 0): set(range(10))}, None)]


class TestLimits:
    """The limits of a group's settings, in the embedded cluster."""

    def test_delivery_count(self, cluster: MockCluster, ten: str, make: MakeShareConsumer) -> None:
        """After as many releases as the limit allows, a record is not delivered again."""
        cluster.set_share_group_delivery_count_limit(2)
        consumer = make()
        for count in (1, 2):
            records = fetch(consumer)
            assert {each.delivery_count() for each in records} == {count}
            for each in records:
                consumer.acknowledge(each, AcknowledgeType.RELEASE)
            assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}
        assert consumer.poll(0.1).is_empty()


class TestCommit:
    def test_nothing_to_send(self, make: MakeShareConsumer) -> None:
        """commit_sync() returns an empty result at once, whatever the timeout."""
        consumer = make()
        consumer.commit_async()
        assert consumer.commit_sync() == consumer.commit_sync(-1) == {}

    def test_implicit_mode(self, ten: str, make: MakeShareConsumer) -> None:
        """commit_sync() accepts the last batch, so the next poll() has nothing to send."""
        consumer, answers = make("implicit"), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        assert len(fetch(consumer)) == 10
        assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}
        assert consumer.commit_sync(TIMEOUT) == {}
        assert consumer.poll(0.2).is_empty()
        assert len(answers.calls) == 1

    def test_refused_by_the_broker(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """The broker's error is in the result for the partition, and the callback gets it."""
        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        accept_ten(consumer)
        cluster.set_broker_down()
        result = consumer.commit_sync(TIMEOUT)
        assert result.keys() == {TopicPartition(ten, 0)}
        ((offsets, exception),) = answers.calls
        assert offsets == {TopicPartition(ten, 0): set(range(10))}
        assert isinstance(exception, KafkaException)
        assert str(exception) == str(result[TopicPartition(ten, 0)])
        cluster.set_broker_up()

    def test_no_answer_in_time(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """After the timeout, the result is REQUEST_TIMED_OUT. The next commit does not use the late
        answer."""
        consumer = make()
        records = accept_ten(consumer)
        cluster.set_round_trip_time(None, LATE)
        watch = Stopwatch()
        (exception,) = consumer.commit_sync(0.1).values()
        assert 0.1 <= watch.elapsed < SOON
        assert exception is not None
        assert exception.args[0] == KafkaError.REQUEST_TIMED_OUT
        assert consumer.commit_sync(TIMEOUT) == {}
        with pytest.raises(IllegalStateException, match="has been sent"):
            consumer.acknowledge(records[0])
        cluster.set_round_trip_time(None, 0)

    def test_answers_to_earlier_sendings(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """If two commits are about the same partition, the second one waits for its own answer."""
        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        records = fetch(consumer)
        for record in records[:5]:
            consumer.acknowledge(record)
        cluster.set_round_trip_time(None, 0.2)
        consumer.commit_async()
        for record in records[5:]:
            consumer.acknowledge(record)
        assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}
        told = [
            offset for offsets, _ in answers.calls for each in offsets.values() for offset in each
        ]
        assert sorted(told) == list(range(10))

    def test_wakeup(self, cluster: MockCluster, ten: str, make: MakeShareConsumer) -> None:
        """After wakeup(), commit_sync() raises _INTR at once, and the acknowledgements are still
        sent."""
        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        accept_ten(consumer)
        cluster.set_round_trip_time(None, LATE)
        timer = threading.Timer(0.1, consumer.wakeup)
        timer.start()
        with pytest.raises(KafkaException, match=r"interrupted by wakeup\(\)") as info:
            consumer.commit_sync(TIMEOUT)
        timer.join()
        assert info.value.args[0] == KafkaError._INTR
        cluster.set_round_trip_time(None, 0)
        wait_until(lambda: answers.calls, lambda: consumer.poll(0.05))
        assert answers.calls == [({TopicPartition(ten, 0): set(range(10))}, None)]

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no setitimer()")
    def test_signal(
        self,
        cluster: MockCluster,
        ten: str,
        make: MakeShareConsumer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """commit_sync() raises a signal handler's exception, and the consumer still works."""

        def stop(*_: object) -> None:
            raise ZeroDivisionError

        consumer = make()
        accept_ten(consumer)
        cluster.set_round_trip_time(None, LATE)
        before = signal.signal(signal.SIGALRM, stop)
        try:
            with pytest.raises(ZeroDivisionError):  # noqa: PT012
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                consumer.commit_sync(TIMEOUT)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        cluster.set_round_trip_time(None, 0)
        assert consumer.commit_sync(TIMEOUT) == {}


class TestCallback:
    def test_exception(self, ten: str, make: MakeShareConsumer) -> None:
        """The commit in which the callback ran raises the exception, and is complete
        nevertheless."""

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(fail)
        accept_ten(consumer)
        with pytest.raises(ZeroDivisionError):
            consumer.commit_sync(TIMEOUT)
        consumer.set_acknowledgement_commit_callback(answers)
        assert consumer.commit_sync(TIMEOUT) == {}
        assert consumer.poll(0.1).is_empty()
        assert answers.calls == []

    def test_calls_inside_it(self, ten: str, make: MakeShareConsumer) -> None:
        """Calls in the callback raise IllegalStateException, because they would wait for
        themselves; wakeup() is allowed."""
        refused: list[str] = []

        def call_everything(*_: object) -> None:
            consumer.wakeup()
            calls = SHARE_CALLS | {"close": lambda consumer: consumer.close()}
            for name, call in calls.items():
                try:
                    with contextlib.suppress(KafkaException):  # the call may time out
                        call(consumer)
                except IllegalStateException:
                    refused.append(name)

        consumer = make()
        consumer.set_acknowledgement_commit_callback(call_everything)
        accept_ten(consumer)
        with contextlib.suppress(KafkaException):  # wakeup() causes _INTR
            consumer.commit_sync(TIMEOUT)
        wait_until(lambda: refused, lambda: consumer.poll(0.05))
        assert set(refused) == SHARE_CALLS.keys() - COMMON_CALLS.keys() | {"close"}

    def test_none_with_answers_to_come(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """An answer without a callback is ignored; librdkafka itself would abort the process."""
        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        accept_ten(consumer)
        consumer.commit_async()
        consumer.set_acknowledgement_commit_callback(None)
        assert consumer.poll(0.3).is_empty()
        assert answers.calls == []

    def test_runs_in_close(self, ten: str, make: MakeShareConsumer) -> None:
        """The last acknowledgements are answered before close() returns."""
        consumer, answers = make(), Answers()
        consumer.set_acknowledgement_commit_callback(answers)
        accept_ten(consumer)
        consumer.close()
        assert answers.calls == [({TopicPartition(ten, 0): set(range(10))}, None)]

    def test_exception_in_close(self, ten: str, make: MakeShareConsumer) -> None:
        """close() raises the exception of the callback, and the consumer is closed."""

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        consumer = make()
        consumer.set_acknowledgement_commit_callback(fail)
        accept_ten(consumer)
        with pytest.raises(ZeroDivisionError):
            consumer.close()
        with pytest.raises(IllegalStateException, match="has been closed"):
            consumer.poll()


class Polling(threading.Thread):
    """A thread that is in poll(), which has not found a record yet."""

    def __init__(self, consumer: ShareConsumer) -> None:
        super().__init__(daemon=True)
        self._consumer = consumer
        self.result: Messages | None = None
        self.start()
        # Wait until the thread is in the call, so that calls of other threads are refused.
        wait_until(self._is_inside)

    def _is_inside(self) -> bool:
        try:
            self._consumer.subscription()
        except ConcurrentModificationException:
            return True
        return False

    def run(self) -> None:
        while self.result is None:
            with contextlib.suppress(ConcurrentModificationException):
                self.result = self._consumer.poll(TIMEOUT)


class TestThreads:
    def test_second_thread(self, ten: str, make: MakeShareConsumer) -> None:
        """A second thread's calls raise ConcurrentModificationException.

        Requests about the cluster and wakeup() are allowed.
        """
        consumer = make()
        accept_ten(consumer)  # the member has joined: see docs/guides/share-groups.md on close()
        polling = Polling(consumer)
        refused = set()
        for name, call in SHARE_CALLS.items():
            if name == "wakeup":
                continue
            try:
                with contextlib.suppress(KafkaException):
                    call(consumer)
            except ConcurrentModificationException:
                refused.add(name)
        assert refused == SHARE_CALLS.keys() - COMMON_CALLS.keys()
        consumer.wakeup()
        polling.join(TIMEOUT)
        assert polling.result is not None
        assert polling.result.is_empty()

    @pytest.mark.parametrize("call", ["poll", "commit_async"])
    def test_neither_thread_starves(self, ten: str, make: MakeShareConsumer, call: str) -> None:
        """While one thread repeats a call, the other thread's calls succeed, too."""
        consumer = make()
        accept_ten(consumer)
        calls = {"poll": lambda: consumer.poll(0.001), "commit_async": consumer.commit_async}
        repeated = calls.pop("commit_async" if call == "poll" else "poll")
        done = threading.Event()

        def repeat() -> None:
            while not done.is_set():
                with contextlib.suppress(ConcurrentModificationException):
                    repeated()

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        succeeded = 0
        watch = Stopwatch()
        while succeeded < 50 and watch.elapsed < TIMEOUT:
            with contextlib.suppress(ConcurrentModificationException):
                calls[call]()
                succeeded += 1
        done.set()
        thread.join(TIMEOUT)
        assert succeeded == 50

    def test_close(self, ten: str, make: MakeShareConsumer) -> None:
        """close() ends the other thread's poll(), which returns its records."""
        consumer = make()
        accept_ten(consumer)  # the member has joined: see docs/guides/share-groups.md on close()
        polling = Polling(consumer)
        watch = Stopwatch()
        consumer.close()
        polling.join(TIMEOUT)
        assert watch.elapsed < SOON
        assert polling.result is not None
        assert polling.result.is_empty()


class TestEnd:
    def test_close_releases(self, ten: str, make: MakeShareConsumer) -> None:
        """Records that were not acknowledged are available to another member at once."""
        first = make()
        for record in fetch(first)[:4]:
            first.acknowledge(record)
        first.close()
        rest = fetch(make())
        assert [record.offset() for record in rest] == list(range(4, 10))

    def test_dropped_with_records_in_flight(
        self, ten: str, cluster: MockCluster, make: MakeShareConsumer
    ) -> None:
        """If a consumer is dropped, Python warns, and the consumer ends without close()."""
        consumer = ShareConsumer(
            {
                "bootstrap.servers": cluster.bootstrap_servers,
                "group.id": "dropped",
                "share.acknowledgement.mode": "explicit",
                "log_level": 3,
            }
        )
        consumer.subscribe([ten])
        records = fetch(consumer)
        consumer.acknowledge(records[0])
        kept = [consumer]
        del consumer
        with pytest.warns(ResourceWarning, match="ShareConsumer was not closed"):
            kept.clear()

    def test_close_without_brokers(
        self, cluster: MockCluster, ten: str, make: MakeShareConsumer
    ) -> None:
        """close() does not wait for stopped brokers."""
        consumer = make()
        accept_ten(consumer)
        cluster.set_broker_down()
        watch = Stopwatch()
        consumer.close()
        assert watch.elapsed < SOON


@needs("late-target")
def test_close_soon_after_subscribe(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """close() ends at any point of joining; partitions that are assigned too late are not accepted.

    An assignment names topics by their ids. If the consumer closes while it requests the names, the
    answer comes after it has given up its partitions.
    """
    kafka_cluster.set_round_trip_time(None, 0.02)  # slow enough to close at that moment
    for milliseconds in range(0, 300, 10):
        consumer = ShareConsumer(
            {
                "bootstrap.servers": kafka_cluster.bootstrap_servers,
                "group.id": f"group-{milliseconds}",
                "log_level": 3,
            }
        )
        consumer.subscribe([kafka_topic])
        consumer.poll(milliseconds / 1000)
        closing = threading.Thread(target=consumer.close, daemon=True)
        closing.start()
        closing.join(TIMEOUT)
        assert not closing.is_alive(), f"closed {milliseconds} ms after subscribe()"


@needs("mock-share-sessions")
def test_a_connection_of_another_client_closes(
    cluster: MockCluster, ten: str, make: MakeShareConsumer
) -> None:
    """Another client's connection does not affect a member: its records stay locked, and its
    acknowledgements succeed."""
    consumer = make()
    accept_ten(consumer)
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as other:
        send(other, ten, [b"more"])
    assert consumer.commit_sync(TIMEOUT) == {TopicPartition(ten, 0): None}
