"""Callbacks: in which thread and call they run, and what happens with their exceptions."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ThrottleEvent,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.embedded.throttle import throttling_proxy
from tests.support.callbacks import Recorder, assert_from_callback, divide_by_zero, raised_by
from tests.support.kafka import NO_BROKER, Reports, send
from tests.support.waiting import TIMEOUT, wait_until

# ---- the call that runs a callback raises its exception ----


@pytest.mark.parametrize("of_client", [True, False], ids=["client", "message"])
@pytest.mark.parametrize("method", ["poll", "flush", "close"])
def test_on_delivery_raises(
    kafka_topic: str, make_producer: MakeProducer, of_client: bool, method: str
) -> None:
    """poll(), flush() and close() raise the exceptions of both kinds of delivery callbacks."""
    callback = Recorder(raises=1)
    producer = make_producer({"on_delivery": callback} if of_client else None)
    for _ in range(3):
        producer.produce(kafka_topic, b"v", on_delivery=None if of_client else callback)
    timeout = 0.1 if method == "poll" else TIMEOUT
    assert_from_callback(raised_by(lambda: getattr(producer, method)(timeout)))
    assert producer.close() is True
    assert [error for error, _ in callback.calls] == [None] * 3


def test_no_report_of_a_batch_is_lost(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Every callback is called exactly once, in order, whichever calls raise."""
    producer = make_producer({"linger.ms": 50})
    seen: list[bytes | None] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        seen.append(message.value())
        if len(seen) % 3 == 0:
            divide_by_zero()

    for i in range(30):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=delivered)
    raised = 0
    while len(producer) > 0:
        try:
            producer.poll(TIMEOUT)
        except ZeroDivisionError as error:
            one: BaseException | None = error
            while one is not None:
                raised += 1
                one = one.__context__
    assert raised == 10
    assert seen == [b"%d" % i for i in range(30)]


def test_an_exception_does_not_count_as_served(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """len() and the result of poll() stay correct if callbacks raise."""
    producer = make_producer({"linger.ms": 50})
    callback = Recorder(raises=2)
    for _ in range(5):
        producer.produce(kafka_topic, b"v", on_delivery=callback)
    served = 0
    while len(producer) > 0:
        before = len(callback.calls)
        try:
            served += producer.poll(TIMEOUT)
        except ZeroDivisionError:
            served += len(callback.calls) - before
        assert len(producer) == 5 - len(callback.calls)
    assert served == 5


def test_block_raises_what_a_callback_raises(kafka_topic: str, make_producer: MakeProducer) -> None:
    """produce(block=) runs callbacks, so it raises their exceptions, too; the message is not
    enqueued."""
    producer = make_producer({"queue.buffering.max.messages": 1})
    callback = Recorder(raises=1)
    producer.produce(kafka_topic, b"first", on_delivery=callback)
    with pytest.raises(ZeroDivisionError):
        producer.produce(kafka_topic, b"second", on_delivery=callback, block=TIMEOUT)
    assert producer.flush(TIMEOUT) == 0
    assert [message.value() for _, message in callback.calls] == [b"first"]


@pytest.mark.parametrize("kind", ["producer", "consumer"])
@pytest.mark.parametrize("name", ["error_cb", "stats_cb"])
def test_client_callbacks_raise(
    make_producer: MakeProducer, make_consumer: MakeConsumer, kind: str, name: str
) -> None:
    """poll() raises the exceptions of error_cb and stats_cb, and the client stays usable."""
    make: Callable[..., Any] = make_producer if kind == "producer" else make_consumer
    callback = Recorder(raises=1)
    config: dict[str, Any] = {name: callback}
    config |= {"statistics.interval.ms": 20} if name == "stats_cb" else {}
    config |= {"bootstrap.servers": NO_BROKER} if name == "error_cb" else {}
    client = make(config)
    assert_from_callback(raised_by(lambda: client.poll(TIMEOUT)))
    wait_until(lambda: len(callback.calls) > 1, lambda: client.poll(0.01))


def test_on_commit_raises(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """poll() raises the exception; the commit itself has succeeded."""
    callback = Recorder(raises=1)
    consumer = make_consumer({"on_commit": callback})
    offsets = [TopicPartition(kafka_topic, 0, 5)]
    consumer.commit(offsets=offsets)
    assert_from_callback(raised_by(lambda: consumer.poll(TIMEOUT)))
    assert consumer.committed(offsets, TIMEOUT)[0].offset == 5


def test_a_logger_that_raises(make_producer: MakeProducer) -> None:
    """An exception of a logging.Handler is raised, too; later records are still logged."""
    records: list[logging.LogRecord] = []
    broken: list[bool] = []

    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if broken:
                broken.pop()
                divide_by_zero()
            records.append(record)

    producer = make_producer({"bootstrap.servers": NO_BROKER, "logger": Broken()})
    broken.append(True)  # set only now, because a record during the creation would raise there
    assert_from_callback(raised_by(lambda: producer.poll(0.01)))
    records.clear()
    wait_until(lambda: len(records) > 0, lambda: producer.poll(0.01))


def test_throttle_cb(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """throttle_cb gets a ThrottleEvent inside poll(), which raises what the callback raises."""
    kafka_cluster.set_api_versions("Produce", 0, 7)
    events = Recorder(raises=1)
    with throttling_proxy(kafka_cluster, milliseconds=250) as bootstrap_servers:
        producer = make_producer({"bootstrap.servers": bootstrap_servers, "throttle_cb": events})

        def produce() -> None:
            producer.produce(kafka_topic, b"v")
            producer.poll(0.1)

        def throttled() -> list[ThrottleEvent]:
            return [event for (event,) in events.calls if event.throttle_time > 0]

        assert_from_callback(raised_by(produce))
        # If an answer without throttling comes before poll(), poll() only reports that answer.
        wait_until(throttled, produce)
        producer.close(TIMEOUT)
    event, *_ = throttled()
    assert isinstance(event, ThrottleEvent)
    assert event.throttle_time == 0.25
    assert event.broker_id in (1, 2, 3)
    assert event.broker_name in bootstrap_servers.split(",")


# ---- exceptions of other kinds ----


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit, GeneratorExit, StopIteration])
def test_exceptions_of_every_kind(
    kafka_topic: str, make_producer: MakeProducer, exception: type[BaseException]
) -> None:
    """Exceptions that do not derive from Exception are raised unchanged, too."""
    producer = make_producer()

    def delivered(*_: object) -> None:
        raise exception("text")

    producer.produce(kafka_topic, b"v", on_delivery=delivered)
    with pytest.raises(exception, match="text"):
        producer.flush(TIMEOUT)
    assert producer.flush(TIMEOUT) == 0


def test_stop_iteration_of_a_callback_during_iteration(make_consumer: MakeConsumer) -> None:
    """A for loop also raises the exception of a callback, even if it is a StopIteration."""
    consumer = make_consumer({"statistics.interval.ms": 10, "stats_cb": Recorder(raises=1)})
    with pytest.raises(ZeroDivisionError):
        next(consumer)


def test_the_message_of_a_callback_that_raised_is_readable(
    kafka_topic: str, producer: Producer
) -> None:
    """A message stays readable as long as the traceback of a callback's exception keeps it."""
    producer.produce(kafka_topic, b"value", b"key", on_delivery=divide_by_zero)
    with pytest.raises(ZeroDivisionError) as caught:
        producer.flush(TIMEOUT)
    assert producer.flush(TIMEOUT) == 0
    frame = caught.tb.tb_next
    while frame is not None and "_" not in frame.tb_frame.f_locals:
        frame = frame.tb_next
    assert frame is not None
    _, message = frame.tb_frame.f_locals["_"]
    assert (message.value(), message.key()) == (b"value", b"key")


# ---- where callbacks run ----


def test_callbacks_run_on_the_polling_thread(
    kafka_topic: str, make_producer: MakeProducer, make_consumer: MakeConsumer
) -> None:
    """Callbacks never run on a thread of librdkafka, and never outside a call of the client."""
    delivered, statistics, errors, assigned = Recorder(), Recorder(), Recorder(), Recorder()
    producer = make_producer(
        {"statistics.interval.ms": 10, "stats_cb": statistics, "on_delivery": delivered}
    )
    lonely = make_producer({"bootstrap.servers": NO_BROKER, "error_cb": errors})
    consumer = make_consumer()
    consumer.subscribe([kafka_topic], on_assign=assigned)
    recorders = [delivered, statistics, errors, assigned]
    producer.produce(kafka_topic, b"v")

    def poll() -> None:
        for client in (producer, lonely, consumer):
            client.poll(0.01)

    def poll_until_called() -> None:
        wait_until(lambda: all(recorder.calls for recorder in recorders), poll)

    thread = threading.Thread(target=poll_until_called)
    thread.start()
    thread.join()
    assert [recorder.threads for recorder in recorders] == [{thread.ident}] * 4


def test_nothing_runs_without_a_call(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Reports wait for the next poll(), however old they are."""
    statistics = Recorder()
    reports = Reports()
    producer = make_producer({"statistics.interval.ms": 10, "stats_cb": statistics})
    other = make_producer()
    for _ in range(10):
        producer.produce(kafka_topic, b"v", on_delivery=reports)
    send(other, kafka_topic, [b"v"] * 10)
    assert statistics.calls == []
    assert len(reports) == 0
    assert producer.flush(TIMEOUT) == 0
    assert len(reports) == 10


def test_statistics_are_json(make_producer: MakeProducer) -> None:
    """stats_cb gets librdkafka's statistics as a str of JSON."""
    statistics = Recorder()
    producer = make_producer(
        {"statistics.interval.ms": 10, "stats_cb": statistics, "client.id": "me"}
    )
    wait_until(lambda: statistics.calls, lambda: producer.poll(0.01))
    ((text,), *_) = statistics.calls
    assert isinstance(text, str)
    assert json.loads(text)["client_id"] == "me"


def test_errors_are_kafka_errors(make_consumer: MakeConsumer) -> None:
    """error_cb gets a KafkaError with a code and a text."""
    errors = Recorder()
    consumer = make_consumer({"bootstrap.servers": NO_BROKER, "error_cb": errors})
    codes = {KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN}
    wait_until(
        lambda: {error.code() for (error,) in errors.calls} == codes, lambda: consumer.poll(0.01)
    )
    for (error,) in errors.calls:
        assert isinstance(error, KafkaError)
        assert error.str()
        assert error.fatal() is False


def test_a_fatal_error(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """error_cb gets the cause of _FATAL, with fatal() set; afterwards produce() raises _FATAL."""
    errors, reports = Recorder(), Reports()
    producer = make_producer({"enable.idempotence": True, "error_cb": errors})
    send(producer, kafka_topic, [b"v"])
    kafka_cluster.inject_errors("Produce", [KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER])
    producer.produce(kafka_topic, b"v", on_delivery=reports)
    wait_until(
        lambda: [error for (error,) in errors.calls if error.fatal()], lambda: producer.poll(0.01)
    )
    (fatal,) = (error for (error,) in errors.calls if error.fatal())
    assert fatal == KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER
    with pytest.raises(KafkaException) as caught:
        producer.produce(kafka_topic, b"v")
    assert caught.value.args[0] == KafkaError._FATAL
    producer.flush(TIMEOUT)
    assert len(reports) == 1
