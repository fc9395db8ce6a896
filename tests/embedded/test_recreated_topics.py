"""A topic that is deleted and created again: nothing of it is skipped, and nothing stops."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import committed, numbers, poll_values, position, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("recreated-topic")

FAST = {"topic.metadata.refresh.interval.ms": 50, "topic.metadata.propagation.max.ms": 0}


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as client:
        yield client


def raise_epoch(cluster: MockCluster, topic: str) -> None:
    """The leader changes a few times: the topic's epoch is above that of a new one."""
    for broker in (2, 3, 1, 2):
        cluster.set_leader(topic, 0, broker)


def create_again(cluster: MockCluster, admin: AdminClient, topic: str, count: int) -> None:
    """The topic with another id, epoch 0, and `count` messages of other values."""
    admin.delete_topics([topic])[topic].result(TIMEOUT)
    cluster.create_topic(topic)
    config = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    with Producer(config) as producer:
        send(producer, topic, [b"new %d" % i for i in range(count)])


def new_values(consumer: Consumer, count: int) -> list[bytes | None]:
    """The next values; errors that say that the topic is away are no messages."""
    values: list[bytes | None] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None and message.error() is None:
            values.append(message.value())

    wait_until(lambda: len(values) >= count, step)
    return values


@needs("recreated-topic")
@pytest.mark.parametrize(
    ("reset", "subscribed", "epoch"),
    [
        ("earliest", False, True),
        ("latest", False, True),
        ("earliest", True, True),
        ("earliest", True, False),
    ],
)
@pytest.mark.parametrize("count", [3, 30])
def test_the_new_topic_is_read_from_its_beginning(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    admin: AdminClient,
    reset: str,
    count: int,
    epoch: bool,
    subscribed: bool,
) -> None:
    """Whatever the epochs, and whether the old position exists in it or not."""
    if epoch:
        raise_epoch(kafka_cluster, kafka_topic)
    consumer = make_consumer(FAST | {"auto.offset.reset": reset})
    send(producer, kafka_topic, numbers(0, 10))
    if subscribed:
        consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 0)], asynchronous=False)
        consumer.subscribe([kafka_topic])
    else:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.commit(asynchronous=False)
    create_again(kafka_cluster, admin, kafka_topic, count)
    assert new_values(consumer, 3) == [b"new 0", b"new 1", b"new 2"]
    assert position(consumer, kafka_topic) == 3
    [behind] = consumer.lag().values()
    assert behind == count - 3
    consumer.commit(asynchronous=False)
    assert committed(consumer, kafka_topic) == 3
    here = [TopicPartition(kafka_topic, 0)]
    consumer.pause(here)
    consumer.resume(here)
    rest = [b"new %d" % i for i in range(3, count)]
    assert new_values(consumer, count - 3) == rest


def test_pause_while_the_topic_is_created_again(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    admin: AdminClient,
) -> None:
    """A paused partition begins with the new topic, too; what was fetched of the old is gone."""
    raise_epoch(kafka_cluster, kafka_topic)
    send(producer, kafka_topic, numbers(0, 20))
    consumer = make_consumer(FAST)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    with consumer.pause_while():
        create_again(kafka_cluster, admin, kafka_topic, 30)
    assert new_values(consumer, 30) == [b"new %d" % i for i in range(30)]


def test_an_error_where_the_application_wants_one(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    admin: AdminClient,
) -> None:
    """auto.offset.reset=error: _AUTO_OFFSET_RESET, which says what has happened."""
    send(producer, kafka_topic, numbers(0, 10))
    consumer = make_consumer(FAST | {"auto.offset.reset": "error"})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    create_again(kafka_cluster, admin, kafka_topic, 30)
    errors: list[Any] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None:
            errors.append(message.error())

    wait_until(lambda: any(e and e.code() == KafkaError._AUTO_OFFSET_RESET for e in errors), step)
    assert None not in errors
    assert "created again" in errors[-1].str()


def test_offsets_of_the_old_topic_are_not_committed(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    admin: AdminClient,
) -> None:
    """What was read of it says nothing of the new one."""
    send(producer, kafka_topic, numbers(0, 10))
    consumer = make_consumer(FAST)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    create_again(kafka_cluster, admin, kafka_topic, 0)
    with contextlib.ExitStack() as until:
        until.callback(consumer.poll, 0)

        def refused() -> bool:
            consumer.poll(0.02)
            try:
                consumer.commit(asynchronous=False)
            except KafkaException as error:
                return bool(error.args[0].code() == KafkaError._NO_OFFSET)
            return False

        wait_until(refused)


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_producer_goes_on(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    admin: AdminClient,
    idempotent: bool,
) -> None:
    """It finds the new topic's leader, although its epoch is lower."""
    raise_epoch(kafka_cluster, kafka_topic)
    producer = make_producer(FAST | {"enable.idempotence": idempotent})
    send(producer, kafka_topic, numbers(0, 3))
    admin.delete_topics([kafka_topic])[kafka_topic].result(TIMEOUT)
    kafka_cluster.create_topic(kafka_topic)
    kafka_cluster.set_leader(kafka_topic, 0, 3)
    send(producer, kafka_topic, numbers(3, 6))
