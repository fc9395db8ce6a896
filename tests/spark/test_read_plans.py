"""The readers' plans and refusals, against the embedded cluster, without a JVM."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, ReadMinRows

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.spark import clients, group_offsets, positions
from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.positions import Positions
from confluent_kafka.spark.ranges import DataLoss
from confluent_kafka.spark.read_options import Retries, read_options
from confluent_kafka.spark.selection import Selection, Subscribe
from confluent_kafka.testing import MockCluster
from tests.support.kafka import failure
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch

from .reading import batch_reader, ranges_of, read, stream_reader, values_of
from .topics import fill, numbered

EVERYTHING = ReadAllAvailable()


@pytest.fixture(autouse=True)
def close_clients() -> Iterator[None]:
    """This process acts as the driver and as an executor."""
    yield
    clients.consumers.close()


@pytest.fixture
def servers(cluster: MockCluster) -> str:
    return cluster.bootstrap_servers


@contextmanager
def planning(servers: str, **options: str) -> Iterator[tuple[Positions, Selection]]:
    """The positions and the selection of topics that a plan uses."""
    kafka = {"kafka.bootstrap.servers": servers}
    read = read_options({**kafka, **options}, streaming=True)
    with clients.consumers.borrow(clients.consumer_config(read.kafka)) as consumer:
        yield Positions(consumer, read.retries), read.selection


@pytest.fixture
def filled(cluster: MockCluster, new_topic: Callable[..., str]) -> str:
    """A topic of two partitions with v0 to v19 in turn."""
    topic = new_topic()
    fill(cluster, topic, numbered(20))
    return topic


def test_a_pattern_selects_topics(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """The pattern must match the whole name; it is not an error if no topic matches."""
    first, second = new_topic(partitions=1), new_topic(partitions=1)
    fill(cluster, first, [{"value": "a"}])
    fill(cluster, second, [{"value": "b"}])
    assert read(servers, subscribePattern=f"{first}|{second}") == ["a", "b"]
    assert read(servers, subscribePattern=first[:-1] + ".") == ["a"]
    assert read(servers, subscribePattern=first[:-1]) == []


METADATA = 3


@needs("raw-request")
def test_all_topics_are_asked_for_at_once(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """A plan of thirty topics sends one request for metadata, and not one for each topic."""
    topics = [new_topic(partitions=3) for _ in range(30)]
    with planning(servers, subscribe=",".join(topics)) as (asking, selection):
        asking.partitions(selection)  # the client is connected and has the brokers' API versions
        cluster.start_request_tracking()
        found = asking.partitions(selection)
        requests = cluster.requests()
        cluster.stop_request_tracking()
    assert found == [Partition(topic, number) for topic in topics for number in range(3)]
    # One request; other clients of this process may have sent one too.
    assert [one.api_key for one in requests].count(METADATA) < 10


def test_partitions_can_be_assigned(filled: str, servers: str) -> None:
    """Only these partitions are read, and only these have offsets."""
    assert read(servers, assign=json.dumps({filled: [1]})) == sorted(
        f"v{number}" for number in range(1, 20, 2)
    )
    some = {"startingOffsets": json.dumps({filled: {"1": 8}})}
    assert read(servers, assign=json.dumps({filled: [1]}), **some) == ["v17", "v19"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subscribe": "spark-none"}, "option subscribe: topic 'spark-none' does not exist"),
        ({"assign": '{"spark-none": [0]}'}, "option assign: topic 'spark-none' does not exist"),
        ({"assign": '{"TOPIC": [0, 7]}'}, r"option assign: partition TOPIC \[7\] does not exist"),
        (
            {"subscribe": "TOPIC", "startingOffsets": '{"TOPIC": {"0": 0}}'},
            r"option startingOffsets leaves out TOPIC \[1\]",
        ),
        (
            {"subscribe": "TOPIC", "endingOffsets": '{"TOPIC": {"0": 0, "1": 0, "2": 0}}'},
            r"option endingOffsets names TOPIC \[2\], which the read does not cover",
        ),
    ],
)
def test_what_does_not_fit_the_cluster_is_refused(
    filled: str, servers: str, options: dict[str, Any], message: str
) -> None:
    """The error names the option, and comes before anything is read."""
    given = {name: str(text).replace("TOPIC", filled) for name, text in options.items()}
    with pytest.raises(ValueError, match=message.replace("TOPIC", filled)):
        batch_reader(servers, **given).partitions()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kafka.fetch.min.byte", r'"fetch.min.byte" \(did you mean .fetch.min.bytes.\?\)'),
        ("kafka.fetch.min.bytes", 'Invalid value for configuration property "fetch.min.bytes"'),
    ],
)
def test_properties_are_checked_by_the_client(servers: str, name: str, message: str) -> None:
    """The error comes before anything is read.

    It suggests the nearest name, or rejects the value.
    """
    with pytest.raises(ValueError, match=rf"options kafka\.\*: .*{message}"):
        batch_reader(servers, subscribe="any", **{name: "x"}).partitions()


def test_offsets_that_are_not_there_are_a_loss(filled: str, servers: str) -> None:
    """Offsets may be before the start or after the end; failOnDataLoss=false reads the rest."""
    options = {
        "subscribe": filled,
        "startingOffsets": json.dumps({filled: {"0": 8, "1": 8}}),
        "endingOffsets": json.dumps({filled: {"0": 10, "1": 500}}),
    }
    with pytest.raises(DataLoss, match=r"offsets 8 to 499 were asked for, but .* has 0 to 9"):
        batch_reader(servers, **options).partitions()
    assert read(servers, **options, failOnDataLoss="false") == ["v16", "v17", "v18", "v19"]


def test_an_empty_topic_is_no_error(new_topic: Callable[..., str], servers: str) -> None:
    """A read of an empty topic has no rows."""
    assert batch_reader(servers, subscribe=new_topic(), minPartitions=5).partitions() == []


def test_ranges_are_split(filled: str, servers: str) -> None:
    """minPartitions and maxRecordsPerPartition make more tasks, which read the same messages."""
    reader = batch_reader(servers, subscribe=filled, minPartitions=5)
    planned = reader.partitions()
    assert len(planned) == 6
    assert len(values_of(reader, planned)) == 20
    limited = batch_reader(servers, subscribe=filled, maxRecordsPerPartition=4).partitions()
    assert [end - start for _, _, start, end in ranges_of(limited)] == [3, 3, 4] * 2


def test_filters_narrow_a_batch_read(filled: str, servers: str) -> None:
    """Filters on partition and offset cut the ranges before these are split."""
    reader = batch_reader(servers, subscribe=filled)
    filters = [EqualTo(("partition",), 1), GreaterThanOrEqual(("offset",), 7)]
    assert list(reader.pushFilters(filters)) == []
    assert ranges_of(reader.partitions()) == [(filled, 1, 7, 10)]


def test_unreachable_brokers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error comes within seconds, with the address and the reason, also in a stream."""
    assert positions.UNREACHED_TIMEOUT == 5
    monkeypatch.setattr(positions, "UNREACHED_TIMEOUT", 0.7)
    for reader in (batch_reader, stream_reader):
        start = {"batch_reader": "partitions", "stream_reader": "initialOffset"}[reader.__name__]
        failure(
            getattr(reader("127.0.0.1:1", subscribe="any"), start),
            r"bootstrap\.servers \(127\.0\.0\.1:1\).*refused",
        )


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._DESTROY_BROKER,
        KafkaError._TIMED_OUT,
        KafkaError._TIMED_OUT_QUEUE,
        KafkaError._TRANSPORT,
    ],
)
def test_one_question_without_an_answer_proves_nothing(
    filled: str, servers: str, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """The timeout may pass while the machine is suspended, so the brokers are asked twice."""
    unheard = [True]

    class Paused(clients.RangeConsumer):
        def list_topics(self, *args: Any, **kwargs: Any) -> Any:
            if unheard:
                unheard.pop()
                raise KafkaException(KafkaError(code))
            return super().list_topics(*args, **kwargs)

    monkeypatch.setattr(positions, "UNREACHED_TIMEOUT", 0)
    monkeypatch.setattr(positions, "_FIRST_TIMEOUT", TIMEOUT)
    config = {"bootstrap.servers": servers, "group.id": "any"}
    with Paused(clients.consumer_config(config)) as consumer:
        asking = positions.Positions(consumer, Retries(0, 0))
        assert asking.partitions(Subscribe((filled,))) == [(filled, 0), (filled, 1)]


class Clock:
    """A clock whose time passes only during waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("reached", [False, True])
@pytest.mark.parametrize(
    "code",
    [KafkaError._TIMED_OUT, KafkaError._TIMED_OUT_QUEUE, KafkaError.LEADER_NOT_AVAILABLE],
)
def test_the_time_of_a_question_can_be_given(
    monkeypatch: pytest.MonkeyPatch, reached: bool, code: int
) -> None:
    """The timeout also applies to brokers that never answered, and to temporary errors."""
    clock = Clock()
    monkeypatch.setattr(positions, "time", clock)

    class Silent(clients.RangeConsumer):
        def offsets_for_times(self, *args: Any, timeout: float = -1) -> Any:
            clock.sleep(timeout)
            raise KafkaException(KafkaError(code))

    config = {"bootstrap.servers": "127.0.0.1:1", "group.id": "any"}
    with Silent(clients.consumer_config(config)) as consumer:
        consumer.reached = reached
        asking = positions.Positions(consumer, Retries(most=1_000, interval=0.2, timeout=60.0))
        with pytest.raises(KafkaException):
            asking.latest([Partition("any", 0)])
    assert 60 <= clock.now < 61


def test_a_passing_error_is_asked_about_again(
    cluster: MockCluster, filled: str, servers: str
) -> None:
    """The reader repeats the request up to fetchOffset.numRetries times."""
    errors = [KafkaError.LEADER_NOT_AVAILABLE] * 3
    retrying = {"subscribe": filled, "fetchOffset.retryIntervalMs": 1}
    cluster.inject_errors("ListOffsets", errors)
    assert len(read(servers, **retrying, **{"fetchOffset.numRetries": 3})) == 20
    cluster.inject_errors("ListOffsets", errors * 9)
    with pytest.raises(KafkaException):
        batch_reader(servers, **retrying, **{"fetchOffset.numRetries": 1}).partitions()
    cluster.clear_errors("ListOffsets")


def test_a_stream_starts_and_goes_on(cluster: MockCluster, filled: str, servers: str) -> None:
    """Offsets are Spark's JSON; messages written in between are in the next micro-batch."""
    reader = stream_reader(servers, subscribe=filled, startingOffsets="earliest")
    start = reader.initialOffset()
    assert start == {filled: {"0": 0, "1": 0}}
    end = reader.latestOffset(start, EVERYTHING)
    assert end == {filled: {"0": 10, "1": 10}}
    assert len(values_of(reader, reader.partitions(start, end))) == 20
    fill(cluster, filled, [{"value": "late", "partition": 0}])
    after = reader.latestOffset(end, EVERYTHING)
    assert values_of(reader, reader.partitions(end, after)) == ["late"]
    assert reader.reportLatestOffset() == after
    reader.stop()


def test_a_new_stream_starts_where_it_was_first_said_to_start(
    cluster: MockCluster, filled: str, servers: str
) -> None:
    """Spark asks for the start before it has the first end, and again for the first batch.

    If the answers differed, messages would be skipped, or the start would be after the end.
    """
    options = {"startingOffsets": "earliest", "subscribe": filled}
    reader = stream_reader(servers, **options)
    start = reader.initialOffset()
    end = reader.latestOffset(start, ReadAllAvailable())
    fill(cluster, filled, numbered(8))
    assert reader.initialOffset() == start
    assert len(values_of(reader, reader.partitions(reader.initialOffset(), end))) == 20


@pytest.mark.parametrize(
    "given",
    [
        {"startingOffsets": "latest"},
        {"startingOffsets": '{"%s": {"0": -1, "1": -1}}'},
        # No message has that time or a later one.
        {"startingTimestamp": "99999999999999", "startingOffsetsByTimestampStrategy": "latest"},
    ],
)
def test_a_new_stream_at_the_latest_offsets_survives_its_first_batch(
    cluster: MockCluster, filled: str, servers: str, given: dict[str, str]
) -> None:
    """The first batch is empty: if the driver dies in it, the next driver has the same start.

    Spark stores the end of that batch, and asks a new driver for its start.
    """
    options = {name: text.replace("%s", filled) for name, text in given.items()}
    options["subscribe"] = filled
    reader = stream_reader(servers, **options)
    start = reader.initialOffset()
    fill(cluster, filled, numbered(4))
    end = reader.latestOffset(start, EVERYTHING)
    assert end == start
    assert ranges_of(reader.partitions(start, end)) == []
    # Another driver repeats the batch from the checkpoint, and then runs the next batch.
    fill(cluster, filled, numbered(8))
    reader = stream_reader(servers, **options)
    assert ranges_of(reader.partitions(reader.initialOffset(), end)) == []
    after = reader.latestOffset(end, EVERYTHING)
    assert len(values_of(reader, reader.partitions(end, after))) == 12
    # The same driver continues, if it did not die.
    again = stream_reader(servers, **options)
    begin = again.initialOffset()
    assert again.latestOffset(begin, EVERYTHING) == begin
    fill(cluster, filled, numbered(2))
    last = again.latestOffset(begin, EVERYTHING)
    assert len(values_of(again, again.partitions(begin, last))) == 2


def test_a_topic_may_go_while_its_offsets_are_asked_for(
    cluster: MockCluster, filled: str, servers: str
) -> None:
    """If a topic is deleted during the request for its offsets, the reader asks again which topics
    exist."""
    reader = stream_reader(servers, subscribe=filled)
    cluster.inject_errors("ListOffsets", [KafkaError.UNKNOWN_TOPIC_OR_PART])
    start = {filled: {"0": 0, "1": 0}}
    assert reader.latestOffset(start, EVERYTHING) == {filled: {"0": 10, "1": 10}}
    reader.stop()


def test_a_stream_splits_its_ranges(filled: str, servers: str) -> None:
    """A stream splits its ranges as a batch read does."""
    reader = stream_reader(servers, subscribe=filled, minPartitions=4, startingOffsets="earliest")
    start = reader.initialOffset()
    planned = reader.partitions(start, reader.latestOffset(start, EVERYTHING))
    assert [end - start for _, _, start, end in ranges_of(planned)] == [5, 5, 5, 5]
    reader.stop()


def test_a_micro_batch_waits_for_its_minimum(
    cluster: MockCluster, filled: str, servers: str
) -> None:
    """A micro-batch has no more rows than its maximum; a query that is to end does not wait."""
    options = {
        "subscribe": filled,
        "startingOffsets": "earliest",
        "minOffsetsPerTrigger": 5,
        "maxOffsetsPerTrigger": 8,
    }
    reader = stream_reader(servers, **options)
    limit = reader.getDefaultReadLimit()
    assert limit == ReadMaxRows(8)
    offsets = [reader.initialOffset()]
    for _ in range(4):
        offsets.append(reader.latestOffset(offsets[-1], limit))
    sizes = [sum(one[filled].values()) for one in offsets]
    # 4 messages are left after two batches of 8: too few.
    assert sizes == [0, 8, 16, 16, 16]
    assert sum(reader.latestOffset(offsets[-1], EVERYTHING)[filled].values()) == 20
    reader.prepareForTriggerAvailableNow()
    assert sum(reader.latestOffset(offsets[-1], limit)[filled].values()) == 20
    reader.stop()
    least = stream_reader(servers, subscribe=filled, minOffsetsPerTrigger=5)
    assert least.getDefaultReadLimit() == ReadMinRows(5)


def test_the_end_of_an_available_now_query_is_not_before_its_start(
    cluster: MockCluster, filled: str, servers: str
) -> None:
    """Spark fixes the end first: messages and partitions before the start are no loss."""
    reader = stream_reader(servers, subscribe=filled)
    reader.prepareForTriggerAvailableNow()
    fill(cluster, filled, numbered(4))
    start = reader.initialOffset()
    assert start == {filled: {"0": 12, "1": 12}}
    first = reader.latestOffset(start, EVERYTHING)
    assert (first, reader.partitions(start, first)) == (start, [])
    fill(cluster, filled, numbered(2))
    assert reader.latestOffset(first, EVERYTHING) == first
    reader.stop()


def test_partitions_added_before_an_available_now_query_starts_are_read(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """A topic that appears between the end and the start of the query is read."""
    topic = new_topic(partitions=1)
    fill(cluster, topic, [{"value": "old"}])
    reader = stream_reader(servers, subscribePattern=f"{topic}.*", startingOffsets="earliest")
    reader.prepareForTriggerAvailableNow()
    cluster.create_topic(f"{topic}-new", 1)
    fill(cluster, f"{topic}-new", [{"value": "new"}])
    start = reader.initialOffset()
    end = reader.latestOffset(start, EVERYTHING)
    assert values_of(reader, reader.partitions(start, end)) == ["new", "old"]
    reader.stop()


def test_a_new_topic_of_a_pattern_joins_a_running_query(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """A new topic is read from its first message, although the query started at the latest
    offsets."""
    first = new_topic(partitions=1)
    pattern = f"{first}.*"
    fill(cluster, first, [{"value": "before"}])
    reader = stream_reader(servers, subscribePattern=pattern)
    start = reader.initialOffset()
    assert start == {first: {"0": 1}}
    assert reader.latestOffset(start, EVERYTHING) == start  # the first batch is empty
    cluster.create_topic(f"{first}-more", 1)
    fill(cluster, f"{first}-more", [{"value": "more"}])
    end = reader.latestOffset(start, EVERYTHING)
    assert end == {first: {"0": 1}, f"{first}-more": {"0": 1}}
    assert values_of(reader, reader.partitions(start, end)) == ["more"]
    reader.stop()


def committed(servers: str, group: str, topic: str) -> list[int]:
    with Consumer({"bootstrap.servers": servers, "group.id": group}) as consumer:
        found = consumer.committed([TopicPartition(topic, number) for number in (0, 1)], timeout=20)
    return [one.offset for one in found]


def test_offsets_that_are_done_are_committed_to_a_group(
    filled: str, servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finished batches are committed; the planned batch is not."""
    monkeypatch.setattr(group_offsets, "TIMEOUT", TIMEOUT)
    group = f"lag-{uuid.uuid4().hex[:8]}"
    options = {"subscribe": filled, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 10}
    reader = stream_reader(servers, **options, commitOffsetsToGroup=group)
    limit = reader.getDefaultReadLimit()
    first = reader.latestOffset(reader.initialOffset(), limit)
    assert committed(servers, group, filled) == [-1001, -1001]
    second = reader.latestOffset(first, limit)
    assert committed(servers, group, filled) == [5, 5]
    reader.commit(second)
    assert committed(servers, group, filled) == [10, 10]
    reader.stop()
    # The reader never uses committed offsets: without a checkpoint, a query starts at its options.
    again = stream_reader(servers, **options, commitOffsetsToGroup=group)
    assert again.initialOffset() == {filled: {"0": 0, "1": 0}}
    again.stop()


def test_a_commit_that_fails_does_not_stop_the_query(
    cluster: MockCluster,
    filled: str,
    servers: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error is logged with the group's name."""
    monkeypatch.setattr(group_offsets, "TIMEOUT", TIMEOUT)
    group = f"lag-{uuid.uuid4().hex[:8]}"
    reader = stream_reader(servers, subscribe=filled, commitOffsetsToGroup=group)
    cluster.inject_errors("OffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    reader.commit({filled: {"0": 4, "1": 4}})
    assert f"group {group}: offsets were not committed: " in caplog.text
    reader.commit({filled: {"0": 5, "1": 5}})
    reader.stop()
    assert committed(servers, group, filled) == [5, 5]


def test_a_commit_waits_for_a_bounded_time(
    filled: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Unreachable brokers delay a query once, and not in each micro-batch."""
    monkeypatch.setattr(group_offsets, "TIMEOUT", 0.5)
    reader = stream_reader("127.0.0.1:1", subscribe=filled, commitOffsetsToGroup="lag")
    watch = Stopwatch()
    for number in range(100):
        reader.commit({filled: {"0": number}})
    reader.stop()
    assert watch.elapsed < SOON
    assert caplog.text.count("no answer to a commit within 0.5 s") == 1
