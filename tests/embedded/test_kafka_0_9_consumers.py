"""compat.kafka_0_9: SimpleConsumer, MultiProcessConsumer and OffsetCommitContext."""

from __future__ import annotations

import gc
import itertools
import signal
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    MultiProcessConsumer,
    SimpleConsumer,
    SimpleProducer,
)
from confluent_kafka.compat.kafka_0_9.common import (
    ConsumerFetchSizeTooSmall,
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetOutOfRangeError,
    UnknownTopicOrPartitionError,
)
from confluent_kafka.compat.kafka_0_9.common import KafkaError as FaceError
from confluent_kafka.compat.kafka_0_9.context import OffsetCommitContext
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers
from tests.support.kafka_0_9 import patient as patient
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

pytestmark = [pytest.mark.kafka_topic(partitions=2), pytest.mark.usefixtures("patient")]

GROUP = "group"


@pytest.fixture
def client(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[KafkaClient]:
    """A client of a topic with 0, 2, 4, 6, 8 in one partition, and odd numbers in the other."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    producer = SimpleProducer(client, random_start=False)
    for value in numbers(0, 10):
        producer.send_messages(kafka_topic, value)
    yield client
    client.close()


def values(messages: list[Any]) -> list[bytes]:
    """The values of messages, sorted."""
    return sorted(one.message.value for one in messages)


def stored(client: KafkaClient, topic: str) -> list[int]:
    """The group's offsets."""
    wanted = [OffsetFetchRequest(topic.encode(), partition) for partition in (0, 1)]
    return [one.offset for one in client.send_offset_fetch_request_kafka(GROUP, wanted)]


def quiet(client: KafkaClient, topic: str, **keywords: Any) -> SimpleConsumer:
    """A consumer that stores offsets only when the test calls commit()."""
    return SimpleConsumer(client, GROUP, topic, auto_commit=False, **keywords)


def test_how_long_get_messages_waits(client: KafkaClient, kafka_topic: str) -> None:
    """get_messages() waits for all messages, for the number in `block`, for the timeout, or not at
    all."""
    consumer = quiet(client, kafka_topic)
    assert values(consumer.get_messages(10, block=True, timeout=None)) == numbers(0, 10)
    consumer.seek(0, 0)
    watch = Stopwatch()
    assert values(consumer.get_messages(20, block=10, timeout=TIMEOUT)) == numbers(0, 10)
    assert watch.elapsed < SOON
    watch = Stopwatch()
    assert consumer.get_messages(1, block=True, timeout=0.3) == []
    assert watch.elapsed >= 0.3
    watch = Stopwatch()
    assert consumer.get_messages(1, block=False, timeout=None) == []
    assert consumer.get_message(block=False, timeout=None) is None
    assert watch.elapsed < SOON


def test_partitions_come_with_messages(client: KafkaClient, kafka_topic: str) -> None:
    """One call, or all calls, can return the partition of each message."""
    consumer = quiet(client, kafka_topic, partitions=[1])
    partition, message = consumer.get_message(timeout=TIMEOUT, get_partition_info=True)
    assert (partition, message.offset, message.message.value) == (1, 0, b"1")
    assert consumer.get_message(timeout=TIMEOUT).message.value == b"3"
    consumer.provide_partition_info()
    partition, message = consumer.get_message(timeout=TIMEOUT)
    assert (partition, message.message.value) == (1, b"5")
    assert [one.offset for _, one in consumer.get_messages(2, timeout=TIMEOUT)] == [3, 4]
    assert consumer.get_message(block=False, get_partition_info=False) is None


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((3,), {0: 3, 1: 3}),
        ((1, 1), {0: 4, 1: 4}),
        ((-1, 1, 0), {0: 2, 1: 3}),
        ((0, 0), {0: 0, 1: 0}),
        ((3, 0), {0: 2, 1: 1}),
        ((0, 2), {0: 5, 1: 5}),
        ((-2, 2), {0: 4, 1: 4}),
        ((-1, 2, 1), {0: 3, 1: 4}),
        ((2, None, 0), {0: 2, 1: 3}),
    ],
)
def test_seek(
    client: KafkaClient, kafka_topic: str, arguments: Any, expected: dict[int, int]
) -> None:
    """An offset can be absolute, or relative to the beginning, the current position or the end."""
    consumer = quiet(client, kafka_topic)
    consumer.seek(3)
    consumer.seek(*arguments)
    assert consumer.offsets == expected
    consumer.provide_partition_info()
    left = sum(5 - offset for offset in expected.values())
    found = consumer.get_messages(left, timeout=TIMEOUT)
    firsts = {partition: message.offset for partition, message in reversed(found)}
    assert firsts == {one: offset for one, offset in expected.items() if offset < 5}
    assert consumer.pending() == 0


def test_a_wrong_seek(client: KafkaClient, kafka_topic: str) -> None:
    """The error names the allowed values."""
    with pytest.raises(ValueError, match="whence must be None, 0, 1 or 2, not 3"):
        quiet(client, kafka_topic).seek(0, 3)


def test_offsets_are_stored_every_n(client: KafkaClient, kafka_topic: str) -> None:
    """Offsets are stored each time that this number of messages was read, and at the end."""
    consumer = SimpleConsumer(
        client, GROUP, kafka_topic, auto_commit_every_n=3, auto_commit_every_t=None
    )
    consumer.get_messages(2, timeout=TIMEOUT)
    assert sum(stored(client, kafka_topic)) == -2
    consumer.get_message(timeout=TIMEOUT)
    assert sum(max(0, one) for one in stored(client, kafka_topic)) == 3
    consumer.get_message(timeout=TIMEOUT)
    consumer.stop()
    assert sum(max(0, one) for one in stored(client, kafka_topic)) == 4
    assert quiet(client, kafka_topic).pending() == 6


def test_offsets_are_stored_every_t(client: KafkaClient, kafka_topic: str) -> None:
    """Offsets are stored regularly until the consumer is dropped."""
    consumer = SimpleConsumer(
        client, GROUP, kafka_topic, auto_commit_every_n=None, auto_commit_every_t=10
    )
    consumer.get_messages(10, timeout=TIMEOUT)
    wait_until(lambda: stored(client, kafka_topic) == [5, 5])
    assert consumer.commit() is None
    timer, gone = consumer.commit_timer, weakref.ref(consumer)
    assert timer is not None
    del consumer
    wait_until(lambda: gone() is None, gc.collect)


def test_commit(client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """commit() stores the offsets of some or all partitions, and returns whether it succeeded."""
    consumer = quiet(client, kafka_topic)
    assert consumer.commit() is None
    consumer.get_messages(10, timeout=TIMEOUT)
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    assert consumer.commit() is False
    assert consumer.commit([1]) is True
    assert stored(client, kafka_topic) == [-1, 5]
    assert consumer.commit() is None
    consumer.stop()


def test_messages_that_come_while_offsets_are_stored(
    client: KafkaClient, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages that come during a commit are part of the next commit."""
    consumer = quiet(client, kafka_topic, partitions=[0])
    store = client.send_offset_commit_request

    def read_then_store(*args: Any) -> Any:
        monkeypatch.undo()
        consumer.get_messages(2, timeout=TIMEOUT)
        return store(*args)

    consumer.get_messages(3, timeout=TIMEOUT)
    monkeypatch.setattr(client, "send_offset_commit_request", read_then_store)
    assert consumer.commit() is True
    assert stored(client, kafka_topic) == [3, -1]
    assert consumer.count_since_commit == 2
    assert consumer.commit() is True
    assert stored(client, kafka_topic) == [5, -1]
    assert consumer.commit() is None


def test_without_a_group(client: KafkaClient, kafka_topic: str) -> None:
    """Without a group, nothing is stored."""
    consumer = SimpleConsumer(client, None, kafka_topic, auto_commit_every_n=1)
    assert len(consumer.get_messages(10, timeout=TIMEOUT)) == 10
    assert consumer.commit() is None
    consumer.stop()


def test_iteration(client: KafkaClient, kafka_topic: str) -> None:
    """The iteration ends when no message came for iter_timeout."""
    consumer = quiet(client, kafka_topic)
    messages = iter(consumer)
    assert values([next(messages) for _ in range(10)]) == numbers(0, 10)
    consumer.seek(0, 0)
    consumer.iter_timeout = 0.05
    found: list[Any] = []
    wait_until(lambda: len(found) == 10, lambda: found.extend(consumer))
    assert values(found) == numbers(0, 10)


def test_large_messages(client: KafkaClient, kafka_topic: str) -> None:
    """The consumer's buffer grows for large messages, up to its maximum."""
    producer = SimpleProducer(client, random_start=False)
    producer.send_messages(kafka_topic, b"v" * 20_000)
    last = {"partitions": [0], "buffer_size": 100}
    for limit in (None, 20_026):
        consumer = quiet(client, kafka_topic, max_buffer_size=limit, **last)
        consumer.seek(5)
        assert consumer.get_message(timeout=TIMEOUT).message.value == b"v" * 20_000
    consumer = quiet(client, kafka_topic, max_buffer_size=20_025, **last)
    consumer.seek(5)
    with pytest.raises(ConsumerFetchSizeTooSmall, match=r"max_buffer_size \(20025 bytes\)"):
        consumer.get_message(timeout=TIMEOUT)


@pytest.mark.parametrize(("policy", "offset"), [("largest", 5), ("smallest", 0)])
def test_offsets_out_of_range(
    client: KafkaClient, kafka_topic: str, policy: str, offset: int
) -> None:
    """auto_offset_reset decides where reading continues."""
    consumer = quiet(client, kafka_topic, auto_offset_reset=policy, partitions=[0])
    consumer.seek(99)
    found = consumer.get_messages(5, block=False)
    assert values(found) == numbers(0, 10)[offset * 2 :: 2]
    assert consumer.fetch_offsets == {0: 5}
    consumer.seek(3)
    assert consumer.reset_partition_offset(0) == offset
    assert consumer.offsets == consumer.fetch_offsets == {0: offset}


def test_no_policy(client: KafkaClient, kafka_topic: str) -> None:
    """Without a policy, the error for an offset out of range is raised to the program."""
    consumer = quiet(client, kafka_topic, auto_offset_reset="none")
    consumer.seek(99)
    with pytest.raises(OffsetOutOfRangeError, match="error=1"):
        consumer.get_message()
    with pytest.raises(OffsetOutOfRangeError, match=r"largest\|smallest"):
        consumer.reset_partition_offset(0)


def test_a_leader_changes(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The consumer continues at the new leader."""
    consumer = quiet(client, kafka_topic)
    assert consumer.get_message(timeout=TIMEOUT) is not None
    for partition in (0, 1):
        leader = client.topic_partitions[kafka_topic.encode()][partition].leader
        kafka_cluster.set_leader(kafka_topic, partition, leader % kafka_cluster.brokers + 1)
    assert len(consumer.get_messages(9, timeout=TIMEOUT)) == 9


def test_a_topic_goes(client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the topic is deleted, the consumer raises an error."""
    consumer = quiet(client, kafka_topic)
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.UNKNOWN_TOPIC_OR_PART)
    client.reset_all_metadata()
    with pytest.raises(UnknownTopicOrPartitionError):
        consumer.get_message()


def after_the_first_fetch(client: KafkaClient, happen: Callable[[], object]) -> None:
    """Call a function between a consumer's first request and its second.

    Embedded brokers answer with one message of each partition.
    """
    fetch = client.send_fetch_request
    requests = itertools.count()

    def counted(*args: Any, **keywords: Any) -> Any:
        if next(requests) == 1:
            happen()
        return fetch(*args, **keywords)

    client.send_fetch_request = counted  # type: ignore[method-assign]


def test_read_before_an_error(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If an error comes after messages, the call returns the messages, and the next call raises."""
    consumer = quiet(client, kafka_topic)

    def topic_goes() -> None:
        kafka_cluster.set_topic_error(kafka_topic, KafkaError.UNKNOWN_TOPIC_OR_PART)
        client.reset_all_metadata()

    after_the_first_fetch(client, topic_goes)
    assert values(consumer.get_messages(20, timeout=TIMEOUT)) == numbers(0, 2)
    assert consumer.offsets == {0: 1, 1: 1}
    with pytest.raises(UnknownTopicOrPartitionError):
        consumer.get_messages()


def test_read_before_an_interrupt(client: KafkaClient, kafka_topic: str) -> None:
    """After an interrupt, the next call returns the messages that were already read, in order."""
    consumer = quiet(client, kafka_topic)
    after_the_first_fetch(client, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        consumer.get_messages(20, timeout=TIMEOUT)
    assert consumer.offsets == {0: 0, 1: 0}
    consumer.provide_partition_info()
    found = consumer.get_messages(10, timeout=TIMEOUT)
    for partition in (0, 1):
        assert [one.offset for number, one in found if number == partition] == [0, 1, 2, 3, 4]


def test_context_without_marks(client: KafkaClient, kafka_topic: str) -> None:
    """If no message is marked, nothing is stored, so everything is read again, also after an
    exception."""
    consumer = quiet(client, kafka_topic)
    with OffsetCommitContext(consumer) as context:
        assert len(consumer.get_messages(10, timeout=TIMEOUT)) == 10
        assert not context
    assert consumer.pending() == 10
    with suppress(KeyError), OffsetCommitContext(consumer) as context:
        assert len(consumer.get_messages(10, timeout=TIMEOUT)) == 10
        context.mark(0, 3)
        raise KeyError
    assert consumer.pending() == 10
    assert stored(client, kafka_topic) == [-1, -1]


def test_context_out_of_range(client: KafkaClient, kafka_topic: str) -> None:
    """If its offsets are out of range, the consumer continues at the beginnings of the
    partitions."""
    consumer = quiet(client, kafka_topic, auto_offset_reset="none")
    consumer.seek(99)
    with OffsetCommitContext(consumer):
        consumer.get_messages(1)
    assert consumer.offsets == {0: 0, 1: 0}


def test_processes_go_on_where_the_group_is(client: KafkaClient, kafka_topic: str) -> None:
    """Messages are returned until there are no more, with their partitions if requested."""
    commits = [OffsetCommitRequest(kafka_topic.encode(), one, 3, None) for one in (0, 1)]
    client.send_offset_commit_request(GROUP, commits)
    consumer = MultiProcessConsumer(client, GROUP, kafka_topic, auto_commit=False)
    consumer.provide_partition_info()
    assert consumer.pending() == 4
    found = consumer.get_messages(4, timeout=TIMEOUT)
    assert sorted((one, message.offset) for one, message in found) == [
        (0, 3),
        (0, 4),
        (1, 3),
        (1, 4),
    ]
    assert consumer.pending() == 0
    assert consumer.get_messages(1, block=False) == []
    assert consumer.get_messages(1, timeout=0) == []
    consumer.stop()
    assert stored(client, kafka_topic) == [3, 3]
    with pytest.raises(FaceError, match="the consumer was stopped"):
        consumer.get_messages(1)


def test_iterating_processes_ends(client: KafkaClient, kafka_topic: str) -> None:
    """The iteration ends a second after the last message, but only after all processes have
    read."""
    consumer = MultiProcessConsumer(client, None, kafka_topic, auto_commit=False, num_procs=2)
    assert sorted(message.offset for message in consumer) == sorted([*range(5), *range(5)])
    assert list(consumer) == []
    consumer.stop()


def test_a_process_is_killed(client: KafkaClient, kafka_topic: str) -> None:
    """If a process is killed, the consumer returns its messages and then raises, instead of waiting
    for ever."""
    consumer = MultiProcessConsumer(client, GROUP, kafka_topic, auto_commit=False)
    assert next(iter(consumer)).offset == 0
    (worker,) = consumer._workers
    worker._process.kill()
    assert len(consumer.get_messages(100, timeout=TIMEOUT)) == 9
    with pytest.raises(FaceError, match=r"reads partitions \[0, 1\] has ended with status -9"):
        consumer.get_messages(100, timeout=TIMEOUT)
    consumer.stop()


def test_a_process_fails(client: KafkaClient, kafka_topic: str) -> None:
    """The consumer raises the error of the failed process."""
    commits = [OffsetCommitRequest(kafka_topic.encode(), 0, 99, None)]
    client.send_offset_commit_request(GROUP, commits)
    consumer = MultiProcessConsumer(
        client, GROUP, kafka_topic, auto_commit=False, auto_offset_reset="none"
    )
    with pytest.raises(OffsetOutOfRangeError):
        consumer.get_messages(10, timeout=TIMEOUT)
    consumer.stop()
