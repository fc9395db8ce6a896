"""Faults of the cluster: nothing is lost, nothing doubled, every callback called once."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import Reports, read, send, values_of
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

COUNT = 400


def numbers(start: int, stop: int) -> list[bytes]:
    return [b"%d" % i for i in range(start, stop)]


class Sender:
    """A producer, perhaps in a transaction.

    Mock brokers check the sequence numbers of transactional producers only, so that is what
    shows that an idempotent producer stores nothing twice.
    """

    def __init__(self, producer: Producer, transactional: bool) -> None:
        self.producer = producer
        self.exactly_once = transactional
        self.reports = Reports()
        if transactional:
            producer.init_transactions(TIMEOUT)
            producer.begin_transaction()

    def produce(self, topic: str, value: bytes, partition: int = 0) -> None:
        self.producer.produce(
            topic, value, partition=partition, on_delivery=self.reports, block=TIMEOUT
        )

    def finish(self) -> None:
        """Waits until everything is delivered."""
        if self.exactly_once:
            self.producer.commit_transaction(TIMEOUT)
        assert self.producer.flush(TIMEOUT) == 0

    def assert_reported(self, values: list[bytes]) -> None:
        """Every value was delivered, and reported once."""
        assert Counter(self.reports.values) == Counter(values)
        assert set(self.reports.errors) == {None}

    def assert_stored(self, consumer: Consumer, topic: str, values: list[bytes]) -> None:
        """Every value is in partition 0; in order and once, if that is promised."""
        _, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), TIMEOUT)
        stored = values_of(read(consumer, topic, high))
        if self.exactly_once:
            assert stored == values
        else:
            assert set(stored) == set(values)


@pytest.fixture(params=["plain", "transactional"])
def sender(request: pytest.FixtureRequest, make_producer: MakeProducer) -> Sender:
    transactional = request.param == "transactional"
    config = {"transactional.id": "id"} if transactional else {}
    return Sender(make_producer(config | {"retry.backoff.max.ms": 50}), transactional)


class Faults(threading.Thread):
    """Takes one step of `steps` after the other, every 30 ms, until it is stopped."""

    def __init__(self, steps: Iterator[object]) -> None:
        super().__init__()
        self._steps = steps
        self._stopped = threading.Event()
        self.taken = 0

    def run(self) -> None:
        while not self._stopped.wait(0.03):
            next(self._steps)
            self.taken += 1

    def __enter__(self) -> Faults:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self.join()


def produce_during(sender: Sender, topic: str, faults: Faults, values: list[bytes]) -> None:
    """Produces `values` to partition 0 while at least three faults happen."""
    with faults:
        for i, value in enumerate(values):
            sender.produce(topic, value)
            sender.producer.poll(0)
            if i % 100 == 0:
                wait_until(lambda i=i: faults.taken > i // 100, lambda: sender.producer.poll(0.005))


# ---- producers ----


def moving_leader(cluster: MockCluster, topic: str) -> Iterator[object]:
    for broker_id in itertools.cycle((1, 2, 3)):
        yield cluster.set_leader(topic, 0, broker_id)


def leader_comes_and_goes(cluster: MockCluster, topic: str) -> Iterator[object]:
    for broker_id in itertools.cycle((1, None, 2, None, 3, None)):
        yield cluster.set_leader(topic, 0, broker_id)


def brokers_go_down_and_up(cluster: MockCluster, topic: str) -> Iterator[object]:
    for broker_id in itertools.cycle((1, 2, 3)):
        yield cluster.set_broker_down(broker_id)
        yield cluster.set_broker_up(broker_id)


def connections_break(cluster: MockCluster, topic: str) -> Iterator[object]:
    while True:
        yield cluster.inject_errors("Produce", [KafkaError._TRANSPORT])


def brokers_become_slow(cluster: MockCluster, topic: str) -> Iterator[object]:
    for seconds in itertools.cycle((0.08, 0.0)):
        yield cluster.set_round_trip_time(None, seconds)


Fault = Callable[[MockCluster, str], Iterator[object]]
CLUSTER_FAULTS = [
    moving_leader,
    leader_comes_and_goes,
    brokers_go_down_and_up,
    connections_break,
    brokers_become_slow,
]


@pytest.mark.kafka_topic(replication_factor=3)
@pytest.mark.parametrize("fault", CLUSTER_FAULTS)
def test_producing_through_faults(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    sender: Sender,
    consumer: Consumer,
    fault: Fault,
) -> None:
    """Every message is delivered and reported once, and in a transaction stored once."""
    values = numbers(0, COUNT)
    produce_during(sender, kafka_topic, Faults(fault(kafka_cluster, kafka_topic)), values)
    kafka_cluster.set_broker_up()
    kafka_cluster.set_leader(kafka_topic, 0, 1)
    kafka_cluster.set_round_trip_time(None, 0)
    kafka_cluster.clear_errors()
    sender.finish()
    sender.assert_reported(values)
    sender.assert_stored(consumer, kafka_topic, values)


RETRIED = [
    ("Produce", KafkaError.NOT_LEADER_FOR_PARTITION),
    ("Produce", KafkaError.LEADER_NOT_AVAILABLE),
    ("Produce", KafkaError.UNKNOWN_TOPIC_OR_PART),
    ("Produce", KafkaError.REQUEST_TIMED_OUT),
    ("Produce", KafkaError.NOT_ENOUGH_REPLICAS),
    ("Produce", KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND),
    ("Produce", KafkaError.BROKER_NOT_AVAILABLE),
    ("Produce", KafkaError._TRANSPORT),
    ("Metadata", KafkaError.LEADER_NOT_AVAILABLE),
    ("Metadata", KafkaError._TRANSPORT),
    ("ApiVersions", KafkaError._TRANSPORT),
]


@pytest.mark.parametrize(("kind", "code"), RETRIED)
def test_retriable_errors_of_a_producer(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    sender: Sender,
    consumer: Consumer,
    kind: str,
    code: int,
) -> None:
    """Each is tried again until it works, without the application knowing."""
    kafka_cluster.inject_errors(kind, [code] * 2)
    values = numbers(0, 20)
    for value in values:
        sender.produce(kafka_topic, value)
    sender.finish()
    kafka_cluster.clear_errors()
    sender.assert_reported(values)
    sender.assert_stored(consumer, kafka_topic, values)


@pytest.mark.parametrize(
    "code",
    [KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.NOT_COORDINATOR, KafkaError._TRANSPORT],
)
def test_retriable_errors_of_init_producer_id(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    consumer: Consumer,
    code: int,
) -> None:
    """An idempotent producer gets its id in the end, and messages wait for it."""
    kafka_cluster.inject_errors("InitProducerId", [code] * 2)
    values = numbers(0, 20)
    send(make_producer({"enable.idempotence": True}), kafka_topic, values)
    assert values_of(read(consumer, kafka_topic, 20)) == values


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.INVALID_RECORD,
        KafkaError.POLICY_VIOLATION,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    ],
)
def test_permanent_errors_of_a_producer(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, code: int
) -> None:
    """They are reported at once, for the message concerned only."""
    reports = Reports()
    send(producer, kafka_topic, [b"before"])
    kafka_cluster.inject_errors("Produce", [code])
    producer.produce(kafka_topic, b"refused", on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [code]


def test_retries_end(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """With retries=1 the second failure is final."""
    producer = make_producer({"retries": 1})
    reports = Reports()
    send(producer, kafka_topic, [b"first"])
    kafka_cluster.inject_errors("Produce", [KafkaError.NOT_ENOUGH_REPLICAS] * 2)
    producer.produce(kafka_topic, b"v", on_delivery=reports)
    producer.produce(kafka_topic, b"v", on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors.count(KafkaError.NOT_ENOUGH_REPLICAS) >= 1
    assert len(reports) == 2


def test_messages_time_out_in_an_outage(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """message.timeout.ms ends the wait; what comes after the outage is delivered."""
    producer = make_producer({"message.timeout.ms": 500})
    send(producer, kafka_topic, [b"before"])
    kafka_cluster.set_broker_down()
    reports = Reports()
    for i in range(10):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._MSG_TIMED_OUT] * 10
    kafka_cluster.set_broker_up()
    send(make_producer(), kafka_topic, [b"after"])


def test_an_outage_at_the_start(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """A producer may be created and used before any broker is there."""
    kafka_cluster.set_broker_down()
    producer = make_producer({"reconnect.backoff.max.ms": 50, "log_level": 0})
    reports = Reports()
    values = numbers(0, 20)
    for value in values:
        producer.produce(kafka_topic, value, on_delivery=reports)
    assert producer.poll(0.1) == 0
    kafka_cluster.set_broker_up()
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None] * 20
    assert values_of(read(consumer, kafka_topic, 20)) == values


@pytest.mark.kafka_topic(replication_factor=3)
def test_a_lost_acknowledgement(
    kafka_cluster: MockCluster, kafka_topic: str, sender: Sender, consumer: Consumer
) -> None:
    """What was stored without the producer hearing of it is sent again, and stored once."""
    sender.produce(kafka_topic, b"first")
    assert sender.producer.flush(TIMEOUT) == 0
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    kafka_cluster.start_request_tracking()
    sender.produce(kafka_topic, b"second")
    wait_until(lambda: "Produce" in [r.request for r in kafka_cluster.requests()])
    (leader,) = {r.broker_id for r in kafka_cluster.requests() if r.request == "Produce"}
    kafka_cluster.set_broker_down(leader)
    kafka_cluster.set_round_trip_time(None, 0)
    kafka_cluster.set_leader(kafka_topic, 0, leader % 3 + 1)
    kafka_cluster.set_broker_up(leader)
    sender.finish()
    values = [b"first", b"second"]
    sender.assert_reported(values)
    sender.assert_stored(consumer, kafka_topic, values)


# ---- consumers ----


def consume_during(
    consumer: Consumer, faults: Faults, count: int, least_faults: int = 3
) -> list[int]:
    """The offsets of `count` records, consumed while faults happen; errors are skipped."""
    offsets: list[int] = []

    def step() -> None:
        messages = consumer.consume(7, 0.02)
        offsets.extend(message.offset() for message in messages if message.error() is None)

    with faults:
        wait_until(lambda: len(offsets) >= count // 2, step)
        wait_until(lambda: faults.taken >= least_faults, lambda: faults.join(0.005))
        wait_until(lambda: len(offsets) >= count, step)
    return offsets


def fetches_fail(cluster: MockCluster, topic: str) -> Iterator[object]:
    codes = (
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError._TRANSPORT,
    )
    for code in itertools.cycle(codes):
        yield cluster.inject_errors("Fetch", [code])


@pytest.mark.kafka_topic(replication_factor=3)
@pytest.mark.parametrize(
    "fault",
    [
        moving_leader,
        leader_comes_and_goes,
        brokers_go_down_and_up,
        brokers_become_slow,
        fetches_fail,
    ],
)
def test_consuming_through_faults(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    fault: Fault,
) -> None:
    """Every record is returned once and in order, whatever happens to the brokers."""
    send(producer, kafka_topic, numbers(0, 2000))
    consumer = make_consumer({"fetch.message.max.bytes": 1000, "queued.min.messages": 10})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    faults = Faults(fault(kafka_cluster, kafka_topic))
    assert consume_during(consumer, faults, 2000) == list(range(2000))
    kafka_cluster.set_broker_up()


@pytest.mark.kafka_topic(replication_factor=3)
def test_polling_through_leader_moves(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The same with poll(), which fetches ahead, and pauses in between."""
    send(producer, kafka_topic, numbers(0, 1000))
    consumer = make_consumer({"fetch.message.max.bytes": 1000, "queued.min.messages": 10})
    partition = TopicPartition(kafka_topic, 0, 0)
    consumer.assign([partition])
    offsets: list[int] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None and message.error() is None:
            offsets.append(message.offset())
            if message.offset() % 100 == 50:
                consumer.pause([partition])
                assert consumer.poll(0) is None
                consumer.resume([partition])

    with Faults(moving_leader(kafka_cluster, kafka_topic)):
        wait_until(lambda: len(offsets) >= 1000, step)
    assert offsets == list(range(1000))


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("FindCoordinator", KafkaError.COORDINATOR_NOT_AVAILABLE),
        ("FindCoordinator", KafkaError._TRANSPORT),
        ("JoinGroup", KafkaError.COORDINATOR_LOAD_IN_PROGRESS),
        ("JoinGroup", KafkaError.NOT_COORDINATOR),
        ("SyncGroup", KafkaError.NOT_COORDINATOR),
        ("OffsetFetch", KafkaError.NOT_COORDINATOR),
        ("OffsetFetch", KafkaError.COORDINATOR_LOAD_IN_PROGRESS),
        ("ListOffsets", KafkaError.NOT_LEADER_FOR_PARTITION),
        ("ListOffsets", KafkaError._TRANSPORT),
        ("Heartbeat", KafkaError.NOT_COORDINATOR),
        ("Metadata", KafkaError.LEADER_NOT_AVAILABLE),
    ],
)
def test_retriable_errors_of_a_member(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    consumer: Consumer,
    kind: str,
    code: int,
) -> None:
    """A member gets its partitions and their records in spite of each of them."""
    send(producer, kafka_topic, numbers(0, 20))
    kafka_cluster.inject_errors(kind, [code] * 2)
    consumer.subscribe([kafka_topic])
    values: list[bytes | None] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None and message.error() is None:
            values.append(message.value())

    wait_until(lambda: len(values) == 20, step)
    assert values == numbers(0, 20)


def test_the_coordinator_moves(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """Commits follow the coordinator, and the group goes on."""
    kafka_cluster.set_coordinator("group", "group", 1)
    consumer = make_consumer()
    consumer.subscribe([kafka_topic])
    for broker_id in (2, 3, 1):
        send(producer, kafka_topic, [b"%d" % broker_id])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        assert message.value() == b"%d" % broker_id
        kafka_cluster.set_coordinator("group", "group", broker_id)
        offset = message.offset() + 1

        def commit(offset: int = offset) -> bool:
            try:
                consumer.commit(
                    offsets=[TopicPartition(kafka_topic, 0, offset)], asynchronous=False
                )
            except KafkaException:
                return False
            return True

        wait_until(commit, lambda: consumer.poll(0.01))
        (committed,) = consumer.committed([TopicPartition(kafka_topic, 0)], TIMEOUT)
        assert committed.offset == offset


def test_a_commit_is_retried(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """A synchronous commit tries retriable errors again by itself."""
    consumer = make_consumer()
    offsets = [TopicPartition(kafka_topic, 0, 7)]
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.COORDINATOR_LOAD_IN_PROGRESS] * 2)
    (result,) = consumer.commit(offsets=offsets, asynchronous=False)
    assert (result.offset, result.error) == (7, None)
    assert consumer.committed(offsets, TIMEOUT)[0].offset == 7


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("FindCoordinator", KafkaError.GROUP_AUTHORIZATION_FAILED),
        ("JoinGroup", KafkaError.GROUP_AUTHORIZATION_FAILED),
    ],
)
def test_permanent_errors_of_a_member(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer, kind: str, code: int
) -> None:
    """They come as a message with an error, and the consumer goes on trying."""
    kafka_cluster.inject_errors(kind, [code])
    consumer.subscribe([kafka_topic])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == code


def test_a_slow_broker(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """A round trip of 200 ms delays everything and breaks nothing."""
    kafka_cluster.set_round_trip_time(None, 0.2)
    reports = Reports()
    watch = Stopwatch()
    for value in numbers(0, 20):
        producer.produce(kafka_topic, value, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert watch.elapsed >= 0.2
    assert reports.errors == [None] * 20
    assert all(message.latency() >= 0.2 for message in reports.messages)
    assert values_of(read(consumer, kafka_topic, 20)) == numbers(0, 20)


@pytest.mark.kafka_topic(partitions=4, replication_factor=3)
def test_a_group_through_everything(
    kafka_cluster: MockCluster, kafka_topic: str, sender: Sender, make_consumer: MakeConsumer
) -> None:
    """Producer and two members while leaders and coordinators move and requests fail.

    The members commit what they were given: each record is seen at least once.
    """
    config = {"enable.auto.commit": True, "auto.commit.interval.ms": 50}
    members = [make_consumer(config) for _ in range(2)]
    for member in members:
        member.subscribe([kafka_topic])
    values = numbers(0, 2000)
    seen: set[bytes | None] = set()

    def faults() -> Iterator[object]:
        for number in itertools.count():
            broker_id = number % 3 + 1
            yield kafka_cluster.set_leader(kafka_topic, number % 4, broker_id)
            yield kafka_cluster.set_coordinator("group", "group", broker_id)
            yield kafka_cluster.inject_errors("Fetch", [KafkaError._TRANSPORT])
            yield kafka_cluster.inject_errors("Produce", [KafkaError.NOT_LEADER_FOR_PARTITION])

    def poll() -> None:
        for member in members:
            for message in member.consume(50, 0.01):
                if message.error() is None:
                    seen.add(message.value())

    with Faults(faults()) as running:
        for i, value in enumerate(values):
            sender.produce(kafka_topic, value, partition=i % 4)
            if i % 100 == 0:
                poll()
        wait_until(lambda: running.taken > 8, poll)
    kafka_cluster.clear_errors()
    sender.finish()
    sender.assert_reported(values)
    wait_until(lambda: len(seen) == 2000, poll)
