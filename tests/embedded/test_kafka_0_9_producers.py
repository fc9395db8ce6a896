"""compat.kafka_0_9: SimpleProducer and KeyedProducer, mostly asynchronous ones."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError
from confluent_kafka.compat.kafka_0_9 import KafkaClient, KeyedProducer, SimpleProducer
from confluent_kafka.compat.kafka_0_9.common import (
    AsyncProducerQueueFull,
    FailedPayloadsError,
    LeaderNotAvailableError,
    ProduceResponse,
    RequestTimedOutError,
    UnknownTopicOrPartitionError,
)
from confluent_kafka.compat.kafka_0_9.common import KafkaError as FaceError
from confluent_kafka.protocol import FetchRequest, FetchResponse, records
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers, read, values_of
from tests.support.kafka_0_9 import patient as patient
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def client(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[KafkaClient]:
    """A client that has the topic's metadata."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    yield client
    client.close()


class Broker:
    """A client whose broker sends the answers that the test chooses."""

    def __init__(self, *answers: Any) -> None:
        self.sent: list[list[bytes]] = []
        self.asked = 0
        self.answering = Event()
        self.answering.set()
        self._answers = list(answers)

    def copy(self) -> Broker:
        return self

    def close(self) -> None:
        pass

    def has_metadata_for_topic(self, topic: bytes) -> bool:
        return True

    def get_partition_ids_for_topic(self, topic: bytes) -> list[int]:
        return [0]

    def load_metadata_for_topics(self, *topics: bytes) -> None:
        self.asked += 1

    def send_produce_request(self, payloads: list[Any], **options: Any) -> list[Any]:
        self.sent.append([message.value for one in payloads for message in one.messages])
        assert self.answering.wait(TIMEOUT)
        answer = self._answers.pop(0) if self._answers else 0
        if isinstance(answer, int):
            return [ProduceResponse(one.topic, one.partition, answer, 0) for one in payloads]
        if isinstance(answer, FailedPayloadsError):
            return [answer]
        raise answer


def producer_of(broker: Any, **keywords: Any) -> SimpleProducer:
    """An asynchronous producer that waits only for the events of the test."""
    keywords = {"batch_send_every_n": 1, "async_retry_backoff_ms": 1, **keywords}
    return SimpleProducer(broker, async_=True, **keywords)


def test_batches_are_full(kafka_cluster: MockCluster) -> None:
    """A thread sends batch_send_every_n messages together, and the remaining ones at the end."""
    broker = Broker()
    producer = producer_of(broker, batch_send_every_n=3, batch_send_every_t=None)
    assert repr(producer) == "<SimpleProducer batch=True>"
    assert getattr(producer, "async")
    assert producer.send_messages("t", *numbers(0, 7)) == []
    producer.stop()
    assert broker.sent == [numbers(0, 3), numbers(3, 6), numbers(6, 7)]
    assert producer.stopped
    assert not producer.thread.is_alive()
    producer.stop()


def test_batches_do_not_wait_for_ever() -> None:
    """After batch_send_every_t, a batch is sent even if it has fewer messages."""
    broker = Broker()
    producer = producer_of(broker, batch_send_every_n=3, batch_send_every_t=0.01)
    producer.send_messages("t", b"v")
    wait_until(lambda: broker.sent == [[b"v"]])
    producer.stop()


@pytest.mark.parametrize(
    ("answer", "refreshes"),
    [(6, 1), (3, 1), (5, 1), (7, 0), (FailedPayloadsError("payload"), 0)],
)
def test_what_failed_is_sent_again(answer: Any, refreshes: int) -> None:
    """Failed messages are sent again before any other messages, so that the order stays. If needed,
    metadata is requested again."""
    broker = Broker(answer, answer)
    producer = producer_of(broker)
    producer.send_messages("t", b"a", b"b")
    producer.stop()
    assert broker.sent == [[b"a"], [b"a"], [b"a"], [b"b"]]
    assert broker.asked == 2 * refreshes


def test_the_limit_of_retries(caplog: pytest.LogCaptureFixture) -> None:
    """Messages that failed too often are logged in full or as hashes."""
    for log_messages in (True, False):
        broker = Broker(6, 6, 6)
        producer = producer_of(
            broker, async_retry_limit=1, async_log_messages_on_error=log_messages
        )
        with caplog.at_level(logging.ERROR, logger="kafka.producer"):
            producer.send_messages("t", b"secret", b"next")
            producer.stop()
        assert broker.sent == [[b"secret"], [b"secret"], [b"next"], [b"next"]]
        (record,) = caplog.records
        assert "messages are lost (NotLeaderForPartitionError)" in record.getMessage()
        assert ("secret" in record.getMessage()) == log_messages
        caplog.clear()


@pytest.mark.parametrize("answer", [10, 29, RuntimeError("nobody expects this"), SystemExit()])
def test_what_cannot_be_mended(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Messages with a permanent error are not sent again, and the thread continues."""
    broker = Broker(answer)
    producer = producer_of(broker)
    with caplog.at_level(logging.ERROR, logger="kafka.producer"):
        producer.send_messages("t", b"a", b"b")
        producer.stop()
    assert broker.sent == [[b"a"], [b"b"]]
    assert "messages are lost" in caplog.text


@pytest.mark.parametrize(
    "error", [RequestTimedOutError.errno, KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND]
)
def test_timeouts_may_be_there_already(error: int) -> None:
    """With async_retry_on_timeouts=False, messages that timed out or have too few replicas are not
    sent again."""
    broker = Broker(error)
    producer = producer_of(broker, async_retry_on_timeouts=False)
    producer.send_messages("t", b"a", b"b")
    producer.stop()
    assert broker.sent == [[b"a"], [b"b"]]


def test_the_thread_has_ended() -> None:
    """If the thread has ended, as in a forked process, send_messages() raises an error."""
    producer = producer_of(Broker())
    assert producer._upstream is not None
    producer._upstream.stop()
    producer.thread.join(TIMEOUT)
    with pytest.raises(FaceError, match="the thread that sends has ended"):
        producer.send_messages("t", b"v")
    producer.stop()


def test_the_queue_is_full() -> None:
    """The error contains the messages that are not in the queue; the other messages are sent."""
    broker = Broker()
    broker.answering.clear()
    producer = producer_of(broker, async_queue_maxsize=2)
    producer.send_messages("t", b"0")
    wait_until(lambda: broker.sent == [[b"0"]])  # the broker answers this request later
    with pytest.raises(AsyncProducerQueueFull, match="Current queue size 2") as raised:
        producer.send_messages("t", *numbers(1, 6))
    assert raised.value.failed_msgs == tuple(numbers(3, 6))
    producer.async_queue_put_timeout = 0.01
    with pytest.raises(AsyncProducerQueueFull):
        producer.send_messages("t", b"6")
    broker.answering.set()
    producer.async_queue_put_timeout = TIMEOUT
    producer.send_messages("t", b"7")
    producer.stop()
    assert broker.sent == [[b"0"], [b"1"], [b"2"], [b"7"]]


def test_a_producer_that_gives_up() -> None:
    """After async_stop_timeout nothing is sent again."""
    broker = Broker(*[6] * 100_000)
    producer = producer_of(broker, async_stop_timeout=0.01)
    producer.send_messages("t", b"v")
    wait_until(lambda: len(broker.sent) > 1)
    producer.stop(TIMEOUT)
    assert not producer.thread.is_alive()


def test_after_the_end() -> None:
    """After stop(), sending a message raises an exception, because no thread would send it."""
    producer = producer_of(Broker())
    producer.stop()
    with pytest.raises(FaceError, match="the producer was stopped"):
        producer.send_messages("t", b"v")


def test_a_producer_is_dropped() -> None:
    """The thread of a dropped producer sends the remaining messages, and ends."""
    broker = Broker()
    producer = producer_of(broker)
    producer.send_messages("t", *numbers(0, 5))
    thread, gone = producer.thread, weakref.ref(producer)
    del producer
    gc.collect()
    assert gone() is None
    assert not thread.is_alive()
    assert broker.sent == [[value] for value in numbers(0, 5)]


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"batch_send_every_n": 0}, "batch_send_every_n must be at least 1, not 0"),
        ({"batch_send_every_t": 0}, "batch_send_every_t must be positive, not 0"),
    ],
)
def test_batches_that_are_never_sent(keywords: Any, text: str) -> None:
    """Settings are refused if batches would never be sent with them."""
    with pytest.raises(ValueError, match=text):
        producer_of(Broker(), **keywords)


def test_messages_survive_errors_in_order(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Messages that the cluster refuses for a while arrive once and in order."""
    producer = KeyedProducer(client, async_=True, batch_send_every_n=2, async_retry_backoff_ms=1)
    passing = [
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.UNKNOWN_LEADER_EPOCH,
    ]
    kafka_cluster.inject_errors("Produce", passing)
    producer.send_messages(kafka_topic, b"k", *numbers(0, 6))
    producer.stop()
    assert values_of(read(consumer, kafka_topic, 6)) == numbers(0, 6)


@pytest.mark.parametrize(
    "code", [KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.LEADER_NOT_AVAILABLE]
)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_topic_that_is_not_there(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str, code: int, is_async: bool
) -> None:
    """The first send raises the broker's error at once, and the next send asks again."""
    simple = SimpleProducer(client, async_=is_async)
    keyed = KeyedProducer(client, async_=is_async)
    client.reset_all_metadata()
    kafka_cluster.set_topic_error(kafka_topic, code)
    watch = Stopwatch()
    with pytest.raises((UnknownTopicOrPartitionError, LeaderNotAvailableError)) as caught:
        simple.send_messages(kafka_topic, b"v")
    assert caught.value.errno == code
    with pytest.raises(type(caught.value)):
        keyed.send_messages(kafka_topic, b"k", b"v")
    assert watch.elapsed < SOON
    kafka_cluster.set_topic_error(kafka_topic, None)
    simple.send_messages(kafka_topic, b"v")
    keyed.send_messages(kafka_topic, b"k", b"v")
    simple.stop()
    keyed.stop()


@pytest.mark.parametrize(
    ("codec", "level"), [(0, None), (1, None), (1, 9), (2, None), (3, None), (4, 3)]
)
def test_codecs(
    client: KafkaClient, kafka_cluster: MockCluster, kafka_topic: str, codec: int, level: int | None
) -> None:
    """The broker stores the batch compressed with the codec."""
    producer = SimpleProducer(client, codec=codec, codec_compresslevel=level)
    producer.send_messages(kafka_topic, *[b"v" * 1000] * 5)
    (batch,) = batches(client, kafka_topic)
    assert batch.compression == codec
    assert batch.count == 5


def batches(client: KafkaClient, topic: str) -> list[Any]:
    """The batches of partition 0 as the broker stores them."""
    part = FetchRequest.FetchPartition(partition=0, partition_max_bytes=1_000_000)
    asked = FetchRequest(
        max_bytes=1_000_000,
        session_epoch=-1,
        topics=[FetchRequest.FetchTopic(topic=topic, partitions=[part])],
    )
    leader = client._get_leader_for_partition(topic, 0)
    answer: FetchResponse = client._engine.ask(asked, 10, broker=leader).answer()
    return list(records.read(answer.responses[0].partitions[0].records or b""))
