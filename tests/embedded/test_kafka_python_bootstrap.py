"""compat.kafka and kafka_2: clients that are created before a broker runs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from confluent_kafka.compat import kafka as version_3
from confluent_kafka.compat import kafka_2 as version_2
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

GENERATIONS = pytest.mark.parametrize("face", [version_3, version_2], ids=["3", "2"])
OLD = pytest.mark.parametrize("version", [(0, 10), "0.10.2"])
WAIT = {"bootstrap_timeout_ms": TIMEOUT * 1000, "api_version_auto_timeout_ms": TIMEOUT * 1000}


def waiting(face: Any) -> dict[str, float]:
    """The keyword, in each version of the API, that lets a constructor wait for a broker."""
    names = face.KafkaProducer.DEFAULT_CONFIG.keys() & WAIT.keys()
    name = max(names, key=lambda one: one == "api_version_auto_timeout_ms")
    return {name: WAIT[name]}


@GENERATIONS
def test_a_producer_without_a_broker(face: Any) -> None:
    """With api_version the constructor succeeds, and send() fails after max_block_ms."""
    watch = Stopwatch()
    with face.KafkaProducer(
        bootstrap_servers=NO_BROKER, api_version=(2, 5), max_block_ms=10
    ) as producer:
        assert producer.config["api_version"] == (2, 5)
        assert not producer.bootstrap_connected()
        for call in (lambda: producer.send("t", b"v"), lambda: producer.partitions_for("t")):
            with pytest.raises(face.errors.KafkaTimeoutError, match="Failed to update metadata"):
                call()
        producer.flush(TIMEOUT)
    assert watch.elapsed < SOON


@GENERATIONS
def test_a_consumer_without_a_broker(face: Any) -> None:
    """With api_version the constructor succeeds; subscribe(), assign(), poll() and close() work."""
    watch = Stopwatch()
    partition = face.TopicPartition("t", 0)
    with face.KafkaConsumer(
        "t", bootstrap_servers=NO_BROKER, api_version=(2, 5), group_id="g", consumer_timeout_ms=10
    ) as consumer:
        assert consumer.config["api_version"] == (2, 5)
        assert not consumer.bootstrap_connected()
        assert consumer.subscription() == {"t"}
        assert consumer.poll(timeout_ms=10) == {}
        assert list(consumer) == []
        consumer.unsubscribe()
        consumer.assign([partition])
        consumer.seek(partition, 5)
        consumer.pause(partition)
        assert consumer.poll(timeout_ms=10) == {}
        assert (consumer.assignment(), consumer.paused()) == ({partition}, {partition})
        consumer.unsubscribe()
    assert watch.elapsed < SOON


@GENERATIONS
def test_a_broker_that_comes_later(face: Any, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A client that was created before the broker sends and reads as soon as the broker runs."""
    common = {"bootstrap_servers": kafka_cluster.bootstrap_servers, "api_version": (2, 5)}
    kafka_cluster.set_broker_down()
    with (
        face.KafkaProducer(**common, max_block_ms=TIMEOUT * 1000) as producer,
        face.KafkaConsumer(kafka_topic, auto_offset_reset="earliest", **common) as consumer,
    ):
        assert consumer.poll(timeout_ms=1) == {}
        kafka_cluster.set_broker_up()
        producer.send(kafka_topic, b"v").get(TIMEOUT)
        found: list[Any] = []
        wait_until(lambda: found, lambda: found.extend(consumer.poll(timeout_ms=100).values()))
        wait_until(producer.bootstrap_connected)
        wait_until(consumer.bootstrap_connected)


@GENERATIONS
@pytest.mark.parametrize("client", ["KafkaProducer", "KafkaConsumer", "KafkaAdminClient"])
def test_a_constructor_waits_for_a_broker(
    face: Any, client: str, kafka_cluster: MockCluster
) -> None:
    """Without api_version, the constructor repeats its attempt until a broker answers, and uses the
    broker's version."""
    kafka_cluster.set_broker_down()
    timer = threading.Timer(0.3, kafka_cluster.set_broker_up)
    timer.start()
    made = getattr(face, client)(bootstrap_servers=kafka_cluster.bootstrap_servers, **waiting(face))
    timer.join()
    assert made.config["api_version"] > (2, 0)
    made.close()


@GENERATIONS
@OLD
def test_old_brokers_have_no_idempotence(face: Any, version: Any) -> None:
    """An old api_version switches idempotence off, unless the program explicitly enables it."""
    common: dict[str, Any] = {"bootstrap_servers": NO_BROKER, "api_version": version}
    with face.KafkaProducer(**common) as producer:
        assert not producer.config["enable_idempotence"]
    for asked in ({"enable_idempotence": True}, {"transactional_id": "t"}):
        with pytest.raises(face.errors.KafkaConfigurationError, match=r"api_version=\(0, 10, "):
            face.KafkaProducer(**common, **asked)


@pytest.mark.parametrize(
    ("face", "version", "keywords", "milliseconds"),
    [
        (version_3, (2, 8), {}, 30000),
        (version_3, (3, 0), {}, 45000),
        (version_3, (0, 10, 0), {"max_poll_interval_ms": 5000}, 5000),
        (version_3, (2, 8), {"session_timeout_ms": 20000}, 20000),
        (version_2, (0, 10, 0), {}, 30000),
        (version_2, (0, 10, 1), {}, 10000),
    ],
)
def test_the_session_of_old_brokers(
    face: Any, version: Any, keywords: dict[str, Any], milliseconds: int
) -> None:
    """The default of session_timeout_ms depends on the version of the brokers."""
    with face.KafkaConsumer(
        bootstrap_servers=NO_BROKER, api_version=version, **keywords
    ) as consumer:
        assert consumer.config["session_timeout_ms"] == milliseconds


def test_requests_that_end_before_the_session() -> None:
    """Version 2 refuses a request timeout that is shorter than a rebalance."""
    keywords = {"bootstrap_servers": NO_BROKER, "api_version": (2, 5), "request_timeout_ms": 10000}
    version_2.KafkaConsumer(**keywords).close()
    with pytest.raises(
        version_2.errors.KafkaConfigurationError, match=r"Request timeout \(10000\)"
    ):
        version_2.KafkaConsumer(**keywords, group_id="g")
