"""Faults of the cluster: nothing is lost, every callback runs once, idempotence writes once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import Reports, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

# Reconnecting and asking for leaders again takes moments, not seconds.
QUICK = {
    "reconnect.backoff.ms": 5,
    "reconnect.backoff.max.ms": 50,
    "retry.backoff.ms": 5,
    "retry.backoff.max.ms": 20,
    "topic.metadata.refresh.fast.interval.ms": 10,
}
BROKERS = (1, 2, 3)


def numbers(count: int) -> list[bytes]:
    return [b"%d" % i for i in range(count)]


@pytest.fixture(params=[False, True], ids=["plain", "idempotent"])
def idempotent(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def sender(make_producer: MakeProducer, idempotent: bool) -> Producer:
    return make_producer(QUICK | {"enable.idempotence": idempotent})


@pytest.fixture
def reader(make_consumer: MakeConsumer) -> Consumer:
    return make_consumer(QUICK | {"enable.partition.eof": True})


def contents(reader: Consumer, topic: str) -> list[bytes | None]:
    """All records of partition 0, up to its end."""
    reader.assign([TopicPartition(topic, 0, 0)])
    values: list[bytes | None] = []
    while True:
        message = reader.poll(TIMEOUT)
        assert message is not None
        if message.error() == KafkaError._PARTITION_EOF:
            return values
        assert message.error() is None
        values.append(message.value())


def assert_written(found: list[bytes | None], values: list[bytes], idempotent: bool) -> None:
    """Nothing is missing; an idempotent producer wrote each once, in order."""
    if idempotent:
        assert found == values
    else:
        assert set(found) == set(values)


def assert_reported(reports: Reports, values: list[bytes]) -> None:
    """Each message was reported once, as delivered."""
    assert set(reports.errors) == {None}
    assert Counter(reports.values) == Counter(values)


# ---- producers ----


def test_leaders_move_under_load(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    sender: Producer,
    reader: Consumer,
    idempotent: bool,
) -> None:
    """The leader changes again and again while messages are sent."""
    values = numbers(2000)
    reports = Reports()
    for i, value in enumerate(values):
        if i % 200 == 0:
            kafka_cluster.set_leader(kafka_topic, 0, BROKERS[i // 200 % 3])
            wait_until(lambda i=i: len(reports) > i - 100, lambda: sender.poll(0.01))  # type: ignore[misc]
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
    assert sender.flush(TIMEOUT) == 0
    assert_reported(reports, values)
    assert_written(contents(reader, kafka_topic), values, idempotent)


def test_brokers_restart_under_load(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    sender: Producer,
    reader: Consumer,
    idempotent: bool,
) -> None:
    """Each broker in turn goes down in the middle of it, and later comes back."""
    values = numbers(600)
    reports = Reports()
    for i, value in enumerate(values):
        broker_id = BROKERS[i // 200]
        if i % 200 == 50:
            kafka_cluster.set_leader(kafka_topic, 0, broker_id)
            kafka_cluster.set_broker_down(broker_id)
        if i % 200 == 150:
            sender.poll(0.05)
            kafka_cluster.set_broker_up(broker_id)
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
        sender.poll(0)
    assert sender.flush(TIMEOUT) == 0
    assert_reported(reports, values)
    assert_written(contents(reader, kafka_topic), values, idempotent)


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError._TRANSPORT,
    ],
    ids=lambda code: KafkaError(code).name(),
)
def test_errors_that_pass(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    sender: Producer,
    reader: Consumer,
    code: int,
    idempotent: bool,
) -> None:
    """Produce requests that a broker refuses for now are made again."""
    values = numbers(300)
    reports = Reports()
    kafka_cluster.inject_errors("Produce", [code, KafkaError.NO_ERROR, code, code])
    for i, value in enumerate(values):
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
        if i % 50 == 0:
            sender.poll(0.005)
    assert sender.flush(TIMEOUT) == 0
    assert_reported(reports, values)
    assert_written(contents(reader, kafka_topic), values, idempotent)


def test_answers_that_come_too_late(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    reader: Consumer,
    idempotent: bool,
) -> None:
    """A broker that wrote but did not say so in time is asked again; it must not write twice."""
    producer = make_producer(
        QUICK | {"enable.idempotence": idempotent, "socket.timeout.ms": 300, "retries": 50}
    )
    send(producer, kafka_topic, [b"first"])
    for broker_id in BROKERS:
        kafka_cluster.inject_errors(
            "Produce", [KafkaError.NO_ERROR], broker_id=broker_id, round_trip_time=2
        )
    values = numbers(20)
    send(producer, kafka_topic, values)
    found = contents(reader, kafka_topic)
    assert_written(found, [b"first", *values], idempotent)
    # The fault was there: without sequence numbers some records are in the log twice.
    assert idempotent == (len(found) == len(set(found)))


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.POLICY_VIOLATION,
    ],
    ids=lambda code: KafkaError(code).name(),
)
def test_errors_that_stay(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    reader: Consumer,
    code: int,
) -> None:
    """Such an error is reported for each message of the request, and the next ones arrive."""
    producer = make_producer({"linger.ms": 200})
    reports = Reports()
    kafka_cluster.inject_errors("Produce", [code])
    for value in (b"a", b"b", b"c"):
        producer.produce(kafka_topic, value, partition=0, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [code] * 3
    assert reports.values == [b"a", b"b", b"c"]
    send(producer, kafka_topic, [b"d"])
    assert contents(reader, kafka_topic) == [b"d"]


def test_time_runs_out(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, reader: Consumer
) -> None:
    """With no broker each message is reported once as timed out, and error_cb is told why."""
    errors: list[KafkaError] = []
    producer = make_producer(QUICK | {"message.timeout.ms": 300, "error_cb": errors.append})
    send(producer, kafka_topic, [b"before"])
    kafka_cluster.set_broker_down()
    reports = Reports()
    for value in numbers(50):
        producer.produce(kafka_topic, value, partition=0, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._MSG_TIMED_OUT] * 50
    assert Counter(reports.values) == Counter(numbers(50))
    wait_until(
        lambda: any(error == KafkaError._ALL_BROKERS_DOWN for error in errors),
        lambda: producer.poll(0.05),
    )
    kafka_cluster.set_broker_up()
    assert contents(reader, kafka_topic) == [b"before"]


def test_producer_ids_that_come_late(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, reader: Consumer
) -> None:
    """Messages wait while the cluster has no producer id to give."""
    kafka_cluster.inject_errors(
        "InitProducerId",
        [KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE],
    )
    producer = make_producer(QUICK | {"enable.idempotence": True})
    send(producer, kafka_topic, numbers(10))
    assert contents(reader, kafka_topic) == numbers(10)


def test_slow_brokers(
    kafka_cluster: MockCluster, kafka_topic: str, sender: Producer, reader: Consumer
) -> None:
    """Late answers are waited for; the time they took is each message's latency."""
    send(sender, kafka_topic, [b"first"])
    kafka_cluster.set_round_trip_time(None, 0.15)
    reports = Reports()
    for value in numbers(100):
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
    assert sender.flush(TIMEOUT) == 0
    assert_reported(reports, numbers(100))
    assert all((message.latency() or 0) >= 0.14 for message in reports.messages)
    assert contents(reader, kafka_topic) == [b"first", *numbers(100)]


# ---- consumers ----

# What clients of a group ask for on their way to the messages, and an error that passes.
READ_FAULTS = [
    ("Metadata", KafkaError._TRANSPORT),
    ("FindCoordinator", KafkaError.COORDINATOR_NOT_AVAILABLE),
    ("FindCoordinator", KafkaError._TRANSPORT),
    ("JoinGroup", KafkaError.COORDINATOR_LOAD_IN_PROGRESS),
    ("JoinGroup", KafkaError.NOT_COORDINATOR),
    ("JoinGroup", KafkaError._TRANSPORT),
    ("SyncGroup", KafkaError.REBALANCE_IN_PROGRESS),
    ("OffsetFetch", KafkaError.COORDINATOR_LOAD_IN_PROGRESS),
    ("ListOffsets", KafkaError.NOT_LEADER_FOR_PARTITION),
    ("ListOffsets", KafkaError._TRANSPORT),
    ("Fetch", KafkaError.NOT_LEADER_FOR_PARTITION),
    ("Fetch", KafkaError.UNKNOWN_LEADER_EPOCH),
    ("Fetch", KafkaError.KAFKA_STORAGE_ERROR),
    ("Fetch", KafkaError._TRANSPORT),
]


@pytest.mark.parametrize(
    ("request_name", "code"),
    READ_FAULTS,
    ids=[f"{name}-{KafkaError(code).name()}" for name, code in READ_FAULTS],
)
def test_reading_in_spite_of_errors(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    request_name: str,
    code: int,
) -> None:
    """Each message comes once and in order, whichever request failed on the way."""
    values = numbers(200)
    send(producer, kafka_topic, values)
    kafka_cluster.inject_errors(request_name, [code, code])
    reader = make_consumer(QUICK)
    reader.subscribe([kafka_topic])
    messages = consume_data(reader, len(values))
    assert values_of(messages) == values
    assert sum(kafka_cluster.pending_errors(request_name, b) for b in BROKERS) == 0


def consume_data(
    reader: Consumer, count: int, meanwhile: Callable[[int], object] = bool
) -> list[Message]:
    """`count` messages; `meanwhile` is told how many there are."""
    messages: list[Message] = []

    def step() -> None:
        message = reader.poll(0.1)
        if message is not None:
            assert message.error() is None
            messages.append(message)
            meanwhile(len(messages))

    wait_until(lambda: len(messages) >= count, step)
    return messages


def test_leaders_move_under_a_reader(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """The leader changes between messages; none is missed or comes twice."""
    values = numbers(400)
    send(producer, kafka_topic, values)

    def move(count: int) -> None:
        if count % 80 == 0:
            kafka_cluster.set_leader(kafka_topic, 0, BROKERS[count // 80 % 3])

    # Small fetches: most messages are read from the leaders that come later.
    reader = make_consumer(QUICK | {"queued.min.messages": 1, "fetch.message.max.bytes": 500})
    reader.assign([TopicPartition(kafka_topic, 0, 0)])
    assert values_of(consume_data(reader, len(values), move)) == values


def test_brokers_restart_under_a_reader(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """All brokers go down after a commit; once they are back, reading and commits go on."""
    values = numbers(100)
    send(producer, kafka_topic, values)
    reader = make_consumer(QUICK)
    reader.subscribe([kafka_topic])
    first = consume_data(reader, 60)
    reader.commit(first[-1], asynchronous=False)
    kafka_cluster.set_broker_down()
    rest = reader.consume(1000, 0.2)
    kafka_cluster.set_broker_up()
    send(producer, kafka_topic, [b"after"])
    data = [message for message in rest if message.error() is None]
    data += consume_data(reader, 41 - len(data))
    assert values_of(first + data) == [*values, b"after"]


def test_the_coordinator_moves(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """Commits and reading go on with the group's new coordinator; what was committed counts."""
    kafka_cluster.set_coordinator("group", "group", 1)
    send(producer, kafka_topic, numbers(30))
    reader = make_consumer(QUICK)
    reader.subscribe([kafka_topic])
    messages = consume_data(reader, 10)
    kafka_cluster.set_coordinator("group", "group", 2)

    committed: list[TopicPartition] = []

    def commit() -> None:
        try:
            committed[:] = reader.commit(messages[-1], asynchronous=False)
        except KafkaException as error:
            assert error.args[0].retriable() or error.args[0] == KafkaError._STATE
            reader.poll(0)

    wait_until(lambda: committed, commit)
    assert committed[0].offset == 10
    messages += consume_data(reader, 20)
    assert values_of(messages) == numbers(30)
    reader.close()
    again = make_consumer(QUICK)
    again.subscribe([kafka_topic])
    assert values_of(consume_data(again, 20)) == numbers(30)[10:]
