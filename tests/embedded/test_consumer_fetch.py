"""poll(), consume(), consume_arrow() and iteration: what a consumer returns."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.kafka import numbers, poll_values, values_of
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

# ---- poll ----


def test_poll_returns_every_message_once(filled: str, consumer: Consumer) -> None:
    """A poll loop sees each message exactly once and in order."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, FILLED) == numbers(0, FILLED)
    assert consumer.poll(0.1) is None


def test_poll_without_waiting(filled: str, consumer: Consumer) -> None:
    """poll(0) returns None until a message is there."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    values: list[bytes | None] = []

    def step() -> None:
        message = consumer.poll(0)
        if message is not None:
            values.append(message.value())

    wait_until(lambda: len(values) == FILLED, step)
    assert values == numbers(0, FILLED)


def test_poll_waits_no_longer_than_asked(consumer: Consumer) -> None:
    """poll(timeout) without a message returns None after timeout seconds."""
    watch = Stopwatch()
    assert consumer.poll(0.3) is None
    assert 0.3 <= watch.elapsed < TIMEOUT


# ---- consume ----


def test_consume_returns_n_at_once(filled: str, consumer: Consumer) -> None:
    """consume(n) returns as soon as n messages are there; the next call returns the rest."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    watch = Stopwatch()
    assert values_of(consumer.consume(30, TIMEOUT)) == numbers(0, 30)
    assert values_of(consumer.consume(70, -1)) == numbers(30, FILLED)
    assert watch.elapsed < TIMEOUT
    assert consumer.consume(10, 0) == []


def test_consume_goes_on_where_poll_stopped(filled: str, consumer: Consumer) -> None:
    """poll() and consume() can be mixed: messages that poll() has fetched ahead are not skipped."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    assert values_of(consumer.consume(5, TIMEOUT)) == numbers(10, 15)
    assert poll_values(consumer, 5) == numbers(15, 20)
    assert values_of(consumer.consume(80, TIMEOUT)) == numbers(20, FILLED)


@pytest.mark.parametrize("fetch", ["poll", "consume"])
def test_callbacks_while_messages_wait(
    filled: str, make_consumer: MakeConsumer, fetch: str
) -> None:
    """A loop that becomes slow runs callbacks before it has read all messages that were fetched
    ahead."""
    served: list[str] = []
    consumer = make_consumer({"statistics.interval.ms": 100, "stats_cb": served.append})
    consumer.assign([TopicPartition(filled, 0, 0)])
    poll_values(consumer, FILLED // 2)
    before = len(served)
    for _ in range(10):  # the client had fetched at most 13 messages ahead
        time.sleep(0.1)
        if fetch == "poll":
            assert consumer.poll(TIMEOUT) is not None
        else:
            assert len(consumer.consume(1, TIMEOUT)) == 1
        if len(served) > before:
            return
    raise AssertionError("no callback was served")


@pytest.fixture
def trickle(kafka_topic: str, producer: Producer) -> Iterator[threading.Event]:
    """A message every 20 ms, from the time when the event is set until the test ends."""
    start, stop = threading.Event(), threading.Event()

    def work() -> None:
        start.wait(TIMEOUT)
        while not stop.wait(0.02):
            producer.produce(kafka_topic, b"v")
            producer.poll(0)

    thread = threading.Thread(target=work)
    thread.start()
    yield start
    stop.set()
    start.set()
    thread.join()


def test_consume_waits_the_whole_timeout(
    kafka_topic: str, consumer: Consumer, trickle: threading.Event
) -> None:
    """If messages come one by one, consume() waits until it has n or the timeout is over."""
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    trickle.set()
    counts: list[int] = []

    def collect() -> None:
        watch = Stopwatch()
        counts.append(len(consumer.consume(1000, 0.7)))
        assert 0.7 <= watch.elapsed < TIMEOUT

    wait_until(lambda: counts and counts[-1] >= 2, collect)
    assert counts[-1] < 1000


def test_consume_collects_n_of_a_trickle(
    kafka_topic: str, consumer: Consumer, trickle: threading.Event
) -> None:
    """consume(n) waits for n messages, however long its internal waits are."""
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    trickle.set()
    messages = consumer.consume(25, TIMEOUT)
    assert [message.offset() for message in messages] == list(range(25))


def test_wakeup_ends_consume_with_what_there_is(filled: str, consumer: Consumer) -> None:
    """wakeup() makes consume() return the messages that it has."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 1) == [b"0"]
    timer = threading.Timer(0.3, consumer.wakeup)
    timer.start()
    assert values_of(consumer.consume(1000, TIMEOUT)) == numbers(1, FILLED)
    timer.join()


@pytest.mark.parametrize(("count", "timeout"), [(0, -1), (0, 0), (1, 0), (1_000_000, 0)])
def test_consume_of_nothing(consumer: Consumer, count: int, timeout: float) -> None:
    """If 0 messages are requested, or no message exists, consume() returns [] at once."""
    assert consumer.consume(count, timeout) == []


def test_consume_defaults_to_one(filled: str, consumer: Consumer) -> None:
    """consume() is consume(1, -1)."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert values_of(consumer.consume()) == [b"0"]


# ---- columns ----


def test_arrow_columns(filled: str, make_consumer: MakeConsumer) -> None:
    """consume_arrow() returns the same messages as columns, and also the ends of partitions."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    batch = consumer.consume_arrow(50, TIMEOUT)
    assert len(batch) == 50
    assert batch.eof == []
    table = pyarrow.record_batch(batch)
    assert table["value"].to_pylist() == numbers(10, 60)
    assert table["offset"].to_pylist() == list(range(10, 60))
    assert set(table["topic"].to_pylist()) == {filled}
    rest = consumer.consume_arrow(41, TIMEOUT)
    assert len(rest) == 40
    assert [(end.topic, end.partition, end.offset) for end in rest.eof] == [(filled, 0, FILLED)]


def test_arrow_errors_come_after_the_rows(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """A consumer's error is raised once the rows before it have been returned."""
    consumer = make_consumer({"auto.offset.reset": "error"})
    kafka_cluster.create_topic("second")
    consumer.assign([TopicPartition(filled, 0, 0), TopicPartition("second", 0, 1000)])
    rows = 0
    with pytest.raises(KafkaException) as caught:  # noqa: PT012
        while rows <= FILLED:
            rows += len(consumer.consume_arrow(FILLED + 1, 1))
    assert caught.value.args[0] == KafkaError._AUTO_OFFSET_RESET
    assert "second" in caught.value.args[0].str()
    rows += len(consumer.consume_arrow(FILLED - rows, TIMEOUT))
    assert rows == FILLED


# ---- iteration ----


def test_iteration(filled: str, consumer: Consumer) -> None:
    """A for loop returns message after message until wakeup() ends it."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    values = []
    for message in consumer:
        values.append(message.value())
        if len(values) == FILLED:
            consumer.wakeup()
    assert values == numbers(0, FILLED)


def test_iteration_goes_on_after_the_end_of_a_partition(
    filled: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """_PARTITION_EOF is an event and not an error, so the iteration returns it."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, FILLED - 1)])
    last, end = next(consumer), next(consumer)
    assert last.value() == b"99"
    assert end.error() == KafkaError._PARTITION_EOF
    assert end.offset() == FILLED


def test_iteration_raises_errors(make_consumer: MakeConsumer) -> None:
    """Any other error is raised, and the iteration can continue."""
    consumer = make_consumer({"allow.auto.create.topics": False})
    consumer.subscribe(["nowhere"])
    with pytest.raises(KafkaException) as caught:
        next(consumer)
    assert caught.value.args[0] == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_iteration_ends_when_closed(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() in another thread ends a for loop that waits."""
    inside = threading.Event()
    statistics = {"statistics.interval.ms": 10, "stats_cb": lambda _: inside.set()}
    consumer = make_consumer(statistics)
    consumer.assign([TopicPartition(kafka_topic, 0)])
    closing = Thread(lambda: (inside.wait(TIMEOUT), consumer.close()))
    assert list(consumer) == []
    closing.result()


# ---- events among the messages ----


def test_end_of_partition(filled: str, make_consumer: MakeConsumer) -> None:
    """With enable.partition.eof, the end is a message with an error and the position."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, 98)])
    messages = consumer.consume(3, TIMEOUT)
    assert values_of(messages[:2]) == [b"98", b"99"]
    end = messages[2]
    assert end.error() == KafkaError._PARTITION_EOF
    assert (end.topic(), end.partition(), end.offset()) == (filled, 0, FILLED)


def test_unknown_topic(make_consumer: MakeConsumer) -> None:
    """If a subscribed topic does not exist, poll() returns a message with the error."""
    consumer = make_consumer({"allow.auto.create.topics": False})
    consumer.subscribe(["nowhere"])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    error = message.error()
    assert error == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert error is not None
    assert "nowhere" in error.str()
    assert message.topic() == "nowhere"


def test_offset_out_of_range(filled: str, make_consumer: MakeConsumer) -> None:
    """With auto.offset.reset=error, an offset that does not exist is an error."""
    consumer = make_consumer({"auto.offset.reset": "error"})
    consumer.assign([TopicPartition(filled, 0, 5000)])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == KafkaError._AUTO_OFFSET_RESET
