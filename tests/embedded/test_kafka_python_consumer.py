"""compat.kafka: KafkaConsumer without a group."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.compat.kafka import (
    JsonSerializer,
    KafkaConsumer,
    KafkaProducer,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka.consumer.fetcher import ConsumerRecord
from confluent_kafka.compat.kafka.structs import OffsetAndTimestamp
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER
from tests.support.kafka_python import MakeConsumer, consumers_at, filled, many, values
from tests.support.waiting import TIMEOUT, wait_until

TEN = [b"%d" % i for i in range(10)]


@pytest.fixture
def make(kafka_cluster: MockCluster) -> Iterator[MakeConsumer]:
    with consumers_at(kafka_cluster.bootstrap_servers) as make_one:
        yield make_one


@pytest.fixture
def ten(kafka_cluster: MockCluster, kafka_topic: str) -> TopicPartition:
    """A partition with the values b"0" to b"9"."""
    return TopicPartition(filled(kafka_cluster.bootstrap_servers, kafka_topic, 10), 0)


def test_iteration(make: MakeConsumer, ten: TopicPartition) -> None:
    """Iteration returns all messages; iterating over a closed consumer returns none."""
    consumer = make(ten.topic)
    assert iter(consumer) is consumer
    assert consumer.assignment() == set()
    assert consumer.subscription() == {ten.topic}
    assert [next(consumer).value for _ in range(10)] == TEN
    assert consumer.assignment() == {ten}
    consumer.close()
    with pytest.raises(StopIteration, match="closed"):
        next(consumer)


def test_the_end_of_iteration(make: MakeConsumer, ten: TopicPartition) -> None:
    """Each iteration ends when no message has come for consumer_timeout_ms."""
    consumer = make(consumer_timeout_ms=100)
    consumer.assign([ten])
    consumer.seek(ten, 10)
    assert list(consumer) == []
    with pytest.raises(StopIteration):
        next(consumer)
    consumer.seek(ten, 0)
    found: list[ConsumerRecord] = []
    wait_until(lambda: len(found) >= 10, lambda: found.extend(consumer))
    assert values(found) == TEN


def test_a_record(make: MakeConsumer, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A record is a named tuple with all fields of the message."""
    with KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:
        producer.send(kafka_topic, b"val", b"key", [("h", b"12"), ("i", b"")], 0, 5000)
        producer.send(kafka_topic, b"only", partition=0, timestamp_ms=6000)
        producer.send(kafka_topic, None, b"only", partition=0, timestamp_ms=7000)
    first, value, key = many(make(kafka_topic), 3)
    assert first == (
        *(kafka_topic, 0, first.leader_epoch, 0, 5000, 0),
        *(b"key", b"val", [("h", b"12"), ("i", b"")], None, 3, 3, 4),
    )
    assert type(first) is ConsumerRecord
    assert first._replace(offset=5).offset == 5
    assert (value.key, value.serialized_key_size, value.headers) == (None, -1, [])
    assert (value.serialized_value_size, value.serialized_header_size) == (4, -1)
    assert (key.value, key.serialized_value_size) == (None, -1)


def test_polling(make: MakeConsumer, ten: TopicPartition) -> None:
    """poll() returns messages by partition, at most the requested number, and an empty dict if
    there are none."""
    consumer = make()
    consumer.assign([ten])
    found: list[ConsumerRecord] = []

    def poll() -> None:  # the messages may arrive one after the other
        left = 3 - len(found)
        found.extend(consumer.poll(100, max_records=left).get(ten, []))

    wait_until(lambda: len(found) >= 3, poll)
    assert values(found) == TEN[:3]
    assert consumer.position(ten) == 3
    for _ in range(2):
        again = consumer.poll(TIMEOUT * 1000, max_records=2, update_offsets=False)
        assert values(again[ten]) == TEN[3 : 3 + len(again[ten])]
        assert consumer.position(ten) == 3
    assert next(consumer).value == b"3"
    assert values(many(consumer, 6)) == TEN[4:]
    assert consumer.poll(10) == {}
    assert consumer.highwater(ten) == 10


def test_max_poll_records(make: MakeConsumer, ten: TopicPartition) -> None:
    """poll() returns at most max_poll_records messages."""
    consumer = make(ten.topic, max_poll_records=4)
    sizes = []
    while sum(sizes) < 10:
        sizes.append(sum(map(len, consumer.poll(TIMEOUT * 1000).values())))
    assert max(sizes) <= 4


def test_seeking(make: MakeConsumer, ten: TopicPartition) -> None:
    """Seeks take effect at once: before the first poll, and afterwards."""
    consumer = make()
    consumer.assign([ten])
    consumer.seek(ten, 7)
    assert consumer.position(ten) == 7
    assert values(many(consumer, 3)) == TEN[7:]
    consumer.seek(ten, 2)
    assert consumer.position(ten) == 2
    assert values(many(consumer, 8)) == TEN[2:]
    consumer.seek_to_beginning(ten)
    assert consumer.position(ten) == 0
    assert next(consumer).value == b"0"
    consumer.seek_to_end()
    assert consumer.position(ten) == 10
    assert consumer.poll(10) == {}


def test_positions_before_the_first_poll(make: MakeConsumer, ten: TopicPartition) -> None:
    """position() looks up the offset that auto_offset_reset selects."""
    for reset, wanted in (("earliest", 0), ("smallest", 0), ("latest", 10)):
        consumer = make(auto_offset_reset=reset)
        consumer.assign([ten])
        assert consumer.position(ten) == wanted


def test_without_a_place_to_begin(make: MakeConsumer, ten: TopicPartition) -> None:
    """If auto_offset_reset selects no offset, partitions without an offset raise an exception until
    a seek."""
    consumer = make(auto_offset_reset="none")
    consumer.assign([ten])
    for _ in range(2):
        with pytest.raises(errors.NoOffsetForPartitionError) as caught:
            consumer.poll(TIMEOUT * 1000)
        assert caught.value.args == ({ten},)
    with pytest.raises(errors.NoOffsetForPartitionError):
        consumer.position(ten)
    consumer.seek(ten, 100)
    with pytest.raises(errors.OffsetOutOfRangeError) as out_of_range:
        consumer.poll(TIMEOUT * 1000)
    assert out_of_range.value.args == ({ten: 100},)
    assert consumer.position(ten) == 100
    consumer.seek(ten, 8)
    assert values(many(consumer, 2)) == TEN[8:]


def test_pausing(make: MakeConsumer, ten: TopicPartition) -> None:
    """A paused partition returns no messages until resume()."""
    consumer = make()
    consumer.assign([ten])
    consumer.pause(ten)
    assert consumer.paused() == {ten}
    assert consumer.poll(100) == {}
    consumer.resume(ten)
    assert consumer.paused() == set()
    assert values(many(consumer, 10)) == TEN
    consumer.seek(ten, 5)
    consumer.pause(ten)
    assert consumer.poll(100) == {}
    consumer.resume(ten)
    assert values(many(consumer, 5)) == TEN[5:]


def test_offsets(make: MakeConsumer, ten: TopicPartition, kafka_topic: str) -> None:
    """The consumer returns the first and last offsets of partitions, and offsets by time."""
    consumer = make()
    assert consumer.beginning_offsets([ten]) == {ten: 0}
    assert consumer.end_offsets([ten]) == {ten: 10}
    assert consumer.end_offsets([]) == {}
    assert consumer.offsets_for_times({}) == {}
    consumer.assign([ten])
    first = many(consumer, 10)[0]
    assert consumer.offsets_for_times({ten: 2**42}) == {ten: None}
    found = consumer.offsets_for_times({ten: first.timestamp})[ten]
    assert found is None or isinstance(found, OffsetAndTimestamp)
    with pytest.raises(ValueError, match="cannot be negative"):
        consumer.offsets_for_times({ten: -1})


def test_deserializers(make: MakeConsumer, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Deserializers return keys and values; after an exception, the messages are read again."""
    servers = kafka_cluster.bootstrap_servers
    with KafkaProducer(bootstrap_servers=servers, value_serializer=JsonSerializer()) as producer:
        producer.send(kafka_topic, {"a": 1}, b"k", [("h", b"1")], partition=0)
        producer.send(kafka_topic, [2], partition=0)
    broken = threading.Event()

    def key(data: bytes | None) -> str | None:
        if broken.is_set():
            raise ZeroDivisionError
        return None if data is None else data.decode()

    consumer = make(kafka_topic, key_deserializer=key, value_deserializer=JsonSerializer())
    broken.set()
    with pytest.raises(ZeroDivisionError):
        consumer.poll(TIMEOUT * 1000)
    with pytest.raises(ZeroDivisionError):
        next(consumer)
    broken.clear()
    first = next(consumer)
    assert (first.key, first.value, first.headers) == ("k", {"a": 1}, [("h", b"1")])
    assert consumer.position(TopicPartition(kafka_topic, 0)) == 1
    (second,) = many(consumer, 1)
    assert (second.key, second.value, second.serialized_value_size) == (None, [2], 3)


@pytest.mark.kafka_topic(partitions=2)
def test_topics_without_a_group(
    make: MakeConsumer, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Without a group, all partitions are read; a pattern also selects topics that are created
    later."""
    consumer = make(metadata_max_age_ms=100)
    consumer.subscribe(pattern=re.escape(kafka_topic))
    filled(kafka_cluster.bootstrap_servers, kafka_topic, 3, partition=1)
    assert values(many(consumer, 3)) == TEN[:3]
    assert consumer.assignment() == {TopicPartition(kafka_topic, each) for each in (0, 1)}
    kafka_cluster.create_topic(f"{kafka_topic}-more", 1)
    filled(kafka_cluster.bootstrap_servers, f"{kafka_topic}-more", 2)
    assert values(many(consumer, 2)) == TEN[:2]
    assert consumer.subscription() == {kafka_topic, f"{kafka_topic}-more"}
    consumer.unsubscribe()
    assert (consumer.subscription(), consumer.assignment()) == (None, set())
    assert consumer.poll(10) == {}
    consumer.subscribe([kafka_topic])
    assert values(many(consumer, 3)) == TEN[:3]
    consumer.subscribe([f"{kafka_topic}-more"])
    assert values(many(consumer, 2)) == TEN[:2]
    assert consumer.assignment() == {TopicPartition(f"{kafka_topic}-more", 0)}


def test_kinds_of_subscriptions_exclude_each_other(make: MakeConsumer, ten: TopicPartition) -> None:
    """Between topics, a pattern and assigned partitions, the program must call unsubscribe()."""
    consumer = make()
    consumer.subscribe([ten.topic])
    for call in (
        lambda: consumer.assign([ten]),
        lambda: consumer.subscribe(pattern="x"),
        lambda: consumer.subscribe([ten.topic], pattern="x"),
    ):
        with pytest.raises(errors.IllegalStateError, match="exclude each other"):
            call()
    consumer.unsubscribe()
    consumer.subscribe(pattern="x")
    with pytest.raises(errors.IllegalStateError, match="exclude each other"):
        consumer.subscribe([ten.topic])
    consumer.unsubscribe()
    consumer.assign([ten])
    with pytest.raises(errors.IllegalStateError, match="exclude each other"):
        consumer.subscribe([ten.topic])
    consumer.assign(None)
    assert consumer.assignment() == set()


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda c, p: c.subscribe(), ValueError, "Must provide topics or pattern"),
        (lambda c, p: c.subscribe("t"), TypeError, "Topics must be a list"),
        (lambda c, p: c.subscribe({"t"}), TypeError, "Topics must be a list"),
        (lambda c, p: c.subscribe([1]), TypeError, "All topics must be strings"),
        (lambda c, p: c.subscribe(["a b"]), ValueError, "is illegal"),
        (lambda c, p: c.subscribe(["t"], listener=5), TypeError, "listener must be a Consumer"),
        (lambda c, p: c.assign([("t", 0)]), TypeError, "must be a TopicPartition"),
        (lambda c, p: c.seek(p, -5), ValueError, "Offset must be int >= 0, not -5"),
        (lambda c, p: c.seek(p, None), ValueError, "Offset must be int >= 0"),
        (lambda c, p: c.seek(("t", 0), 0), TypeError, "must be a TopicPartition"),
        (lambda c, p: c.seek(p._replace(partition=9), 0), ValueError, "Unassigned partition"),
        (lambda c, p: c.seek_to_end("t"), TypeError, "must be a TopicPartition"),
        (lambda c, p: c.seek_to_beginning(p._replace(partition=9)), ValueError, "Unassigned"),
        (lambda c, p: c.pause("t"), TypeError, "must be a TopicPartition"),
        (lambda c, p: c.pause(p._replace(partition=9)), KeyError, "partition=9"),
        (lambda c, p: c.position("t"), TypeError, "must be a TopicPartition"),
        (lambda c, p: c.poll(-1), ValueError, "Timeout must not be negative"),
        (lambda c, p: c.poll(max_records=0), ValueError, "max_records must be positive"),
    ],
)
def test_wrong_arguments(
    make: MakeConsumer, ten: TopicPartition, call: Any, kind: type[Exception], says: str
) -> None:
    """Wrong arguments raise kafka-python's exceptions, most of which are in its documentation."""
    consumer = make()
    if "subscribe" not in call.__code__.co_names:
        consumer.assign([ten])
    with pytest.raises(kind, match=says) as caught:
        call(consumer, ten)
    if "ssigned" in says or "Offset" in says:
        assert isinstance(caught.value, AssertionError)


def test_what_needs_an_assignment_or_a_group(make: MakeConsumer, ten: TopicPartition) -> None:
    """Without an assignment or a group, these calls raise an exception."""
    consumer = make()
    for call in (lambda: consumer.position(ten), lambda: consumer.highwater(ten)):
        with pytest.raises(errors.IllegalStateError, match="Partition is not assigned"):
            call()
    for call in (consumer.commit, consumer.commit_async, lambda: consumer.committed(ten)):
        with pytest.raises(errors.IllegalStateError, match="Requires group_id"):
            call()
    with pytest.raises(AssertionError, match="No partitions"):
        consumer.seek_to_end()
    assert consumer.group_metadata() == (None, -1, "", None, "<unjoined>")


def test_a_closed_consumer(make: MakeConsumer, ten: TopicPartition) -> None:
    """Methods that need the client raise; other methods return empty results."""
    consumer = make()
    consumer.assign([ten])
    with consumer:
        pass
    consumer.close()
    for call in (
        consumer.poll,
        consumer.topics,
        lambda: consumer.assign([ten]),
        lambda: consumer.end_offsets([ten]),
        lambda: consumer.seek(ten, 0),
    ):
        with pytest.raises(errors.IllegalStateError, match="closed"):
            call()
    assert consumer.assignment() == set()
    consumer.unsubscribe()
    consumer.subscribe([ten.topic])


def test_the_cluster(make: MakeConsumer, ten: TopicPartition) -> None:
    """The consumer returns topics and their partitions."""
    consumer = make()
    assert ten.topic in consumer.topics()
    assert consumer.partitions_for_topic(ten.topic) == {0}
    assert consumer.partitions_for_topic("no-such-topic") == set()
    assert consumer.bootstrap_connected()
    consumer.bootstrap(TIMEOUT * 1000, refresh=True)
    with pytest.raises(errors.KafkaTimeoutError, match="Unable to bootstrap"):
        KafkaConsumer(bootstrap_servers=NO_BROKER, bootstrap_timeout_ms=10)


def test_errors_that_an_application_must_know(
    make: MakeConsumer, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If the broker refuses a request, poll() raises the error, as in kafka-python."""
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    consumer = make(group_id="refused")
    consumer.subscribe([kafka_topic])
    with pytest.raises(errors.TopicAuthorizationFailedError):
        wait_until(lambda: False, lambda: consumer.poll(100))
    kafka_cluster.set_topic_error(kafka_topic, None)


def test_what_tracing_packages_read(make: MakeConsumer, ten: TopicPartition) -> None:
    """The attributes that public tracing packages read exist."""
    consumer = make(ten.topic, client_id="traced")
    assert consumer.config["client_id"] == "traced"
    assert consumer._subscription.subscription == {ten.topic}


def test_metrics(make: MakeConsumer, ten: TopicPartition) -> None:
    """metrics() contains librdkafka's numbers after its first statistics; it is None if switched
    off."""
    consumer = make(ten.topic)
    many(consumer, 10)
    wait_until(
        lambda: (consumer.metrics() or {})["consumer-metrics"].get("records-consumed-total") == 10,
        lambda: consumer.poll(100),
    )
    assert make(metrics_enabled=False).metrics() is None


def test_a_consumer_that_is_dropped(kafka_cluster: MockCluster, ten: TopicPartition) -> None:
    """A consumer that is dropped is closed, without a warning."""
    consumer = KafkaConsumer(ten.topic, bootstrap_servers=kafka_cluster.bootstrap_servers)
    consumer.poll(10)
    engine = consumer._engine
    del consumer
    gc.collect()
    assert engine._closed


def test_offsets_of_a_partition_that_is_not_there(make: MakeConsumer, ten: TopicPartition) -> None:
    """Requests for offsets of a missing partition raise KafkaTimeoutError after the timeout, unless
    the partition is created before."""
    consumer = make()
    missing = TopicPartition(ten.topic, 99)
    for ask in (
        lambda: consumer.end_offsets([ten, missing], timeout_ms=300),
        lambda: consumer.beginning_offsets([missing], timeout_ms=300),
        lambda: consumer.offsets_for_times({ten: 0, missing: 0}, timeout_ms=300),
    ):
        with pytest.raises(errors.KafkaTimeoutError):
            ask()
    assert consumer.end_offsets([ten]) == {ten: 10}
