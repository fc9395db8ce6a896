"""Requests about the cluster itself: list_topics() and cluster_id()."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import BrokerMetadata, ClusterMetadata, PartitionMetadata, TopicMetadata
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.embedded.sasl_broker import SaslBroker
from tests.support.hostile import HostileProxy
from tests.support.kafka import NO_BROKER
from tests.support.scripts import check_script
from tests.support.secrets import secret
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until


@pytest.fixture(params=["producer", "consumer"])
def make_client(
    request: pytest.FixtureRequest, make_producer: MakeProducer, make_consumer: MakeConsumer
) -> Any:
    return make_producer if request.param == "producer" else make_consumer


@pytest.fixture
def client(make_client: Any) -> Any:
    return make_client()


# ---- list_topics ----


def test_the_whole_cluster(kafka_cluster: MockCluster, client: Any) -> None:
    """list_topics() returns every broker, and every topic with partitions, leaders and replicas."""
    kafka_cluster.create_topic("one", partitions=1, replication_factor=1)
    kafka_cluster.create_topic("two", partitions=4, replication_factor=3)
    kafka_cluster.set_leader("two", 3, 2)
    cluster = client.list_topics(timeout=TIMEOUT)
    assert isinstance(cluster, ClusterMetadata)
    assert isinstance(cluster.cluster_id, str)
    assert isinstance(cluster.controller_id, int)
    assert cluster.orig_broker_id in {-1, *cluster.brokers}
    assert cluster.orig_broker_name
    assert sorted(cluster.brokers) == [1, 2, 3]
    addresses = set()
    for broker_id, broker in cluster.brokers.items():
        assert isinstance(broker, BrokerMetadata)
        assert broker.id == broker_id
        addresses.add(f"{broker.host}:{broker.port}")
    assert addresses == set(kafka_cluster.bootstrap_servers.split(","))
    assert sorted(cluster.topics) == ["one", "two"]
    topic = cluster.topics["two"]
    assert isinstance(topic, TopicMetadata)
    assert (topic.topic, topic.error) == ("two", None)
    assert sorted(topic.partitions) == [0, 1, 2, 3]
    for number, partition in topic.partitions.items():
        assert isinstance(partition, PartitionMetadata)
        assert (partition.id, partition.error) == (number, None)
        assert sorted(partition.replicas) == [1, 2, 3]
        assert sorted(partition.isrs) == [1, 2, 3]
        assert partition.leader in partition.replicas
    assert topic.partitions[3].leader == 2
    assert len(cluster.topics["one"].partitions[0].replicas) == 1


def test_one_topic(kafka_cluster: MockCluster, client: Any) -> None:
    """With a name, the answer contains only that topic."""
    kafka_cluster.create_topic("one")
    kafka_cluster.create_topic("two")
    assert list(client.list_topics("one", TIMEOUT).topics) == ["one"]
    assert list(client.list_topics(topic="two", timeout=TIMEOUT).topics) == ["two"]
    assert sorted(client.list_topics(None, TIMEOUT).topics) == ["one", "two"]


def test_a_topic_with_an_error(kafka_cluster: MockCluster, client: Any) -> None:
    """An error of one topic is in its TopicMetadata; the call does not raise."""
    kafka_cluster.set_topic_error("secret", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    topic = client.list_topics("secret", TIMEOUT).topics["secret"]
    assert topic.error == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_a_partition_without_a_leader(
    kafka_cluster: MockCluster, kafka_topic: str, client: Any
) -> None:
    """A partition without a leader has the leader -1."""
    kafka_cluster.set_leader(kafka_topic, 0, None)
    partition = client.list_topics(kafka_topic, TIMEOUT).topics[kafka_topic].partitions[0]
    assert partition.leader == -1


def test_moves_are_seen(kafka_cluster: MockCluster, kafka_topic: str, client: Any) -> None:
    """Each call sends a request, and does not use a cache."""
    for broker_id in (1, 2, 3, 1):
        kafka_cluster.set_leader(kafka_topic, 0, broker_id)
        topic = client.list_topics(kafka_topic, TIMEOUT).topics[kafka_topic]
        assert topic.partitions[0].leader == broker_id


def test_no_broker(make_client: Any) -> None:
    """Without a broker the call ends at its timeout, with an exception."""
    client = make_client({"bootstrap.servers": NO_BROKER})
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        client.list_topics(timeout=0.2)
    assert caught.value.args[0].code() in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT)
    assert watch.elapsed < TIMEOUT


def test_a_slow_broker(kafka_cluster: MockCluster, make_client: Any) -> None:
    """The timeout also applies if brokers are connected but do not answer."""
    client = make_client()
    client.list_topics(timeout=TIMEOUT)
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        client.list_topics(timeout=0.2)
    assert caught.value.args[0].code() in (KafkaError._TRANSPORT, KafkaError._TIMED_OUT)
    assert 0.2 <= watch.elapsed < TIMEOUT
    kafka_cluster.set_round_trip_time(None, 0)


def test_wakeup_ends_the_wait(make_client: Any) -> None:
    """wakeup() makes a waiting request raise _INTR at once."""
    client = make_client({"bootstrap.servers": NO_BROKER})
    timer = threading.Timer(0.05, client.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        client.list_topics(timeout=TIMEOUT)
    assert caught.value.args[0] == KafkaError._INTR
    assert "list_topics()" in caught.value.args[0].str()
    assert watch.elapsed < SOON
    timer.join()


def test_a_request_that_was_given_up(kafka_cluster: MockCluster, make_client: Any) -> None:
    """After wakeup(), the request continues on its own thread, and the client can be closed
    meanwhile."""
    client = make_client()
    client.list_topics(timeout=TIMEOUT)
    kafka_cluster.set_round_trip_time(None, 6)
    client.wakeup()
    with pytest.raises(KafkaException) as caught:
        client.list_topics(timeout=TIMEOUT)
    assert caught.value.args[0] == KafkaError._INTR
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.list_topics()
    kafka_cluster.set_round_trip_time(None, 0)


def test_many_threads(kafka_topic: str, client: Any) -> None:
    """Requests of several threads do not disturb each other."""
    answers: list[list[str]] = []

    def ask() -> None:
        topics = (client.list_topics(kafka_topic, TIMEOUT).topics for _ in range(10))
        answers.extend(list(names) for names in topics)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[kafka_topic]] * 80


def test_metadata_reads_well(kafka_topic: str, client: Any) -> None:
    """repr() and str() of the objects are readable."""
    cluster = client.list_topics(kafka_topic, TIMEOUT)
    topic = cluster.topics[kafka_topic]
    assert str(topic) == kafka_topic
    assert kafka_topic in repr(topic)
    assert "1 partition" in repr(topic)
    assert str(topic.partitions[0]) == "0"
    broker = cluster.brokers[1]
    assert str(broker) == f"{broker.host}:{broker.port}/{broker.id}"


# ---- cluster_id ----


def test_without_memory(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If memory runs out anywhere in the conversion, list_topics() raises MemoryError."""
    pytest.importorskip("_testcapi", reason="this CPython was built without its test modules")
    script = """
        import sys
        from _testcapi import remove_mem_hooks, set_nomemory
        from confluent_kafka import Producer
        failures = 0
        with Producer({"bootstrap.servers": sys.argv[1]}) as producer:
            producer.list_topics(timeout=30)
            for allocation in range(3, 150):
                for stop in (allocation + 1, 0):
                    set_nomemory(allocation, stop)
                    try:
                        producer.list_topics(timeout=30)
                    except MemoryError:
                        failures += 1
                    finally:
                        remove_mem_hooks()
            assert sys.argv[2] in producer.list_topics(timeout=30).topics
        print(failures)
    """
    assert int(check_script(script, kafka_cluster.bootstrap_servers, kafka_topic)) > 1


def test_cluster_id(client: Any) -> None:
    """cluster_id() returns the same id as list_topics()."""
    cluster_id = client.cluster_id(TIMEOUT)
    assert isinstance(cluster_id, str)
    assert cluster_id
    assert client.list_topics(timeout=TIMEOUT).cluster_id == cluster_id
    assert client.cluster_id(timeout=0) == cluster_id


def test_no_cluster_id(make_client: Any) -> None:
    """cluster_id() returns None when no broker has answered in time."""
    client = make_client({"bootstrap.servers": NO_BROKER})
    watch = Stopwatch()
    assert client.cluster_id(0) is None
    assert client.cluster_id(0.2) is None
    assert 0.2 <= watch.elapsed < TIMEOUT


def test_wakeup_ends_cluster_id(make_client: Any) -> None:
    """wakeup() makes cluster_id() raise _INTR at once."""
    client = make_client({"bootstrap.servers": NO_BROKER})
    timer = threading.Timer(0.05, client.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        client.cluster_id()
    assert caught.value.args[0] == KafkaError._INTR
    assert watch.elapsed < SOON
    timer.join()


# ---- credentials ----


def test_credentials(make_client: Any) -> None:
    """The next connection authenticates with the new credentials."""
    broker = SaslBroker("PLAIN")
    with broker.socket:
        client = make_client(
            broker.settings
            | {
                "security.protocol": "sasl_plaintext",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "old",
                "sasl.password": secret("old"),
                "log_level": 0,
            }
        )
        assert broker.initial_response() == f"\0old\0{secret('old')}".encode()
        assert client.set_sasl_credentials("user", password=secret("new")) is None
        sent = f"\0user\0{secret('new')}".encode()
        # An earlier connection may still have used the old credentials.
        wait_until(lambda: broker.initial_response() == sent)


def test_close_where_credentials_were_refused() -> None:
    """If brokers refused its credentials, close() ends, and only calls that wait for brokers
    raise."""
    broker = SaslBroker("PLAIN")
    with broker.socket:
        consumer = Consumer(
            broker.settings
            | {
                "group.id": "group",
                "security.protocol": "sasl_plaintext",
                "sasl.mechanism": "PLAIN",
                "sasl.username": "name",
                "sasl.password": secret("wrong"),
                "reconnect.backoff.ms": 10,
                "log_level": 0,
            }
        )
        for _ in range(3):  # then the errors of the first two connections are queued
            broker.initial_response()
        consumer.close()


def test_cluster_id_that_is_no_text(make_client: Any) -> None:
    """If the cluster's id is not UTF-8, cluster_id() still returns a readable text."""
    with MockCluster(1) as cluster:
        name: str = make_client({"bootstrap.servers": cluster.bootstrap_servers}).cluster_id(
            TIMEOUT
        )

        def change(_: int, frame: bytes) -> bytes:
            return frame.replace(name.encode(), b"\xff" + name[1:].encode())

        with HostileProxy(cluster.bootstrap_servers, change=change) as proxy:
            client = make_client({"bootstrap.servers": proxy.address})
            assert client.cluster_id(TIMEOUT) == "\ufffd" + name[1:]
            client.close()
