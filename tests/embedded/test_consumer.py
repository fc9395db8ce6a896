"""Consumer against real brokers: what it reads, where it stands, what it commits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    TIMESTAMP_CREATE_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import send, values_of
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

COUNT = 100

# The brokers decide on sessions and heartbeats, not the members.
KIP_848 = {
    "group.protocol": "consumer",
    "session.timeout.ms": None,
    "heartbeat.interval.ms": None,
}


def numbers(start: int, stop: int) -> list[bytes]:
    return [b"%d" % i for i in range(start, stop)]


@pytest.fixture
def filled(kafka_topic: str, producer: Producer) -> str:
    """A topic with the values b"0" to b"99" in partition 0, at the offsets 0 to 99."""
    send(producer, kafka_topic, numbers(0, COUNT))
    return kafka_topic


@pytest.fixture
def stored(make_consumer: MakeConsumer) -> Consumer:
    """A consumer that commits only what store_offsets() was given."""
    return make_consumer({"enable.auto.offset.store": False})


def poll_values(consumer: Consumer, count: int) -> list[bytes | None]:
    """The next `count` values, polled one by one."""
    messages = [consumer.poll(TIMEOUT) for _ in range(count)]
    return [None if message is None else message.value() for message in messages]


def joined(consumer: Consumer) -> list[TopicPartition]:
    """The assignment, once the consumer has one; it must not have messages to return."""
    while not consumer.assignment():
        assert consumer.poll(0.01) is None
    return consumer.assignment()


def committed(consumer: Consumer, topic: str, partition: int = 0) -> int:
    (result,) = consumer.committed([TopicPartition(topic, partition)], TIMEOUT)
    assert result.error is None
    return result.offset


def position(consumer: Consumer, topic: str) -> int:
    (result,) = consumer.position([TopicPartition(topic, 0)])
    assert result.error is None
    return result.offset


# ---- subscribe ----


@pytest.mark.kafka_topic(partitions=3)
def test_subscribe_reads_all_partitions(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """The only member of a group gets every partition and all that is in them."""
    for i in range(30):
        producer.produce(kafka_topic, b"%d" % i, partition=i % 3)
    assert producer.flush(TIMEOUT) == 0
    consumer.subscribe([kafka_topic])
    messages = consumer.consume(30, TIMEOUT)
    assert sorted(int(value or b"") for value in values_of(messages)) == list(range(30))
    assert sorted(consumer.assignment()) == [TopicPartition(kafka_topic, i) for i in range(3)]


def test_messages_have_all_fields(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """A consumed message has what was produced, and where it was."""
    producer.produce(kafka_topic, b"first")
    producer.produce(
        kafka_topic, b"value", b"key", timestamp=4711, headers=[("a", b"1"), ("a", None)]
    )
    assert producer.flush(TIMEOUT) == 0
    consumer.subscribe([kafka_topic])
    first, message = consumer.consume(2, TIMEOUT)
    assert (message.topic(), message.partition(), message.offset()) == (kafka_topic, 0, 1)
    assert (message.value(), message.key()) == (b"value", b"key")
    assert message.timestamp() == (TIMESTAMP_CREATE_TIME, 4711)
    assert message.headers() == [("a", b"1"), ("a", None)]
    assert message.error() is None
    assert message.latency() is None
    assert len(message) == len(b"value")
    assert first.headers() is None
    assert first.topic() is message.topic()


def test_rebalance_callbacks(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """on_assign and on_revoke get the consumer and the partitions, inside poll()."""
    calls: list[tuple[str, Consumer, list[TopicPartition]]] = []
    consumer = make_consumer()
    consumer.subscribe(
        [kafka_topic],
        on_assign=lambda who, what: calls.append(("assign", who, what)),
        on_revoke=lambda who, what: calls.append(("revoke", who, what)),
        on_lost=lambda who, what: calls.append(("lost", who, what)),
    )
    partitions = [TopicPartition(kafka_topic, 0)]
    assert joined(consumer) == partitions
    assert calls == [("assign", consumer, partitions)]
    consumer.unsubscribe()
    wait_until(lambda: len(calls) > 1, lambda: consumer.poll(0.01))
    assert calls[1:] == [("revoke", consumer, partitions)]
    assert consumer.assignment() == []


@pytest.mark.parametrize("has_on_lost", [True, False])
def test_lost_partitions(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer, has_on_lost: bool
) -> None:
    """A member that the group has thrown out is told by on_lost, or else by on_revoke."""
    consumer = make_consumer({"session.timeout.ms": 1200})
    calls: list[str] = []
    callbacks: dict[str, Any] = {
        "on_assign": lambda *_: calls.append("assign"),
        "on_revoke": lambda *_: calls.append("revoke"),
    }
    if has_on_lost:
        callbacks["on_lost"] = lambda *_: calls.append("lost")
    consumer.subscribe([kafka_topic], **callbacks)
    joined(consumer)
    kafka_cluster.inject_errors("Heartbeat", [KafkaError.UNKNOWN_MEMBER_ID])
    wait_until(lambda: calls.count("assign") == 2, lambda: consumer.poll(0.01))
    assert calls == ["assign", "lost" if has_on_lost else "revoke", "assign"]


def test_close_revokes(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() runs the last on_revoke, in which the assignment is still there."""
    calls: list[list[TopicPartition]] = []
    consumer = make_consumer()
    consumer.subscribe([kafka_topic], on_revoke=lambda who, _: calls.append(who.assignment()))
    joined(consumer)
    consumer.close()
    assert calls == [[TopicPartition(kafka_topic, 0)]]


def test_regular_expression(
    kafka_cluster: MockCluster, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """'^...' subscribes to the topics that match, also to those that come later."""
    consumer = make_consumer({"topic.metadata.refresh.interval.ms": 50})
    kafka_cluster.create_topic("logs-a")
    kafka_cluster.create_topic("other")
    consumer.subscribe(["^logs-.*"])
    assert joined(consumer) == [TopicPartition("logs-a", 0)]
    kafka_cluster.create_topic("logs-b")
    later = [TopicPartition("logs-a", 0), TopicPartition("logs-b", 0)]
    wait_until(lambda: sorted(consumer.assignment()) == later, lambda: consumer.poll(0.01))
    send(producer, "logs-b", [b"late"])
    assert poll_values(consumer, 1) == [b"late"]


def test_subscribe_replaces(kafka_cluster: MockCluster, consumer: Consumer) -> None:
    """A second subscribe() takes the place of the first, callbacks included."""
    kafka_cluster.create_topic("one")
    kafka_cluster.create_topic("two")
    calls: list[str] = []
    consumer.subscribe(("one",), on_assign=lambda *_: calls.append("first"))
    assert joined(consumer) == [TopicPartition("one", 0)]
    consumer.subscribe(["two"], on_assign=lambda *_: calls.append("second"))
    wait_until(
        lambda: consumer.assignment() == [TopicPartition("two", 0)],
        lambda: consumer.poll(0.01),
    )
    assert calls == ["first", "second"]


@pytest.mark.parametrize("topics", [[], [""], ["^("]])
def test_wrong_subscriptions(consumer: Consumer, topics: list[str]) -> None:
    """No topic, an empty name and a broken expression are _INVALID_ARG."""
    with pytest.raises(KafkaException) as caught:
        consumer.subscribe(topics)
    assert caught.value.args[0] == KafkaError._INVALID_ARG


@pytest.mark.kafka_topic(partitions=4)
@pytest.mark.parametrize("strategy", ["range", "roundrobin", "cooperative-sticky"])
def test_two_members_share(kafka_topic: str, make_consumer: MakeConsumer, strategy: str) -> None:
    """Under every assignor a second member takes its half over, without callbacks."""
    members = [make_consumer({"partition.assignment.strategy": strategy}) for _ in range(2)]
    members[0].subscribe([kafka_topic])
    assert len(joined(members[0])) == 4
    members[1].subscribe([kafka_topic])

    def poll_both() -> None:
        for member in members:
            member.poll(0.01)

    wait_until(lambda: [len(m.assignment()) for m in members] == [2, 2], poll_both)
    assert sorted(members[0].assignment() + members[1].assignment()) == [
        TopicPartition(kafka_topic, i) for i in range(4)
    ]


@pytest.mark.kafka_topic(partitions=4)
def test_kip_848_group(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """The consumer group protocol of Kafka 4 goes through the same callbacks."""
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    calls: list[str] = []

    def member(name: str) -> Consumer:
        consumer = make_consumer(KIP_848)
        consumer.subscribe(
            [kafka_topic],
            on_assign=lambda _, what: calls.extend(f"{name} +" for _ in what),
            on_revoke=lambda _, what: calls.extend(f"{name} -" for _ in what),
        )
        return consumer

    one = member("one")
    wait_until(lambda: len(one.assignment()) == 4, lambda: one.poll(0.01))
    two = member("two")

    def poll_both() -> None:
        one.poll(0.01)
        two.poll(0.01)

    wait_until(lambda: len(one.assignment()) == len(two.assignment()) == 2, poll_both)
    assert calls == ["one +"] * 4 + ["one -"] * 2 + ["two +"] * 2


# ---- assign ----


@pytest.mark.parametrize(
    ("offset", "first"),
    [(0, 0), (42, 42), (OFFSET_BEGINNING, 0), (OFFSET_STORED, 17), (OFFSET_INVALID, 17)],
)
def test_assign_starts_at_the_offset(
    filled: str, consumer: Consumer, offset: int, first: int
) -> None:
    """A number, the beginning, or what the group has committed."""
    consumer.commit(offsets=[TopicPartition(filled, 0, 17)], asynchronous=False)
    consumer.assign([TopicPartition(filled, 0, offset)])
    assert poll_values(consumer, 1) == [b"%d" % first]


def test_assign_at_the_end(filled: str, producer: Producer, make_consumer: MakeConsumer) -> None:
    """OFFSET_END reads only what comes later."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, OFFSET_END)])
    end = consumer.poll(TIMEOUT)
    assert end is not None
    assert end.error() == KafkaError._PARTITION_EOF
    send(producer, filled, [b"later"])
    assert poll_values(consumer, 1) == [b"later"]


def test_assign_starts_anew(filled: str, consumer: Consumer) -> None:
    """assign() forgets what was fetched ahead: the next message is the one asked for."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.assign([TopicPartition(filled, 0, 5)])
    assert poll_values(consumer, 20) == numbers(5, 25)


@pytest.mark.kafka_topic(partitions=3)
def test_incremental_assignment(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """incremental_assign() and incremental_unassign() add and take away partitions."""
    for partition in range(3):
        producer.produce(kafka_topic, b"%d" % partition, partition=partition)
    assert producer.flush(TIMEOUT) == 0
    partitions = [TopicPartition(kafka_topic, i, 0) for i in range(3)]
    consumer.incremental_assign(partitions[:1])
    assert poll_values(consumer, 1) == [b"0"]
    consumer.incremental_assign(partitions[1:])
    assert sorted(poll_values(consumer, 2), key=str) == [b"1", b"2"]
    consumer.incremental_unassign(partitions[:2])
    assert consumer.assignment() == partitions[2:]
    consumer.unassign()
    assert consumer.assignment() == []


def test_unassigned_partitions_are_not_returned(filled: str, consumer: Consumer) -> None:
    """Nothing that was fetched ahead comes after unassign()."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.unassign()
    assert consumer.poll(0.1) is None


def test_incremental_assign_twice(filled: str, consumer: Consumer) -> None:
    """A partition cannot be added twice: KafkaException, and reading goes on."""
    consumer.incremental_assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 1) == [b"0"]
    with pytest.raises(KafkaException):
        consumer.incremental_assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(1, 21)


# ---- poll ----


def test_poll_returns_every_message_once(filled: str, consumer: Consumer) -> None:
    """A poll loop sees each message exactly once and in order."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, COUNT) == numbers(0, COUNT)
    assert consumer.poll(0.1) is None


def test_poll_without_waiting(filled: str, consumer: Consumer) -> None:
    """poll(0) returns None until a message is there."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    values: list[bytes | None] = []

    def step() -> None:
        message = consumer.poll(0)
        if message is not None:
            values.append(message.value())

    wait_until(lambda: len(values) == COUNT, step)
    assert values == numbers(0, COUNT)


def test_poll_waits_no_longer_than_asked(consumer: Consumer) -> None:
    """poll(timeout) without a message returns None after timeout seconds."""
    watch = Stopwatch()
    assert consumer.poll(0.3) is None
    assert 0.3 <= watch.elapsed < TIMEOUT


# ---- consume ----


def test_consume_returns_n_at_once(filled: str, consumer: Consumer) -> None:
    """consume(n) returns when n messages are there, and the rest with the next call."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    watch = Stopwatch()
    assert values_of(consumer.consume(30, TIMEOUT)) == numbers(0, 30)
    assert values_of(consumer.consume(70, -1)) == numbers(30, COUNT)
    assert watch.elapsed < TIMEOUT
    assert consumer.consume(10, 0) == []


def test_consume_goes_on_where_poll_stopped(filled: str, consumer: Consumer) -> None:
    """poll() and consume() can be mixed: what poll() has fetched ahead is not skipped."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    assert values_of(consumer.consume(5, TIMEOUT)) == numbers(10, 15)
    assert poll_values(consumer, 5) == numbers(15, 20)
    assert values_of(consumer.consume(80, TIMEOUT)) == numbers(20, COUNT)


@pytest.fixture
def trickle(kafka_topic: str, producer: Producer) -> Iterator[threading.Event]:
    """A message each 20 ms, from when the event is set until the test ends."""
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
    """Messages that trickle in do not end consume() before n or the timeout."""
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    trickle.set()
    watch = Stopwatch()
    messages = consumer.consume(1000, 0.7)
    assert 0.7 <= watch.elapsed < TIMEOUT
    assert 2 <= len(messages) < 1000


def test_consume_collects_n_of_a_trickle(
    kafka_topic: str, consumer: Consumer, trickle: threading.Event
) -> None:
    """n messages are waited for, however long the internal waits are."""
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
    assert values_of(consumer.consume(1000, TIMEOUT)) == numbers(1, COUNT)
    timer.join()


@pytest.mark.parametrize(("count", "timeout"), [(0, -1), (0, 0), (1, 0), (1_000_000, 0)])
def test_consume_of_nothing(consumer: Consumer, count: int, timeout: float) -> None:
    """No messages wanted, or none there: an empty list at once."""
    assert consumer.consume(count, timeout) == []


def test_consume_defaults_to_one(filled: str, consumer: Consumer) -> None:
    """consume() is consume(1, -1)."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert values_of(consumer.consume()) == [b"0"]


# ---- columns ----


def test_arrow_columns(filled: str, make_consumer: MakeConsumer) -> None:
    """consume_arrow() returns the same messages as columns, and the ends of partitions."""
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
    assert [(end.topic, end.partition, end.offset) for end in rest.eof] == [(filled, 0, COUNT)]


def test_arrow_errors_come_after_the_rows(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """A consumer's error is raised once the rows before it have been returned."""
    consumer = make_consumer({"auto.offset.reset": "error"})
    kafka_cluster.create_topic("second")
    consumer.assign([TopicPartition(filled, 0, 0), TopicPartition("second", 0, 1000)])
    rows = 0
    with pytest.raises(KafkaException) as caught:  # noqa: PT012
        while rows <= COUNT:
            rows += len(consumer.consume_arrow(COUNT + 1, 1))
    assert caught.value.args[0] == KafkaError._AUTO_OFFSET_RESET
    assert "second" in caught.value.args[0].str()
    rows += len(consumer.consume_arrow(COUNT, 0.1))
    assert rows == COUNT


# ---- iteration ----


def test_iteration(filled: str, consumer: Consumer) -> None:
    """A for loop gets message after message until it is woken."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    values = []
    for message in consumer:
        values.append(message.value())
        if len(values) == COUNT:
            consumer.wakeup()
    assert values == numbers(0, COUNT)


def test_iteration_goes_on_after_the_end_of_a_partition(
    filled: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """_PARTITION_EOF is an event, not an error: it is returned."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, COUNT - 1)])
    last, end = next(consumer), next(consumer)
    assert last.value() == b"99"
    assert end.error() == KafkaError._PARTITION_EOF
    assert end.offset() == COUNT


def test_iteration_raises_errors(make_consumer: MakeConsumer) -> None:
    """Any other error is raised, and the iteration can go on."""
    consumer = make_consumer({"allow.auto.create.topics": False})
    consumer.subscribe(["there is no such topic"])
    with pytest.raises(KafkaException) as caught:
        next(consumer)
    assert caught.value.args[0] == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_iteration_ends_when_closed(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() in another thread ends a for loop that waits."""
    consumer = make_consumer()
    consumer.assign([TopicPartition(kafka_topic, 0)])
    timer = threading.Timer(0.1, consumer.close)
    timer.start()
    assert list(consumer) == []
    timer.join()


# ---- events among the messages ----


def test_end_of_partition(filled: str, make_consumer: MakeConsumer) -> None:
    """With enable.partition.eof the end is a message with an error and its position."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, 98)])
    messages = consumer.consume(3, TIMEOUT)
    assert values_of(messages[:2]) == [b"98", b"99"]
    end = messages[2]
    assert end.error() == KafkaError._PARTITION_EOF
    assert (end.topic(), end.partition(), end.offset()) == (filled, 0, COUNT)


def test_unknown_topic(make_consumer: MakeConsumer) -> None:
    """Subscribing to a topic that is not there is told by a message with an error."""
    consumer = make_consumer({"allow.auto.create.topics": False})
    consumer.subscribe(["there is no such topic"])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    error = message.error()
    assert error == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert error is not None
    assert "there is no such topic" in error.str()
    assert message.topic() == "there is no such topic"


def test_offset_out_of_range(filled: str, make_consumer: MakeConsumer) -> None:
    """With auto.offset.reset=error an offset that is not there is told."""
    consumer = make_consumer({"auto.offset.reset": "error"})
    consumer.assign([TopicPartition(filled, 0, 5000)])
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == KafkaError._AUTO_OFFSET_RESET


# ---- commit ----


def test_commit_of_a_message(filled: str, consumer: Consumer) -> None:
    """commit(message) commits the offset after it, in this partition only."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    messages = consumer.consume(10, TIMEOUT)
    (result,) = consumer.commit(messages[4], asynchronous=False)
    assert (result.topic, result.partition, result.offset) == (filled, 0, 5)
    assert result.error is None
    assert committed(consumer, filled) == 5


@pytest.mark.kafka_topic(partitions=2)
def test_commit_of_offsets(kafka_topic: str, consumer: Consumer) -> None:
    """commit(offsets=...) commits exactly these, with their metadata."""
    offsets = [
        TopicPartition(kafka_topic, 0, 12, metadata="what I did"),
        TopicPartition(kafka_topic, 1, 0),
    ]
    result = consumer.commit(offsets=offsets, asynchronous=False)
    assert [(entry.partition, entry.offset, entry.error) for entry in result] == [
        (0, 12, None),
        (1, 0, None),
    ]
    answer = consumer.committed(offsets, TIMEOUT)
    assert [(entry.offset, entry.metadata) for entry in answer] == [(12, "what I did"), (0, None)]


def test_commit_of_what_was_returned(filled: str, consumer: Consumer) -> None:
    """commit() without arguments commits what poll() returned, not what it fetched ahead."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    poll_values(consumer, 20)
    (result,) = consumer.commit(asynchronous=False)
    assert result.offset == 20
    assert committed(consumer, filled) == 20


def test_commit_in_the_background(filled: str, make_consumer: MakeConsumer) -> None:
    """An asynchronous commit returns None, and on_commit gets the result from poll()."""
    calls: list[tuple[KafkaError | None, list[TopicPartition]]] = []
    consumer = make_consumer({"on_commit": lambda *call: calls.append(call)})
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    assert consumer.commit(message) is None
    wait_until(lambda: calls, lambda: consumer.poll(0.01))
    ((error, (offset,)),) = calls
    assert error is None
    assert (offset.topic, offset.partition, offset.offset) == (filled, 0, 1)
    assert committed(consumer, filled) == 1


@pytest.mark.parametrize("name", ["async", "asynchronous"])
def test_async_is_the_older_name(filled: str, consumer: Consumer, name: str) -> None:
    """**{"async": False} waits as asynchronous=False does."""
    offsets = [TopicPartition(filled, 0, 3)]
    assert consumer.commit(offsets=offsets, **{name: False}) == offsets
    assert consumer.commit(offsets=offsets, **{name: True}) is None


def test_nothing_to_commit(make_consumer: MakeConsumer) -> None:
    """commit() with nothing stored is _NO_OFFSET, raised or told to on_commit."""
    errors: list[KafkaError | None] = []
    consumer = make_consumer({"on_commit": lambda error, _: errors.append(error)})
    with pytest.raises(KafkaException) as caught:
        consumer.commit(asynchronous=False)
    assert caught.value.args[0] == KafkaError._NO_OFFSET
    assert consumer.commit() is None
    wait_until(lambda: errors, lambda: consumer.poll(0.01))
    assert errors == [KafkaError._NO_OFFSET]


def test_commit_of_both(filled: str, consumer: Consumer) -> None:
    """message and offsets exclude each other."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    with pytest.raises(ValueError, match="message and offsets"):
        consumer.commit(message, [TopicPartition(filled, 0, 1)])


def test_commit_of_an_error(filled: str, make_consumer: MakeConsumer) -> None:
    """A message that is an error has no offset to commit: its error is raised."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, COUNT)])
    (end,) = consumer.consume(1, TIMEOUT)
    with pytest.raises(KafkaException) as caught:
        consumer.commit(end)
    assert caught.value.args[0] == KafkaError._PARTITION_EOF


def test_refused_commit(kafka_cluster: MockCluster, filled: str, consumer: Consumer) -> None:
    """The coordinator's refusal is raised by a synchronous commit."""
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    with pytest.raises(KafkaException) as caught:
        consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
    assert caught.value.args[0] == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_wakeup_ends_a_commit(kafka_cluster: MockCluster, filled: str, consumer: Consumer) -> None:
    """wakeup() ends a commit whose coordinator does not answer."""
    assert committed(consumer, filled) == OFFSET_INVALID
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    timer = threading.Timer(0.1, consumer.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
    assert caught.value.args[0] == KafkaError._INTR
    assert watch.elapsed < TIMEOUT / 2
    timer.join()
    kafka_cluster.set_round_trip_time(None, 0)


def test_close_ends_a_commit(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """close() in another thread ends a commit whose coordinator does not answer."""
    consumer = make_consumer()
    assert committed(consumer, filled) == OFFSET_INVALID
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError._TRANSPORT] * 1000)
    errors: list[KafkaException] = []
    started = threading.Event()

    def commit() -> None:
        started.set()
        try:
            consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
        except KafkaException as error:
            errors.append(error)

    thread = threading.Thread(target=commit)
    thread.start()
    assert started.wait(TIMEOUT)
    watch = Stopwatch()
    consumer.close()
    thread.join(TIMEOUT)
    assert watch.elapsed < TIMEOUT / 2
    assert len(errors) == 1


# ---- store_offsets ----


def test_stored_offsets_are_committed(filled: str, stored: Consumer) -> None:
    """With enable.auto.offset.store off, commit() commits what was stored, and no more."""
    stored.assign([TopicPartition(filled, 0, 0)])
    messages = stored.consume(10, TIMEOUT)
    with pytest.raises(KafkaException):
        stored.commit(asynchronous=False)
    stored.store_offsets(messages[2])
    stored.commit(asynchronous=False)
    assert committed(stored, filled) == 3
    stored.store_offsets(offsets=[TopicPartition(filled, 0, 8)])
    stored.commit(asynchronous=False)
    assert committed(stored, filled) == 8


def test_storing_is_off_by_default(filled: str, consumer: Consumer) -> None:
    """store_offsets() says which setting stands in its way."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    with pytest.raises(KafkaException, match=r"enable\.auto\.offset\.store"):
        consumer.store_offsets(message)


def test_storing_for_a_partition_that_is_not_assigned(filled: str, stored: Consumer) -> None:
    """_STATE: nobody may store for a partition of another member."""
    stored.assign([TopicPartition(filled, 0, 0)])
    (message,) = stored.consume(1, TIMEOUT)
    stored.unassign()
    with pytest.raises(KafkaException) as caught:
        stored.store_offsets(message)
    assert caught.value.args[0] == KafkaError._STATE
    with pytest.raises(ValueError, match="message or offsets"):
        stored.store_offsets()


# ---- committed, position, seek ----


def test_nothing_committed(filled: str, consumer: Consumer) -> None:
    """committed() is OFFSET_INVALID where the group has no offset."""
    assert committed(consumer, filled) == OFFSET_INVALID


def test_position_follows_the_application(filled: str, consumer: Consumer) -> None:
    """position() is the offset after the last message that was returned."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert position(consumer, filled) == OFFSET_INVALID
    for i in range(50):
        assert poll_values(consumer, 1) == [b"%d" % i]
        assert position(consumer, filled) == i + 1
    consumer.consume(10, TIMEOUT)
    assert position(consumer, filled) == 60


@pytest.mark.parametrize("offset", [0, 5, 70, OFFSET_BEGINNING])
def test_seek(filled: str, consumer: Consumer, offset: int) -> None:
    """seek() goes on at another offset, whatever was fetched ahead."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.seek(TopicPartition(filled, 0, offset))
    start = max(offset, 0)
    assert poll_values(consumer, 20) == numbers(start, start + 20)


def test_seek_of_a_partition_that_is_not_assigned(filled: str, consumer: Consumer) -> None:
    """KafkaException, as there is nothing to move."""
    with pytest.raises(KafkaException):
        consumer.seek(TopicPartition(filled, 0, 5))


def test_seek_while_another_thread_polls(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """After seek() has returned, the polling thread gets no message from before it."""
    send(producer, kafka_topic, numbers(0, 2000))
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    offsets: list[int] = []
    stop = threading.Event()

    def poll() -> None:
        while not stop.is_set():
            message = consumer.poll(0.01)
            if message is not None:
                offsets.append(message.offset())

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        for target in (1500, 100, 1000, 3, 1700):
            wait_until(lambda: offsets)
            consumer.seek(TopicPartition(kafka_topic, 0, target))
            seen = len(offsets)
            wait_until(lambda seen=seen: len(offsets) > seen + 20)
            # One message may have been on its way out of poll() during the seek.
            first = seen if offsets[seen] == target else seen + 1
            assert offsets[first : first + 20] == list(range(target, target + 20))
    finally:
        stop.set()
        thread.join()


# ---- pause and resume ----


def test_pause_and_resume(filled: str, consumer: Consumer) -> None:
    """A paused partition returns nothing, and goes on exactly where it stopped."""
    partition = TopicPartition(filled, 0, 0)
    consumer.assign([partition])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.pause([partition])
    assert consumer.poll(0.2) is None
    assert consumer.consume(10, 0) == []
    assert consumer.assignment() == [partition]
    consumer.resume([partition])
    assert poll_values(consumer, 80) == numbers(20, COUNT)


def test_position_of_a_paused_partition(filled: str, consumer: Consumer) -> None:
    """pause() does not move: position() and commit() stand where the application stopped."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    poll_values(consumer, 20)
    consumer.pause([TopicPartition(filled, 0)])
    assert position(consumer, filled) == 20
    assert consumer.poll(0.1) is None
    assert position(consumer, filled) == 20
    consumer.commit(asynchronous=False)
    assert committed(consumer, filled) == 20
    consumer.resume([TopicPartition(filled, 0)])
    assert poll_values(consumer, 1) == [b"20"]
    assert position(consumer, filled) == 21


@pytest.mark.kafka_topic(partitions=2)
def test_pausing_one_partition(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """The other partitions go on, in order and without gaps."""
    for i in range(400):
        producer.produce(kafka_topic, b"%d" % i, partition=i % 2)
    assert producer.flush(TIMEOUT) == 0
    consumer.assign([TopicPartition(kafka_topic, i, 0) for i in range(2)])
    seen: dict[int, list[int]] = {0: [], 1: []}

    def step() -> None:
        message = consumer.poll(0.01)
        if message is not None:
            seen[message.partition()].append(message.offset())

    wait_until(lambda: len(seen[0]) > 3 or len(seen[1]) > 3, step)
    paused = len(seen[0])
    consumer.pause([TopicPartition(kafka_topic, 0)])
    wait_until(lambda: len(seen[1]) == 200, step)
    assert len(seen[0]) == paused
    consumer.resume([TopicPartition(kafka_topic, 0)])
    wait_until(lambda: len(seen[0]) == 200, step)
    assert seen == {0: list(range(200)), 1: list(range(200))}


def test_pausing_what_is_not_assigned(filled: str, consumer: Consumer) -> None:
    """_UNKNOWN_PARTITION names the mistake."""
    with pytest.raises(KafkaException, match="pause") as caught:
        consumer.pause([TopicPartition("another topic", 0)])
    assert caught.value.args[0] == KafkaError._UNKNOWN_PARTITION


# ---- questions to the brokers ----


def test_watermarks(filled: str, consumer: Consumer) -> None:
    """The first offset and the next one, as the broker says."""
    assert consumer.get_watermark_offsets(TopicPartition(filled, 0), TIMEOUT) == (0, COUNT)


def test_cached_watermarks(filled: str, consumer: Consumer) -> None:
    """cached=True answers from the last fetch, without a request."""
    partition = TopicPartition(filled, 0, 0)
    consumer.assign([partition])
    assert consumer.get_watermark_offsets(partition, cached=True)[1] == OFFSET_INVALID
    poll_values(consumer, 1)
    assert consumer.get_watermark_offsets(partition, cached=True)[1] == COUNT


def test_offsets_for_times(filled: str, consumer: Consumer) -> None:
    """Each entry has the offset of its time; mock brokers know the beginning and the end."""
    begin, end = OFFSET_BEGINNING, OFFSET_END
    (first,) = consumer.offsets_for_times([TopicPartition(filled, 0, begin)], TIMEOUT)
    (last,) = consumer.offsets_for_times([TopicPartition(filled, 0, end)], timeout=TIMEOUT)
    assert (first.offset, last.offset) == (0, COUNT)


def test_questions_without_a_broker(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """They end after their timeout with an error that is raised."""
    consumer = make_consumer({"bootstrap.servers": "127.0.0.1:1"})
    partition = TopicPartition(kafka_topic, 0, 0)
    watch = Stopwatch()
    for ask in (
        lambda: consumer.committed([partition], 0.1),
        lambda: consumer.get_watermark_offsets(partition, 0.1),
        lambda: consumer.offsets_for_times([partition], 0.1),
    ):
        with pytest.raises(KafkaException) as caught:
            ask()
        assert caught.value.args[0].code() in (
            KafkaError._TIMED_OUT,
            KafkaError._TRANSPORT,
            KafkaError._WAIT_COORD,
            KafkaError._ALL_BROKERS_DOWN,
        )
    assert watch.elapsed < TIMEOUT


# ---- the group ----


def test_member_id(kafka_topic: str, consumer: Consumer) -> None:
    """None before the consumer is a member, then the coordinator's name for it."""
    assert consumer.memberid() is None
    consumer.subscribe([kafka_topic])
    joined(consumer)
    member = consumer.memberid()
    assert isinstance(member, str)
    assert member


def test_group_metadata(kafka_topic: str, consumer: Consumer) -> None:
    """Bytes that change with the membership."""
    before = consumer.consumer_group_metadata()
    assert isinstance(before, bytes)
    consumer.subscribe([kafka_topic])
    joined(consumer)
    assert consumer.consumer_group_metadata() != before


# ---- close ----


def test_close_commits_what_was_returned(filled: str, make_consumer: MakeConsumer) -> None:
    """enable.auto.commit: the next member goes on after the last message returned."""
    config = {"enable.auto.commit": True}
    first = make_consumer(config)
    first.subscribe([filled])
    assert poll_values(first, 20) == numbers(0, 20)
    first.close()
    second = make_consumer(config)
    second.subscribe([filled])
    assert values_of(second.consume(80, TIMEOUT)) == numbers(20, COUNT)


def test_close_leaves_the_group(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """The next member gets the partitions at once: it need not wait for a session to end."""
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    kafka_cluster.set_group_consumer_session_timeout(3600)
    first = make_consumer(KIP_848)
    first.subscribe([filled])
    assert poll_values(first, 1) == [b"0"]
    first.close()
    second = make_consumer(KIP_848)
    second.subscribe([filled])
    assert poll_values(second, 1) == [b"0"]


def test_close_leaves_a_classic_group(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """close() tells the coordinator, once."""
    consumer = make_consumer()
    consumer.subscribe([kafka_topic])
    joined(consumer)
    kafka_cluster.start_request_tracking()
    consumer.close()
    assert [r.request for r in kafka_cluster.requests()].count("LeaveGroup") == 1


def test_a_commit_in_the_background_before_close(filled: str, make_consumer: MakeConsumer) -> None:
    """close() waits for commits under way and runs their on_commit."""
    calls: list[KafkaError | None] = []
    consumer = make_consumer({"on_commit": lambda error, _: calls.append(error)})
    consumer.subscribe([filled])
    assert poll_values(consumer, 1) == [b"0"]
    consumer.commit()
    consumer.close()
    assert calls == [None]
    assert committed(make_consumer(), filled) == 1


def test_close_drops_what_nobody_has_seen(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """Messages fetched and not returned when close() comes are not committed."""
    kafka_cluster.start_request_tracking()
    first = make_consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 10})
    first.subscribe([filled])
    assert poll_values(first, 1) == [b"0"]
    wait_until(lambda: "OffsetCommit" in [r.request for r in kafka_cluster.requests()])
    first.close()
    assert committed(make_consumer(), filled) == 1


# ---- callbacks and exceptions lose nothing ----

# Small fetches and frequent commits, so that callbacks come in between.
BUSY = {
    "enable.auto.commit": True,
    "auto.commit.interval.ms": 10,
    "statistics.interval.ms": 10,
    "queued.min.messages": 100,
    "fetch.message.max.bytes": 2000,
}


class Raises:
    """A callback whose next `left` calls raise."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, *_: object) -> None:
        if self.left > 0:
            self.left -= 1
            raise ZeroDivisionError


def consume_one(consumer: Consumer) -> list[Message]:
    message = consumer.poll(0.2)
    return [] if message is None else [message]


FETCHES = [
    pytest.param(consume_one, id="poll"),
    pytest.param(lambda consumer: consumer.consume(1, 0.2), id="consume-1"),
    pytest.param(lambda consumer: consumer.consume(7, 0.2), id="consume-7"),
    pytest.param(lambda consumer: consumer.consume(100_000, 0.2), id="consume-100000"),
]


@pytest.mark.parametrize("fetch", FETCHES)
def test_callbacks_lose_no_message(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer, fetch: Any
) -> None:
    """However many callbacks run between messages, none of these is skipped.

    A callback that made librdkafka yield (rd_kafka_yield()) cost the next message of a
    batch, which then also kept close() waiting for ever.
    """
    send(producer, kafka_topic, numbers(0, 3000))
    statistics: list[str] = []
    consumer = make_consumer(BUSY | {"stats_cb": statistics.append})
    consumer.subscribe([kafka_topic])
    messages: list[Message] = []
    wait_until(lambda: len(messages) >= 3000, lambda: messages.extend(fetch(consumer)))
    assert values_of(messages) == numbers(0, 3000)
    wait_until(lambda: statistics, lambda: consumer.poll(0.01))
    consumer.close()
    assert committed(make_consumer(), kafka_topic) == 3000


@pytest.mark.parametrize("fetch", FETCHES)
def test_exceptions_lose_no_message(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer, fetch: Any
) -> None:
    """What had been fetched when a callback raised comes with the next calls."""
    send(producer, kafka_topic, numbers(0, 1000))
    raises = Raises(10)
    consumer = make_consumer(BUSY | {"statistics.interval.ms": 20, "stats_cb": raises})
    consumer.subscribe([kafka_topic])
    messages: list[Message] = []
    raised = 0

    def step() -> None:
        nonlocal raised
        before = raises.left
        try:
            messages.extend(fetch(consumer))
            assert raises.left == before, "the call that served the callback did not raise"
        except ZeroDivisionError:
            raised += 1

    wait_until(lambda: len(messages) >= 1000 and raised == 10, step)
    assert values_of(messages) == numbers(0, 1000)
    assert position(consumer, kafka_topic) == 1000
    consumer.close()
    assert committed(make_consumer(), kafka_topic) == 1000


def test_ends_of_partitions_are_not_lost(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """An _PARTITION_EOF that had been fetched when a callback raised comes again."""
    raises = Raises(1)
    consumer = make_consumer(
        {"enable.partition.eof": True, "statistics.interval.ms": 100, "stats_cb": raises}
    )
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    with pytest.raises(ZeroDivisionError):
        consumer.consume(100, TIMEOUT)
    (end,) = consumer.consume(1, TIMEOUT)
    assert end.error() == KafkaError._PARTITION_EOF
    send(producer, kafka_topic, [b"v"])
    assert poll_values(consumer, 1) == [b"v"]


def test_position_after_an_exception(filled: str, make_consumer: MakeConsumer) -> None:
    """Messages taken back do not move the position; the next call returns them."""
    raises = Raises(0)
    consumer = make_consumer({"statistics.interval.ms": 100, "stats_cb": raises})
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert values_of(consumer.consume(10, TIMEOUT)) == numbers(0, 10)
    raises.left = 1
    with pytest.raises(ZeroDivisionError):
        consumer.consume(1000, TIMEOUT)
    assert position(consumer, filled) == 10
    consumer.commit(asynchronous=False)
    assert committed(consumer, filled) == 10
    assert values_of(consumer.consume(90, TIMEOUT)) == numbers(10, COUNT)
    assert position(consumer, filled) == COUNT


def test_a_signal_handler_that_raises_loses_no_message() -> None:
    """An exception of a signal handler in the middle of consume() loses nothing either."""
    output = check_script(
        """
        import signal
        from confluent_kafka import Consumer, Producer, TopicPartition
        from confluent_kafka.testing import MockCluster

        def handler(*_):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, handler)
        with MockCluster() as cluster:
            config = {"bootstrap.servers": cluster.bootstrap_servers}
            cluster.create_topic("topic")
            with Producer(config) as producer:
                for i in range(100):
                    producer.produce("topic", b"%d" % i)
            group = {"group.id": "group", "auto.commit.interval.ms": 10}
            with Consumer(config | group) as consumer:
                consumer.assign([TopicPartition("topic", 0, 0)])
                got = consumer.consume(10, 30)
                interrupted = 0
                for _ in range(3):
                    signal.setitimer(signal.ITIMER_REAL, 0.2)
                    try:
                        consumer.consume(1000, 30)
                    except KeyboardInterrupt:
                        interrupted += 1
                (where,) = consumer.position([TopicPartition("topic", 0)])
                got += consumer.consume(40, 30)
            with Consumer(config | group) as consumer:
                (committed,) = consumer.committed([TopicPartition("topic", 0)], 30)
            right = [message.value() for message in got] == [b"%d" % i for i in range(50)]
            print(interrupted, where.offset, right, committed.offset)
        """
    )
    assert output.split() == ["3", "10", "True", "50"]


@pytest.mark.kafka_topic(partitions=4)
def test_a_rebalance_callback_that_raises_loses_no_message(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A member loses partitions in the middle of consume(), and its on_revoke raises.

    Between them the two members must see every message at least once: whatever the first
    had fetched and not returned is not committed.
    """
    for i in range(2000):
        producer.produce(kafka_topic, b"%d" % i, partition=i % 4)
    assert producer.flush(TIMEOUT) == 0
    revoked: list[int] = []

    def on_revoke(_: Consumer, partitions: list[TopicPartition]) -> None:
        revoked.append(len(partitions))
        if len(revoked) == 1:
            raise ZeroDivisionError

    config = {"enable.auto.commit": True, "auto.commit.interval.ms": 10}
    first, second = make_consumer(config), make_consumer(config)
    first.subscribe([kafka_topic], on_revoke=on_revoke)
    seen = set(values_of(first.consume(100, TIMEOUT)))
    second.subscribe([kafka_topic])
    with pytest.raises(ZeroDivisionError):
        first.consume(100_000, TIMEOUT)
    assert revoked == [4]

    def step() -> None:
        for member in (first, second):
            seen.update(values_of(member.consume(100, 0.05)))

    wait_until(lambda: len(seen) == 2000, step)
