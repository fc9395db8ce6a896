"""Tasks of several ranges: one consumer reads all of them, each to its own end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.types import StructType

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.spark import clients, task_reader
from confluent_kafka.spark.offsets import Partition
from confluent_kafka.spark.ranges import DataLoss, OffsetRange, TaskRanges
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT

from .reading import batch_reader, ranges_of, source, stream_reader, values_of
from .topics import fill, numbered

EVERY = {"minPartitions": 1}  # that is, as few tasks as possible


@pytest.fixture(autouse=True)
def close_clients() -> Iterator[None]:
    """This process acts as an executor."""
    yield
    clients.consumers.close()


@pytest.fixture
def servers(cluster: MockCluster) -> str:
    return cluster.bootstrap_servers


def task(topic: str, *bounds: tuple[int, int]) -> TaskRanges:
    """A task that reads offsets of the first partitions of a topic."""
    return TaskRanges(
        tuple(OffsetRange(Partition(topic, number), *each) for number, each in enumerate(bounds))
    )


def test_a_batch_and_a_stream_put_small_ranges_together(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """Every message of 30 partitions is read once, although there is only one task."""
    topic = new_topic(partitions=30)
    fill(cluster, topic, numbered(90, 30))
    wanted = sorted(f"v{number}" for number in range(90))
    batch = batch_reader(servers, subscribe=topic, **EVERY)
    planned = batch.partitions()
    assert len(planned) == 1
    assert values_of(batch, planned) == wanted
    stream = stream_reader(servers, subscribe=topic, **EVERY)
    ends = {topic: {str(number): 3 for number in range(30)}}
    starts = {topic: {str(number): 0 for number in range(30)}}
    [one] = stream.partitions(starts, ends)
    assert ranges_of([one]) == [(topic, number, 0, 3) for number in range(30)]
    assert values_of(stream, [one]) == wanted
    stream.stop()


def test_each_range_ends_at_its_own_end(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """No range is read past its end, however many batches it takes; a partition's order is kept."""
    topic = new_topic(partitions=3)
    fill(cluster, topic, numbered(60_000, 3))
    reader = batch_reader(servers, subscribe=topic)
    bounds = [(5, 10), (0, 19_000), (19_990, 20_000)]
    found: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for batch in reader.read(task(topic, *bounds)):
        for row in batch.select(["partition", "offset"]).to_pylist():
            found[row["partition"]].append(row["offset"])
    assert found == {number: list(range(*each)) for number, each in enumerate(bounds)}


@pytest.fixture
def on_fetch(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[set[int], int], None]], None]:
    """Call a function before each fetch, with the assigned partitions and the wanted count."""
    fetch = task_reader.Fetching.next

    def install(call: Callable[[set[int], int], None]) -> None:
        def look(self: Any, most: int) -> Any:
            call({one.partition for one in self._consumer.assignment()}, most)
            return fetch(self, most)

        monkeypatch.setattr(task_reader.Fetching, "next", look)

    return install


def test_all_ranges_are_fetched_at_once(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str, on_fetch: Any
) -> None:
    """All ranges are assigned from the start, and each finished range is unassigned."""
    topic = new_topic(partitions=3)
    fill(cluster, topic, numbered(30, 3))
    assigned: list[set[int]] = []

    def look(now: set[int], most: int) -> None:
        assigned.append(now)
        if now == {2} and most == 1:
            fill(cluster, topic, [{"value": "late", "partition": 2}])

    on_fetch(look)
    reader = batch_reader(servers, subscribe=topic)
    assert "late" in values_of(reader, [task(topic, (0, 5), (0, 5), (0, 11))])
    assert assigned[0] == {0, 1, 2}


def test_columns_that_are_not_wanted_are_not_returned(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """The reader uses the topic and the partition to distinguish ranges, but does not return these
    columns."""
    topic = new_topic()
    fill(cluster, topic, numbered(20))
    schema = StructType().add("value", "binary")
    reader = source(servers, subscribe=topic).reader(schema)
    table = pa.Table.from_batches(reader.read(task(topic, (0, 4), (6, 8))))
    assert table.column_names == ["value"]
    assert sorted(table.column("value").to_pylist()) == sorted(
        f"v{number}".encode() for number in (0, 2, 4, 6, 13, 15)
    )


def test_offsets_without_a_message_are_passed(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """Markers of transactions at the ends of ranges do not delay the other ranges."""
    topic = new_topic(partitions=3)
    config = {"bootstrap.servers": servers, "transactional.id": topic}
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        for number in range(9):
            producer.begin_transaction()
            producer.produce(topic, f"v{number}", partition=number % 3)
            producer.commit_transaction(TIMEOUT)
    reader = batch_reader(servers, subscribe=topic, **EVERY)
    planned = reader.partitions()
    assert ranges_of(planned) == [(topic, number, 0, 6) for number in range(3)]
    assert values_of(reader, planned) == [f"v{number}" for number in range(9)]


def test_what_does_not_arrive_is_named(
    cluster: MockCluster,
    new_topic: Callable[..., str],
    servers: str,
    on_fetch: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error names its partition; if losses are allowed, the other ranges are read fully."""
    topic = new_topic(partitions=3)
    fill(cluster, topic, numbered(30, 3))
    left: list[int] = []
    on_fetch(lambda _, most: left.append(most))

    def now() -> float:
        """The clock stops until only the missing range is left."""
        return 1_000.0 if left[-1:] == [40] else 0.0

    monkeypatch.setattr(task_reader, "time", SimpleNamespace(monotonic=now))
    wanted = task(topic, (0, 10), (4, 50), (0, 10))
    with pytest.raises(DataLoss, match=rf"{topic} \[1\]: offsets 10 to 49 were to be read"):
        values_of(batch_reader(servers, subscribe=topic), [wanted])
    left.clear()
    lenient = batch_reader(servers, subscribe=topic, failOnDataLoss="false")
    assert len(values_of(lenient, [wanted])) == 26


def test_a_loss_names_its_partition(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """The reader cannot continue after a partition's end; it reads the other ranges completely."""
    topic = new_topic(partitions=3)
    fill(cluster, topic, numbered(30, 3))
    behind = task(topic, (0, 10), (40, 50), (0, 10))
    with pytest.raises(DataLoss, match=rf"{topic} \[1\]: offsets 40 to 49 are gone"):
        values_of(batch_reader(servers, subscribe=topic), [behind])
    lenient = batch_reader(servers, subscribe=topic, failOnDataLoss="false")
    assert len(values_of(lenient, [behind])) == 20


def test_a_loss_that_turns_out_to_be_none_costs_no_rows(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str, on_fetch: Any
) -> None:
    """The error names no partition, so each range continues at its position, without duplicates."""
    topic = new_topic(partitions=3)
    fill(cluster, topic, numbered(6_000, 3))
    left: list[int] = []

    def fail(assigned: set[int], most: int) -> None:
        left.append(most)
        if len(left) == 2:  # the first batch has a thousand rows at most
            raise KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))

    on_fetch(fail)
    reader = batch_reader(servers, subscribe=topic)
    found = values_of(reader, [task(topic, (0, 2_000), (0, 2_000), (0, 2_000))])
    assert found == sorted(f"v{number}" for number in range(6_000))


def test_other_errors_end_the_task(
    new_topic: Callable[..., str], servers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error that is not a loss of data fails the task, even with failOnDataLoss=false."""

    def refuse(self: Any, most: int) -> Any:
        raise KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))

    monkeypatch.setattr(task_reader.Fetching, "next", refuse)
    topic = new_topic()
    reader = batch_reader(servers, subscribe=topic, failOnDataLoss="false")
    with pytest.raises(KafkaException):
        values_of(reader, [task(topic, (0, 1), (0, 1))])


def test_a_bad_row_names_its_partition(
    cluster: MockCluster, new_topic: Callable[..., str], servers: str
) -> None:
    """The error names the partition of the row, although the task reads several partitions."""
    topic = new_topic()
    good = [{"value": '{"a": 1}', "partition": number % 2} for number in range(10)]
    fill(cluster, topic, [*good, {"value": "{", "partition": 1}])
    options = {"subscribe": topic, "valueFormat": "json", "valueSchema": "a int"}
    reading = source(servers, **options)
    reader = reading.reader(reading.schema())
    with pytest.raises(ValueError, match=rf"{topic} \[1\] offset 5 does not decode"):
        list(reader.read(task(topic, (0, 5), (0, 6))))
