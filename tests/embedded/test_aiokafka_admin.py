"""compat.aiokafka: AIOKafkaAdminClient and AIOKafkaClient, on the embedded cluster."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import protocol
from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.aiokafka.admin import (
    AIOKafkaAdminClient,
    NewPartitions,
    NewTopic,
    RecordsToDelete,
)
from confluent_kafka.compat.aiokafka.structs import BrokerMetadata, OffsetAndMetadata
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.kafka import NO_BROKER
from tests.support.mock_brokers import withdraw
from tests.support.patches import needs

pytestmark = pytest.mark.kafka_topic(partitions=2)

DESCRIBE_GROUPS, CREATE_TOPICS, CONSUMER_GROUP_DESCRIBE = 15, 19, 69


def admin_of(cluster: MockCluster, **keywords: Any) -> AIOKafkaAdminClient:
    return AIOKafkaAdminClient(bootstrap_servers=cluster.bootstrap_servers, **keywords)


@in_loop
async def test_topics(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Topics are listed, and described with the fields of Kafka's metadata."""
    async with admin_of(kafka_cluster) as admin:
        assert kafka_topic in await admin.list_topics()
        [topic] = await admin.describe_topics([kafka_topic])
    partitions = topic.pop("partitions")
    assert topic == {"error_code": 0, "topic": kafka_topic, "is_internal": False}
    assert [one["partition"] for one in partitions] == [0, 1]
    assert partitions[0].keys() == {
        "error_code", "partition", "leader", "replicas", "isr", "offline_replicas"
    }  # fmt: skip


@in_loop
async def test_the_cluster(kafka_cluster: MockCluster) -> None:
    """The brokers of the cluster are described."""
    async with admin_of(kafka_cluster) as admin:
        cluster = await admin.describe_cluster()
    assert cluster["cluster_id"].startswith("mockCluster")
    assert {broker["node_id"] for broker in cluster["brokers"]} == {1, 2, 3}
    assert cluster["controller_id"] in {1, 2, 3}


@in_loop
async def test_offsets_of_a_group(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The committed offsets of a group are read; the offset is -1 if nothing is committed."""
    first, second = (TopicPartition(kafka_topic, number) for number in range(2))
    servers = kafka_cluster.bootstrap_servers
    async with AIOKafkaConsumer(bootstrap_servers=servers, group_id="g") as consumer:
        consumer.assign([first, second])
        await consumer.commit({first: OffsetAndMetadata(5, "text")})
    async with admin_of(kafka_cluster) as admin:
        assert await admin.list_consumer_group_offsets("g", partitions=[first, second]) == {
            first: OffsetAndMetadata(5, "text"),
            second: OffsetAndMetadata(-1, ""),
        }


@in_loop
async def test_what_a_broker_cannot_do(kafka_cluster: MockCluster) -> None:
    """A topic's error is in the answer or is raised, as in aiokafka; an error of the request is
    raised."""
    withdraw(kafka_cluster, CREATE_TOPICS, DESCRIBE_GROUPS, CONSUMER_GROUP_DESCRIBE)
    async with admin_of(kafka_cluster) as admin:
        with pytest.raises(errors.UnsupportedVersionError):
            await admin.create_topics([NewTopic("new", 1, 1)])
        with pytest.raises(errors.UnsupportedVersionError):
            await admin.describe_consumer_groups(["g"])
        with pytest.raises(errors.IllegalOperation, match="broker_ids"):
            await admin.list_consumer_groups(broker_ids=[1])


@in_loop
async def test_partitions_that_cannot_be_created(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The first topic's error is raised, as in aiokafka; other topics get their partitions."""
    async with admin_of(kafka_cluster) as admin:
        await admin.create_topics([NewTopic("grows", 1, 1)])
        with pytest.raises(errors.InvalidPartitionsError, match=f"topic '{kafka_topic}'"):
            await admin.create_partitions(
                {kafka_topic: NewPartitions(1), "grows": NewPartitions(3)}
            )
        [grown] = await admin.describe_topics(["grows"])
        assert len(grown["partitions"]) == 3
        with pytest.raises(errors.UnknownTopicOrPartitionError, match="'nowhere'"):
            await admin.create_partitions({"nowhere": NewPartitions(3)}, validate_only=True)
        created = await admin.create_partitions({kafka_topic: NewPartitions(3)})
    assert [error[:2] for error in created.topic_errors] == [(kafka_topic, 0)]


@in_loop
async def test_errors_in_answers(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The answer contains the error codes of topics that exist already, and of topics that do not
    exist."""
    async with admin_of(kafka_cluster) as admin:
        created = await admin.create_topics([NewTopic(kafka_topic, 1, 1)])
        deleted = await admin.delete_topics(["nowhere"])
    assert [error[:2] for error in created.topic_errors] == [(kafka_topic, 36)]
    assert deleted.topic_error_codes == [("nowhere", 3)]


@pytest.mark.parametrize(
    ("request_of", "answer"),
    [
        (lambda admin: admin.create_topics([]), (0, [])),
        (lambda admin: admin.delete_topics([]), (0, [])),
        (lambda admin: admin.create_partitions({}), (0, [])),
        (lambda admin: admin.delete_records({}), {}),
        (lambda admin: admin.describe_topics([]), []),
        (lambda admin: admin.describe_configs([]), []),
        (lambda admin: admin.alter_configs([]), [(0, [])]),
        (lambda admin: admin.describe_consumer_groups([]), []),
        (lambda admin: admin.list_consumer_group_offsets("g", partitions=[]), {}),
    ],
)
@in_loop
async def test_requests_about_nothing(
    kafka_cluster: MockCluster, request_of: Any, answer: Any
) -> None:
    """A request with an empty list succeeds, so that programs need not check for that case."""
    async with admin_of(kafka_cluster) as admin:
        assert await request_of(admin) == answer


@in_loop
async def test_requests_that_name_something_twice(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If a request contains an item twice, the broker gets the item once."""
    async with admin_of(kafka_cluster) as admin:
        [described] = await admin.describe_consumer_groups(["group", "group"])
        deleted = await admin.delete_topics([kafka_topic, kafka_topic])
    assert [group.group for group in described.groups] == ["group"]
    assert deleted.topic_error_codes == [(kafka_topic, 0)]


@pytest.mark.parametrize(
    "partitions",
    [[("nowhere", 0)], [("not a name", 0)], [("topic", 9)], [("topic", 0), ("topic", 9)]],
)
@in_loop
async def test_records_of_unknown_partitions(
    kafka_cluster: MockCluster, kafka_topic: str, partitions: list[tuple[str, int]]
) -> None:
    """The call raises aiokafka's error for a partition without a leader."""
    places = [
        TopicPartition(kafka_topic if name == "topic" else name, number)
        for name, number in partitions
    ]
    async with admin_of(kafka_cluster) as admin:
        with pytest.raises(errors.NotLeaderForPartitionError):
            await admin.delete_records({place: RecordsToDelete(0) for place in places})
        with pytest.raises(errors.NotLeaderForPartitionError):
            await admin.delete_records({place: RecordsToDelete(-2) for place in places})


@in_loop
async def test_records_before_an_offset_that_is_not_there(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """delete_records() raises the broker's error, also for a negative offset, which is not sent."""
    async with admin_of(kafka_cluster) as admin:
        for offset in (99, -2, -(2**40)):
            with pytest.raises(errors.OffsetOutOfRangeError):
                await admin.delete_records(
                    {TopicPartition(kafka_topic, 0): RecordsToDelete(offset)}
                )


@needs("raw-request")
@in_loop
async def test_coordinators(kafka_cluster: MockCluster) -> None:
    """The coordinators of a group and of a transaction are found."""
    kafka_cluster.set_coordinator("group", "key", 2)
    kafka_cluster.set_coordinator("transaction", "key", 3)
    async with admin_of(kafka_cluster) as admin:
        assert await admin.find_coordinator("key") == 2
        assert await admin.find_coordinator("key", 1) == 3
        with pytest.raises(ValueError, match="7"):
            await admin.find_coordinator("key", 7)
        for kind in (0, 1):
            with pytest.raises(errors.GroupCoordinatorNotAvailableError, match="''"):
                await admin.find_coordinator("", kind)


@in_loop
async def test_an_admin_client_that_does_not_run(kafka_cluster: MockCluster) -> None:
    """The methods of a client that does not run raise, and so does start() without a broker."""
    admin = admin_of(kafka_cluster)
    with pytest.raises(errors.KafkaConnectionError, match="not started"):
        await admin.list_topics()
    await admin.start()
    await admin.close()
    await admin.close()
    with pytest.raises(errors.KafkaConnectionError, match="Unable to bootstrap"):
        await AIOKafkaAdminClient(bootstrap_servers=NO_BROKER).start()


@pytest.mark.parametrize("kind", [AIOKafkaAdminClient, AIOKafkaClient, AIOKafkaProducer])
@in_loop
async def test_servers_that_are_no_addresses(kind: Any) -> None:
    """For invalid addresses, start() raises the same error as aiokafka."""
    for servers in ("a:b", "localhost:", ["127.0.0.1:1", "a:b"]):
        client = kind(bootstrap_servers=servers)
        with pytest.raises(ValueError, match=r"the port of .* must be a number"):
            await (getattr(client, "start", None) or client.bootstrap)()
    for servers in ("localhost:99999", "localhost:-1", "a b"):
        client = kind(bootstrap_servers=servers)
        with pytest.raises(errors.KafkaConnectionError, match=f"bootstrap from {servers}"):
            await (getattr(client, "start", None) or client.bootstrap)()
    client = kind(properties={"linger": 1})
    with pytest.raises(errors.IllegalArgumentError, match="linger"):
        await (getattr(client, "start", None) or client.bootstrap)()


@in_loop
async def test_a_client(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The client returns brokers, topics and partitions once it has requested the metadata."""
    client = AIOKafkaClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    assert client.get_random_node() is None
    assert str(client.hosts[0][0]) == "127.0.0.1"
    with pytest.raises(errors.KafkaConnectionError, match="not connected"):
        await client.fetch_all_metadata()
    await client.bootstrap()
    cluster = await client.fetch_all_metadata()
    assert cluster is client.cluster
    assert kafka_topic in cluster.topics()
    assert cluster.partitions_for_topic(kafka_topic) == {0, 1}
    assert cluster.available_partitions_for_topic(kafka_topic) == {0, 1}
    leader = cluster.leader_for_partition(TopicPartition(kafka_topic, 1))
    assert leader is not None
    assert TopicPartition(kafka_topic, 1) in (cluster.partitions_for_broker(leader) or ())
    broker = cluster.broker_metadata(leader)
    assert isinstance(broker, BrokerMetadata)
    assert broker in cluster.brokers()
    assert client.get_random_node() in {1, 2, 3}
    assert await client.ready(leader)
    assert not await client.ready(99)
    assert await client.force_metadata_update()
    assert await client.add_topic(kafka_topic)
    assert await client.set_topics([kafka_topic])
    assert await client.check_version() == client.api_version
    await client.close()
    await client.close()


@needs("raw-request")
@in_loop
async def test_requests_of_the_protocol(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """send() takes a request and returns the answer, in a version that client and broker
    support."""
    withdraw(kafka_cluster, protocol.DescribeQuorumRequest.api_key)
    client = AIOKafkaClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    await client.bootstrap()
    try:
        answer = await client.send(2, protocol.MetadataRequest(topics=None))
        assert isinstance(answer, protocol.MetadataResponse)
        assert kafka_topic in [topic.name for topic in answer.topics]
        with pytest.raises(errors.NodeNotReadyError, match="no broker 99"):
            await client.send(99, protocol.MetadataRequest())
        with pytest.raises(errors.UnsupportedVersionError, match="does not know DescribeQuorum"):
            await client.send(2, protocol.DescribeQuorumRequest())
        wrong: Any = object()
        with pytest.raises(TypeError, match="request must be one of confluent_kafka"):
            await client.send(2, wrong)
    finally:
        await client.close()


@in_loop
async def test_what_is_unknown(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Without metadata, the methods of the cluster return None."""
    client = AIOKafkaClient(bootstrap_servers=kafka_cluster.bootstrap_servers)
    assert client.cluster.partitions_for_topic(kafka_topic) is None
    assert client.cluster.available_partitions_for_topic(kafka_topic) is None
    assert client.cluster.leader_for_partition(TopicPartition(kafka_topic, 0)) is None
    assert client.cluster.partitions_for_broker(1) is None
    assert client.cluster.broker_metadata(1) is None


@pytest.mark.parametrize(
    ("server", "wanted"),
    [("host", ("host", 9092)), ("host:1", ("host", 1)), ("[::1]:2", ("::1", 2))],
)
def test_hosts(server: str, wanted: tuple[str, int]) -> None:
    """Servers are hosts and ports; the default port is Kafka's."""
    assert AIOKafkaClient(bootstrap_servers=[server]).hosts[0][:2] == wanted


@pytest.mark.parametrize(
    ("numbers", "assignments", "fits"),
    [
        ((1, 1), None, True),
        ((-1, -1), {0: [1]}, True),
        ((-1, -1), None, False),
        ((1, -1), None, False),
        ((1, 1), {0: [1]}, False),
    ],
)
def test_a_new_topic_has_numbers_or_assignments(
    numbers: tuple[int, int], assignments: dict[int, list[int]] | None, fits: bool
) -> None:
    """NewTopic accepts either a number of partitions or assignments, as in aiokafka."""
    if fits:
        NewTopic("t", *numbers, assignments)
    else:
        with pytest.raises(errors.IllegalArgumentError, match="either num_partitions"):
            NewTopic("t", *numbers, assignments)
