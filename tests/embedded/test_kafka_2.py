"""compat.kafka_2 on the embedded cluster."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import protocol
from confluent_kafka.compat.kafka_2 import (
    Deserializer,
    KafkaAdminClient,
    KafkaClient,
    KafkaConsumer,
    KafkaProducer,
    Serializer,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka_2.admin import (
    ConfigResource,
    ConfigResourceType,
    NewPartitions,
    NewTopic,
)
from confluent_kafka.compat.kafka_2.partitioner import DefaultPartitioner
from confluent_kafka.compat.kafka_2.structs import OffsetAndMetadata
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

MILLISECONDS = TIMEOUT * 1000


class Numbers(Serializer, Deserializer):
    """A serializer of numbers as text."""

    def __init__(self) -> None:
        super().__init__()
        self.is_closed = False

    def serialize(self, topic: str, value: Any) -> bytes:
        return str(value).encode()

    def deserialize(self, topic: str, bytes_: bytes | None) -> Any:
        return int(bytes_ or 0)

    def close(self) -> None:
        self.is_closed = True


def made(client: Any, cluster: MockCluster, *topics: str, **keywords: Any) -> Any:
    common = {
        "bootstrap_servers": cluster.bootstrap_servers,
        "api_version_auto_timeout_ms": MILLISECONDS,
    }
    return client(*topics, **common | keywords)


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Any:
    with made(KafkaAdminClient, kafka_cluster) as client:
        yield client


def test_messages(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Messages go through serializers, which get no headers and are closed with their clients."""
    out, back = Numbers(), Numbers()
    with made(KafkaProducer, kafka_cluster, value_serializer=out) as producer:
        place = producer.send(kafka_topic, 7, partition=0).get(TIMEOUT)
    assert (place.topic_partition, place.offset, place.log_start_offset) == (
        (kafka_topic, 0),
        0,
        None,
    )
    with made(KafkaConsumer, kafka_cluster, value_deserializer=back) as consumer:
        consumer.assign([TopicPartition(kafka_topic, 0)])
        consumer.seek_to_beginning()
        assert consumer.next_v2().value == 7
        assert consumer.partitions_for_topic("no-such-topic") is None
    assert out.is_closed
    assert back.is_closed


def test_partitioners(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A function gets the key and the partitions; the default partitioner is librdkafka's own."""
    calls = []

    def choose(key: bytes, everything: list[int], available: list[int]) -> int:
        calls.append((key, everything))
        return everything[-1]

    with made(KafkaProducer, kafka_cluster, partitioner=choose) as producer:
        everything = sorted(producer.partitions_for(kafka_topic))
        sent = producer.send(kafka_topic, b"v", key=b"k").get(TIMEOUT)
    assert (sent.partition, calls) == (everything[-1], [(b"k", everything)])
    with made(KafkaProducer, kafka_cluster) as producer:
        sent = producer.send(kafka_topic, b"v", key=b"k").get(TIMEOUT)
    assert sent.partition == DefaultPartitioner()(b"k", everything, everything)


@pytest.mark.parametrize(
    "keywords",
    [
        {"enable_idempotence": True},
        {"request_timeout_ms": 200_000},
        {"buffer_memory": 1, "acks": "all", "retries": 5},
        {"sock_chunk_bytes": 1, "bootstrap_topics_filter": {"a"}},
    ],
)
def test_keywords_of_a_producer(
    kafka_cluster: MockCluster, kafka_topic: str, keywords: dict[str, Any]
) -> None:
    """A producer with these keywords can send, because none contradicts the default of another."""
    with made(KafkaProducer, kafka_cluster, **keywords) as producer:
        assert producer.send(kafka_topic, b"v").get(TIMEOUT).topic == kafka_topic


@pytest.mark.parametrize("keywords", [{"enable_idempotence": True}, {"transactional_id": "id"}])
def test_requests_in_flight_of_an_idempotent_producer(
    kafka_cluster: MockCluster, keywords: dict[str, Any]
) -> None:
    """An idempotent producer has one request in flight, as in version 2.3.

    Any other number is refused. Other producers have 5 requests in flight.
    """
    name = "max_in_flight_requests_per_connection"
    with made(KafkaProducer, kafka_cluster, **keywords) as producer:
        assert producer.config[name] == 1
    with pytest.raises(errors.KafkaConfigurationError, match=f"{name} must be 1"):
        KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers, **keywords, **{name: 5})
    with made(KafkaProducer, kafka_cluster) as producer:
        assert producer.config[name] == 5


def test_transactions(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Version 3's transactions need no keyword except for the id."""
    with made(KafkaProducer, kafka_cluster, transactional_id=kafka_topic) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        sent = producer.send(kafka_topic, b"v")
        producer.commit_transaction()
        assert sent.get(TIMEOUT).topic == kafka_topic


def test_assertions(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If version 2 raises an AssertionError, the exception is also an AssertionError here.

    It is also version 3's exception.
    """
    producer = made(KafkaProducer, kafka_cluster)
    for arguments in ({}, {"value": "text"}, {"value": b"v", "partition": 77}):
        with pytest.raises(AssertionError):
            producer.send(kafka_topic, **arguments)
    producer.close()
    with pytest.raises(AssertionError, match="IllegalStateError: KafkaProducer already closed"):
        producer.send(kafka_topic, b"v")
    with made(KafkaConsumer, kafka_cluster) as consumer:
        for call in (consumer.commit, lambda: consumer.position(TopicPartition(kafka_topic, 0))):
            with pytest.raises(AssertionError) as caught:
                call()
            assert isinstance(caught.value, errors.IllegalStateError)


def test_topics(admin: Any) -> None:
    """Answers about topics have the fields of version 2, and errors are raised."""
    topic = NewTopic("of-version-2", 1, 1)
    assert admin.create_topics([topic]).topic_errors[0][:2] == ("of-version-2", 0)
    with pytest.raises(errors.TopicAlreadyExistsError):
        admin.create_topics([topic])
    grown = admin.create_partitions({"of-version-2": NewPartitions(2)})
    assert grown.topic_errors == [("of-version-2", 0, None)]
    (described,) = admin.describe_topics(["of-version-2"])
    assert [one["partition"] for one in described["partitions"]] == [0, 1]
    assert [one["leader_epoch"] for one in described["partitions"]] == [0, 0]
    assert "of-version-2" in admin.list_topics()
    assert admin.delete_topics(["of-version-2"]).topic_error_codes == [("of-version-2", 0)]


@needs("mock-on-request")
def test_elections(kafka_cluster: MockCluster) -> None:
    """perform_leader_election(), which only version 2 has, does not raise if no election is
    needed."""
    response = protocol.ElectLeadersResponse
    partition = response.PartitionResult(partition_id=0, error_code=84, error_message="not needed")
    topic = response.ReplicaElectionResult(topic="t", partition_result=[partition])
    kafka_cluster.on_request(
        protocol.ElectLeadersRequest.api_key,
        lambda *_: response(replica_election_results=[topic]),
    )
    with made(KafkaAdminClient, kafka_cluster) as admin:  # asks for the versions once
        elected = admin.perform_leader_election(0, {"t": [0]})
    assert elected.error_code == 0
    assert elected.replication_election_results == [("t", [(0, 84, "not needed")])]
    assert elected.to_object()["replication_election_results"] == [
        {
            "topic": "t",
            "partition_result": [
                {"partition_id": 0, "error_code": 84, "error_message": "not needed"}
            ],
        }
    ]


def test_log_dirs(kafka_cluster: MockCluster, admin: Any, kafka_topic: str) -> None:
    """A broker's answer has the fields of version 2."""
    described = admin.describe_log_dirs().log_dirs
    assert described
    for found in described:
        assert found._fields == ("error_code", "log_dir", "topics")
        assert found.error_code == 0
        for topic in found.topics:
            assert topic._fields == ("name", "partitions")
            for one in topic.partitions:
                assert one[2:] == (0, False)


def test_configurations(admin: Any, kafka_topic: str) -> None:
    """All values are described; each broker has an answer of its own."""
    topic = ConfigResource(ConfigResourceType.TOPIC, kafka_topic, {"retention.ms": "86400000"})
    assert admin.alter_configs([topic]).resources == [(0, None, 2, kafka_topic)]
    node = admin.describe_cluster()["brokers"][0]["node_id"]
    of_broker = ConfigResource(ConfigResourceType.BROKER, str(node))
    first, second = admin.describe_configs([topic, of_broker], include_synonyms=True)
    assert first.resources[0].resource_name == str(node)
    entry = second.resources[0].config_entries[0]
    assert entry[:2] == ("retention.ms", "86400000")


def test_groups(kafka_cluster: MockCluster, admin: Any, kafka_topic: str) -> None:
    """A group, with its members and offsets, is listed, described and deleted."""
    place = TopicPartition(kafka_topic, 0)
    group = f"of-{kafka_topic}"
    keywords = {"enable_auto_commit": False, "session_timeout_ms": 2 * MILLISECONDS}
    with made(KafkaConsumer, kafka_cluster, kafka_topic, group_id=group, **keywords) as consumer:
        wait_until(lambda: consumer.poll(100) is not None and place in consumer.assignment())
        consumer.commit({place: OffsetAndMetadata(3, "text")})
        assert (group, "consumer") in admin.list_consumer_groups()
        (described,) = admin.describe_consumer_groups([group])
        (member,) = described.members
        assert (described.error_code, described.group) == (0, group)
        assert member.member_metadata.subscription == [kafka_topic]
        assert place.topic in [one.topic for one in member.member_assignment.assignment]
        assert admin.list_consumer_group_offsets(group)[place] == (3, "text")
        assert admin.list_consumer_group_offsets(group, partitions=[place])[place].offset == 3
        busy = [(group, errors.NonEmptyGroupError)]
        assert admin.delete_consumer_groups([group]) == busy
    (nobody,) = admin.describe_consumer_groups(["nobody"])
    assert (nobody.error_code, nobody.state, nobody.members) == (0, "Dead", [])


def test_a_client_below_the_others(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """KafkaClient has the cluster's metadata; for requests, it raises errors that name a
    replacement."""
    client = made(KafkaClient, kafka_cluster, wakeup_timeout_ms=5)
    assert client.bootstrap_connected()
    node = client.least_loaded_node()
    assert client.ready(node)
    assert client.is_ready(node)
    assert client.maybe_connect(node)
    assert client.is_disconnected(77)
    assert (client.connection_delay(node), client.in_flight_request_count()) == (0, 0)
    assert client.add_topic(kafka_topic).value is client.cluster
    assert client.cluster.partitions_for_topic(kafka_topic)
    assert client.get_api_versions()[3][1] > 0
    assert client.poll() == []
    client.wakeup()
    for call in (lambda: client.send(node, None), client.check_version):
        with pytest.raises(NotImplementedError, match="AdminClient"):
            call()
    client.close(node)
    assert client.connected(node)
    client.close()
    assert not client.bootstrap_connected()
    assert client.least_loaded_node() is None
    assert client.set_topics([kafka_topic]).failed()


def test_offsets_and_records_have_no_epoch(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """All results have the fields of version 2.0, which have no leader epoch, also in callbacks."""
    place = TopicPartition(kafka_topic, 0)
    told: list[Any] = []
    keywords = {"group_id": f"of-{kafka_topic}", "auto_offset_reset": "earliest"}

    def note(offsets: Any, failure: Any) -> None:
        told.append((offsets, failure))

    with made(KafkaProducer, kafka_cluster) as producer:
        producer.send(kafka_topic, b"v", key=b"k", partition=0, timestamp_ms=5).get(TIMEOUT)
    with made(
        KafkaConsumer,
        kafka_cluster,
        **keywords,
        value_deserializer=bytes.decode,
        default_offset_commit_callback=note,
    ) as consumer:
        assert consumer.config["default_offset_commit_callback"] is note
        consumer.assign([place])
        record = next(consumer)
        assert record[:7] == (kafka_topic, 0, 0, 5, 0, b"k", "v")
        assert not hasattr(record, "leader_epoch")
        assert consumer.offsets_for_times({place: 1}) == {place: (0, 5)}
        assert consumer.offsets_for_times({place: 9}) == {place: None}
        consumer.commit_async({place: OffsetAndMetadata(3, "text")})
        consumer.commit_async({place: OffsetAndMetadata(4, "text")}, note)
        wait_until(lambda: len(told) == 2, lambda: consumer.poll(10))
        assert told == [({place: (3, "text")}, None), ({place: (4, "text")}, None)]
        assert consumer.committed(place) == 4
        assert consumer.committed(place, metadata=True) == (4, "text")
        consumer.commit({place: OffsetAndMetadata(1, None)})
        assert consumer.committed(place, metadata=True) == (1, "")
        with pytest.raises(AssertionError):
            consumer.commit({place: 1})
