"""If a step of a transaction times out, the same call, made again, continues the step."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import numbers, poll_values
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

ROUNDS = 20
PARTITIONS = 2_000

# The timeout of all calls but the first, whose timeout is 0.
THEN = pytest.mark.parametrize("then", [TIMEOUT, 0], ids=["then with time", "without time"])


@pytest.fixture(params=[1, pytest.param(2, marks=needs("mock-transaction-version"))])
def busy(
    kafka_cluster: MockCluster, make_producer: MakeProducer, request: pytest.FixtureRequest
) -> Producer:
    """A transactional producer of the topic "many", whose main thread is always busy.

    The main thread writes the statistics of many partitions without a pause. So it takes up a step
    only when the call has timed out, and the next call may have begun.
    """
    kafka_cluster.set_transaction_version(request.param)
    kafka_cluster.create_topic("many", PARTITIONS)
    return make_producer({"transactional.id": "busy", "statistics.interval.ms": 1})


def take(step: Callable[[float], None], then: float) -> int:
    """Take a step: call it with a timeout of 0, and then repeat it until it has ended.

    Args:
        step: the call, with its timeout.
        then: the timeout of all calls but the first one.

    Returns:
        How many calls timed out.
    """
    codes: list[int | None] = []

    def call() -> None:
        try:
            step(then if codes else 0)
        except KafkaException as error:
            codes.append(error.args[0].code())
        else:
            codes.append(None)

    wait_until(lambda: set(codes) - {KafkaError._TIMED_OUT}, call)
    assert codes[-1] is None
    return len(codes) - 1


def produce(producer: Producer, number: int) -> None:
    """Begin a transaction with one message, which is delivered at once in every second round."""
    producer.begin_transaction()
    producer.produce("many", b"%d" % number, partition=0)
    if number % 2 == 0:
        assert producer.flush(TIMEOUT) == 0


def committed_values(cluster: MockCluster, count: int) -> list[bytes | None]:
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "readers",
        "isolation.level": "read_committed",
    }
    with Consumer(config) as consumer:
        consumer.assign([TopicPartition("many", 0, 0)])
        return poll_values(consumer, count)


@needs("late-result", "mock-transactions")
@THEN
def test_commit(kafka_cluster: MockCluster, busy: Producer, then: float) -> None:
    """Each transaction is committed, however many calls this takes.

    Without late-result.patch, a call mistook the answer to the previous call for its own answer. It
    then failed with _STATE, and the transaction was not committed.
    """
    busy.init_transactions(TIMEOUT)
    left = 0
    for number in range(ROUNDS):
        produce(busy, number)
        left += take(busy.commit_transaction, then)
    assert left > 0
    assert committed_values(kafka_cluster, ROUNDS) == numbers(0, ROUNDS)


@needs("late-result", "mock-transactions")
@THEN
def test_abort(kafka_cluster: MockCluster, busy: Producer, then: float) -> None:
    """Each transaction is aborted, however many calls this takes, and the next one can begin."""
    busy.init_transactions(TIMEOUT)
    left = 0
    for number in range(ROUNDS):
        produce(busy, number)
        left += take(busy.abort_transaction, then)
    assert left > 0
    produce(busy, ROUNDS)
    busy.commit_transaction(TIMEOUT)
    assert committed_values(kafka_cluster, 1) == numbers(ROUNDS, ROUNDS + 1)


@needs("late-result", "mock-on-request")
def test_abort_that_bumps_the_epoch(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """An abort requests a new epoch once, even if it is called again before the answer.

    Without late-result.patch, it requested an epoch twice, the second time with the old epoch
    (fatal _FENCED).
    """
    asked, may_answer = threading.Event(), threading.Event()

    def add_partitions(*_: object) -> None:
        asked.set()
        may_answer.wait(TIMEOUT)

    def purged(*_: object) -> None:
        # The abort waits for this callback. Meanwhile the partition is added, so EndTxn has nothing
        # to do. Only the epoch must be bumped, which takes a second.
        may_answer.set()
        time.sleep(0.3)
        kafka_cluster.set_round_trip_time(None, 1)

    kafka_cluster.set_transaction_version(1)  # otherwise no partition is added
    producer = make_producer({"transactional.id": kafka_topic})
    producer.init_transactions(TIMEOUT)
    kafka_cluster.on_request(protocol.AddPartitionsToTxnRequest.api_key, add_partitions)
    kafka_cluster.start_request_tracking()
    producer.begin_transaction()
    producer.produce(kafka_topic, b"dropped", partition=0, on_delivery=purged)
    wait_until(asked.is_set)
    with contextlib.suppress(KafkaException):
        producer.abort_transaction(0.6)
    producer.abort_transaction(TIMEOUT)
    kafka_cluster.set_round_trip_time(None, 0)
    producer.begin_transaction()
    producer.produce(kafka_topic, b"kept", partition=0)
    producer.commit_transaction(TIMEOUT)
    sent = [each.request for each in kafka_cluster.requests()]
    assert sent.count("InitProducerId") == 1


@needs("late-result")
@THEN
def test_empty(busy: Producer, then: float) -> None:
    """A transaction without messages ends at once, and the next one accepts messages."""
    busy.init_transactions(TIMEOUT)
    for _ in range(ROUNDS):
        busy.begin_transaction()
        take(busy.commit_transaction, then)
        busy.begin_transaction()
        take(busy.abort_transaction, then)
    produce(busy, 0)
    busy.commit_transaction(TIMEOUT)


@THEN
def test_init(kafka_cluster: MockCluster, make_producer: MakeProducer, then: float) -> None:
    """A producer is registered once, however many calls this takes, and can begin a transaction."""
    kafka_cluster.create_topic("many")
    for number in range(ROUNDS):
        producer = make_producer({"transactional.id": f"init-{number}"})
        take(producer.init_transactions, then)
        produce(producer, number)
        producer.commit_transaction(TIMEOUT)
    assert committed_values(kafka_cluster, ROUNDS) == numbers(0, ROUNDS)
