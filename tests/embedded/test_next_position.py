"""The position is the offset where reading continues, even after a seek backwards.

Some offsets have no records. position(), lag(), stored and committed offsets follow one rule for
every way of reading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_END,
    OFFSET_INVALID,
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.compacted import append_holes
from tests.support.kafka import committed, numbers, poll_values, position, send, values_of
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("next-position", "mock-holes")

END = 10


def poll(consumer: Any, count: int) -> list[Any]:
    return [consumer.poll(TIMEOUT).value() for _ in range(count)]


def consume(consumer: Any, count: int) -> list[Any]:
    return [message.value() for message in consumer.consume(count, TIMEOUT)]


def arrow(consumer: Any, count: int) -> list[Any]:
    pyarrow = pytest.importorskip("pyarrow")
    batch = pyarrow.record_batch(consumer.consume_arrow(count, TIMEOUT))
    values: list[Any] = batch.column("value").to_pylist()
    return values


def iterate(consumer: Any, count: int) -> list[Any]:
    return [next(consumer).value() for _ in range(count)]


def by_partition(consumer: Any, count: int) -> list[Any]:
    """Read as the compatibility APIs do: check for messages before waiting.

    Messages that were taken but did not fit do not end a wait.
    """
    values: list[Any] = []
    place = None
    while True:
        place = place or consumer.assignment()
        for messages in consumer._by_partition(count - len(values), place, True).values():
            values += [message.value() for message in messages]
        if len(values) >= count:
            return values
        consumer._wait(TIMEOUT)


WAYS = [poll, consume, arrow, iterate, by_partition]

Way = Callable[[Any, int], list[Any]]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


@pytest.fixture
def reading(make_consumer: MakeConsumer, kafka_topic: str) -> Consumer:
    consumer = make_consumer()
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    return consumer


@pytest.fixture
def holes(kafka_cluster: MockCluster, kafka_topic: str) -> str:
    """One batch of the offsets 0 to 9, of which compaction has left only 3 and 7."""
    append_holes(kafka_cluster, kafka_topic, [3, 7], END - 1)
    return kafka_topic


def lag(consumer: Consumer) -> int | None:
    [behind] = consumer.lag().values()
    return behind


# ---- offsets without records ----


@needs("mock-holes")
def test_the_embedded_cluster_keeps_holes(holes: str, consumer: Consumer) -> None:
    """The end of the partition is the offset after the last batch, even if compaction removed
    records."""
    assert consumer.get_watermark_offsets(TopicPartition(holes, 0), TIMEOUT) == (0, END)


@needs("next-position", "mock-holes")
def test_the_position_reaches_the_end(holes: str, reading: Consumer, way: Way) -> None:
    """After the last record, the position is the end, so a loop until the end stops."""
    assert way(reading, 1) == [b"3"]
    assert (position(reading, holes), lag(reading)) == (4, 6)
    assert way(reading, 1) == [b"7"]
    assert (position(reading, holes), lag(reading)) == (END, 0)
    [done] = reading.commit(asynchronous=False) or []
    assert (done.offset, committed(reading, holes)) == (END, END)


@pytest.mark.parametrize("kept", [[0, 1, 2, 3, 4], list(range(8)), [1, 3, 5, 7, 9]])
def test_large_batches(
    kafka_cluster: MockCluster, kafka_topic: str, reading: Consumer, way: Way, kept: list[int]
) -> None:
    """The position reaches the end, even if librdkafka unpacks a batch late."""
    append_holes(kafka_cluster, kafka_topic, kept, END - 1)
    append_holes(kafka_cluster, kafka_topic, [END], END + 2, first=END)
    assert way(reading, len(kept)) == [b"%d" % offset for offset in kept]
    assert position(reading, kafka_topic) >= kept[-1] + 1
    assert way(reading, 1) == [b"%d" % END]
    assert position(reading, kafka_topic) == END + 3
    reading.commit(asynchronous=False)
    assert committed(reading, kafka_topic) == END + 3


def test_an_empty_batch_at_the_end(
    kafka_cluster: MockCluster, kafka_topic: str, reading: Consumer, way: Way
) -> None:
    """If an empty batch comes after all records are committed, the next commit includes it."""
    append_holes(kafka_cluster, kafka_topic, [0, 1], 1)
    assert len(way(reading, 2)) == 2
    reading.commit(asynchronous=False)
    append_holes(kafka_cluster, kafka_topic, [], END - 1, first=2)
    wait_until(lambda: position(reading, kafka_topic) == END, lambda: reading.poll(0.01))
    assert lag(reading) == 0
    reading.commit(asynchronous=False)
    assert committed(reading, kafka_topic) == END


def test_nothing_but_holes(kafka_cluster: MockCluster, kafka_topic: str, reading: Consumer) -> None:
    """If a partition has no records at all, the position still reaches its end."""
    append_holes(kafka_cluster, kafka_topic, [], END - 1)
    wait_until(lambda: position(reading, kafka_topic) == END, lambda: reading.poll(0.01))
    assert lag(reading) == 0


def test_empty_batches_are_no_large_messages(
    kafka_cluster: MockCluster, kafka_topic: str, reading: Consumer
) -> None:
    """The consumer reads past empty batches.

    Without the patch, librdkafka doubled the size of its fetches for each empty batch, and finally
    reported an error.
    """
    values: list[Any] = []
    for end in range(1, 16):
        append_holes(kafka_cluster, kafka_topic, [], end - 1, first=end - 1)
        while position(reading, kafka_topic) != end:
            values.append(reading.poll(0.01))
    assert set(values) == {None}


def test_what_waits_is_not_skipped(holes: str, reading: Consumer) -> None:
    """The position stays before a record that is not returned yet."""
    assert poll(reading, 1) == [b"3"]
    reading.pause([TopicPartition(holes, 0)])
    assert 4 <= position(reading, holes) <= 7  # the fetched record must not change the position
    reading.commit(asynchronous=False)
    assert committed(reading, holes) == 4
    reading.resume([TopicPartition(holes, 0)])
    assert poll(reading, 1) == [b"7"]
    assert position(reading, holes) == END


def test_pause_at_the_end(
    kafka_cluster: MockCluster, holes: str, reading: Consumer, way: Way
) -> None:
    """After a pause at the end, reading continues after the missing offsets."""
    assert way(reading, 2) == [b"3", b"7"]
    reading.pause([TopicPartition(holes, 0)])
    reading.resume([TopicPartition(holes, 0)])
    assert position(reading, holes) == END
    append_holes(kafka_cluster, holes, [END], END, first=END)
    assert way(reading, 1) == [b"%d" % END]


def test_offsets_that_the_application_stores(holes: str, make_consumer: MakeConsumer) -> None:
    """store_offsets() of the last record stores the position after the hole."""
    consumer = make_consumer({"enable.auto.offset.store": False})
    consumer.assign([TopicPartition(holes, 0, 0)])
    for expected in (4, END):
        message = consumer.poll(TIMEOUT)
        assert message is not None
        consumer.store_offsets(message)
        consumer.commit(asynchronous=False)
        assert committed(consumer, holes) == expected


def test_the_end_of_a_partition_is_the_position(holes: str, make_consumer: MakeConsumer) -> None:
    """_PARTITION_EOF has the offset that position() has."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(holes, 0, 0)])
    messages = consumer.consume(3, TIMEOUT)
    error = messages[2].error()
    assert error is not None
    assert error.code() == KafkaError._PARTITION_EOF
    assert messages[2].offset() == position(consumer, holes) == END


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_transactions(
    kafka_topic: str, make_producer: MakeProducer, make_consumer: MakeConsumer, isolation: str
) -> None:
    """The position passes markers at the end, and with read_committed also passes aborted
    records."""
    producer = make_producer({"transactional.id": "t"})
    producer.init_transactions(TIMEOUT)
    for end in (producer.commit_transaction, producer.abort_transaction):
        producer.begin_transaction()
        for value in numbers(0, 3):
            producer.produce(kafka_topic, value, partition=0)
        producer.flush(TIMEOUT)
        end(TIMEOUT)
    consumer = make_consumer({"isolation.level": isolation})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    count = 3 if isolation == "read_committed" else 6
    assert len(consumer.consume(count, TIMEOUT)) == count
    _, end_offset = consumer.get_watermark_offsets(TopicPartition(kafka_topic, 0), TIMEOUT)
    wait_until(lambda: position(consumer, kafka_topic) == end_offset, lambda: consumer.poll(0.01))
    assert lag(consumer) == 0
    consumer.commit(asynchronous=False)
    assert committed(consumer, kafka_topic) == end_offset


def test_automatic_commits_have_holes(holes: str, make_consumer: MakeConsumer) -> None:
    """Offsets without records are committed by time, and when the consumer is closed."""
    consumer = make_consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 20})
    consumer.subscribe([holes])
    assert poll(consumer, 2) == [b"3", b"7"]
    wait_until(lambda: committed(consumer, holes) == END, lambda: consumer.poll(0.01))
    closing = make_consumer({"enable.auto.commit": True, "group.id": "another"})
    closing.subscribe([holes])
    assert poll(closing, 2) == [b"3", b"7"]
    closing.close()
    assert committed(make_consumer({"group.id": "another"}), holes) == END


@pytest.mark.parametrize("subscribed", [False, True])
@pytest.mark.parametrize("way", [consume, arrow, by_partition])
def test_close_commits_no_message_that_waits(
    holes: str, make_consumer: MakeConsumer, way: Way, subscribed: bool
) -> None:
    """close() does not commit past a waiting message: the next consumer would skip it."""
    closing = make_consumer({"enable.auto.commit": True, "group.id": "another"})
    if subscribed:
        closing.subscribe([holes])
    else:
        closing.assign([TopicPartition(holes, 0, 0)])
    found: list[Any] = []
    wait_until(lambda: found, lambda: found.extend(way(closing, 1)))
    closing.close()
    assert committed(make_consumer({"group.id": "another"}), holes) == 4


def test_aio(holes: str, kafka_cluster: MockCluster) -> None:
    """The asyncio clients have the same position, and commit the same position."""

    async def run() -> None:
        config = {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        }
        plain: Any = AIOConsumer(config | {"group.id": "plain"})
        objects: Any = AsyncDeserializingConsumer(config | {"group.id": "objects"})
        place = TopicPartition(holes, 0, 0)
        for consumer in (plain, objects):
            await consumer.assign([place])
            assert (await consumer.poll(TIMEOUT)).value() == b"3"
            assert (await consumer.poll(TIMEOUT)).value() == b"7"
            [at] = await consumer.position([place])
            [done] = await consumer.commit(asynchronous=False)
            assert (at.offset, done.offset) == (END, END)
            await consumer.close()

    asyncio.run(run())


def test_deserializing(holes: str, kafka_cluster: MockCluster) -> None:
    """DeserializingConsumer commits the same position."""
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "objects",
        "enable.auto.commit": False,
    }
    consumer: DeserializingConsumer[Any, Any] = DeserializingConsumer(config)
    with consumer:
        consumer.assign([TopicPartition(holes, 0, 0)])
        assert poll(consumer, 2) == [b"3", b"7"]
        [done] = consumer.commit(asynchronous=False) or []
        assert done.offset == END


# ---- going back ----


@pytest.fixture
def done(filled: str, reading: Consumer) -> Consumer:
    """A consumer that has read and committed 10 of a hundred messages."""
    assert poll_values(reading, 10) == numbers(0, 10)
    reading.commit(asynchronous=False)
    assert committed(reading, filled) == 10
    return reading


@needs("next-position", "mock-holes")
def test_commit_after_a_seek(filled: str, done: Consumer, way: Way) -> None:
    """After a seek backwards, offsets are committed again, although later ones were committed
    before."""
    done.seek(TopicPartition(filled, 0, 0))
    assert way(done, 3) == numbers(0, 3)
    assert position(done, filled) == 3
    done.commit(asynchronous=False)
    assert committed(done, filled) == 3


def test_commit_right_after_a_seek(filled: str, done: Consumer) -> None:
    """Right after a seek, commit() commits the offset of the seek, as in Java."""
    done.seek(TopicPartition(filled, 0, 4))
    done.commit(asynchronous=False)
    assert committed(done, filled) == 4


def test_commit_after_a_seek_forward(filled: str, done: Consumer) -> None:
    """After a seek forward, only offsets of returned messages are committed."""
    done.seek(TopicPartition(filled, 0, 50))
    with pytest.raises(KafkaException) as raised:
        done.commit(asynchronous=False)
    assert raised.value.args[0].code() == KafkaError._NO_OFFSET
    assert poll_values(done, 1) == [b"50"]
    done.commit(asynchronous=False)
    assert committed(done, filled) == 51


@pytest.mark.parametrize("closed", [False, True])
def test_automatic_commits_after_a_seek(
    filled: str, make_consumer: MakeConsumer, closed: bool
) -> None:
    """Offsets after a seek are committed by time, and by close()."""
    config = {"enable.auto.commit": True, "auto.commit.interval.ms": 60_000 if closed else 20}
    consumer = make_consumer(config)
    consumer.subscribe([filled])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.commit(asynchronous=False)
    consumer.seek(TopicPartition(filled, 0, 0))
    assert poll_values(consumer, 3) == numbers(0, 3)
    if closed:
        consumer.close()
        assert committed(make_consumer(), filled) == 3
    else:
        wait_until(lambda: committed(consumer, filled) == 3)


def test_stored_offsets_go_back(filled: str, make_consumer: MakeConsumer) -> None:
    """The last offset given to store_offsets() is committed, even if it is lower than the committed
    one."""
    consumer = make_consumer({"enable.auto.offset.store": False})
    consumer.assign([TopicPartition(filled, 0, 0)])
    consumer.consume(20, TIMEOUT)
    for offset in (15, 5):
        consumer.store_offsets(offsets=[TopicPartition(filled, 0, offset)])
        consumer.commit(asynchronous=False)
        assert committed(consumer, filled) == offset


def test_an_offset_that_was_committed_ahead_stays(filled: str, make_consumer: MakeConsumer) -> None:
    """If nothing was read since commit() with a later offset, close() does not move the offset
    back."""
    consumer = make_consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 60_000})
    consumer.subscribe([filled])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.commit(offsets=[TopicPartition(filled, 0, 20)], asynchronous=False)
    consumer.close()
    assert committed(make_consumer(), filled) == 20


@needs("next-position", "mock-holes")
@pytest.mark.parametrize("way_of_committing", ["explicit", "closed"])
def test_holes_do_not_take_back_what_was_committed_ahead(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_consumer: MakeConsumer,
    way_of_committing: str,
) -> None:
    """An empty batch moves the position forward, which is not a seek back: a later committed
    offset stays committed."""
    append_holes(kafka_cluster, kafka_topic, [0, 1], 1)
    consumer = make_consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 60_000})
    consumer.subscribe([kafka_topic])
    assert poll_values(consumer, 2) == [b"0", b"1"]
    consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 20)], asynchronous=False)
    append_holes(kafka_cluster, kafka_topic, [], END - 1, first=2)
    wait_until(lambda: position(consumer, kafka_topic) == END, lambda: consumer.poll(0.01))
    if way_of_committing == "explicit":
        with pytest.raises(KafkaException) as raised:
            consumer.commit(asynchronous=False)
        assert raised.value.args[0].code() == KafkaError._NO_OFFSET
    consumer.close()
    assert committed(make_consumer(), kafka_topic) == 20


def test_the_aio_clients_go_back(filled: str, kafka_cluster: MockCluster) -> None:
    """The asyncio clients commit what was read after a seek, explicitly and when they are
    closed."""

    async def run(kind: Any, explicit: bool) -> int:
        config = {
            "bootstrap.servers": kafka_cluster.bootstrap_servers,
            "group.id": f"{kind.__name__}-{explicit}",
            "auto.offset.reset": "earliest",
            "heartbeat.interval.ms": 100,
        }
        consumer = kind(config)
        await consumer.subscribe([filled])
        for _ in range(10):
            await consumer.poll(TIMEOUT)
        await consumer.commit(asynchronous=False)
        await consumer.seek(TopicPartition(filled, 0, 0))
        assert [(await consumer.poll(TIMEOUT)).value() for _ in range(3)] == numbers(0, 3)
        if explicit:
            await consumer.commit(asynchronous=False)
            [at] = await consumer.committed([TopicPartition(filled, 0)])
            await consumer.close()
            return int(at.offset)
        await consumer.close()
        again = kind(config)
        [at] = await again.committed([TopicPartition(filled, 0)])
        await again.close()
        return int(at.offset)

    for kind in (AIOConsumer, AsyncDeserializingConsumer):
        for explicit in (True, False):
            assert asyncio.run(run(kind, explicit)) == 3


@needs("next-position", "mock-holes")
def test_a_reset_takes_the_position_back(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, reading: Consumer, way: Way
) -> None:
    """After OFFSET_OUT_OF_RANGE, position(), lag() and commits follow the reset."""
    send(producer, kafka_topic, numbers(0, 10))
    assert way(reading, 10) == numbers(0, 10)
    reading.commit(asynchronous=False)
    kafka_cluster.inject_errors("Fetch", [KafkaError.OFFSET_OUT_OF_RANGE])
    send(producer, kafka_topic, [b"more"])
    assert way(reading, 3) == numbers(0, 3)
    assert (position(reading, kafka_topic), lag(reading)) == (3, 8)
    reading.commit(asynchronous=False)
    assert committed(reading, kafka_topic) == 3
    assert values_of(reading.consume(8, TIMEOUT)) == [*numbers(3, 10), b"more"]


@needs("first-position")
def test_the_position_before_the_first_message(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """_next_position() returns where the consumer begins: the offset of the assignment, a seek or a
    reset."""
    send(producer, kafka_topic, numbers(0, END))
    consumer = make_consumer({"auto.offset.reset": "earliest"})
    here = TopicPartition(kafka_topic, 0)

    def goes_on_at(offset: int) -> None:
        wait_until(lambda: consumer._next_position([here])[0].offset == offset)
        assert position(consumer, kafka_topic) == OFFSET_INVALID

    assert consumer._next_position([here])[0].offset == OFFSET_INVALID
    consumer.assign([TopicPartition(kafka_topic, 0, 5)])
    goes_on_at(5)
    for offset, reached in ((3, 3), (END + 30, 0), (OFFSET_END, END)):
        consumer.seek(TopicPartition(kafka_topic, 0, offset))
        goes_on_at(reached)
    consumer.assign([TopicPartition(kafka_topic, 0, 2)])
    assert poll(consumer, 1) == numbers(2, 3)
    assert consumer._next_position([here])[0].offset == position(consumer, kafka_topic) == 3
