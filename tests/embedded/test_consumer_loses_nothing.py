"""No message is lost, or committed before it is returned, if callbacks or exceptions come in
between."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.kafka import committed, numbers, poll_values, position, send, values_of
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, wait_until

# Small fetches and frequent commits, so that many callbacks run between messages.
BUSY = {
    "enable.auto.commit": True,
    "auto.commit.interval.ms": 10,
    "statistics.interval.ms": 10,
    "queued.min.messages": 100,
    "fetch.message.max.bytes": 2000,
}


class Raises:
    """A callback that raises in its next `left` calls."""

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
    """However many callbacks run between messages, no message is skipped.

    Without the patch, if a callback called rd_kafka_yield(), librdkafka lost the next message of
    the batch, and close() waited for that message for ever.
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
    """If a callback raises, the next calls return the messages that were already fetched."""
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
            raised += before - raises.left  # on a busy machine two callbacks raise in one call

    wait_until(lambda: len(messages) >= 1000 and raised == 10, step)
    assert values_of(messages) == numbers(0, 1000)
    assert position(consumer, kafka_topic) == 1000
    consumer.close()
    assert committed(make_consumer(), kafka_topic) == 1000


def test_ends_of_partitions_are_not_lost(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """If a callback raises, the next calls also return an _PARTITION_EOF that was already
    fetched."""
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
    """After an exception, the position is before the messages that the next call returns."""
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
    assert values_of(consumer.consume(90, TIMEOUT)) == numbers(10, FILLED)
    assert position(consumer, filled) == FILLED


def test_a_signal_handler_that_raises_loses_no_message() -> None:
    """If a signal handler raises during consume(), no message is lost."""
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
    """If on_revoke raises during consume(), the two members together read every message.

    The first member does not commit messages that it had fetched and not returned.
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


@pytest.mark.parametrize("call", ["consume", "consume_arrow", "poll"])
def test_without_memory(kafka_topic: str, producer: Producer, call: str) -> None:
    """If any allocation fails, the next call returns every message with its headers."""
    pytest.importorskip("_testcapi", reason="this CPython was built without its test modules")
    for number in range(5):
        headers = [("name", str(number)), ("null", None)]
        producer.produce(kafka_topic, f"value {number}", "key", partition=0, headers=headers)
    assert producer.flush(30) == 0
    script = """
        import sys
        from _testcapi import remove_mem_hooks, set_nomemory
        from confluent_kafka import Consumer, TopicPartition
        servers, topic, call = sys.argv[1:]
        arguments = {"consume": (5, 30), "consume_arrow": (5, 30), "poll": (30,)}[call]
        config = {"bootstrap.servers": servers, "group.id": "group", "fetch.wait.max.ms": 10}
        failures = 0
        with Consumer(config) as consumer:
            for allocation in range(30):
                consumer.assign([TopicPartition(topic, 0, 0)])
                method, found = getattr(consumer, call), []
                set_nomemory(allocation, allocation + 1)
                try:
                    found = method(*arguments)
                except MemoryError:
                    failures += 1
                finally:
                    remove_mem_hooks()
                if call == "consume_arrow" and found:
                    assert len(found) == 5, allocation
                    continue
                messages = found if isinstance(found, list) else [found]
                while len(messages) < 5:
                    messages += consumer.consume(5 - len(messages), 30)
                assert [one.value().decode() for one in messages] == [
                    f"value {number}" for number in range(5)
                ], allocation
                assert [one.headers() for one in messages] == [
                    [("name", b"%d" % number), ("null", None)] for number in range(5)
                ], allocation
        print(failures)
    """
    broker = producer.list_topics(timeout=30).brokers[1]
    assert int(check_script(script, f"{broker.host}:{broker.port}", kafka_topic, call)) > 1
