"""Faults of the cluster: no message is lost, every callback runs once, idempotence writes once."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import Reports, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

# Clients reconnect and find new leaders within moments, not seconds.
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
    config = QUICK | {"enable.idempotence": idempotent}
    if idempotent:
        # The mock brokers do not check its sequence numbers, so one request could overtake another.
        config["max.in.flight"] = 1
    return make_producer(config)


@pytest.fixture
def reader(make_consumer: MakeConsumer) -> Consumer:
    return make_consumer(QUICK | {"enable.partition.eof": True})


def contents(reader: Consumer, topic: str) -> list[bytes | None]:
    """All records of partition 0, until its end."""
    reader.assign([TopicPartition(topic, 0, 0)])
    values: list[bytes | None] = []
    while True:
        message = reader.poll(TIMEOUT)
        assert message is not None
        if message.error() == KafkaError._PARTITION_EOF:
            return values
        assert message.error() is None
        values.append(message.value())


Check = Callable[[Reports, list[bytes]], None]


@pytest.fixture
def check(kafka_topic: str, reader: Consumer, idempotent: bool) -> Check:
    """Check that each message was reported once and arrived; if idempotent, once and in order."""

    def check(reports: Reports, values: list[bytes]) -> None:
        assert set(reports.errors) == {None}
        assert Counter(reports.values) == Counter(values)
        found = contents(reader, kafka_topic)
        assert found == values if idempotent else set(found) == set(values)

    return check


# ---- producers ----


def test_leaders_move_and_brokers_restart(
    kafka_cluster: MockCluster, kafka_topic: str, sender: Producer, check: Check, idempotent: bool
) -> None:
    """While messages are sent, the leader moves, goes down and comes back, again and again."""
    values = numbers(900)
    reports = Reports()
    for i, value in enumerate(values):
        leader = BROKERS[i // 150 % 3]
        if i % 150 == 0:
            kafka_cluster.set_leader(kafka_topic, 0, leader)
        if i % 150 == 50:
            if idempotent:  # the mock brokers would write unanswered batches a second time
                assert sender.flush(TIMEOUT) == 0
            kafka_cluster.set_broker_down(leader)
        if i % 150 == 140:
            sender.poll(0.02)
            kafka_cluster.set_broker_up(leader)
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
        sender.poll(0)
    assert sender.flush(TIMEOUT) == 0
    check(reports, values)


PASSING = [
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.REQUEST_TIMED_OUT,
    KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    KafkaError.NO_ERROR,
    KafkaError._TRANSPORT,
    KafkaError.KAFKA_STORAGE_ERROR,
]


def test_errors_that_pass(
    kafka_cluster: MockCluster, kafka_topic: str, sender: Producer, check: Check
) -> None:
    """If a broker refuses Produce requests temporarily, the requests are repeated."""
    values = numbers(300)
    reports = Reports()
    kafka_cluster.inject_errors("Produce", PASSING)
    for i, value in enumerate(values):
        sender.produce(kafka_topic, value, partition=0, on_delivery=reports)
        if i % 50 == 0:
            sender.poll(0.005)
    assert sender.flush(TIMEOUT) == 0
    check(reports, values)


def test_an_answer_that_comes_too_late(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, reader: Consumer
) -> None:
    """If a broker wrote a record but answered too late, the request is repeated, and the record
    exists once.

    The mock brokers check the sequence numbers of transactional producers only.
    """
    producer = make_producer(QUICK | {"transactional.id": "id", "socket.timeout.ms": 300})
    producer.init_transactions(TIMEOUT)
    producer.begin_transaction()
    send(producer, kafka_topic, [b"first"])
    for broker_id in BROKERS:
        kafka_cluster.inject_errors(
            "Produce", [KafkaError.NO_ERROR], broker_id=broker_id, round_trip_time=10
        )
    kafka_cluster.start_request_tracking()
    send(producer, kafka_topic, [b"second"])
    assert [r.request for r in kafka_cluster.requests()].count("Produce") > 1
    producer.commit_transaction(TIMEOUT)
    assert contents(reader, kafka_topic) == [b"first", b"second"]


def test_time_runs_out(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, reader: Consumer
) -> None:
    """Without a broker, each message is reported once as timed out, and error_cb gets the
    reason."""
    errors: list[KafkaError] = []
    send(make_producer(), kafka_topic, [b"before"])
    producer = make_producer(QUICK | {"message.timeout.ms": 300, "error_cb": errors.append})
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


def test_slow_brokers(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, reader: Consumer
) -> None:
    """The producer waits for late answers; the waiting time is in each message's latency."""
    send(producer, kafka_topic, [b"first"])
    kafka_cluster.set_round_trip_time(None, 0.06)
    reports = Reports()
    for value in numbers(100):
        producer.produce(kafka_topic, value, partition=0, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None] * 100
    assert all((message.latency() or 0) >= 0.05 for message in reports.messages)
    assert contents(reader, kafka_topic) == [b"first", *numbers(100)]


# ---- consumers ----

# The requests that a group member sends until it has messages, with temporary errors.
READ_FAULTS: dict[str, list[tuple[str, int]]] = {
    "group": [
        ("FindCoordinator", KafkaError.COORDINATOR_NOT_AVAILABLE),
        ("JoinGroup", KafkaError.NOT_COORDINATOR),
        ("OffsetFetch", KafkaError.COORDINATOR_LOAD_IN_PROGRESS),
    ],
    "partition": [
        ("ListOffsets", KafkaError.NOT_LEADER_FOR_PARTITION),
        ("Fetch", KafkaError.NOT_LEADER_FOR_PARTITION),
        ("Fetch", KafkaError.UNKNOWN_LEADER_EPOCH),
    ],
    "connection": [
        ("Metadata", KafkaError._TRANSPORT),
        ("FindCoordinator", KafkaError._TRANSPORT),
        ("JoinGroup", KafkaError._TRANSPORT),
        ("ListOffsets", KafkaError._TRANSPORT),
        ("Fetch", KafkaError._TRANSPORT),
    ],
}


@pytest.mark.parametrize("faults", READ_FAULTS.values(), ids=list(READ_FAULTS))
def test_reading_in_spite_of_errors(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    faults: list[tuple[str, int]],
) -> None:
    """Each message is returned once and in order, whichever requests failed."""
    values = numbers(200)
    send(producer, kafka_topic, values)
    producer.close()  # because it requests Metadata, too
    for name, code in faults:
        kafka_cluster.inject_errors(name, [code])
    reader = make_consumer(QUICK)
    reader.subscribe([kafka_topic])
    assert values_of(consume_data(reader, len(values))) == values
    assert {name: kafka_cluster.pending_errors(name, 1) for name, _ in faults} == {
        name: 0 for name, _ in faults
    }


def consume_data(
    reader: Consumer, count: int, meanwhile: Callable[[int], object] = bool
) -> list[Message]:
    """Read `count` messages; call `meanwhile` with the number of messages so far."""
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
    """The leader changes between messages; each message is returned once."""
    values = numbers(400)
    send(producer, kafka_topic, values)

    def move(count: int) -> None:
        if count % 80 == 0:
            kafka_cluster.set_leader(kafka_topic, 0, BROKERS[count // 80 % 3])

    # Small fetches, so that most messages come from later leaders.
    reader = make_consumer(QUICK | {"queued.min.messages": 1, "fetch.message.max.bytes": 500})
    reader.assign([TopicPartition(kafka_topic, 0, 0)])
    assert values_of(consume_data(reader, len(values), move)) == values


def test_brokers_restart_under_a_reader(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """All brokers stop after a commit; when they are back, reading and commits continue."""
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
    """Commits and reading continue with the group's new coordinator; committed offsets stay
    valid."""
    kafka_cluster.set_coordinator("group", "group", 1)
    send(producer, kafka_topic, numbers(30))
    reader = make_consumer(QUICK)
    reader.subscribe([kafka_topic])
    messages = consume_data(reader, 10)
    kafka_cluster.set_coordinator("group", "group", 2)

    committed: list[TopicPartition] = []

    def commit() -> None:
        with contextlib.suppress(KafkaException):  # the old broker is not the coordinator any more
            committed[:] = reader.commit(messages[-1], asynchronous=False)

    wait_until(lambda: committed, commit)
    found = reader.committed([TopicPartition(kafka_topic, 0)], TIMEOUT)
    assert [partition.offset for partition in found] == [10]
    messages += consume_data(reader, 20)
    assert values_of(messages) == numbers(30)
