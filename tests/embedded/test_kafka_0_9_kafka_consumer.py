"""compat.kafka_0_9: the KafkaConsumer of kafka-python 0.9.5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.compat.kafka_0_9 import KafkaClient, KafkaConsumer, SimpleProducer
from confluent_kafka.compat.kafka_0_9.common import (
    ConsumerFetchSizeTooSmall,
    ConsumerTimeout,
    KafkaConfigurationError,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers
from tests.support.kafka_0_9 import patient as patient
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.kafka_topic(partitions=2), pytest.mark.usefixtures("patient")]

Make = Callable[..., KafkaConsumer]


@pytest.fixture
def make(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[Make]:
    """Creates consumers. The topic has 0, 2, 4, 6 in one partition and odd numbers in the other."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    producer = SimpleProducer(client, random_start=False)
    for value in numbers(0, 8):
        producer.send_messages(kafka_topic, value)
    client.close()
    made: list[KafkaConsumer] = []

    def make(*topics: Any, **configs: Any) -> KafkaConsumer:
        options = {
            "bootstrap_servers": [kafka_cluster.bootstrap_servers],
            "auto_offset_reset": "smallest",
            **configs,
        }
        made.append(KafkaConsumer(*topics, **options))
        return made[-1]

    yield make
    for consumer in made:
        consumer.close()


def fetched(consumer: KafkaConsumer) -> dict[int, int]:
    """The offsets at which a consumer reads its partitions."""
    return {partition: offset for (_, partition), offset in consumer.offsets("fetch").items()}


def test_five_forms(make: Make, kafka_topic: str) -> None:
    """A topic can be given by name, with a partition or an offset, or in a dict."""
    consumer = make(kafka_topic)
    name = kafka_topic.encode()
    assert repr(consumer) == f"<KafkaConsumer topics=({name!r}-0|{name!r}-1)>"
    for form, expected in (
        (name, {0: 0, 1: 0}),
        ((kafka_topic, 1), {1: 0}),
        ((kafka_topic, 1, 3), {1: 3}),
        ({kafka_topic: 1}, {1: 0}),
        ({kafka_topic: [1, 0]}, {1: 0, 0: 0}),
        ({kafka_topic: (0,)}, {0: 0}),
        ({(kafka_topic, 0): 2, (name, 1): 3}, {0: 2, 1: 3}),
    ):
        consumer.set_topic_partitions(form)
        assert fetched(consumer) == expected
        assert consumer.next().offset == expected[min(expected, key=list(expected).index)]
    consumer.set_topic_partitions((kafka_topic, 0), {kafka_topic: 1})
    assert fetched(consumer) == {0: 0, 1: 0}


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (5, "Unknown topic type"),
        (["t"], "it must be str, bytes, tuple or dict"),
        (("t",), r"a tuple must be .*, not \('t',\)"),
        (("t", "0"), "a tuple must be"),
        ({"t": "0"}, "dict key must be int or list/tuple of ints"),
        ({5: 0}, "a topic must be str or bytes, not 5"),
    ],
)
def test_other_forms(make: Make, form: Any, text: str) -> None:
    """Other forms of topics and partitions are refused."""
    with pytest.raises(KafkaConfigurationError, match=text):
        make(form)


def test_unknown_topics(make: Make, kafka_topic: str) -> None:
    """A missing topic or partition is refused."""
    with pytest.raises(UnknownTopicOrPartitionError, match="Topic b'nope' not found"):
        make("nope")
    with pytest.raises(UnknownTopicOrPartitionError, match="Topic b'nope' not found"):
        make(("nope", 0))
    with pytest.raises(UnknownTopicOrPartitionError, match="Partition 2 not found in Topic"):
        make((kafka_topic, 2))


def test_nothing_to_read(make: Make) -> None:
    """A consumer without topics raises an exception."""
    consumer = make()
    with pytest.raises(KafkaConfigurationError, match="No topics or partitions configured"):
        consumer.next()


def test_iteration_ends_with_an_error(make: Make, kafka_topic: str) -> None:
    """The iteration raises ConsumerTimeout when no message came in time, and can continue
    afterwards."""
    consumer = make(kafka_topic, consumer_timeout_ms=300)
    found: list[Any] = []

    def read() -> None:
        with pytest.raises(ConsumerTimeout, match="Consumer timed out after 300 ms"):
            found.extend(message.value for message in consumer)

    wait_until(lambda: len(found) >= 8, read)
    read()
    assert sorted(found) == numbers(0, 8)
    highwater = consumer.offsets("highwater")
    assert set(highwater.values()) == {4}


def test_values_are_deserialized(make: Make, kafka_topic: str) -> None:
    """Messages have the results of deserializer_class."""
    consumer = make((kafka_topic, 1), deserializer_class=int)
    assert consumer.next() == (kafka_topic.encode(), 1, 0, None, 1)


def test_marks(make: Make, kafka_topic: str) -> None:
    """Marked offsets of assigned partitions are stored once, and a new consumer continues there."""
    consumer = make((kafka_topic, 0), group_id="g")
    first, second = consumer.next(), consumer.next()
    assert consumer.task_done(first)
    assert not consumer.task_done(second._replace(partition=1))
    assert consumer.commit()
    assert not consumer.commit()
    assert consumer.offsets()["commit"] == {(kafka_topic.encode(), 0): 1}
    assert consumer.offsets("task_done") == {(kafka_topic.encode(), 0): 0}
    assert fetched(make(kafka_topic, group_id="g")) == {0: 1, 1: 0}
    assert fetched(make((kafka_topic, 0, 3), group_id="g")) == {0: 3}


def test_marks_are_stored_every_n(make: Make, kafka_topic: str) -> None:
    """Marked offsets are stored after auto_commit_interval_messages messages."""
    consumer = make(
        (kafka_topic, 0),
        group_id="g",
        auto_commit_enable=True,
        auto_commit_interval_messages=2,
    )
    place = (kafka_topic.encode(), 0)
    stored = []
    for _ in range(4):
        consumer.task_done(consumer.next())
        stored.append(consumer.offsets("commit")[place])
    assert stored == [None, 2, 2, 4]


def test_marks_are_stored_every_t(make: Make, kafka_topic: str) -> None:
    """Marked offsets are stored after auto_commit_interval_ms."""
    consumer = make(
        (kafka_topic, 0), group_id="g", auto_commit_enable=True, auto_commit_interval_ms=0.001
    )
    consumer.task_done(consumer.next())
    assert consumer.offsets("commit") == {(kafka_topic.encode(), 0): 1}


@pytest.mark.parametrize("never", [None, 0, -1])
def test_marks_are_never_stored(make: Make, kafka_topic: str, never: int | None) -> None:
    """With an interval of None, or of 0 or less, marked offsets are not stored automatically."""
    consumer = make(
        kafka_topic,
        group_id=f"never-{never}",
        auto_commit_enable=True,
        auto_commit_interval_ms=never,
        auto_commit_interval_messages=never,
    )
    for _ in range(3):
        consumer.task_done(next(consumer))
    assert set(consumer.offsets("commit").values()) == {None}
    assert consumer.commit()


def test_commit_without_a_group(make: Make, kafka_topic: str) -> None:
    """commit() raises, because there is no group whose offsets it could store."""
    with pytest.raises(KafkaConfigurationError, match="without a configured consumer group"):
        make(kafka_topic).commit()


def test_offsets_out_of_range(make: Make, kafka_topic: str) -> None:
    """auto_offset_reset decides where reading continues; without it, such an offset is an error."""
    assert make((kafka_topic, 0, 99)).next().offset == 0
    with pytest.raises(OffsetOutOfRangeError, match="error=1"):
        make((kafka_topic, 0, 99), auto_offset_reset="none").next()
    with pytest.raises(OffsetOutOfRangeError, match=r"largest\|smallest"):
        make(kafka_topic, auto_offset_reset="none")
    assert fetched(make(kafka_topic, auto_offset_reset="largest")) == {0: 4, 1: 4}


def test_large_messages(make: Make, kafka_topic: str) -> None:
    """A message that is larger than fetch_message_max_bytes cannot be read."""
    with pytest.raises(ConsumerFetchSizeTooSmall):
        make(kafka_topic, fetch_message_max_bytes=26).next()


def test_a_leader_changes(make: Make, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The consumer continues with the new leader, also after a temporary error."""
    consumer = make((kafka_topic, 0), refresh_leader_backoff_ms=1)
    assert consumer.next().offset == 0
    kafka_cluster.inject_errors("Fetch", [KafkaError.REQUEST_TIMED_OUT])
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    leader = client.topic_partitions[kafka_topic.encode()][0].leader
    kafka_cluster.set_leader(kafka_topic, 0, leader % kafka_cluster.brokers + 1)
    assert [consumer.next().offset for _ in range(3)] == [1, 2, 3]
    client.close()


def test_offsets_of_a_partition(make: Make, kafka_topic: str) -> None:
    """get_partition_offsets() returns the end, the beginning, or offsets before a time."""
    consumer = make(kafka_topic)
    assert consumer.get_partition_offsets(kafka_topic, 0, -1, 1) == (4,)
    assert consumer.get_partition_offsets(kafka_topic.encode(), 0, -1, 5) == (4, 0)
    assert consumer.get_partition_offsets(kafka_topic, 0, -2, 5) == (0,)


def test_keywords_change(make: Make, kafka_topic: str, kafka_cluster: MockCluster) -> None:
    """configure() changes the given keywords; it also accepts the old name of one of them."""
    consumer = make((kafka_topic, 0), consumer_timeout_ms=1)
    consumer.configure(metadata_broker_list=kafka_cluster.bootstrap_servers, group_id="g")
    assert consumer.task_done(consumer.next())
    assert consumer.commit()
