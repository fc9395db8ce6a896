"""compat.kafka_0_9, interrupted by Ctrl-C wherever a call waits: no message is lost or repeated."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat import kafka_0_9
from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    KafkaConsumer,
    KeyedProducer,
    SimpleConsumer,
    SimpleProducer,
)
from confluent_kafka.compat.kafka_0_9.common import (
    OffsetCommitRequest,
    OffsetFetchRequest,
    OffsetRequest,
    ProduceRequest,
)
from confluent_kafka.testing import MockCluster
from tests.support.interrupting import Interrupter, interrupts, read_in_pieces
from tests.support.kafka import send
from tests.support.kafka_0_9 import patient as patient
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [
    needs("mock-on-request"),
    pytest.mark.usefixtures("patient"),
    # Ctrl-C may come before a call has stored a client that it has created.
    pytest.mark.filterwarnings("ignore:.*was not closed:ResourceWarning"),
]

GROUP = "group"


@pytest.fixture
def client(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[KafkaClient]:
    """A client that has the topic's metadata."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    yield client
    client.close()


def stored(client: KafkaClient, topic: str) -> int:
    """The group's offset."""
    request = OffsetFetchRequest(topic.encode(), 0)
    (answer,) = client.send_offset_fetch_request_kafka(GROUP, [request])
    offset: int = answer.offset
    return offset


READS: dict[str, Callable[[Any], list[Any]]] = {
    "get_message": lambda consumer: [consumer.get_message(True, TIMEOUT)],
    "get_messages": lambda consumer: consumer.get_messages(3, block=1, timeout=TIMEOUT),
    "next": lambda consumer: [next(iter(consumer))],
}


@pytest.mark.parametrize(
    ("moment", "every"),
    [("function", None), ("function", 1), ("request", 1)],  # the request belongs to a commit
)
@pytest.mark.parametrize("read", READS)
def test_reads_of_simple_consumers(
    interrupter: Interrupter,
    client: KafkaClient,
    kafka_topic: str,
    producer: Producer,
    read: str,
    moment: str,
    every: int | None,
) -> None:
    """Each message is returned once and in order, even if the call is interrupted during a
    commit."""
    consumer = SimpleConsumer(
        client,
        GROUP,
        kafka_topic,
        auto_commit=every is not None,
        auto_commit_every_n=every,
        auto_commit_every_t=None,
    )

    def check(count: int) -> None:
        assert consumer.offsets == {0: count}
        consumer.commit()
        assert stored(client, kafka_topic) == count

    read_in_pieces(
        interrupter,
        lambda: [one.offset for one in READS[read](consumer)],
        lambda count: send(producer, kafka_topic, [b"v"] * count),
        check,
        moment,
    )


def test_reads_of_kafka_consumers(
    interrupter: Interrupter,
    kafka_cluster: MockCluster,
    client: KafkaClient,
    kafka_topic: str,
    producer: Producer,
) -> None:
    """Interrupted reads of KafkaConsumer, which marks one message at a time, lose and repeat
    nothing."""
    consumer = KafkaConsumer(
        kafka_topic,
        bootstrap_servers=kafka_cluster.bootstrap_servers,
        group_id=GROUP,
        auto_offset_reset="smallest",
        fetch_wait_max_ms=20,
        auto_commit_enable=False,
    )

    def check(count: int) -> None:
        assert consumer.offsets("fetch") == {(kafka_topic.encode(), 0): count}
        consumer.commit()
        assert stored(client, kafka_topic) == count

    def read() -> list[int]:
        message = consumer.next()
        came.append(message)
        return [message.offset]

    came: list[Any] = []

    def checked(count: int) -> None:
        for message in came:
            consumer.task_done(message)
        came.clear()
        check(count)

    read_in_pieces(
        interrupter,
        read,
        lambda count: send(producer, kafka_topic, [b"v"] * count),
        checked,
        "function",
    )


def place(topic: str) -> tuple[bytes, int]:
    return topic.encode(), 0


Call = Callable[[KafkaClient, str], Any]

CALLS: dict[str, Call] = {
    "load_metadata_for_topics": lambda client, topic: client.load_metadata_for_topics(topic),
    "ensure_topic_exists": lambda client, topic: client.ensure_topic_exists(topic, TIMEOUT),
    "send_produce_request": lambda client, topic: client.send_produce_request(
        [ProduceRequest(*place(topic), [kafka_0_9.create_message(b"v")])]
    ),
    "send_offset_request": lambda client, topic: client.send_offset_request(
        [OffsetRequest(*place(topic), -1, 1)]
    ),
    "send_offset_commit_request": lambda client, topic: client.send_offset_commit_request(
        GROUP, [OffsetCommitRequest(*place(topic), 1, b"")]
    ),
    "send_offset_fetch_request": lambda client, topic: client.send_offset_fetch_request(
        GROUP, [OffsetFetchRequest(*place(topic))], fail_on_error=False
    ),
    "copy": lambda client, _: client.copy().close(),
    "reinit": lambda client, _: client.reinit(),
    "close": lambda client, _: client.close(),
    "SimpleConsumer": lambda client, topic: SimpleConsumer(client, GROUP, topic, auto_commit=False),
    "seek": lambda client, topic: SimpleConsumer(client, None, topic).seek(0, 2),
    "pending": lambda client, topic: SimpleConsumer(client, None, topic).pending(),
    "SimpleProducer": lambda client, topic: SimpleProducer(client).send_messages(topic, b"v"),
    "KeyedProducer": lambda client, topic: KeyedProducer(client).send_messages(topic, b"k", b"v"),
    "asynchronous": lambda client, topic: asynchronous(client, topic),
}


def asynchronous(client: KafkaClient, topic: str) -> None:
    """A producer with its own thread, which is stopped even after an interrupt."""
    producer = SimpleProducer(client, async_=True)
    try:
        producer.send_messages(topic, b"v")
    finally:
        producer.stop()


@pytest.mark.parametrize("name", CALLS)
def test_the_client_works_after_every_call(
    interrupter: Interrupter, kafka_cluster: MockCluster, kafka_topic: str, name: str
) -> None:
    """If a call is interrupted anywhere, its client is as usable as before, or can be closed."""
    for moment, at in interrupts():
        with contextlib.closing(KafkaClient(kafka_cluster.bootstrap_servers)) as client:
            interrupter.run(lambda: CALLS[name](client, kafka_topic), moment, at)
            if name != "close":
                before = end_of(client, kafka_topic)
                SimpleProducer(client).send_messages(kafka_topic, b"v")
                # an interrupted message may arrive, too
                assert end_of(client, kafka_topic) > before


def end_of(client: KafkaClient, topic: str) -> int:
    (answer,) = client.send_offset_request([OffsetRequest(*place(topic), -1, 1)])
    offset: int = answer.offsets[0]
    return offset
