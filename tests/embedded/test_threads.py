"""Threads share clients: calls at the same time, wakeup(), and close() during other threads'
calls."""

from __future__ import annotations

import functools
import random
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import NO_BROKER, send
from tests.support.scripts import check_script
from tests.support.threads import Thread, running
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

# Every few milliseconds, the client calls stats_cb on the thread that is in a call.
STATISTICS = {"statistics.interval.ms": 5}


class Inside:
    """A stats_cb that signals when a thread is in a call of the client."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def __call__(self, _statistics: str) -> None:
        self._event.set()

    def wait(self) -> None:
        assert self._event.wait(TIMEOUT)


def numbers(count: int) -> list[bytes]:
    return [b"%d" % i for i in range(count)]


# ---- close() while another thread is in a call ----

ENDED: list[tuple[str, Callable[[Consumer], object], object]] = [
    ("poll", lambda consumer: consumer.poll(), None),
    ("consume", lambda consumer: consumer.consume(5), []),
    ("consume_arrow", lambda consumer: len(consumer.consume_arrow(5)), 0),
    ("iteration", lambda consumer: list(consumer), []),
]


@pytest.mark.parametrize(
    ("call", "result"), [case[1:] for case in ENDED], ids=[c[0] for c in ENDED]
)
@pytest.mark.parametrize("end", ["close", "wakeup"])
def test_waiting_consumer(
    make_consumer: MakeConsumer,
    kafka_topic: str,
    call: Callable[[Consumer], object],
    result: object,
    end: str,
) -> None:
    """close() and wakeup() end a call without a time limit, as if its timeout were over."""
    inside = Inside()
    consumer = make_consumer(STATISTICS | {"stats_cb": inside})
    consumer.assign([TopicPartition(kafka_topic, 0)])
    thread = Thread(lambda: call(consumer))
    inside.wait()
    getattr(consumer, end)()
    assert thread.result() == result


@pytest.mark.parametrize("end", ["close", "wakeup"])
@pytest.mark.parametrize("method", ["poll", "flush"])
def test_waiting_producer(make_producer: MakeProducer, method: str, end: str) -> None:
    """close() and wakeup() also end a waiting producer; flush() returns how many messages are left.

    The number includes events that were not served yet.
    """
    inside = Inside()
    producer = make_producer(STATISTICS | {"stats_cb": inside, "bootstrap.servers": NO_BROKER})
    producer.produce("topic", b"value")
    thread = Thread(getattr(producer, method))
    inside.wait()
    producer.close(0) if end == "close" else producer.wakeup()
    # poll() counts callbacks. close() may purge the message before flush() counts.
    assert thread.result() >= (1 if (method, end) == ("flush", "wakeup") else 0)


REQUESTS: dict[str, Callable[[Consumer], object]] = {
    "list_topics": lambda consumer: consumer.list_topics(),
    "committed": lambda consumer: consumer.committed([TopicPartition("topic", 0)]),
    "get_watermark_offsets": lambda consumer: consumer.get_watermark_offsets(
        TopicPartition("topic", 0)
    ),
    "offsets_for_times": lambda consumer: consumer.offsets_for_times(
        [TopicPartition("topic", 0, 0)]
    ),
}


@pytest.mark.parametrize("request_name", REQUESTS)
@pytest.mark.parametrize("end", ["close", "wakeup"])
def test_waiting_request(make_consumer: MakeConsumer, request_name: str, end: str) -> None:
    """A request that no broker answers raises _INTR, or RuntimeError if the client is closed."""
    consumer = make_consumer({"bootstrap.servers": NO_BROKER})
    started = threading.Event()

    def ask() -> object:
        started.set()
        return REQUESTS[request_name](consumer)

    thread = Thread(ask)
    assert started.wait(TIMEOUT)
    getattr(consumer, end)()
    with pytest.raises((KafkaException, RuntimeError)) as caught:
        thread.result()
    if isinstance(caught.value, KafkaException):
        assert caught.value.args[0] == KafkaError._INTR
    else:
        assert end == "close"
        assert "closed" in str(caught.value)


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_close_from_many_threads(
    make_producer: MakeProducer, make_consumer: MakeConsumer, kafka_topic: str, kind: str
) -> None:
    """All close() calls return when the client is closed, and every message is delivered."""
    delivered: list[Message] = []
    client: Any
    if kind == "producer":
        client = make_producer({"linger.ms": 100})
        for value in numbers(100):
            client.produce(kafka_topic, value, on_delivery=lambda _, msg: delivered.append(msg))
    else:
        client = make_consumer()
        client.subscribe([kafka_topic])
        client.poll(0)
    barrier = threading.Barrier(8)

    def close() -> int:
        barrier.wait(TIMEOUT)
        client.close()
        with pytest.raises(RuntimeError, match="closed"):
            client.poll(0)
        return len(delivered)

    threads = [Thread(close) for _ in range(8)]
    assert {thread.result() for thread in threads} == {100 if kind == "producer" else 0}


def test_close_while_eight_threads_produce(
    make_producer: MakeProducer, kafka_topic: str, consumer: Consumer
) -> None:
    """Every accepted message is delivered and reported once; later messages are refused."""
    producer = make_producer({"queue.buffering.max.messages": 1000})
    reports: Counter[bytes] = Counter()
    enough = threading.Event()

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None
        reports[message.value() or b""] += 1
        if len(reports) > 3000:
            enough.set()

    def produce(name: int) -> list[bytes]:
        taken: list[bytes] = []
        while True:
            value = b"%d %d" % (name, len(taken))
            try:
                producer.produce(kafka_topic, value, on_delivery=delivered, block=TIMEOUT)
            except BufferError:  # close() ends the wait for room in the queue
                continue
            except RuntimeError:
                return taken
            taken.append(value)

    threads = [Thread(functools.partial(produce, name)) for name in range(8)]
    assert enough.wait(TIMEOUT)
    producer.close()
    taken = [value for thread in threads for value in thread.result()]
    assert len(taken) > 3000
    assert reports == Counter(taken)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    records = consumer.consume(len(taken), TIMEOUT)
    assert Counter(record.value() for record in records) == reports


# ---- calls at the same time ----


def test_threads_share_a_consumer(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """However threads read from one consumer, each message goes to exactly one of them."""
    values = numbers(20_000)
    send(producer, kafka_topic, values)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    seen: list[int | None] = []

    def poll() -> None:
        message = consumer.poll(0.01)
        if message is not None:
            seen.append(message.offset())

    def consume() -> None:
        seen.extend(message.offset() for message in consumer.consume(50, 0.01))

    with running(poll, poll, consume, consume):
        wait_until(lambda: len(seen) >= len(values))
    assert Counter(seen) == Counter(range(len(values)))


def test_other_methods_while_a_thread_polls(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """Requests, pauses and commits of other threads neither lose nor repeat a message."""
    count = 5000
    send(producer, kafka_topic, numbers(count))
    partition = [TopicPartition(kafka_topic, 0)]
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    offsets: list[int | None] = []

    def poll() -> None:
        message = consumer.poll(0.01)
        if message is not None:
            offsets.append(message.offset())

    def pause() -> None:
        # Each pause drops fetched messages. If the pauses followed each other at once, no message
        # would come.
        seen = len(offsets)
        wait_until(lambda: len(offsets) >= min(seen + 100, count))
        consumer.pause(partition)
        consumer.resume(partition)

    def ask() -> None:
        assert [p.topic for p in consumer.assignment()] == [kafka_topic]
        position = consumer.position(partition)[0].offset
        assert position < 0 or position <= count
        consumer.memberid()

    def commit() -> None:
        consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 1)], asynchronous=False)
        assert consumer.committed(partition, TIMEOUT)[0].offset == 1

    with running(poll, pause, ask, commit):
        wait_until(lambda: len(offsets) >= count)
    assert offsets == list(range(count))


# ---- wakeup() ----


@pytest.mark.parametrize("times", [1, 3])
def test_wakeup_before_the_wait(consumer: Consumer, times: int) -> None:
    """However often wakeup() was called, only the next wait ends early."""
    for _ in range(times):
        consumer.wakeup()
    watch = Stopwatch()
    assert consumer.poll(TIMEOUT) is None
    assert watch.elapsed < SOON
    watch = Stopwatch()
    assert consumer.poll(0.1) is None
    assert watch.elapsed >= 0.09


def test_wakeup_ends_the_next_request(kafka_cluster: MockCluster, consumer: Consumer) -> None:
    """After wakeup(), a list_topics() that must wait raises _INTR; the next call gets an answer."""
    consumer.list_topics(timeout=TIMEOUT)  # the client is connected
    kafka_cluster.set_round_trip_time(None, 6)
    consumer.wakeup()
    with pytest.raises(KafkaException) as caught:
        consumer.list_topics(timeout=TIMEOUT)
    assert caught.value.args[0] == KafkaError._INTR
    kafka_cluster.set_round_trip_time(None, 0)
    assert consumer.list_topics(timeout=TIMEOUT).brokers


def test_a_storm_of_wakeups(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """If threads that poll and flush get many wakeups, no message is lost, and each callback runs
    once."""
    count = 2000
    reports: Counter[int | None] = Counter()
    offsets: list[int | None] = []
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    chance = random.Random(1)

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None
        reports[message.offset()] += 1

    def read() -> None:
        # A short wait: no wakeup() comes after the last message.
        batch = consumer.consume(7, 0.2) if chance.random() < 0.5 else [consumer.poll(0.2)]
        offsets.extend(message.offset() for message in batch if message is not None)

    def wake() -> None:
        consumer.wakeup()
        producer.wakeup()

    with running(wake, wake, wake, read):
        for value in numbers(count):
            producer.produce(kafka_topic, value, on_delivery=delivered)
        wait_until(lambda: len(reports) == count, lambda: producer.flush(TIMEOUT))
        wait_until(lambda: len(offsets) >= count)
    assert offsets == list(range(count))
    assert set(reports.values()) == {1}


@pytest.mark.parametrize("call", ["poll()", "consume(10)"])
def test_a_signal_while_another_thread_goes_first(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, call: str
) -> None:
    """A signal handler runs even if the call waits for another thread's call, which does not end.

    Here, the other thread's callback waits for the signal. The waiting call has already taken
    messages, which later calls return.
    """
    send(producer, kafka_topic, numbers(5))
    script = f"""
    import os, signal, sys, threading
    from confluent_kafka import Consumer, TopicPartition

    main, interrupted, started = threading.main_thread(), threading.Event(), threading.Event()

    def pause():
        while not interrupted.is_set():
            consumer._pause_serve()  # what pause_while() does now and then

    thread = threading.Thread(target=pause)

    def statistics(_):
        if threading.current_thread() is not main:
            if not interrupted.is_set():
                os.kill(os.getpid(), signal.SIGINT)
                assert interrupted.wait({TIMEOUT}), "no signal was served"
        elif not started.is_set() and position():
            started.set()
            thread.start()

    def position():
        (found,) = consumer.position([TopicPartition("{kafka_topic}", 0)])
        return "{call}" == "poll()" or found.offset == 0

    consumer = Consumer({{
        "bootstrap.servers": sys.argv[1], "group.id": "group", "enable.auto.commit": False,
        "statistics.interval.ms": 1, "stats_cb": statistics,
    }})
    consumer.assign([TopicPartition("{kafka_topic}", 0, 0)])
    messages = []
    try:
        if "{call}" == "poll()":
            messages += consumer.consume(5)
        while True:
            consumer.{call}
    except KeyboardInterrupt:
        interrupted.set()
    thread.join()
    messages += consumer.consume(5 - len(messages), {TIMEOUT})
    assert [message.offset() for message in messages] == list(range(5)), messages
    consumer.close()
    """
    check_script(script, kafka_cluster.bootstrap_servers)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no setitimer()")
def test_a_signal_handler_that_also_goes_first(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If a handler calls position() while its thread waits in position(), both calls return."""
    send(producer, kafka_topic, numbers(1))
    script = f"""
    import signal, sys, threading
    from confluent_kafka import Consumer, TopicPartition

    began, handled = threading.Event(), threading.Event()
    answers = []

    def position():
        answers.extend(consumer.position([TopicPartition("{kafka_topic}", 0)]))

    def statistics(_):
        if threading.current_thread() is not threading.main_thread() and not handled.is_set():
            began.set()
            assert handled.wait({TIMEOUT}), "no signal was served"

    def handler(*_):
        handled.set()
        position()

    consumer = Consumer({{
        "bootstrap.servers": sys.argv[1], "group.id": "group", "enable.auto.commit": False,
        "statistics.interval.ms": 1, "stats_cb": statistics,
    }})
    def poll():
        while not handled.is_set():  # the message may come before the statistics
            consumer.poll(1)

    consumer.assign([TopicPartition("{kafka_topic}", 0, 0)])
    signal.signal(signal.SIGALRM, handler)
    thread = threading.Thread(target=poll)
    thread.start()
    assert began.wait({TIMEOUT})
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    position()
    thread.join()
    assert [answer.topic for answer in answers] == ["{kafka_topic}"] * 2, answers
    consumer.close()
    """
    check_script(script, kafka_cluster.bootstrap_servers)


@pytest.mark.parametrize("call", ["poll", "consume", "consume_arrow"])
@pytest.mark.parametrize("end", ["time", "wakeup"])
def test_the_end_of_a_wait_while_another_thread_goes_first(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer, call: str, end: str
) -> None:
    """A call that waits for another thread ends after its timeout or wakeup(), and loses no
    message."""
    send(producer, kafka_topic, numbers(5))
    held, ended = threading.Event(), threading.Event()
    waiter = threading.current_thread()

    def statistics(_: str) -> None:
        if threading.current_thread() is not waiter and not held.is_set():
            held.set()
            if end == "wakeup":
                consumer.wakeup()
            assert ended.wait(TIMEOUT), "the call waited for this thread"

    consumer = make_consumer({"stats_cb": statistics, "statistics.interval.ms": 1})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    first = consumer.consume(5, TIMEOUT)
    timeout = 0.3 if end == "time" else -1
    with running(consumer._pause_serve):  # pause_while() also does this at times
        while not held.is_set():
            if call == "poll":
                assert consumer.poll(timeout) is None
            elif call == "consume":
                assert consumer.consume(10, timeout) == []
            else:
                assert len(consumer.consume_arrow(10, timeout)) == 0
        ended.set()
    send(producer, kafka_topic, numbers(1))
    messages = list(first)
    # if wakeup() came between two calls, it ends the next call
    wait_until(lambda: len(messages) == 6, lambda: messages.extend(consumer.consume(1, SOON)))
    assert [message.offset() for message in messages] == list(range(6))


def test_a_transaction_that_waits_for_another_thread(make_producer: MakeProducer) -> None:
    """wakeup() ends a step of a transaction with an error, even if the step still waits for
    another thread."""
    serving, ended = threading.Event(), threading.Event()

    def statistics(_: str) -> None:
        serving.set()
        assert ended.wait(TIMEOUT), "the call waited for this thread"

    producer = make_producer({"transactional.id": "t", "stats_cb": statistics} | STATISTICS)
    thread = Thread(lambda: producer.poll(TIMEOUT))
    assert serving.wait(TIMEOUT)
    producer.wakeup()
    with pytest.raises(KafkaException) as raised:
        producer.init_transactions()
    ended.set()
    thread.result()
    assert raised.value.args[0].code() == KafkaError._INTR


# ---- data that several threads change at the same time ----


@pytest.mark.parametrize("others", [1, 4])
def test_threads_that_look_for_signals(make_consumer: MakeConsumer, others: int) -> None:
    """The client records which threads run signal handlers.

    A later close() is not refused as if a handler had called it.
    """
    for _ in range(10):
        consumer = make_consumer()
        polls = [functools.partial(consumer.poll, 0.001) for _ in range(others + 1)]
        threads = [Thread(lambda call=poll: [call() for _ in range(20)]) for poll in polls]
        polls[0]()
        for thread in threads:
            thread.result()
        consumer.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no setitimer()")
def test_many_threads_go_on_with_an_interrupted_close(make_consumer: MakeConsumer) -> None:
    """After an interrupted close(), one of several threads closes the client, and the other threads
    wait for it."""

    class Interrupt(Exception):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupt

    held, go_on = threading.Event(), threading.Event()

    def hold(_statistics: str) -> None:
        held.set()
        go_on.wait(TIMEOUT)

    def close_and_be_interrupted() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        consumer.close()  # waits for the other thread, which is in a call

    consumer = make_consumer(STATISTICS | {"stats_cb": hold})
    inside = Thread(consumer.poll)
    assert held.wait(TIMEOUT)
    former = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(Interrupt):
            close_and_be_interrupted()
    finally:
        signal.signal(signal.SIGALRM, former)
        closing = [Thread(consumer.close) for _ in range(8)]
        go_on.set()
    assert [thread.result() for thread in closing] == [None] * 8
    assert inside.result() is None


def test_threads_that_note_and_ask_why_no_broker_answers() -> None:
    """The thread that polls changes the cause of an outage while other threads raise it."""
    config = {
        "bootstrap.servers": NO_BROKER,
        "group.id": "group",
        "reconnect.backoff.ms": 1,
        "reconnect.backoff.max.ms": 2,
        "error_cb": lambda _: None,
    }

    def connect(consumer: Consumer) -> str:
        with pytest.raises(KafkaException) as caught:
            consumer.connect(0.05)
        return str(caught.value)

    with Consumer(config) as consumer:
        polling = functools.partial(consumer.poll, 0.01)
        with running(polling, lambda: consumer.last_error, functools.partial(connect, consumer)):
            wait_until(lambda: "refused" in connect(consumer))
            for _ in range(20):
                connect(consumer)
