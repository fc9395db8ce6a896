"""Invalid offsets are refused, and errors of assignments and commits contain the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import committed, numbers, poll_values
from tests.support.waiting import TIMEOUT, wait_until

NONSENSE = [-3, -999, -1002, -1999]

Call = Callable[[Any, TopicPartition], Any]
CALLS: dict[str, tuple[Call, list[int]]] = {
    "seek()": (lambda consumer, place: consumer.seek(place), [OFFSET_INVALID, OFFSET_STORED]),
    "assign()": (lambda consumer, place: consumer.assign([place]), []),
    "incremental_assign()": (
        lambda consumer, place: consumer.incremental_assign([TopicPartition("other", 0), place]),
        [],
    ),
    "commit()": (
        lambda consumer, place: consumer.commit(offsets=[place], asynchronous=False),
        [OFFSET_BEGINNING, OFFSET_END],
    ),
    "store_offsets()": (
        lambda consumer, place: consumer.store_offsets(offsets=[place]),
        [OFFSET_BEGINNING, OFFSET_END],
    ),
    "offsets_for_times()": (
        lambda consumer, place: consumer.offsets_for_times([place]),
        [OFFSET_INVALID, OFFSET_STORED],
    ),
}
CASES = [(name, offset) for name, (_, more) in CALLS.items() for offset in [*NONSENSE, *more]]


def check(error: KafkaError, name: str, topic: str) -> None:
    """Check that the error names the call, the partition and the allowed values."""
    assert error.code() == KafkaError._INVALID_ARG
    assert error.str().startswith(name)
    assert f"{topic}[0]" in error.str()
    assert "0 or higher" in error.str() or "milliseconds" in error.str()


@pytest.mark.parametrize(("name", "offset"), CASES)
def test_an_offset_that_means_nothing(
    filled: str, make_consumer: MakeConsumer, name: str, offset: int
) -> None:
    """The call raises and changes nothing: reading continues where it was."""
    consumer = make_consumer({"enable.auto.offset.store": False})
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 5) == numbers(0, 5)
    with pytest.raises(KafkaException) as raised:
        CALLS[name][0](consumer, TopicPartition(filled, 0, offset))
    check(raised.value.args[0], name, filled)
    assert poll_values(consumer, 5) == numbers(5, 10)


def test_aio(filled: str, kafka_cluster: MockCluster) -> None:
    """AIOConsumer also refuses invalid offsets."""

    async def run() -> None:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "g"}
        async with AIOConsumer(config | {"enable.auto.offset.store": False}) as consumer:
            await consumer.assign([TopicPartition(filled, 0, 0)])
            await consumer.poll(TIMEOUT)
            for name, (call, _) in CALLS.items():
                with pytest.raises(KafkaException) as raised:
                    await call(consumer, TopicPartition(filled, 0, -5))
                check(raised.value.args[0], name, filled)

    asyncio.run(run())


@pytest.mark.parametrize("offset", [*NONSENSE, OFFSET_BEGINNING, OFFSET_END])
def test_offsets_of_a_transaction(
    kafka_topic: str, consumer: Consumer, make_producer: MakeProducer, offset: int
) -> None:
    """An invalid offset raises an exception, instead of being left out; the transaction stays
    usable."""
    producer = make_producer({"transactional.id": "t"})
    producer.init_transactions(TIMEOUT)
    producer.begin_transaction()
    group, places = consumer.consumer_group_metadata(), [TopicPartition(kafka_topic, 0, offset)]
    with pytest.raises(KafkaException) as raised:
        producer.send_offsets_to_transaction(places, group, TIMEOUT)
    check(raised.value.args[0], "send_offsets_to_transaction()", kafka_topic)
    places = [TopicPartition(kafka_topic, 0, 1), TopicPartition(kafka_topic, 1)]
    producer.send_offsets_to_transaction(places, group, TIMEOUT)
    producer.commit_transaction(TIMEOUT)


def test_no_offset_is_none_to_commit(filled: str, consumer: Consumer) -> None:
    """A partition that was not read has the position OFFSET_INVALID, and is still left out."""
    places = [TopicPartition(filled, 0, 7), TopicPartition(filled, 1)]
    consumer.commit(offsets=places, asynchronous=False)
    assert committed(consumer, filled) == 7
    with pytest.raises(KafkaException) as raised:
        consumer.commit(offsets=places[1:], asynchronous=False)
    assert raised.value.args[0].code() == KafkaError._NO_OFFSET


# ---- errors with reasons ----


@pytest.mark.parametrize("call", ["assign", "incremental_assign", "incremental_unassign"])
def test_a_partition_twice(filled: str, consumer: Consumer, call: str) -> None:
    """The error names the partition that is assigned twice."""
    twice = [TopicPartition(filled, 0, 0), TopicPartition("other", 0), TopicPartition(filled, 0, 5)]
    with pytest.raises(KafkaException, match=rf"{call}\(\): .*\[0\] is in the list twice"):
        getattr(consumer, call)(twice)


def test_assign_in_a_cooperative_group(filled: str, make_consumer: MakeConsumer) -> None:
    """The error names the calls that can change an assignment of this protocol."""
    consumer = make_consumer({"partition.assignment.strategy": "cooperative-sticky"})
    errors: list[KafkaError] = []

    def on_assign(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        with pytest.raises(KafkaException) as raised:
            consumer.assign(partitions)
        errors.append(raised.value.args[0])

    consumer.subscribe([filled], on_assign=on_assign)
    wait_until(lambda: errors, lambda: consumer.poll(0.02))
    assert errors[0].code() == KafkaError._STATE
    assert "incremental_assign()" in errors[0].str()


def test_seek_before_there_is_an_assignment(filled: str, consumer: Consumer) -> None:
    """The error explains that the partition is not assigned yet."""
    consumer.subscribe([filled])
    with pytest.raises(KafkaException, match=r"it is not assigned \(yet\)"):
        consumer.seek(TopicPartition(filled, 0, 5))
    consumer.list_topics(filled, TIMEOUT)
    with pytest.raises(KafkaException, match=r"it is not assigned \(yet\)"):
        consumer.seek(TopicPartition(filled, 0, 5))
