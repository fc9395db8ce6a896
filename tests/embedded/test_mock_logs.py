"""Compaction on the embedded cluster: which records stay, and how clients read the rest."""

from __future__ import annotations

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.protocol.records import Compression, Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.record_batches import sent
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-snapshot", "mock-written-logs")

TOPIC = "prices"


def produce(cluster: MockCluster, *pairs: tuple[str | None, str | None]) -> None:
    """Produce each pair of key and value in its own batch."""
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        for key, value in pairs:
            producer.produce(TOPIC, value, key, partition=0)
            assert producer.flush(TIMEOUT) == 0


def read(cluster: MockCluster, start: int = 0, **config: object) -> list[Message]:
    """The messages of the log from an offset on, up to its end."""
    settings = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "reader",
        "enable.partition.eof": True,
        "enable.auto.commit": False,
    }
    found: list[Message] = []
    with Consumer(settings | config) as consumer:
        consumer.assign([TopicPartition(TOPIC, 0, start)])
        while True:
            message = consumer.poll(TIMEOUT)
            assert message is not None, "the end of the log was not reached"
            if (error := message.error()) is not None:
                assert error.code() == KafkaError._PARTITION_EOF
                return found
            found.append(message)


def pairs(messages: list[Message]) -> list[tuple[int | None, bytes | None, bytes | None]]:
    return [(each.offset(), each.key(), each.value()) for each in messages]


@needs("mock-written-logs")
def test_the_newest_value_of_each_key_stays(kafka_cluster: MockCluster) -> None:
    """The newest value stays at its offset, and records after the compaction follow."""
    kafka_cluster.create_topic(TOPIC)
    produce(kafka_cluster, ("a", "1"), ("b", "2"), ("a", "3"), (None, "4"), ("c", "5"))
    kafka_cluster.compact(TOPIC)
    kept = [(1, b"b", b"2"), (2, b"a", b"3"), (4, b"c", b"5")]
    assert pairs(read(kafka_cluster)) == kept
    produce(kafka_cluster, ("b", "6"))
    assert pairs(read(kafka_cluster)) == [*kept, (5, b"b", b"6")]


@pytest.mark.parametrize("start", [0, 1, 2, 3, 4])
def test_an_offset_that_is_gone(kafka_cluster: MockCluster, start: int) -> None:
    """If the record at an offset was deleted, reading continues with the next record."""
    kafka_cluster.create_topic(TOPIC)
    produce(kafka_cluster, ("a", "1"), ("a", "2"), ("a", "3"), ("a", "4"), ("b", "5"))
    kafka_cluster.compact(TOPIC)
    found = pairs(read(kafka_cluster, start))
    assert found == [each for each in [(3, b"a", b"4"), (4, b"b", b"5")] if each[0] >= start]


@pytest.mark.parametrize("compression", list(Compression))
def test_batches_of_several_records(kafka_cluster: MockCluster, compression: Compression) -> None:
    """Some records of a batch stay, with their timestamps and headers, and with the batch's
    codec."""
    kafka_cluster.create_topic(TOPIC)
    batch = [
        Record(offset=number, timestamp=1000 + number, key=key, value=b"%d" % number, headers=())
        for number, key in enumerate((b"a", b"b", b"a", b"b", b"c", b"a"))
    ]
    batch[3] = batch[3]._replace(headers=(("source", b"x"),))
    sent(kafka_cluster, TOPIC, RecordBatch.of(batch, compression=compression).encode())
    kafka_cluster.compact(TOPIC)
    found = read(kafka_cluster)
    assert pairs(found) == [(3, b"b", b"3"), (4, b"c", b"4"), (5, b"a", b"5")]
    assert [each.timestamp()[1] for each in found] == [1003, 1004, 1005]
    assert [each.headers() for each in found] == [[("source", b"x")], None, None]


def test_tombstones(kafka_cluster: MockCluster) -> None:
    """Tombstones stay until compact(keep_tombstones=False); the last offset of the log always
    stays."""
    kafka_cluster.create_topic(TOPIC)
    produce(kafka_cluster, ("a", "1"), ("b", "2"), ("a", None))
    kafka_cluster.compact(TOPIC)
    assert pairs(read(kafka_cluster)) == [(1, b"b", b"2"), (2, b"a", None)]
    kafka_cluster.compact(TOPIC, keep_tombstones=False)
    assert pairs(read(kafka_cluster)) == [(1, b"b", b"2")]
    produce(kafka_cluster, ("c", "3"))
    assert pairs(read(kafka_cluster)) == [(1, b"b", b"2"), (3, b"c", b"3")]


def test_a_log_that_begins_within_a_batch(kafka_cluster: MockCluster) -> None:
    """The records before the first offset stay deleted."""
    kafka_cluster.create_topic(TOPIC)
    batch = [
        Record(offset=number, timestamp=1000, key=key, value=b"%d" % number, headers=())
        for number, key in enumerate((b"a", b"b", b"c", b"b"))
    ]
    sent(kafka_cluster, TOPIC, RecordBatch.of(batch).encode())
    kafka_cluster._delete_records(TOPIC, 0, 2)
    kafka_cluster.compact(TOPIC)
    assert pairs(read(kafka_cluster, 2)) == [(2, b"c", b"2"), (3, b"b", b"3")]
    with Consumer({"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "g"}) as each:
        assert each.get_watermark_offsets(TopicPartition(TOPIC, 0), TIMEOUT) == (2, 4)


def test_transactions(kafka_cluster: MockCluster) -> None:
    """An aborted value does not remove the committed value before it, and an open transaction's
    value stays."""
    kafka_cluster.create_topic(TOPIC)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "prices"}
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        for value, commits in (("1", True), ("2", True), ("3", False)):
            producer.begin_transaction()
            producer.produce(TOPIC, value, "a", partition=0)
            if commits:
                producer.commit_transaction(TIMEOUT)
            else:
                assert producer.flush(TIMEOUT) == 0
                producer.abort_transaction(TIMEOUT)
        producer.begin_transaction()
        producer.produce(TOPIC, "4", "a", partition=0)
        assert producer.flush(TIMEOUT) == 0
        kafka_cluster.compact(TOPIC)
        assert [each.value() for each in read(kafka_cluster)] == [b"2"]
        uncommitted = read(kafka_cluster, **{"isolation.level": "read_uncommitted"})
        assert [each.value() for each in uncommitted] == [b"2", b"4"]
        producer.commit_transaction(TIMEOUT)
    assert [each.value() for each in read(kafka_cluster)] == [b"2", b"4"]


def test_every_partition(kafka_cluster: MockCluster) -> None:
    """All partitions are compacted, also those that are empty, and deleted records stay deleted."""
    kafka_cluster.create_topic(TOPIC, 3)
    produce(kafka_cluster, ("a", "1"), ("b", "2"), ("b", "3"), ("a", "4"))
    kafka_cluster._delete_records(TOPIC, 0, 2)
    kafka_cluster.compact(TOPIC)
    kafka_cluster.compact(TOPIC)  # nothing is left to do
    assert pairs(read(kafka_cluster, 2)) == [(2, b"b", b"3"), (3, b"a", b"4")]
    with Consumer(
        {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "reader"}
    ) as consumer:
        watermarks = [
            consumer.get_watermark_offsets(TopicPartition(TOPIC, number), TIMEOUT)
            for number in range(3)
        ]
    assert watermarks == [(2, 4), (0, 0), (0, 0)]


def test_unknown_topic(kafka_cluster: MockCluster) -> None:
    """The error names the unknown topic."""
    with pytest.raises(KafkaException, match="there is no topic 'prices'") as raised:
        kafka_cluster.compact(TOPIC)
    assert raised.value.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_what_is_no_name(kafka_cluster: MockCluster) -> None:
    """The error names the argument."""
    with pytest.raises(TypeError, match="topic must be str, not 1"):
        kafka_cluster.compact(1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "cut"), [(1, 2, 0), (0, 0, 0), (0, 1, 1), (0, 1, 60)], ids=str
)
def test_what_is_no_batch(kafka_cluster: MockCluster, low: int, high: int, cut: int) -> None:
    """Bytes that are no batch between the two offsets are refused, and the log does not change."""
    kafka_cluster.create_topic(TOPIC)
    produce(kafka_cluster, ("a", "1"))
    data = kafka_cluster._records(TOPIC, 0)
    with pytest.raises(KafkaException) as raised:
        kafka_cluster._write_records(TOPIC, 0, data[: len(data) - cut], low, high)
    assert raised.value.args[0].code() == KafkaError.INVALID_MSG
    assert kafka_cluster._records(TOPIC, 0) == data
