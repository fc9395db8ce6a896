"""The administrative requests that the embedded cluster answers, sent by an AdminClient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    KafkaError,
    KafkaException,
    Producer,
    TopicCollection,
    TopicPartition,
    protocol,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.clients import ANY_ACL
from tests.support.kafka import Reports
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")

K = TypeVar("K")
T = TypeVar("T")


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


def results(futures: Mapping[K, Future[T]]) -> dict[K, T]:
    return {key: future.result(TIMEOUT) for key, future in futures.items()}


def code_of(future: Future[Any]) -> int:
    with pytest.raises(KafkaException) as raised:
        future.result(TIMEOUT)
    return int(raised.value.code())


def create(admin: AdminClient, topic: str, partitions: int = 1, **options: Any) -> None:
    results(admin.create_topics([NewTopic(topic, partitions, **options)]))


def produce(cluster: MockCluster, topic: str, timestamps: list[int], **config: Any) -> None:
    """Produce one message to partition 0 for each time in milliseconds, all in one batch."""
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 1000, **config}
    with Producer(settings) as producer:
        for timestamp in timestamps:
            producer.produce(topic, value="x" * 100, partition=0, timestamp=timestamp)
        assert producer.flush(TIMEOUT) == 0


# ---- topics ----


def test_a_topic_lives(admin: AdminClient) -> None:
    """A topic is created, described, given more partitions and deleted."""
    create(admin, "orders", 2, replication_factor=2)
    described = results(admin.describe_topics(TopicCollection(["orders"])))["orders"]
    assert [len(each.replicas) for each in described.partitions] == [2, 2]
    results(admin.create_partitions([NewPartitions("orders", 5)]))
    assert len(admin.list_topics(timeout=TIMEOUT).topics["orders"].partitions) == 5
    results(admin.delete_topics(["orders"]))
    assert "orders" not in admin.list_topics(timeout=TIMEOUT).topics


def test_partitions_keep_what_they_have(
    admin: AdminClient, kafka_cluster: MockCluster, make_consumer: MakeConsumer
) -> None:
    """If partitions are added, the existing partitions keep their records and committed offsets."""
    create(admin, "orders")
    produce(kafka_cluster, "orders", [1, 2, 3])
    consumer = make_consumer()
    place = TopicPartition("orders", 0, 2)
    consumer.commit(offsets=[place], asynchronous=False)
    results(admin.create_partitions([NewPartitions("orders", 100)]))
    assert consumer.get_watermark_offsets(place, timeout=TIMEOUT) == (0, 3)
    assert consumer.committed([place], timeout=TIMEOUT)[0].offset == 2
    produce(kafka_cluster, "orders", [4])
    assert consumer.get_watermark_offsets(place, timeout=TIMEOUT) == (0, 4)


def test_the_brokers_defaults(admin: AdminClient) -> None:
    """If the request has no numbers, a topic gets the brokers' defaults: 4 partitions and 3
    replicas."""
    create(admin, "orders", -1)
    described = results(admin.describe_topics(TopicCollection(["orders"])))["orders"]
    assert [len(each.replicas) for each in described.partitions] == [3] * 4


def test_assigned_replicas(admin: AdminClient) -> None:
    """Partitions have the assigned replicas, and the first one leads."""
    results(admin.create_topics([NewTopic("orders", replica_assignment=[[2, 1], [3, 1]])]))
    described = results(admin.describe_topics(TopicCollection(["orders"])))["orders"]
    assert [each.leader.id for each in described.partitions if each.leader] == [2, 3]
    replicas = [[node.id for node in each.replicas] for each in described.partitions]
    assert replicas == [[2, 1], [3, 1]]


@pytest.mark.parametrize(
    ("topic", "code"),
    [
        (NewTopic("there", 1), KafkaError.TOPIC_ALREADY_EXISTS),
        (NewTopic("no name", 1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic("new", 1, 4), KafkaError.INVALID_REPLICATION_FACTOR),
        (NewTopic("new", 10_001), KafkaError.INVALID_PARTITIONS),
        (NewTopic("new", replica_assignment=[[1, 1]]), KafkaError.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("new", replica_assignment=[[9]]), KafkaError.INVALID_REPLICA_ASSIGNMENT),
        (NewTopic("new", 1, config={"retention": "1"}), KafkaError.INVALID_CONFIG),
        (NewTopic("new", 1, config={"retention.ms": "long"}), KafkaError.INVALID_CONFIG),
        (NewTopic("new", 1, config={"cleanup.policy": "keep"}), KafkaError.INVALID_CONFIG),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else "",
)
def test_topics_that_cannot_be(admin: AdminClient, topic: NewTopic, code: int) -> None:
    """A topic that Kafka would refuse gets Kafka's error, and is not created."""
    create(admin, "there")
    assert code_of(admin.create_topics([topic])[topic.topic]) == code
    assert set(admin.list_topics(timeout=TIMEOUT).topics) == {"there"}


def test_validated_only(admin: AdminClient) -> None:
    """With validate_only, nothing changes."""
    create(admin, "orders")
    results(admin.create_topics([NewTopic("new", 1)], validate_only=True))
    results(admin.create_partitions([NewPartitions("orders", 2)], validate_only=True))
    topics = admin.list_topics(timeout=TIMEOUT).topics
    assert {name: len(topic.partitions) for name, topic in topics.items()} == {"orders": 1}


def test_topics_that_there_are_not(admin: AdminClient) -> None:
    """If a topic does not exist, it has its own error."""
    unknown = KafkaError.UNKNOWN_TOPIC_OR_PART
    assert code_of(admin.delete_topics(["none"])["none"]) == unknown
    assert code_of(admin.create_partitions([NewPartitions("none", 2)])["none"]) == unknown


def test_fewer_partitions(admin: AdminClient) -> None:
    """The number of partitions can only grow: fewer partitions, or the same number, are refused."""
    create(admin, "orders", 3)
    future = admin.create_partitions([NewPartitions("orders", 3)])["orders"]
    assert code_of(future) == KafkaError.INVALID_PARTITIONS


# ---- configurations ----


def config_of(admin: AdminClient, kind: ResourceType, name: str) -> dict[str, ConfigEntry]:
    resource = ConfigResource(kind, name)
    return results(admin.describe_configs([resource]))[resource]


def change(admin: AdminClient, topic: str, name: str, value: str | None, how: Any) -> None:
    entry = ConfigEntry(name, value, incremental_operation=how)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    results(admin.incremental_alter_configs([resource]))


def test_configuration_of_a_topic(admin: AdminClient) -> None:
    """A topic has Kafka's defaults, its values from the creation, and later changes."""
    create(admin, "orders", config={"retention.ms": "1000"})
    before = config_of(admin, ResourceType.TOPIC, "orders")
    assert before["retention.ms"].value == "1000"
    assert before["retention.ms"].source == ConfigSource.DYNAMIC_TOPIC_CONFIG
    assert before["cleanup.policy"].value == "delete"
    assert before["cleanup.policy"].source == ConfigSource.DEFAULT_CONFIG
    change(admin, "orders", "retention.ms", None, AlterConfigOpType.DELETE)
    change(admin, "orders", "segment.ms", "5", AlterConfigOpType.SET)
    change(admin, "orders", "cleanup.policy", "compact", AlterConfigOpType.APPEND)
    after = config_of(admin, ResourceType.TOPIC, "orders")
    names = ("retention.ms", "segment.ms", "cleanup.policy")
    assert [after[name].value for name in names] == ["604800000", "5", "delete,compact"]
    change(admin, "orders", "cleanup.policy", "delete", AlterConfigOpType.SUBTRACT)
    assert config_of(admin, ResourceType.TOPIC, "orders")["cleanup.policy"].value == "compact"


def test_a_new_topic_of_an_old_name(admin: AdminClient) -> None:
    """A new topic does not have the configuration of a deleted topic of the same name."""
    create(admin, "orders", config={"retention.ms": "1000"})
    results(admin.delete_topics(["orders"]))
    create(admin, "orders")
    assert config_of(admin, ResourceType.TOPIC, "orders")["retention.ms"].is_default


@needs("mock-topic-rules")
def is_refused(cluster: MockCluster) -> bool:
    """Whether the topic "orders" refuses a message of 6000 bytes."""
    reports = Reports()
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        producer.produce("orders", bytes(6000), on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    return reports.errors == [KafkaError.MSG_SIZE_TOO_LARGE]


def test_configuration_that_has_an_effect(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """A configuration has its effect from the creation of the topic until its deletion."""
    create(admin, "orders", config={"max.message.bytes": "5000"})
    assert is_refused(kafka_cluster)
    change(admin, "orders", "max.message.bytes", "7000", AlterConfigOpType.SET)
    assert not is_refused(kafka_cluster)
    change(admin, "orders", "max.message.bytes", "5000", AlterConfigOpType.SET)
    assert is_refused(kafka_cluster)
    change(admin, "orders", "max.message.bytes", None, AlterConfigOpType.DELETE)
    assert not is_refused(kafka_cluster)


def test_configuration_of_a_group(admin: AdminClient) -> None:
    """A group has the brokers' values; a change affects only this group."""
    group = ResourceType.GROUP
    entry = ConfigEntry(
        "share.auto.offset.reset", "earliest", incremental_operation=AlterConfigOpType.SET
    )
    results(
        admin.incremental_alter_configs(
            [ConfigResource(group, "shop", incremental_configs=[entry])]
        )
    )
    found = config_of(admin, group, "shop")
    assert found["share.auto.offset.reset"].value == "earliest"
    timeout = found["consumer.session.timeout.ms"]
    assert (timeout.value, timeout.source) == ("30000", ConfigSource.STATIC_BROKER_CONFIG)
    assert config_of(admin, group, "other")["share.auto.offset.reset"].value == "latest"


def test_configuration_of_all_brokers(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """A broker's value is the default of every topic, and takes effect unless the topic has its own
    value."""
    create(admin, "orders")

    def change_all(value: str | None, operation: AlterConfigOpType) -> None:
        # librdkafka refuses a resource without a name.
        kind = protocol.IncrementalAlterConfigsRequest
        config = kind.AlterableConfig(
            name="message.max.bytes", config_operation=operation.value, value=value
        )
        resource = kind.AlterConfigsResource(
            resource_type=ResourceType.BROKER.value, resource_name="", configs=[config]
        )
        body = kind(resources=[resource]).encode(1)
        answer = admin.request(kind.api_key, 1, body, timeout=TIMEOUT)
        (result,) = kind.response_class.decode(answer, 1).responses
        assert result.error_code == KafkaError.NO_ERROR

    change_all("5000", AlterConfigOpType.SET)
    found = config_of(admin, ResourceType.TOPIC, "orders")["max.message.bytes"]
    expected = ("5000", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG)
    assert (found.value, found.source) == expected
    assert is_refused(kafka_cluster)
    change(admin, "orders", "max.message.bytes", "7000", AlterConfigOpType.SET)
    assert not is_refused(kafka_cluster)
    change(admin, "orders", "max.message.bytes", None, AlterConfigOpType.DELETE)
    assert is_refused(kafka_cluster)
    change_all(None, AlterConfigOpType.DELETE)
    assert not is_refused(kafka_cluster)


def test_configuration_of_brokers(admin: AdminClient) -> None:
    """Each broker has its own configuration."""
    entry = ConfigEntry("log.cleaner.threads", "7", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.BROKER, "1", incremental_configs=[entry])
    results(admin.incremental_alter_configs([resource]))
    values = [
        config_of(admin, ResourceType.BROKER, name)["log.cleaner.threads"].value
        for name in ("1", "2")
    ]
    assert values == ["7", "1"]


@pytest.mark.parametrize(
    ("kind", "name", "entry", "code"),
    [
        (ResourceType.TOPIC, "none", "segment.ms", KafkaError.UNKNOWN_TOPIC_OR_PART),
        (ResourceType.TOPIC, "orders", "segment.time", KafkaError.INVALID_CONFIG),
        (ResourceType.BROKER, "1", "node.id", KafkaError.INVALID_REQUEST),
    ],
)
def test_configurations_that_cannot_be(
    admin: AdminClient, kind: ResourceType, name: str, entry: str, code: int
) -> None:
    """A configuration that Kafka would refuse gets Kafka's error."""
    create(admin, "orders")
    changed = ConfigEntry(entry, "1", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(kind, name, incremental_configs=[changed])
    [future] = admin.incremental_alter_configs([resource]).values()
    assert code_of(future) == code


# ---- groups ----


Ended = tuple[str, ConsumerGroupState, ConsumerGroupType]


def listed(admin: AdminClient) -> list[Ended]:
    answer = admin.list_consumer_groups().result(TIMEOUT)
    assert not answer.errors
    return sorted((each.group_id, each.state, each.type) for each in answer.valid)


@pytest.fixture
def reading(
    admin: AdminClient, kafka_cluster: MockCluster, make_consumer: MakeConsumer
) -> Callable[[str], Consumer]:
    """A consumer that reads the topic `orders`. The group is named after its protocol."""
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    create(admin, "orders", 2)

    def read(kind: str) -> Consumer:
        consumer = make_consumer(
            {"group.id": kind, "group.protocol": kind}
            if kind == "classic"
            else {"group.id": kind, "group.protocol": kind, "heartbeat.interval.ms": None}
        )
        consumer.subscribe(["orders"])
        wait_until(lambda: len(consumer.assignment()) == 2, lambda: consumer.poll(0.01))
        return consumer

    return read


TYPES = {"classic": ConsumerGroupType.CLASSIC, "consumer": ConsumerGroupType.CONSUMER}


@needs("mock-on-request", "mock-snapshot", "raw-request")
@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_groups_are_listed(
    admin: AdminClient, reading: Callable[[str], Consumer], kind: str
) -> None:
    """A group is listed once, with its type and state, while it has members and afterwards."""
    consumer = reading(kind)
    stable = [(kind, ConsumerGroupState.STABLE, TYPES[kind])]
    wait_until(lambda: listed(admin) == stable, lambda: consumer.poll(0.01))
    consumer.close()
    wait_until(lambda: listed(admin) == [(kind, ConsumerGroupState.EMPTY, TYPES[kind])])


@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_groups_are_described(
    admin: AdminClient, reading: Callable[[str], Consumer], kind: str
) -> None:
    """A description contains the members of the group, with their assigned partitions."""
    consumer = reading(kind)

    def assigned() -> list[list[TopicPartition]]:
        group = results(admin.describe_consumer_groups([kind]))[kind]
        assert (group.group_id, group.type) == (kind, TYPES[kind])
        return [member.assignment.topic_partitions for member in group.members]

    both = [[TopicPartition("orders", 0), TopicPartition("orders", 1)]]
    wait_until(lambda: assigned() == both, lambda: consumer.poll(0.01))


@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_groups_are_deleted(
    admin: AdminClient, reading: Callable[[str], Consumer], kind: str
) -> None:
    """A group with members cannot be deleted. Without members it is deleted with its offsets."""
    consumer = reading(kind)
    consumer.commit(offsets=[TopicPartition("orders", 0, 7)], asynchronous=False)
    assert code_of(admin.delete_consumer_groups([kind])[kind]) == KafkaError.NON_EMPTY_GROUP
    consumer.close()
    wait_until(lambda: listed(admin) == [(kind, ConsumerGroupState.EMPTY, TYPES[kind])])
    results(admin.delete_consumer_groups([kind]))
    assert listed(admin) == []
    assert offsets_of(admin, kind) == {}
    assert code_of(admin.delete_consumer_groups([kind])[kind]) == KafkaError.GROUP_ID_NOT_FOUND


def offsets_of(admin: AdminClient, group: str) -> dict[int, int]:
    """All committed offsets of a group in the topic `orders`, by partition."""
    asked = ConsumerGroupTopicPartitions(group)
    answer = results(admin.list_consumer_group_offsets([asked]))[group]
    return {each.partition: each.offset for each in answer.topic_partitions or ()}


def test_offsets_of_a_group(
    admin: AdminClient, kafka_cluster: MockCluster, make_consumer: MakeConsumer
) -> None:
    """Offsets are set, listed and deleted; a group that has only offsets is listed, too."""
    create(admin, "orders", 3)
    places = [TopicPartition("orders", number, number + 10) for number in range(3)]
    commit = ConsumerGroupTopicPartitions("group", places)
    results(admin.alter_consumer_group_offsets([commit]))
    assert offsets_of(admin, "group") == {0: 10, 1: 11, 2: 12}
    assert [name for name, _, _ in listed(admin)] == ["group"]
    gone = ConsumerGroupTopicPartitions("group", [TopicPartition("orders", 1)])
    results(admin.delete_consumer_group_offsets([gone]))
    assert offsets_of(admin, "group") == {0: 10, 2: 12}


def test_offsets_that_a_group_uses(admin: AdminClient, reading: Callable[[str], Consumer]) -> None:
    """Offsets of a topic that members read cannot be deleted."""
    consumer = reading("classic")
    consumer.commit(offsets=[TopicPartition("orders", 0, 7)], asynchronous=False)
    gone = ConsumerGroupTopicPartitions("classic", [TopicPartition("orders", 0)])
    answer = results(admin.delete_consumer_group_offsets([gone]))["classic"]
    assert answer.topic_partitions is not None
    [partition] = answer.topic_partitions
    assert partition.error is not None
    assert partition.error.code() == KafkaError.GROUP_SUBSCRIBED_TO_TOPIC
    assert offsets_of(admin, "classic") == {0: 7}


# ---- the cluster ----


def test_log_dirs(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """Each broker lists its own replicas, with the size of their batches."""
    create(admin, "orders", 3, replication_factor=1)
    produce(kafka_cluster, "orders", [1, 2, 3])
    found = []
    for broker, dirs in results(admin.describe_log_dirs([1, 2, 3])).items():
        directory, other = dirs["/embedded"], dirs["/embedded-2"]
        assert other.replicas == {}
        for partition, replica in directory.replicas.items():
            leader = admin.list_topics("orders", TIMEOUT).topics["orders"]
            assert leader.partitions[partition.partition].leader == broker
            found.append((partition.partition, replica.size > 300))
    assert sorted(found) == [(0, True), (1, False), (2, False)]


def test_the_cluster_is_described(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """The description of the cluster contains its brokers and its controller."""
    kafka_cluster.set_broker_down(3)
    described = admin.describe_cluster().result(TIMEOUT)
    assert described.controller.id == 1
    assert described.cluster_id is not None
    assert described.cluster_id.startswith("mockCluster")
    assert [node.id for node in described.nodes] == [1, 2]


# ---- records ----


def test_records_are_deleted(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """Records before an offset, or all records, are deleted, and stay deleted."""
    create(admin, "orders")
    produce(kafka_cluster, "orders", list(range(10)))
    place = TopicPartition("orders", 0)

    def deleted(offset: int) -> int:
        asked = TopicPartition("orders", 0, offset)
        low: int = results(admin.delete_records([asked]))[place].low_watermark
        return low

    assert [deleted(4), deleted(2), deleted(-1)] == [4, 4, 10]
    future = admin.delete_records([TopicPartition("orders", 0, 11)])[place]
    assert code_of(future) == KafkaError.OFFSET_OUT_OF_RANGE


@pytest.mark.parametrize("codec", ["none", "gzip", "lz4"])
def test_offsets_by_time(admin: AdminClient, kafka_cluster: MockCluster, codec: str) -> None:
    """The first record that is not older than the time is found, also within a compressed batch."""
    create(admin, "orders")
    produce(kafka_cluster, "orders", [1000, 1010, 1030, 1020], **{"compression.type": codec})
    place = TopicPartition("orders", 0)

    def found(spec: OffsetSpec) -> tuple[int, int]:
        answer = results(admin.list_offsets({place: spec}))[place]
        return answer.offset, answer.timestamp

    times = [0, 1001, 1015, 1030, 1031]
    assert [found(OffsetSpec.for_timestamp(time))[0] for time in times] == [0, 1, 2, 2, -1]
    assert found(OffsetSpec.max_timestamp()) == (2, 1030)
    assert found(OffsetSpec.earliest())[0] == 0
    assert found(OffsetSpec.latest())[0] == 4


def test_offsets_for_times(
    admin: AdminClient, kafka_cluster: MockCluster, make_consumer: MakeConsumer
) -> None:
    """A consumer finds offsets by time."""
    create(admin, "orders")
    produce(kafka_cluster, "orders", [1000, 2000, 3000])
    consumer = make_consumer()
    for timestamp, offset in ((500, 0), (2000, 1), (9000, -1)):
        asked = [TopicPartition("orders", 0, timestamp)]
        (found,) = consumer.offsets_for_times(asked, TIMEOUT)
        assert (found.offset, found.error) == (offset, None)


# ---- ACLs and users ----


def acl(name: str, kind: ResourcePatternType = ResourcePatternType.LITERAL) -> AclBinding:
    return AclBinding(
        ResourceType.TOPIC,
        name,
        kind,
        "User:kim",
        "*",
        AclOperation.READ,
        AclPermissionType.ALLOW,
    )


def test_acls(admin: AdminClient) -> None:
    """ACLs are created, found by filters and deleted."""
    prefixed = acl("ord", ResourcePatternType.PREFIXED)
    results(admin.create_acls([acl("orders"), acl("*"), prefixed, acl("stock")]))
    matching = AclBindingFilter(
        ResourceType.TOPIC,
        "orders",
        ResourcePatternType.MATCH,
        None,
        None,
        AclOperation.ANY,
        AclPermissionType.ANY,
    )
    found = admin.describe_acls(matching).result(TIMEOUT)
    assert set(found) == {acl("orders"), acl("*"), prefixed}
    assert len(admin.describe_acls(ANY_ACL).result(TIMEOUT)) == 4
    gone = results(admin.delete_acls([matching]))[matching]
    assert set(gone) == set(found)
    assert admin.describe_acls(ANY_ACL).result(TIMEOUT) == [acl("stock")]


def test_acls_of_nobody(admin: AdminClient) -> None:
    """The principal of an ACL must have a type."""
    nobody = AclBinding(
        ResourceType.TOPIC,
        "orders",
        ResourcePatternType.LITERAL,
        "kim",
        "*",
        AclOperation.READ,
        AclPermissionType.ALLOW,
    )
    assert code_of(admin.create_acls([nobody])[nobody]) == KafkaError.INVALID_REQUEST


def test_users(admin: AdminClient) -> None:
    """Credentials are set, described without the password, and deleted."""
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 5000)
    changes = [UserScramCredentialUpsertion("kim", info, b"secret")]
    results(admin.alter_user_scram_credentials(changes))
    described = results(admin.describe_user_scram_credentials(["kim"]))["kim"]
    [credential] = described.scram_credential_infos
    assert (credential.mechanism, credential.iterations) == (ScramMechanism.SCRAM_SHA_256, 5000)
    deletion = UserScramCredentialDeletion("kim", ScramMechanism.SCRAM_SHA_256)
    results(admin.alter_user_scram_credentials([deletion]))
    future = admin.describe_user_scram_credentials(["kim"])["kim"]
    assert code_of(future) == KafkaError.RESOURCE_NOT_FOUND
    future = admin.alter_user_scram_credentials([deletion])["kim"]
    assert code_of(future) == KafkaError.RESOURCE_NOT_FOUND


def test_users_that_cannot_be(admin: AdminClient) -> None:
    """Too few iterations are refused."""
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 1000)
    change = UserScramCredentialUpsertion("kim", info, b"secret")
    future = admin.alter_user_scram_credentials([change])["kim"]
    assert code_of(future) == KafkaError.UNACCEPTABLE_CREDENTIAL


# ---- handlers of tests ----


def test_a_handler_goes_before_the_administration(
    admin: AdminClient, kafka_cluster: MockCluster
) -> None:
    """A handler gets the requests first; after it is removed, the cluster answers them again."""
    from confluent_kafka import protocol

    asked: list[str] = []
    key = protocol.CreateTopicsRequest.api_key
    kafka_cluster.on_request(
        key, lambda request, context: asked.extend(each.name for each in request.topics)
    )
    create(admin, "one")
    kafka_cluster.on_request(key, None)
    create(admin, "two")
    assert asked == ["one"]
    assert set(admin.list_topics(timeout=TIMEOUT).topics) == {"one", "two"}
