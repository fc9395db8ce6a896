"""A topic is deleted and created again: none of its messages is skipped, and reading does not
stop."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.model.adapters import Setting
from tests.model.faces import ADAPTERS
from tests.support.kafka import committed, numbers, poll_values, position, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("recreated-topic")

FAST = {"topic.metadata.refresh.interval.ms": 50, "topic.metadata.propagation.max.ms": 0}


class HeldFetch:
    """Holds the next Fetch request from `offset` on until the test allows an answer: an error, or
    the broker's own.

    Requests that the consumer sends to this broker meanwhile are answered afterwards.
    """

    def __init__(self, cluster: MockCluster, offset: int, code: int | None) -> None:
        self._offset = offset
        self._code = code
        self._come = threading.Event()
        self._go = threading.Event()
        cluster.on_request(protocol.FetchRequest.api_key, self._answer)

    def wait(self) -> None:
        assert self._come.wait(TIMEOUT)

    def go(self) -> None:
        self._go.set()

    def _answer(self, request: Any, _: object) -> Any:
        offsets = {place.fetch_offset for topic in request.topics for place in topic.partitions}
        if self._come.is_set() or offsets != {self._offset}:
            return None
        self._come.set()
        assert self._go.wait(TIMEOUT)
        return None if self._code is None else failed_fetch(request, self._code)


def failed_fetch(request: Any, code: int) -> Any:
    """A Fetch answer in which each partition has the error `code`, and offsets from 5 to 9."""
    response = protocol.FetchResponse
    return response(
        responses=[
            response.FetchableTopicResponse(
                topic=topic.topic,
                topic_id=topic.topic_id,
                partitions=[
                    response.PartitionData(
                        partition_index=place.partition,
                        error_code=code,
                        high_watermark=9,
                        last_stable_offset=9,
                        log_start_offset=5,
                        records=b"",
                    )
                    for place in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def raise_epoch(cluster: MockCluster, topic: str) -> None:
    """Change the leader a few times, so that the topic's epoch is higher than the epoch of a new
    topic."""
    for broker in (2, 3, 1, 2):
        cluster.set_leader(topic, 0, broker)


def create_again(cluster: MockCluster, topic: str, count: int) -> None:
    """Create the topic with another id, epoch 0, and `count` other messages."""
    cluster._delete_topic(topic)
    cluster.create_topic(topic)
    config = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    with Producer(config) as producer:
        send(producer, topic, [b"new %d" % i for i in range(count)])


def new_values(consumer: Consumer, count: int) -> list[bytes | None]:
    """Return the next values, without errors about the missing topic."""
    values: list[bytes | None] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None and message.error() is None:
            values.append(message.value())

    wait_until(lambda: len(values) >= count, step)
    return values


@needs("recreated-topic")
@pytest.mark.parametrize(
    ("reset", "subscribed"), [("earliest", False), ("latest", False), ("earliest", True)]
)
@pytest.mark.parametrize("count", [3, 30])
def test_the_new_topic_is_read_from_its_beginning(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    reset: str,
    count: int,
    subscribed: bool,
) -> None:
    """The new topic is read from its beginning, whether the old position exists in it or not.

    The embedded cluster finds the topic by its name. The old epoch keeps it from answering an old
    fetch with the new topic's messages; test_an_answer_about_the_old_topic_says_nothing() has no
    such protection.
    """
    raise_epoch(kafka_cluster, kafka_topic)
    consumer = make_consumer(FAST | {"auto.offset.reset": reset})
    send(producer, kafka_topic, numbers(0, 10))
    if subscribed:
        consumer.commit(offsets=[TopicPartition(kafka_topic, 0, 0)], asynchronous=False)
        consumer.subscribe([kafka_topic])
    else:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.commit(asynchronous=False)
    create_again(kafka_cluster, kafka_topic, count)
    assert new_values(consumer, 3) == [b"new 0", b"new 1", b"new 2"]
    assert position(consumer, kafka_topic) == 3
    [behind] = consumer.lag().values()
    assert behind == count - 3
    consumer.commit(asynchronous=False)
    assert committed(consumer, kafka_topic) == 3
    here = [TopicPartition(kafka_topic, 0)]
    consumer.pause(here)
    consumer.resume(here)
    rest = [b"new %d" % i for i in range(3, count)]
    assert new_values(consumer, count - 3) == rest


@needs("recreated-topic")
@pytest.mark.parametrize("reset", ["earliest", "latest"])
@pytest.mark.parametrize(
    ("code", "count"),
    [
        (None, 3),
        (None, 30),
        (KafkaError.OFFSET_OUT_OF_RANGE, 30),
        (KafkaError.UNKNOWN_TOPIC_ID, 30),
    ],
)
def test_an_answer_about_the_old_topic_says_nothing(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    reset: str,
    count: int,
    code: int | None,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """If a fetch is in flight when the consumer learns of the new topic, no message is read twice.

    The embedded cluster answers from the new topic: with records after the old position, or with an
    error that there is no such offset.
    """
    # The settings of FAST do not fit, because the test requests metadata below. The client prefers
    # a broker without a pending fetch for metadata. Broker 1 never answers, because its fetch is
    # held. Broker 2 may also have a pending fetch, for up to a second after it was the leader.
    # Until then, the client may ask broker 1, so the requests below have a timeout.
    consumer = make_consumer({"auto.offset.reset": reset, "fetch.wait.max.ms": 1000})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    for leader, values in ((2, numbers(0, 5)), (1, numbers(5, 10))):
        kafka_cluster.set_leader(kafka_topic, 0, leader)
        send(producer, kafka_topic, values)
        assert poll_values(consumer, 5) == values
    fetch = HeldFetch(kafka_cluster, 10, code)
    try:
        fetch.wait()
        create_again(kafka_cluster, kafka_topic, count)
        for leader in (2, 1):  # afterwards, the epoch is that of the old topic
            kafka_cluster.set_leader(kafka_topic, 0, leader)

        def learn() -> None:
            with contextlib.suppress(KafkaException):  # _TIMED_OUT: broker 1 was asked
                consumer.list_topics(kafka_topic, 1)

        wait_until(lambda: position(consumer, kafka_topic) == OFFSET_INVALID, learn)
    finally:
        fetch.go()
    assert new_values(consumer, count) == [b"new %d" % i for i in range(count)]
    assert consumer.get_watermark_offsets(TopicPartition(kafka_topic, 0), cached=True)[0] == 0
    send(producer, kafka_topic, [b"more"])
    assert new_values(consumer, 1) == [b"more"]
    assert position(consumer, kafka_topic) == count + 1
    assert "offset reset" not in caplog.text  # which might be applied later


def test_pause_while_the_topic_is_created_again(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """A paused partition also continues with the new topic; fetched messages of the old topic are
    dropped."""
    raise_epoch(kafka_cluster, kafka_topic)
    send(producer, kafka_topic, numbers(0, 20))
    consumer = make_consumer(FAST)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    with consumer.pause_while():
        create_again(kafka_cluster, kafka_topic, 30)
    assert new_values(consumer, 30) == [b"new %d" % i for i in range(30)]


@needs("recreated-topic")
def test_messages_that_went_back_are_of_the_old_topic(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """A pause makes the client fetch messages again, but an offset of the old topic is not used in
    the new topic."""
    send(producer, kafka_topic, numbers(0, 30))
    consumer = make_consumer(FAST)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 5) == numbers(0, 5)
    consumer.pause([TopicPartition(kafka_topic, 0)])
    assert position(consumer, kafka_topic) == 5
    create_again(kafka_cluster, kafka_topic, 0)
    wait_until(
        lambda: position(consumer, kafka_topic) == OFFSET_INVALID,
        lambda: consumer.list_topics(kafka_topic, TIMEOUT),
    )


def test_an_error_where_the_application_wants_one(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """With auto.offset.reset=error, the consumer raises _AUTO_OFFSET_RESET.

    The text is about the new topic or, if a broker answers first, about an offset that does not
    exist.
    """
    send(producer, kafka_topic, numbers(0, 10))
    consumer = make_consumer(FAST | {"auto.offset.reset": "error"})
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    create_again(kafka_cluster, kafka_topic, 3)
    errors: list[Any] = []

    def step() -> None:
        message = consumer.poll(0.05)
        if message is not None:
            errors.append(message.error())

    wait_until(lambda: any(e and e.code() == KafkaError._AUTO_OFFSET_RESET for e in errors), step)
    assert None not in errors
    assert any(what in errors[-1].str() for what in ("created again", "Offset out of range"))


def test_offsets_of_the_old_topic_are_not_committed(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """Offsets that were read from the old topic are not committed for the new topic."""
    send(producer, kafka_topic, numbers(0, 10))
    consumer = make_consumer(FAST)
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    create_again(kafka_cluster, kafka_topic, 0)
    with contextlib.ExitStack() as until:
        until.callback(consumer.poll, 0)

        def refused() -> bool:
            consumer.poll(0.02)
            try:
                consumer.commit(asynchronous=False)
            except KafkaException as error:
                return bool(error.args[0].code() == KafkaError._NO_OFFSET)
            return False

        wait_until(refused)


@pytest.mark.parametrize("idempotent", [False, True])
def test_a_producer_goes_on(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    idempotent: bool,
) -> None:
    """The producer finds the new topic's leader, although the leader epoch is lower."""
    raise_epoch(kafka_cluster, kafka_topic)
    producer = make_producer(FAST | {"enable.idempotence": idempotent})
    send(producer, kafka_topic, numbers(0, 3))
    kafka_cluster._delete_topic(kafka_topic)
    kafka_cluster.create_topic(kafka_topic)
    kafka_cluster.set_leader(kafka_topic, 0, 3)
    send(producer, kafka_topic, numbers(3, 6))


@needs("first-position")
@pytest.mark.parametrize("is_sought", [False, True])
@pytest.mark.parametrize("count", [0, 8])
@pytest.mark.parametrize("kind", ["compat.aiokafka", "compat.kafka", "compat.kafka_2"])
def test_where_nothing_was_read_nothing_of_the_old_topic_is_committed(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    kind: str,
    count: int,
    is_sought: bool,
) -> None:
    """The start of the assignment and the offset of a seek are not committed for the new topic."""
    send(producer, kafka_topic, numbers(0, 10))
    setting = Setting(kafka_cluster.bootstrap_servers, kafka_topic, kafka_topic)
    other = ADAPTERS["Consumer"](setting)
    other.commit_offset(0, 5)
    other.close()
    consumer = ADAPTERS[kind](setting)
    consumer.assign([0])
    wait_until(lambda: consumer.positions() == {0: 5})
    consumer.learn()  # otherwise the client never learns of the old topic
    if is_sought:
        consumer.seek(0, 3)
        # librdkafka has carried out the seek. If the client learned of it later, the seek would
        # belong to the new topic.
        wait_until(lambda: consumer.positions() == {0: 3} and consumer.client._assigned.is_settled)
    consumer.pause(0)
    create_again(kafka_cluster, kafka_topic, count)

    def is_new() -> bool:
        consumer.learn()
        return consumer.positions() == {0: 0}

    wait_until(is_new)
    consumer.commit()
    assert consumer.committed([0]) == {0: 0}
    consumer.close()
