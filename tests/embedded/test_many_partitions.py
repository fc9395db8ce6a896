"""Assignments of thousands of partitions are paused, fenced and read correctly."""

from __future__ import annotations

from random import Random

import pytest

from confluent_kafka import (
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.waiting import TIMEOUT, wait_until

TOPICS = ("b", "a", "a-b")  # not in alphabetical order
PARTITIONS = [TopicPartition(topic, number) for topic in TOPICS for number in range(1000)]


@pytest.fixture(autouse=True)
def topics(kafka_cluster: MockCluster) -> None:
    """Three topics of a thousand partitions each."""
    for topic in TOPICS:
        kafka_cluster.create_topic(topic, 1000)


@pytest.fixture
def consumer(make_consumer: MakeConsumer) -> Consumer:
    """A consumer that has all partitions assigned."""
    consumer = make_consumer()
    consumer.assign([TopicPartition(one.topic, one.partition, 0) for one in PARTITIONS])
    return consumer


def test_paused_and_resumed_in_any_order(consumer: Consumer, producer: Producer) -> None:
    """Partitions may be named twice; messages come only from partitions that are not paused."""
    random = Random("partitions")
    paused = random.sample(PARTITIONS, 2000)
    consumer.pause(paused + random.sample(paused, 500))
    assert consumer.paused() == sorted(paused)
    resumed = random.sample(PARTITIONS, 1500)
    consumer.resume(resumed + resumed[:100])
    left = sorted(set(paused) - set(resumed))
    assert consumer.paused() == left
    consumer.pause([])
    assert consumer.paused() == left
    for one in PARTITIONS:
        producer.produce(one.topic, b"x", partition=one.partition)
    assert producer.flush(TIMEOUT) == 0
    count = len(PARTITIONS) - len(left)
    messages = consumer.consume(count, TIMEOUT)
    found = {(message.topic(), message.partition()) for message in messages}
    assert len(found) == count
    assert not found & {(one.topic, one.partition) for one in left}


def test_pause_while_leaves_the_paused_alone(consumer: Consumer) -> None:
    """Partitions that the application has paused stay paused when the block ends."""
    consumer.pause(PARTITIONS[::3])
    with consumer.pause_while() as pause:
        consumer.pause(PARTITIONS[1::3])
        assert pause.lost == []
    assert consumer.paused() == sorted(PARTITIONS[::3] + PARTITIONS[1::3])


def test_taken_away_meanwhile(make_consumer: MakeConsumer) -> None:
    """All revoked partitions are in `lost` and fenced, and no other partition."""
    consumer, other = make_consumer(), make_consumer()
    consumer.subscribe(list(TOPICS))
    wait_until(lambda: len(consumer.assignment()) == len(PARTITIONS), lambda: consumer.poll(0.1))
    with consumer.pause_while() as pause:
        other.subscribe(list(TOPICS))
        wait_until(lambda: pause.lost, lambda: other.poll(0.1))
        assert pause.lost == sorted(PARTITIONS)
    for one in PARTITIONS[::500]:
        with pytest.raises(KafkaException) as raised:
            consumer.commit(offsets=[TopicPartition(one.topic, one.partition, 1)])
        assert raised.value.args[0].code() == KafkaError._ASSIGNMENT_LOST
    elsewhere = TopicPartition("elsewhere", 0, 1)
    with pytest.raises(KafkaException) as raised:
        consumer.commit(offsets=[elsewhere], asynchronous=False)
    assert raised.value.args[0].code() != KafkaError._ASSIGNMENT_LOST


def test_offsets_of_each(make_consumer: MakeConsumer, producer: Producer) -> None:
    """Each partition has its own committed offset and its own offset by time, in any order."""
    random = Random("offsets")
    for one in PARTITIONS[::7]:
        producer.produce(one.topic, b"x", partition=one.partition, timestamp=1_000)
    assert producer.flush(TIMEOUT) == 0
    numbers = {one: number for number, one in enumerate(PARTITIONS, 1)}

    def with_offsets() -> list[TopicPartition]:
        given = random.sample(PARTITIONS, len(PARTITIONS))
        return [TopicPartition(one.topic, one.partition, numbers[one]) for one in given]

    consumer = make_consumer()
    done = consumer.commit(offsets=with_offsets(), asynchronous=False)
    assert {one: one.offset for one in done} == numbers
    asked = with_offsets()
    found = consumer.committed(asked[:2000] + asked[:100], TIMEOUT)
    assert found == asked[:2000] + asked[:100]
    assert all(one.offset == numbers[one] for one in found)
    filled = set(PARTITIONS[::7])
    times = [TopicPartition(one.topic, one.partition, 500) for one in with_offsets()]
    for one in consumer.offsets_for_times(times, TIMEOUT):
        assert one.offset == (0 if one in filled else OFFSET_END)
