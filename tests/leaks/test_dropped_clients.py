"""Dropped clients with unfinished work end: their handles and all their threads."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaException, Producer, ShareConsumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.clients import ADMIN_REQUESTS, config
from tests.support.kafka import numbers, send
from tests.support.waiting import SOON, TIMEOUT, wait_until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc"),
    pytest.mark.filterwarnings("ignore:.* was not closed:ResourceWarning"),
]

ROWS = 1000


def threads() -> int:
    """The number of threads of the process, including librdkafka's."""
    return len(os.listdir("/proc/self/task"))


@pytest.fixture
def bootstrap(kafka_cluster: MockCluster, kafka_topic: str) -> str:
    """A cluster whose topic has ROWS messages."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, kafka_topic, numbers(0, ROWS))
    return kafka_cluster.bootstrap_servers


@contextlib.contextmanager
def ends_what_it_begins() -> Iterator[None]:
    """After the block, all threads of the clients that it created and dropped have ended."""
    before = threads()
    yield
    wait_until(lambda: threads() <= before, gc.collect, SOON)


def read_ahead(consumer: Consumer, read: Callable[[], object]) -> None:
    """Read until the consumer has messages that it has fetched and not returned."""
    wait_until(lambda: consumer._gather(0), read)


READ: dict[str, Callable[[Consumer], Any]] = {
    "poll": lambda consumer: consumer.poll(TIMEOUT),
    "iteration": next,
    "consume": lambda consumer: (consumer.poll(TIMEOUT), consumer.consume(2, TIMEOUT)),
    "consume_arrow": lambda consumer: (consumer.poll(TIMEOUT), consumer.consume_arrow(2, TIMEOUT)),
    "_gather": lambda consumer: consumer._gather(ROWS // 2),
}


@pytest.mark.parametrize("group", [False, True], ids=["assigned", "subscribed"])
@pytest.mark.parametrize("kind", READ)
def test_consumer(kafka_topic: str, bootstrap: str, kind: str, group: bool) -> None:
    """A dropped consumer ends, with fetched messages that were not returned or that are still
    held."""
    handed_out: list[Any] = []

    def work() -> None:
        consumer = Consumer(
            {"bootstrap.servers": bootstrap, "group.id": "g", "auto.offset.reset": "earliest"}
        )
        if group:
            consumer.subscribe([kafka_topic])
        else:
            consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        read_ahead(consumer, lambda: handed_out.append(READ[kind](consumer)))

    with ends_what_it_begins():
        work()


def test_consumer_of_certain_partitions(kafka_topic: str, bootstrap: str) -> None:
    """A dropped consumer ends if it has messages of a partition that no call has asked for."""
    found: list[Any] = []

    def work() -> None:
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g"})
        zero, other = TopicPartition(kafka_topic, 0, 0), TopicPartition(kafka_topic, 1)
        consumer.assign([zero])
        found.append(consumer.poll(TIMEOUT))
        for _ in range(2):
            assert consumer._poll_of([other], True) is None
        found.append(consumer._poll_of([zero], True))

    with ends_what_it_begins():
        work()
    assert None not in found


def test_consumer_whose_callback_raised(kafka_topic: str, bootstrap: str) -> None:
    """A dropped consumer ends if a callback kept consume() from returning its messages."""
    raised: list[None] = []

    def fail(statistics: str) -> None:
        # Raise only once: a second exception would wait for a call, and be reported at the drop.
        if json.loads(statistics)["rxmsgs"] and not raised:
            raised.append(None)
            raise ZeroDivisionError

    def work() -> None:
        settings: dict[str, Any] = {"statistics.interval.ms": 1, "stats_cb": fail}
        consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g"} | settings)
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        with pytest.raises(ZeroDivisionError):
            consumer.consume(ROWS * 2, TIMEOUT)

    with ends_what_it_begins():
        work()


@pytest.mark.parametrize("mode", ["implicit", "explicit"])
@pytest.mark.parametrize("failing", [False, True], ids=["handed out", "kept"])
def test_share_consumer(
    kafka_topic: str,
    kafka_cluster: MockCluster,
    bootstrap: str,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    failing: bool,
) -> None:
    """A dropped share consumer ends, with unacknowledged records or a batch that was not
    converted."""
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    handed_out: list[Any] = []

    def fail(*_: object) -> None:
        handed_out.append(None)
        raise ZeroDivisionError

    def work() -> None:
        settings = {"group.id": "g", "share.acknowledgement.mode": mode}
        consumer = ShareConsumer({"bootstrap.servers": bootstrap} | settings)
        consumer.subscribe([kafka_topic])
        if failing:
            monkeypatch.setattr("confluent_kafka._values.share.Messages", fail)
            with pytest.raises(ZeroDivisionError):
                consumer.poll(TIMEOUT)
        else:
            handed_out.append(consumer.poll(TIMEOUT))
            assert handed_out[0]

    with ends_what_it_begins():
        work()
    assert handed_out


def test_producer_with_queued_messages() -> None:
    """A dropped producer ends, with unacknowledged messages with and without callbacks."""

    def work() -> None:
        producer = Producer(config())
        for number in range(ROWS):
            producer.produce("topic", b"v", on_delivery=None if number % 2 else (lambda *_: None))

    with ends_what_it_begins():
        work()


def test_producer_with_reports(kafka_topic: str, bootstrap: str) -> None:
    """A dropped producer ends, even if it has a delivery report whose callback would raise."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    def work() -> None:
        producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 100})
        for value in numbers(0, ROWS):
            producer.produce(kafka_topic, value, partition=0)
        producer.produce(kafka_topic, b"v", on_delivery=fail)
        with pytest.raises(ZeroDivisionError):
            producer.flush(TIMEOUT)
        producer.produce(kafka_topic, b"v", on_delivery=fail)

    with ends_what_it_begins():
        work()


def test_admin_client_with_requests() -> None:
    """When an admin client is dropped, the futures of its pending requests fail."""
    sent: list[Any] = []

    def work() -> None:
        admin = AdminClient(config())
        sent.extend(request(admin, TIMEOUT) for request in ADMIN_REQUESTS.values())

    with ends_what_it_begins():
        work()
    futures = [each for one in sent for each in (one.values() if isinstance(one, dict) else [one])]
    assert None not in [future.exception(TIMEOUT) for future in futures]


OAUTH = {"security.protocol": "sasl_plaintext", "sasl.mechanism": "OAUTHBEARER"}
each_client = pytest.mark.parametrize("client", [Producer, Consumer, ShareConsumer, AdminClient])


@each_client
def test_cycle_beside_tokens(client: type[Any]) -> None:
    """The garbage collector also ends the thread that serves oauth_cb."""

    class Mine(client):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(config(OAUTH | {"error_cb": self.note, "oauth_cb": token}, client))

        def note(self, *_: object) -> None:
            pass

    def token(_: str) -> tuple[str, float]:
        return "token", time.time() + 3600

    with ends_what_it_begins():
        Mine()


@each_client
@pytest.mark.parametrize("fails", [False, True])
def test_cycle_through_tokens(client: type[Any], fails: bool) -> None:
    """A dropped client ends if oauth_cb is its method or raises an exception that refers to it."""

    class Mine(client):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(config(OAUTH | {"oauth_cb": self.token}, client))

        def token(self, _: str) -> tuple[str, float]:
            if fails:
                raise ZeroDivisionError
            return "token", time.time() + 3600

    with ends_what_it_begins(), contextlib.suppress(KafkaException):
        Mine()
