"""purge() and close(): messages are given up, and a Producer ends."""

from __future__ import annotations

import contextlib
import os
import signal
import threading

import pytest

from confluent_kafka import Consumer, KafkaError, Message, Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.callbacks import Recorder
from tests.support.kafka import NO_BROKER, Reports, fill, read, values_of, wait_for_statistics
from tests.support.patches import needs
from tests.support.threads import Thread
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

# ---- purge ----


def test_purge_of_queued_messages(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Messages that were not sent yet are reported with _PURGE_QUEUE, in the next poll()."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge()
    assert len(reports) == 0
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5
    assert sorted(value or b"" for value in reports.values) == [b"%d" % i for i in range(5)]


@pytest.fixture
def in_flight(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> Reports:
    """Yield the reports of a message that was sent and is not answered."""
    reports = Reports()
    producer.produce(kafka_topic, b"first")
    assert producer.flush(TIMEOUT) == 0
    kafka_cluster.start_request_tracking()
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    producer.produce(kafka_topic, b"in flight", on_delivery=reports)
    wait_until(lambda: [r for r in kafka_cluster.requests() if r.request == "Produce"])
    return reports


def test_purge_of_messages_in_flight(producer: Producer, in_flight: Reports) -> None:
    """Messages that were sent and not answered are reported with _PURGE_INFLIGHT."""
    producer.purge()
    assert producer.flush(TIMEOUT) == 0
    assert in_flight.errors == [KafkaError._PURGE_INFLIGHT]


def test_purge_can_spare_messages_in_flight(
    kafka_cluster: MockCluster, producer: Producer, in_flight: Reports
) -> None:
    """With in_flight=False, messages that were sent keep waiting for their answers."""
    producer.purge(in_flight=False)
    assert producer.poll(0) == 0
    kafka_cluster.set_round_trip_time(None, 0)
    assert producer.flush(TIMEOUT) == 0
    assert in_flight.errors == [None]


def test_purge_can_spare_the_queue(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With in_queue=False, queued messages are still sent."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge(in_queue=False, in_flight=True, blocking=True)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None] * 5


def test_purge_without_waiting(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With blocking=False, purge() returns before the brokers' threads release their messages."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge(blocking=False)
    wait_until(lambda: len(reports) == 5, lambda: producer.poll(0.01))
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5


# ---- close ----


def test_close_delivers_everything(
    kafka_topic: str, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """close() flushes: every message is delivered, and every callback has been called."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 1000, reports)
    assert producer.close() is True
    assert reports.errors == [None] * 1000
    assert len(producer) == 0
    assert len(read(consumer, kafka_topic, 1000)) == 1000


def test_close_with_a_timeout_gives_the_rest_up(make_producer: MakeProducer) -> None:
    """Messages that are not delivered before the timeout are reported as purged.

    Every callback is called.
    """
    producer = make_producer({"bootstrap.servers": NO_BROKER})
    reports = Reports()
    fill(producer, "topic", 5, reports)
    watch = Stopwatch()
    assert producer.close(0.2) is True
    assert 0.2 <= watch.elapsed < TIMEOUT
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5


def test_leaving_a_with_block_delivers_everything(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """The end of a with block closes the producer, with or without an exception in the block."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with pytest.raises(ZeroDivisionError), Producer(config) as producer:  # noqa: PT012
        producer.produce(kafka_topic, b"v")
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="closed"):
        producer.produce(kafka_topic, b"v")
    assert values_of(read(consumer, kafka_topic, 1)) == [b"v"]


def test_close_delivers_though_a_callback_raises(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """close() does all its work, and then raises the exception of a callback."""
    statistics = Recorder(raises=1)
    reports = Reports()
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "linger.ms": 60_000}
    with (  # noqa: PT012
        pytest.raises(ZeroDivisionError),
        Producer(config, stats_cb=statistics, **{"statistics.interval.ms": 1}) as producer,
    ):
        producer.produce(kafka_topic, b"v", on_delivery=reports)
        wait_until(lambda: producer.stats() is not None)  # the reports wait for a call
    assert reports.errors == [None]
    with pytest.raises(RuntimeError, match="has been closed"):
        producer.poll(0)
    assert values_of(read(consumer, kafka_topic, 1)) == [b"v"]


def chain_of(error: BaseException | None) -> list[tuple[object, ...]]:
    """The arguments of an exception and of its contexts."""
    chain: list[tuple[object, ...]] = []
    while error is not None:
        chain.append(error.args)
        error = error.__context__
    return chain


@pytest.mark.parametrize("end", ["flush", "close"])
def test_raises_once_for_many_callbacks(
    kafka_topic: str, make_producer: MakeProducer, end: str, recwarn: pytest.WarningsRecorder
) -> None:
    """Every callback is called, and their exceptions are raised once, as one."""
    producer = make_producer({"linger.ms": 60_000})
    called: list[int] = []

    def fail(number: int) -> None:
        called.append(number)
        raise ZeroDivisionError(number)

    for number in range(100):
        producer.produce(kafka_topic, b"v", partition=0, on_delivery=lambda *_, n=number: fail(n))
    with pytest.raises(ZeroDivisionError) as caught:
        getattr(producer, end)()
    assert called == list(range(100))
    assert chain_of(caught.value) == [(n,) for n in reversed(range(84, 100))]
    assert caught.value.__notes__ == [
        "84 earlier exceptions of this client's callbacks were dropped: call poll() more often"
    ]
    if end == "flush":
        assert producer.flush(TIMEOUT) == 0
        producer.poll(0)
    producer.close()
    assert recwarn.list == []


def test_contexts_are_no_circle(kafka_topic: str, make_producer: MakeProducer) -> None:
    """If callbacks raise the same exception, the contexts form no cycle.

    The exception that was being handled around flush() is the last context.
    """
    producer = make_producer()
    same, other = ZeroDivisionError("same"), ZeroDivisionError("other")

    def fail(error: BaseException) -> None:
        raise error

    for error in (same, other, same):
        producer.produce(kafka_topic, b"v", partition=0, on_delivery=lambda *_, e=error: fail(e))
    with pytest.raises(ZeroDivisionError) as caught:  # noqa: PT012
        try:
            raise KeyError("handled")
        except KeyError:
            producer.flush(TIMEOUT)
    assert chain_of(caught.value) == [("other",), ("same",), ("handled",)]


def test_ctrl_c_in_a_callback_ends_flush(kafka_topic: str, make_producer: MakeProducer) -> None:
    """After Ctrl-C in a callback, flush() raises KeyboardInterrupt at once.

    The other callbacks run later.
    """
    producer = make_producer()
    called: list[int] = []

    def report(number: int) -> None:
        called.append(number)
        if number == 0:
            raise ZeroDivisionError
        if number == 1:
            raise KeyboardInterrupt

    for number in range(3):
        producer.produce(kafka_topic, b"v", partition=0, on_delivery=lambda *_, n=number: report(n))
    with pytest.raises(KeyboardInterrupt) as caught:
        producer.flush(TIMEOUT)
    assert called == [0, 1]
    assert isinstance(caught.value.__context__, ZeroDivisionError)
    assert producer.flush(TIMEOUT) == 0
    assert called == [0, 1, 2]


def test_a_signal_handler_ends_flush_with_what_callbacks_raised(
    make_producer: MakeProducer,
) -> None:
    """flush() raises the signal handler's exception, with the exception of a callback as its
    context."""
    raised = threading.Event()
    calls: list[object] = []

    def fail(call: object) -> None:
        if calls:  # the signal may come before a callback of this call has raised
            raised.set()
        calls.append(call)
        raise ZeroDivisionError

    producer = make_producer(
        {"bootstrap.servers": NO_BROKER, "statistics.interval.ms": 1, "stats_cb": fail}
    )
    producer.produce("topic", b"v")

    def interrupt() -> None:
        assert raised.wait(TIMEOUT)
        os.kill(os.getpid(), signal.SIGINT)

    interrupting = Thread(interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        producer.flush(TIMEOUT)
    interrupting.result()
    assert isinstance(caught.value.__context__, ZeroDivisionError)
    producer.purge()
    with contextlib.suppress(ZeroDivisionError):
        producer.close()


@needs("latest-only")
@pytest.mark.parametrize("end", ["flush", "close"])
def test_events_that_come_faster_than_they_are_served(
    kafka_topic: str, make_producer: MakeProducer, end: str
) -> None:
    """flush() and close() end when the messages are reported, even if statistics come all the
    time."""
    reports = Reports()

    def next_has_come(*_: object) -> None:
        if reports.errors:  # statistics come before reports; the reports would wait for ever
            wait_for_statistics(producer)

    def report(error: KafkaError | None, message: Message) -> None:
        reports(error, message)
        next_has_come()

    producer = make_producer(
        {"statistics.interval.ms": 1, "stats_cb": next_has_come, "on_delivery": report}
    )
    producer.produce(kafka_topic, b"v")
    assert Thread(getattr(producer, end)).result() in (0, True)
    assert reports.errors == [None]


def test_an_old_wakeup_does_not_end_close(kafka_topic: str, make_producer: MakeProducer) -> None:
    """An earlier wakeup() that ended no wait does not make close() give up messages."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 100, reports)
    producer.wakeup()
    producer.close()
    assert reports.errors == [None] * 100


def test_close_while_another_thread_waits_for_room(make_producer: MakeProducer) -> None:
    """close() does not wait for a produce(block=-1) in another thread."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    waiting = threading.Event()
    errors: list[BaseException] = []

    def produce() -> None:
        waiting.set()
        try:
            producer.produce("topic", b"v", block=-1)
        except (BufferError, RuntimeError) as error:
            errors.append(error)

    thread = threading.Thread(target=produce)
    thread.start()
    assert waiting.wait(TIMEOUT)
    watch = Stopwatch()
    producer.close(0)
    assert watch.elapsed < SOON
    thread.join(TIMEOUT)
    assert len(errors) == 1
