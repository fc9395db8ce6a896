"""If a topic cannot be read, this is an error, however and whenever the topic is assigned."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_STORED,
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

FAILED = KafkaError.TOPIC_AUTHORIZATION_FAILED


@needs("unreadable-topic")
@pytest.mark.parametrize("offset", [0, OFFSET_STORED, OFFSET_BEGINNING])
@pytest.mark.parametrize("known", [False, True])
def test_an_assigned_topic_that_may_not_be_read(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_consumer: MakeConsumer,
    offset: int,
    known: bool,
) -> None:
    """poll() returns the error after each assignment, even if the client already knew the topic."""
    kafka_cluster.set_topic_error(kafka_topic, FAILED)
    consumer = make_consumer()
    if known:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        errors(consumer.poll(TIMEOUT))
        consumer.unassign()
    consumer.assign([TopicPartition(kafka_topic, 0, offset)])
    found: list[Message | None] = []
    wait_until(lambda: FAILED in errors(*found), lambda: found.append(consumer.poll(0.05)))


def errors(*messages: Message | None) -> set[int]:
    """The error codes of messages, none of which is a record."""
    result = set()
    for message in messages:
        if message is not None:
            error = message.error()
            assert error is not None
            result.add(error.code())
    return result


# The cluster's answer for a topic, the assigned partition, and the error that consumers get.
TOPICS = {
    "forbidden": (KafkaError.TOPIC_AUTHORIZATION_FAILED, 0, FAILED),
    "invalid": (KafkaError.TOPIC_EXCEPTION, 0, KafkaError.TOPIC_EXCEPTION),
    "absent": (KafkaError.UNKNOWN_TOPIC_OR_PART, 0, KafkaError.UNKNOWN_TOPIC_OR_PART),
    "short": (KafkaError.NO_ERROR, 7, KafkaError._UNKNOWN_PARTITION),
}
CONFIG = {
    "group.id": "group",
    "topic.metadata.propagation.max.ms": 0,
    "allow.auto.create.topics": False,
}


@pytest.fixture(params=TOPICS)
def unreadable(
    request: pytest.FixtureRequest, kafka_cluster: MockCluster
) -> tuple[TopicPartition, int]:
    """A partition that cannot be read, and the code of its error."""
    answer, partition, told = TOPICS[request.param]
    if answer != KafkaError.UNKNOWN_TOPIC_OR_PART:
        kafka_cluster.create_topic(request.param)
    if answer:
        kafka_cluster.set_topic_error(request.param, answer)
    return TopicPartition(request.param, partition), told


def first_of(consumer: Any) -> Any:
    waking = threading.Timer(0.05, consumer.wakeup)
    waking.start()
    try:
        return next(iter(consumer), None)
    finally:
        waking.cancel()
        waking.join()


async def first_of_aio(consumer: Any) -> Any:
    try:
        return await asyncio.wait_for(anext(aiter(consumer)), 0.05)
    except TimeoutError:
        return None


WAYS: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(0.05),
    "consume": lambda consumer: consumer.consume(1, 0.05),
    "iteration": first_of,
    "consume_arrow": lambda consumer: consumer.consume_arrow(1, 0.05),
}
AIO_WAYS = WAYS | {"iteration": first_of_aio}


@needs("unreadable-topic", "topic-error")
@pytest.mark.parametrize(
    ("kind", "way"),
    [
        *((Consumer, way) for way in WAYS),
        *((DeserializingConsumer, way) for way in WAYS if way != "consume"),
    ],
)
def test_every_way_to_read(
    kafka_cluster: MockCluster,
    unreadable: tuple[TopicPartition, int],
    kind: Callable[..., Any],
    way: str,
) -> None:
    """The error is returned, raised, or in last_error, in whatever way the application reads."""
    partition, code = unreadable
    codes: set[int] = set()
    with kind(CONFIG | {"bootstrap.servers": kafka_cluster.bootstrap_servers}) as consumer:
        consumer.assign([partition])

        def read() -> None:
            try:
                codes.update(codes_of(WAYS[way](consumer), consumer))
            except KafkaException as error:
                codes.add(error.args[0].code())

        wait_until(lambda: code in codes, read)
    assert codes == {code}


@needs("unreadable-topic", "topic-error")
@pytest.mark.parametrize("kind", [AIOConsumer, AsyncDeserializingConsumer])
@pytest.mark.parametrize("way", AIO_WAYS)
def test_every_way_to_read_in_a_loop(
    kafka_cluster: MockCluster,
    unreadable: tuple[TopicPartition, int],
    kind: Callable[..., Any],
    way: str,
) -> None:
    """The error is returned, raised, or in last_error, in whatever way the application reads."""
    partition, code = unreadable
    codes: set[int] = set()

    async def read() -> None:
        async with kind(
            CONFIG | {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        ) as consumer:
            await consumer.assign([partition])
            while code not in codes:
                try:
                    codes.update(codes_of(await AIO_WAYS[way](consumer), consumer))
                except KafkaException as error:
                    codes.add(error.args[0].code())

    asyncio.run(asyncio.wait_for(read(), TIMEOUT))
    assert codes == {code}


def codes_of(answer: Any, consumer: Any) -> set[int]:
    """The error codes in the result of a call, and the code of `last_error`."""
    messages = answer if isinstance(answer, list) else [answer]
    events = errors(*(each for each in messages if isinstance(each, Message)))
    latest = consumer.last_error
    return events if latest is None else events | {latest.code()}
