"""A call that waited returns all messages that the broker sent in one answer."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer, TopicPartition, protocol
from confluent_kafka.compat import aiokafka, kafka
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

PARTITIONS = 6
EACH = 500
ALL = PARTITIONS * EACH

pytestmark = [needs("whole-answers"), pytest.mark.kafka_topic(partitions=PARTITIONS)]


class Answer:
    """The answer to a fetch of all partitions, which the broker holds until the test allows it.

    Unpacking takes some time, so that a call that wakes up too early gets fewer messages. Before
    get_ready(), the broker answers every fetch, because the client's request for metadata may wait
    behind a fetch on the same connection.
    """

    def __init__(self, cluster: MockCluster, topic: str, producer: Producer) -> None:
        self._topic = topic
        self._producer = producer
        self._wanted = threading.Event()
        self._come = threading.Event()
        self._go = threading.Event()
        for partition in range(PARTITIONS):
            cluster.set_leader(topic, partition, 1)
        cluster.on_request(protocol.FetchRequest.api_key, self._hold)

    def _hold(self, request: Any, _: object) -> None:
        partitions = sum(len(topic.partitions) for topic in request.topics)
        if self._wanted.is_set() and partitions == PARTITIONS:
            self._come.set()
            assert self._go.wait(TIMEOUT)

    def get_ready(self) -> None:
        """Fill the topic while the broker holds the next fetch."""
        self._wanted.set()
        assert self._come.wait(TIMEOUT)
        for partition in range(PARTITIONS):
            for _ in range(EACH):
                value = os.urandom(600)
                self._producer.produce(self._topic, value, partition=partition, block=TIMEOUT)
        assert self._producer.flush(TIMEOUT) == 0

    def come(self) -> None:
        self._go.set()


@pytest.fixture
def answer(kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer) -> Answer:
    producer = make_producer({"linger.ms": 60_000, "compression.type": "gzip"})
    return Answer(kafka_cluster, kafka_topic, producer)


def while_waiting(call: Callable[[], int], answer: Answer) -> int:
    """The result of a call that is waiting in another thread when the answer comes.

    The call is then the innermost Python frame, because the wait itself is in C.
    """
    outcome: list[int] = []
    thread = threading.Thread(target=lambda: outcome.append(call()), daemon=True)
    thread.start()
    names = {call.__name__, "_wait_for"}

    def is_waiting() -> bool:
        frame = sys._current_frames().get(thread.ident or 0)
        return frame is not None and frame.f_code.co_name in names

    wait_until(is_waiting)
    answer.come()
    thread.join(TIMEOUT)
    return outcome[0]


def test_what_came_with_the_message_that_poll_waited_for(
    kafka_topic: str, make_consumer: MakeConsumer, answer: Answer
) -> None:
    """Consumer.poll() waits for the first message, and consume(n, 0) then returns all other
    messages."""
    consumer = make_consumer()
    consumer.assign([TopicPartition(kafka_topic, each, 0) for each in range(PARTITIONS)])
    answer.get_ready()

    def read() -> int:
        first = consumer.poll(TIMEOUT)
        assert first is not None
        return 1 + len(consumer.consume(ALL, 0))

    assert while_waiting(read, answer) == ALL


@needs("whole-answers")
def test_kafka_python_poll_returns_the_whole_answer(
    kafka_cluster: MockCluster, kafka_topic: str, answer: Answer
) -> None:
    """compat.kafka: a poll() that had to wait returns all messages, up to max_records."""
    with kafka.KafkaConsumer(bootstrap_servers=kafka_cluster.bootstrap_servers) as consumer:
        partitions = [kafka.TopicPartition(kafka_topic, each) for each in range(PARTITIONS)]
        consumer.assign(partitions)
        for each in partitions:
            consumer.seek(each, 0)
        assert consumer.poll() == {}
        answer.get_ready()

        def read() -> int:
            found = consumer.poll(timeout_ms=TIMEOUT * 1000, max_records=ALL)
            return sum(map(len, found.values()))

        assert while_waiting(read, answer) == ALL


def test_aiokafka_getmany_returns_the_whole_answer(
    kafka_cluster: MockCluster, kafka_topic: str, answer: Answer
) -> None:
    """compat.aiokafka: a getmany() that had to wait returns all messages, up to max_records."""

    async def read() -> int:
        async with aiokafka.AIOKafkaConsumer(
            bootstrap_servers=kafka_cluster.bootstrap_servers
        ) as consumer:
            partitions = [aiokafka.TopicPartition(kafka_topic, each) for each in range(PARTITIONS)]
            consumer.assign(partitions)
            for each in partitions:
                consumer.seek(each, 0)
            await asyncio.to_thread(answer.get_ready)
            reading = asyncio.create_task(
                consumer.getmany(timeout_ms=int(TIMEOUT) * 1000, max_records=ALL)
            )
            await asyncio.sleep(0)
            answer.come()
            return sum(map(len, (await reading).values()))

    assert asyncio.run(read()) == ALL
