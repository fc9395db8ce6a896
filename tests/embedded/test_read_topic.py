"""read_topic(): a topic, or a part of it, as columns, without a group."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("polars", reason="polars is not installed")

import polars

from confluent_kafka import KafkaException, Producer
from confluent_kafka.columns import AvroDecoder, Progress, read_topic
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT

pytestmark = pytest.mark.kafka_topic(partitions=2)

DAY = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def config(kafka_cluster: MockCluster) -> dict[str, Any]:
    return {"bootstrap.servers": kafka_cluster.bootstrap_servers}


@pytest.fixture
def days(kafka_topic: str, producer: Producer) -> str:
    """A topic with ten days in each of two partitions. The values are the days' numbers as Avro
    ints."""
    for partition in range(2):
        for day in range(10):
            at = DAY + timedelta(days=day)
            producer.produce(
                kafka_topic,
                bytes([day * 2]),
                partition=partition,
                timestamp=int(at.timestamp() * 1000),
            )
    assert producer.flush(TIMEOUT) == 0
    return kafka_topic


def rows(config: dict[str, Any], topic: str, *places: Any, **options: Any) -> list[tuple[int, int]]:
    """Partitions and offsets of the rows that read_topic() returns."""
    found: list[tuple[int, int]] = []
    with read_topic(config, topic, *places, timeout=TIMEOUT, **options) as reader:
        for batch in reader:
            frame = polars.DataFrame(batch)
            found += zip(frame["partition"].to_list(), frame["offset"].to_list(), strict=True)
    return found


def offsets(partition: int, *numbers: int) -> list[tuple[int, int]]:
    return [(partition, number) for number in numbers]


def test_a_whole_topic(config: dict[str, Any], days: str, producer: Producer) -> None:
    """read_topic() reads up to the end that the topic had at the start, partition by partition."""
    with read_topic(config, days, timeout=TIMEOUT) as reader:
        assert reader.progress == Progress(0, 20)
        producer.produce(days, b"later", partition=0)
        assert producer.flush(TIMEOUT) == 0
        frames = [polars.DataFrame(batch) for batch in reader]
        found = polars.concat(frames)
    assert found["offset"].to_list() == [*range(10), *range(10)]
    assert found["partition"].to_list() == [0] * 10 + [1] * 10
    assert found["value"].to_list()[:2] == [b"\0", b"\2"]


def test_ranges_of_offsets(config: dict[str, Any], days: str) -> None:
    """Reading goes from `start` to before `end`; a dict sets them for some partitions only."""
    assert rows(config, days, 8) == offsets(0, 8, 9) + offsets(1, 8, 9)
    assert rows(config, days, None, 2) == offsets(0, 0, 1) + offsets(1, 0, 1)
    assert rows(config, days, {1: 7}) == offsets(1, 7, 8, 9)
    assert rows(config, days, {0: 3, 1: 5}, {1: 6}) == offsets(1, 5)
    assert rows(config, days, 100) == []
    assert rows(config, days, 5, 5) == []
    assert rows(config, days, 9, 100) == offsets(0, 9) + offsets(1, 9)


def test_ranges_of_time(config: dict[str, Any], days: str) -> None:
    """Reading goes from the first message at or after one time to the first message at or after
    another time."""
    start, end = DAY + timedelta(days=2, hours=1), DAY + timedelta(days=5)
    assert rows(config, days, start, end) == offsets(0, 3, 4) + offsets(1, 3, 4)
    assert rows(config, days, DAY + timedelta(days=9)) == offsets(0, 9) + offsets(1, 9)
    assert rows(config, days, DAY + timedelta(days=20)) == []
    # Messages have whole milliseconds, so the message of day 3 is before a start that is a
    # microsecond later.
    later = timedelta(microseconds=1)
    start, end = DAY + timedelta(days=3) + later, DAY + timedelta(days=4) + later
    assert rows(config, days, start, end) == offsets(0, 4) + offsets(1, 4)
    assert rows(config, days, {0: 8}, DAY + timedelta(days=20)) == offsets(0, 8, 9)


def test_batches_are_bounded(config: dict[str, Any], days: str) -> None:
    """No batch has more rows than requested, and the progress counts offsets."""
    sizes, progress = [], []
    with read_topic(config, days, batch_size=4, timeout=TIMEOUT) as reader:
        for batch in reader:
            sizes.append(len(batch))
            progress.append(reader.progress)
    assert sum(sizes) == 20
    assert max(sizes) <= 4
    assert [done for done, _ in progress] == [sum(sizes[: i + 1]) for i in range(len(sizes))]
    assert {total for _, total in progress} == {20}


def test_columns(config: dict[str, Any], days: str) -> None:
    """The result has the requested columns and the offset, and values are decoded."""
    reader = read_topic(
        config, days, {0: 1}, {0: 4}, columns=["value"], value=AvroDecoder('"int"'), timeout=TIMEOUT
    )
    with reader:
        frame = polars.concat([polars.DataFrame(batch) for batch in reader])
    assert frame.to_dict(as_series=False) == {
        "value": [{"value": 1}, {"value": 2}, {"value": 3}],
        "offset": [1, 2, 3],
    }


def test_offsets_that_are_missing(
    config: dict[str, Any], kafka_topic: str, kafka_cluster: MockCluster
) -> None:
    """Transaction markers have offsets but are not messages; ranges still end at the given
    offset."""
    transactions = Producer(
        {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": kafka_topic}
    )
    transactions.init_transactions(TIMEOUT)
    for number in range(4):
        transactions.begin_transaction()
        transactions.produce(kafka_topic, b"%d" % number, partition=0)
        transactions.commit_transaction(TIMEOUT)
    transactions.close()
    everything = rows(config, kafka_topic, {0: 0})
    places = [offset for _, offset in everything]
    assert len(places) == 4
    assert rows(config, kafka_topic, {0: 0}, {0: places[2]}) == everything[:2]
    assert rows(config, kafka_topic, {0: places[1]}, {0: places[3]}) == everything[1:3]


class Failing(AvroDecoder):
    """A decoder that raises at its second batch, once."""

    calls = 0

    def decode(self, payloads: Any) -> Any:
        self.calls += 1
        if self.calls == 2:
            raise ConnectionError("the registry is down")
        return super().decode(payloads)


def test_what_fails_is_read_again(config: dict[str, Any], days: str) -> None:
    """If a decoder raises, no message is lost: reading continues with the same messages."""
    found: list[int] = []
    failures = 0
    decoder = Failing('"int"')
    with read_topic(config, days, {0: 0}, batch_size=4, value=decoder, timeout=TIMEOUT) as reader:
        while len(found) < 10:
            try:
                found += polars.DataFrame(next(reader))["offset"].to_list()
            except ConnectionError:
                failures += 1
    assert failures == 1
    assert found == list(range(10))


def test_closed(config: dict[str, Any], days: str) -> None:
    """After close(), no more batches are returned; close() may be called again."""
    reader = read_topic(config, days, batch_size=1, timeout=TIMEOUT)
    next(reader)
    reader.close()
    reader.close()
    assert list(reader) == []


def test_wrong_arguments(config: dict[str, Any], days: str) -> None:
    """Wrong arguments raise an error with the reason, before anything is read."""
    with pytest.raises(ValueError, match="batch_size must be from 1 to 1,000,000, not 0"):
        read_topic(config, days, batch_size=0)
    with pytest.raises(TypeError, match=r"batch_size must be int, not float"):
        read_topic(config, days, batch_size=2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"batch_size must be int, not bool"):
        read_topic(config, days, batch_size=True)
    with pytest.raises(TypeError, match=r"timeout must be float, not str"):
        read_topic(config, days, timeout="5")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"timeout must not be negative, but is -1"):
        read_topic(config, days, timeout=-1)
    with pytest.raises(TypeError, match=r"config must be a dict, not NoneType"):
        read_topic(None, days)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"start must be .* int to int, but partitions are str"):
        read_topic(config, days, {"0": 1})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"end must be .* int to int, but offsets are str"):
        read_topic(config, days, None, {0: "1"})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="start must not be negative, but is -1 for partition 0"):
        read_topic(config, days, -1)
    with pytest.raises(ValueError, match="end names partition 9, but the topic has"):
        read_topic(config, days, None, {9: 1})
    with pytest.raises(ValueError, match="start must be a datetime with a time zone"):
        read_topic(config, days, datetime(2026, 1, 1))
    with pytest.raises(TypeError, match=r"end must be int, datetime, or a dict .* not str"):
        read_topic(config, days, None, "now")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"start must be int, datetime, or a dict .* not bool"):
        read_topic(config, days, True)
    with pytest.raises(ValueError, match="did you mean 'offset'"):
        read_topic(config, days, columns=["offsets"])
    with pytest.raises(KafkaException, match="Unknown topic"):
        read_topic(config | {"allow.auto.create.topics": False}, "no-such-topic", timeout=TIMEOUT)
