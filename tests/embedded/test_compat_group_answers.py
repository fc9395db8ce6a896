"""compat.aiokafka and compat.kafka: what a group's coordinator may answer, and when calls end."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, Producer
from confluent_kafka.compat import kafka, kafka_2
from confluent_kafka.compat.aiokafka import ConsumerStoppedError, TopicPartition, errors
from confluent_kafka.compat.kafka import KafkaConsumer, OffsetAndMetadata
from confluent_kafka.compat.kafka import TopicPartition as KafkaPythonPartition
from confluent_kafka.compat.kafka import errors as kafka_python_errors
from confluent_kafka.compat.kafka.coordinator.assignors.cooperative_sticky import (
    CooperativeStickyAssignor,
)
from confluent_kafka.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from confluent_kafka.compat.kafka_2.coordinator.assignors.range import (
    RangePartitionAssignor as RangeOf2,
)
from confluent_kafka.protocol import (
    JoinGroupRequest,
    OffsetCommitRequest,
    OffsetFetchRequest,
    SyncGroupRequest,
)
from confluent_kafka.testing import MockCluster
from tests.matrix.changes import Change
from tests.support.aio import in_loop
from tests.support.aiokafka_consumer import consumer_at, values
from tests.support.hostile import HostileProxy
from tests.support.kafka import numbers, send
from tests.support.kafka_python import consumers_at, many
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

TOPIC = "named"
VERSION = 7  # the newest version of OffsetFetch in the mock brokers
PLACES = {
    "partition": ("topics", 0, "partitions", 0, "error_code"),
    "group": ("error_code",),
}


@pytest.fixture
def one_broker() -> Iterator[MockCluster]:
    """The topic TOPIC has the messages 0, 1 and 2; clients can connect through a proxy."""
    with MockCluster(brokers=1) as cluster:
        cluster.set_group_initial_rebalance_delay(0)
        cluster.create_topic(TOPIC)
        with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
            send(producer, TOPIC, numbers(0, 3))
        yield cluster


def offset_fetch(place: str, code: int) -> Callable[[int, bytes], bytes]:
    """Answers to OffsetFetch have an error code."""
    change = Change(OffsetFetchRequest.api_key, "code", PLACES[place], code)

    def changed(api_key: int, frame: bytes) -> bytes:
        return change.apply(frame, VERSION) if api_key == change.api_key else frame

    return changed


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "code",
    [
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
    ],
)
@in_loop
async def test_start_does_not_wait_for_committed_offsets(
    one_broker: MockCluster, code: int, place: str
) -> None:
    """start() returns with the assignment; the consumer reads once OffsetFetch is answered."""
    answer = offset_fetch(place, code)
    is_changed = True

    def change(api_key: int, frame: bytes) -> bytes:
        return answer(api_key, frame) if is_changed else frame

    with HostileProxy(one_broker.bootstrap_servers, change=change) as proxy:
        async with consumer_at(
            proxy.address, TOPIC, group_id="group", request_timeout_ms=1000
        ) as consumer:
            assert consumer.assignment()
            is_changed = False
            assert await values(consumer, 3) == numbers(0, 3)


@in_loop
async def test_nothing_is_committed_of_a_topic_that_the_coordinator_does_not_know(
    one_broker: MockCluster,
) -> None:
    """aiokafka's consumer begins at the offset that auto_offset_reset selects; committed() is
    None."""
    answer = offset_fetch("partition", KafkaError.UNKNOWN_TOPIC_OR_PART)
    with HostileProxy(one_broker.bootstrap_servers, change=answer) as proxy:
        async with consumer_at(proxy.address, TOPIC, group_id="group") as consumer:
            assert await values(consumer, 3) == numbers(0, 3)
            assert await consumer.committed(TopicPartition(TOPIC, 0)) is None


def test_nothing_is_committed_of_a_topic_that_the_coordinator_of_kafka_python_does_not_know(
    one_broker: MockCluster,
) -> None:
    """kafka-python's consumer begins at the offset that auto_offset_reset selects; committed() is
    None."""
    answer = offset_fetch("partition", KafkaError.UNKNOWN_TOPIC_OR_PART)
    with (
        HostileProxy(one_broker.bootstrap_servers, change=answer) as proxy,
        consumers_at(proxy.address) as make,
    ):
        consumer = make(TOPIC, group_id="group")
        assert many(consumer, 3)[0].offset == 0
        assert consumer.committed(KafkaPythonPartition(TOPIC, 0)) is None


@in_loop
async def test_an_assignment_of_another_topic(one_broker: MockCluster) -> None:
    """start() raises as in aiokafka; otherwise it could wait for ever for a correct assignment."""
    other = TOPIC[:-1] + "~"

    def change(api_key: int, frame: bytes) -> bytes:
        is_assignment = api_key == SyncGroupRequest.api_key
        return frame.replace(TOPIC.encode(), other.encode()) if is_assignment else frame

    with HostileProxy(one_broker.bootstrap_servers, change=change) as proxy:
        consumer = consumer_at(proxy.address, TOPIC, group_id="group")
        with pytest.raises(errors.KafkaError, match="unsubscribed topic"):
            await asyncio.wait_for(consumer.start(), 30)
        with pytest.raises(ConsumerStoppedError):
            await consumer.getone()


@pytest.mark.parametrize(
    ("module", "assignor"),
    [
        (kafka, RangePartitionAssignor),
        (kafka, CooperativeStickyAssignor),
        (kafka_2, RangeOf2),
    ],
    ids=["kafka-range", "kafka-cooperative", "kafka_2-range"],
)
@pytest.mark.parametrize("is_pattern", [False, True])
def test_an_assignment_of_another_topic_of_kafka_python(
    one_broker: MockCluster, module: Any, assignor: Any, is_pattern: bool
) -> None:
    """The topic is not read: the member joins again, as in kafka-python."""
    other = "other"
    one_broker.create_topic(other)
    with Producer({"bootstrap.servers": one_broker.bootstrap_servers}) as producer:
        send(producer, other, [b"strange"])
    answers: list[bytes] = []

    def change(api_key: int, frame: bytes) -> bytes:
        if api_key != SyncGroupRequest.api_key:
            return frame
        answers.append(frame)
        return frame.replace(TOPIC.encode(), other.encode()) if len(answers) == 1 else frame

    with HostileProxy(one_broker.bootstrap_servers, change=change) as proxy:
        consumer = module.KafkaConsumer(
            bootstrap_servers=proxy.address,
            group_id="group",
            auto_offset_reset="earliest",
            partition_assignment_strategy=[assignor],
        )
        if is_pattern:
            consumer.subscribe(pattern="^named$")
        else:
            consumer.subscribe([TOPIC])
        found: list[bytes] = []

        def read() -> None:
            for records in consumer.poll(timeout_ms=50).values():
                found.extend(one.value for one in records)

        wait_until(lambda: len(found) >= 3, read)
        assert found == numbers(0, 3)
        assert len(answers) >= 2
        assert {each.topic for each in consumer.assignment()} == {TOPIC}
        consumer.close()


def test_closing_while_a_commit_is_not_answered(one_broker: MockCluster) -> None:
    """close() of kafka-python's consumer gives up the commit after request_timeout_ms."""
    is_over = threading.Event()

    def silent(api_key: int, frame: bytes) -> bytes:
        if api_key == OffsetCommitRequest.api_key:
            is_over.wait(60)
        return frame

    answers: list[Any] = []
    with HostileProxy(one_broker.bootstrap_servers, change=silent) as proxy:
        consumer = KafkaConsumer(
            bootstrap_servers=proxy.address,
            group_id="group",
            enable_auto_commit=False,
            fetch_max_wait_ms=50,
            request_timeout_ms=500,
        )
        place = KafkaPythonPartition(TOPIC, 0)
        consumer.assign([place])
        future = consumer.commit_async(
            {place: OffsetAndMetadata(1, "", -1)}, callback=lambda _, answer: answers.append(answer)
        )
        begun = time.monotonic()
        consumer.close()
        took = time.monotonic() - begun
        is_over.set()
    assert took < 10  # librdkafka itself would wait for a minute
    assert len(answers) == 1
    assert future.failed()


def refusing(request_class: Any, code: int) -> Callable[[int, bytes], bytes]:
    """Change the error code of all answers of this kind; it follows two 4-byte numbers."""

    def change(api_key: int, frame: bytes) -> bytes:
        if api_key != request_class.api_key:
            return frame
        return frame[:8] + code.to_bytes(2, "big", signed=True) + frame[10:]

    return change


@needs("group-refused")
@pytest.mark.parametrize("request_class", [JoinGroupRequest, SyncGroupRequest])
@pytest.mark.parametrize(
    "code",
    [
        KafkaError.UNKNOWN,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.NOT_CONTROLLER,  # retriable, but not for this request
        KafkaError.GROUP_MAX_SIZE_REACHED,
    ],
)
@in_loop
async def test_a_refused_request_of_a_group(
    one_broker: MockCluster, request_class: Any, code: int
) -> None:
    """start() of compat.aiokafka's consumer raises at once, as in aiokafka."""
    with HostileProxy(one_broker.bootstrap_servers, change=refusing(request_class, code)) as proxy:
        consumer = consumer_at(proxy.address, TOPIC, group_id="group")
        with pytest.raises(errors.KafkaError):
            await asyncio.wait_for(consumer.start(), TIMEOUT)
        await consumer.stop()


@needs("group-refused")
@pytest.mark.parametrize("request_class", [JoinGroupRequest, SyncGroupRequest])
@pytest.mark.parametrize(
    ("code", "failure"),
    [
        (KafkaError.UNKNOWN, kafka_python_errors.UnknownError),
        (KafkaError.GROUP_AUTHORIZATION_FAILED, kafka_python_errors.GroupAuthorizationFailedError),
        (KafkaError.INVALID_GROUP_ID, kafka_python_errors.InvalidGroupIdError),
        (KafkaError.GROUP_MAX_SIZE_REACHED, kafka_python_errors.GroupMaxSizeReachedError),
    ],
)
def test_a_refused_request_of_a_group_of_kafka_python(
    one_broker: MockCluster, request_class: Any, code: int, failure: type[Exception]
) -> None:
    """poll() of compat.kafka's consumer raises at once, as in kafka-python."""
    change = refusing(request_class, code)
    with (
        HostileProxy(one_broker.bootstrap_servers, change=change) as proxy,
        consumers_at(proxy.address) as make,
    ):
        consumer = make(TOPIC, group_id="group")
        with pytest.raises(failure):
            consumer.poll(timeout_ms=1000 * TIMEOUT)
