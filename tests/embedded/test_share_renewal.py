"""A share consumer renews the locks of records while it processes them (KIP-1222)."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from confluent_kafka import (
    AcknowledgeType,
    IllegalStateException,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
    renewing,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

# The duration of a record's lock, in seconds; a test waits for several of them.
LOCK = 1.0
MakeShareConsumer = Callable[..., ShareConsumer]


@pytest.fixture
def cluster(kafka_cluster: MockCluster) -> MockCluster:
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    kafka_cluster.set_share_group_heartbeat_interval(0.1)
    kafka_cluster.set_share_group_record_lock_duration(LOCK)
    return kafka_cluster


@pytest.fixture
def make(cluster: MockCluster, kafka_topic: str) -> Iterator[MakeShareConsumer]:
    """A ShareConsumer that has subscribed to `kafka_topic`."""
    with contextlib.ExitStack() as consumers:

        def new(mode: str = "explicit") -> ShareConsumer:
            consumer = ShareConsumer(
                {
                    "bootstrap.servers": cluster.bootstrap_servers,
                    "group.id": kafka_topic,
                    "share.acknowledgement.mode": mode,
                    "fetch.wait.max.ms": 20,
                    "log_level": 3,
                }
            )
            consumers.callback(consumer.close)
            consumer.subscribe([kafka_topic])
            return consumer

        yield new


def fetch(consumer: ShareConsumer, count: int) -> list[Message]:
    """Fetch the next records, all of which are delivered for the first time."""
    records: list[Message] = []
    wait_until(lambda: len(records) >= count, lambda: records.extend(consumer.poll(0.1)))
    assert [record.delivery_count() for record in records] == [1] * count
    return records


def renewing_threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "confluent-kafka-renewing"]


def accepted(consumer: ShareConsumer, record: Message) -> None:
    """Check that brokers accept the acknowledgement: the record is still locked for this
    consumer."""
    consumer.acknowledge(record)
    assert set(consumer.commit_sync(TIMEOUT).values()) == {None}


@needs("share-renewal")
def test_a_renewed_record_stays_locked(
    kafka_topic: str, producer: Producer, make: MakeShareConsumer
) -> None:
    """With several RENEWs by acknowledge(), a record can be accepted long after its first lock."""
    send(producer, kafka_topic, [b"v"])
    consumer = make()
    [record] = fetch(consumer, 1)
    for _ in range(6):
        time.sleep(LOCK / 2)
        consumer.acknowledge(record, AcknowledgeType.RENEW)
        assert set(consumer.commit_sync(TIMEOUT).values()) == {None}
    accepted(consumer, record)


@needs("share-renewal")
def test_without_renewal(kafka_topic: str, producer: Producer, make: MakeShareConsumer) -> None:
    """Without a renewal, the lock ends, and the record's acknowledgement is refused."""
    send(producer, kafka_topic, [b"v"])
    consumer = make()
    [record] = fetch(consumer, 1)
    time.sleep(2 * LOCK)
    consumer.acknowledge(record)
    [error] = consumer.commit_sync(TIMEOUT).values()
    assert error is not None
    assert error.args[0] == KafkaError.INVALID_RECORD_STATE


@needs("share-renewal")
def test_renewing(kafka_topic: str, producer: Producer, make: MakeShareConsumer) -> None:
    """With renewing(), each record of a batch may take longer than the lock; poll() still returns
    records."""
    send(producer, kafka_topic, numbers(0, 3))
    consumer = make()
    values: list[bytes | None] = []
    with renewing(consumer):
        for number in range(2):
            for record in fetch(consumer, 3):
                time.sleep(LOCK)
                values.append(record.value())
                accepted(consumer, record)
            if number == 0:
                send(producer, kafka_topic, numbers(3, 6))
    assert values == numbers(0, 6)


@needs("share-renewal")
def test_a_renewed_record_does_not_come_again(
    kafka_topic: str, producer: Producer, make: MakeShareConsumer
) -> None:
    """poll() sends a RENEW and returns new records; the renewed record waits for its outcome."""
    send(producer, kafka_topic, [b"first"])
    consumer = make()
    [first] = fetch(consumer, 1)
    send(producer, kafka_topic, [b"second"])
    consumer.acknowledge(first, AcknowledgeType.RENEW)
    [second] = fetch(consumer, 1)
    assert second.value() == b"second"
    assert consumer.renew() == 2
    with pytest.raises(IllegalStateException, match=r"1 records .* not been acknowledged"):
        consumer.poll(0)
    consumer.acknowledge(second)
    assert consumer.poll(0).is_empty()
    accepted(consumer, first)


@needs("share-renewal")
def test_a_later_acknowledgement_replaces_a_renewal(
    cluster: MockCluster, kafka_topic: str, producer: Producer, make: MakeShareConsumer
) -> None:
    """If a renewal is not sent yet, a later acknowledgement of the same record replaces it."""
    send(producer, kafka_topic, numbers(0, 5))
    consumer = make()
    records = fetch(consumer, 5)
    cluster.set_round_trip_time(None, LOCK / 4)
    consumer.acknowledge(records[4])
    consumer.commit_async()
    assert consumer.renew() == 4
    for record in reversed(records[:4]):
        consumer.acknowledge(record)
        consumer.commit_async()
    assert set(consumer.commit_sync(TIMEOUT).values()) <= {None}
    answers: list[tuple[set[int], KafkaException | None]] = []

    def note(offsets: dict[TopicPartition, set[int]], error: KafkaException | None) -> None:
        answers.extend((each, error) for each in offsets.values())

    consumer.set_acknowledgement_commit_callback(note)
    wait_until(
        lambda: set().union(*(each for each, _ in answers)) >= {0, 1, 2, 3},
        lambda: consumer.commit_async(),
    )
    assert {error for _, error in answers} == {None}


@needs("share-renewal")
def test_brokers_without_renewal(
    cluster: MockCluster, kafka_topic: str, producer: Producer, make: MakeShareConsumer
) -> None:
    """A renewal fails with _UNSUPPORTED_FEATURE; an acknowledgement in the same request is sent."""
    cluster.set_api_versions("ShareAcknowledge", 1, 1)
    send(producer, kafka_topic, numbers(0, 2))
    consumer = make()
    first, second = fetch(consumer, 2)
    consumer.acknowledge(first)
    consumer.acknowledge(second, AcknowledgeType.RENEW)
    [error] = consumer.commit_sync(TIMEOUT).values()
    assert error is not None
    assert error.args[0] == KafkaError._UNSUPPORTED_FEATURE
    accepted(consumer, second)
    consumer.close()
    send(producer, kafka_topic, [b"2"])
    [third] = fetch(make(), 1)
    assert third.value() == b"2"


@needs("share-renewal")
def test_lock_timeout(kafka_topic: str, producer: Producer, make: MakeShareConsumer) -> None:
    """acquisition_lock_timeout_ms() returns the brokers' value, and None before the first
    answer."""
    consumer = make()
    assert consumer.acquisition_lock_timeout_ms() is None
    send(producer, kafka_topic, [b"v"])
    fetch(consumer, 1)
    assert consumer.acquisition_lock_timeout_ms() == 1000 * LOCK


def test_implicit_mode(make: MakeShareConsumer) -> None:
    """In implicit mode, renew() and renewing() raise an error that names the needed
    configuration."""
    consumer = make("implicit")
    with pytest.raises(IllegalStateException, match=r"share\.acknowledgement\.mode=explicit"):
        consumer.renew()
    with (
        pytest.raises(IllegalStateException, match=r"share\.acknowledgement\.mode=explicit"),
        renewing(consumer),
    ):
        pass


@pytest.mark.parametrize("every", [0, -1.0])
def test_a_wrong_interval(make: MakeShareConsumer, every: float) -> None:
    with (
        pytest.raises(ValueError, match=f"every is {every}: it must be above 0"),
        renewing(make(), every),
    ):
        pass


@needs("share-renewal")
def test_the_block_closes_the_consumer(make: MakeShareConsumer) -> None:
    """If the consumer is closed in the block, the block's thread ends, and the block raises
    nothing."""
    consumer = make()
    with renewing(consumer, 0.01):
        consumer.close()
    assert not renewing_threads()


@needs("share-renewal")
def test_a_callback_raises_in_the_thread(
    kafka_topic: str, producer: Producer, make: MakeShareConsumer
) -> None:
    """At its end, the block raises the exception of the callback."""
    send(producer, kafka_topic, [b"v"])
    consumer = make()
    [record] = fetch(consumer, 1)
    raised = threading.Event()

    def fail(*_: object) -> None:
        raised.set()
        raise ArithmeticError("the callback")

    def renew_until_it_raises() -> None:
        with renewing(consumer, 0.05):
            consumer.set_acknowledgement_commit_callback(fail)
            assert raised.wait(TIMEOUT)
            wait_until(lambda: not renewing_threads())

    with pytest.raises(ArithmeticError, match="the callback"):
        renew_until_it_raises()
    consumer.set_acknowledgement_commit_callback(None)
    accepted(consumer, record)
