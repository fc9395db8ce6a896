"""compat.kafka: KafkaAdminClient on real brokers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka.compat.kafka import (
    KafkaAdminClient,
    KafkaProducer,
    OffsetAndMetadata,
    OffsetSpec,
    TopicPartition,
    TopicPartitionReplica,
    errors,
)
from confluent_kafka.compat.kafka.admin import (
    ACL,
    AbortTransactionSpec,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ConfigFilterType,
    ConfigResource,
    GroupState,
    MemberToRemove,
    NewPartitions,
    NewTopic,
    OffsetTimestamp,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
    ScramMechanism,
    TransactionState,
    UpdateFeatureType,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import wait_for_topic
from tests.support.kafka_python import consumers_at, filled, many
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

NOT_THERE = TopicPartition("no-such-topic", 0)


@pytest.fixture
def servers(kafka: KafkaCluster) -> str:
    """The addresses of the brokers."""
    return str(kafka.config()["bootstrap.servers"])


@pytest.fixture
def admin(servers: str) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(bootstrap_servers=servers) as client:
        yield client


@pytest.fixture
def name() -> str:
    """A name that no other test uses."""
    return f"name-{uuid.uuid4().hex}"


def test_the_life_of_a_topic(admin: KafkaAdminClient, kafka: KafkaCluster, name: str) -> None:
    """A topic is created, described, extended and deleted; errors are raised or returned."""
    configs = {"retention.ms": "86400000"}
    created = admin.create_topics([NewTopic(name, 1, 1, topic_configs=configs)])
    (topic,) = created["topics"]
    assert (topic["name"], topic["error_code"], topic["num_partitions"]) == (name, 0, 1)
    assert topic["configs"]["retention.ms"]["config_source"] == "DYNAMIC_TOPIC_CONFIG"
    with pytest.raises(errors.TopicAlreadyExistsError):
        admin.create_topics({name: {"num_partitions": 1}})
    again = admin.create_topics([name], raise_errors=False)
    assert again["topics"][0]["error_code"] == errors.TopicAlreadyExistsError.errno
    assert admin.create_topics([f"{name}-2"], validate_only=True)["topics"][0]["error_code"] == 0

    admin.create_partitions({name: 2})
    admin.create_partitions({name: NewPartitions(3)})
    with pytest.raises(errors.InvalidPartitionsError):
        admin.create_partitions({name: 1})
    refused = admin.create_partitions({name: {"count": 1}}, raise_errors=False)
    assert refused.results[0].error_code == errors.InvalidPartitionsError.errno
    wait_for_topic(kafka, name, 3)
    admin.wait_for_topics([name])
    assert name in admin.list_topics()
    (described,) = admin.describe_topics([name])
    assert (described["name"], described["is_internal"]) == (name, False)
    assert described["topic_id"] == topic["topic_id"]
    assert [one["partition_index"] for one in described["partitions"]] == [0, 1, 2]
    assert "READ" in described["authorized_operations"]

    deleted = admin.delete_topics([name])
    assert deleted["topics"][0]["name"] == name
    wait_for_topic(kafka, name, 0)
    with pytest.raises(errors.UnknownTopicOrPartitionError):
        admin.delete_topics([name])
    assert admin.delete_topics([name], raise_errors=False)["topics"][0]["error_code"] == 3
    with pytest.raises(errors.KafkaTimeoutError, match="UnknownTopicOrPartitionError"):
        admin.wait_for_topics([name], timeout_ms=10)


def test_topics_by_hand(admin: KafkaAdminClient, kafka: KafkaCluster, name: str) -> None:
    """create_topics() waits for a topic on given brokers. Its description can be read page by
    page."""
    brokers = [one["broker_id"] for one in admin.describe_cluster()["brokers"]]
    assignments = {0: [brokers[0]], 1: [brokers[-1]]}
    admin.create_topics({name: {"assignments": assignments}}, wait_for_metadata=True)
    wait_for_topic(kafka, name, 2)
    page = admin.describe_topic_partitions([name], response_partition_limit=1)
    (first,) = page["topics"][0]["partitions"]
    assert first["replica_nodes"] == [brokers[0]]
    rest = admin.describe_topic_partitions([name], cursor=page["next_cursor"])
    assert rest["topics"][0]["partitions"][-1]["replica_nodes"] == [brokers[-1]]


def test_configurations(admin: KafkaAdminClient, make_topic: MakeTopic) -> None:
    """Configurations are changed one value at a time, and reset; wrong values raise an
    exception."""
    topic = make_topic(1)
    resource = ConfigResource("topic", topic, {"retention.ms": "86400000"})

    def modified() -> Any:
        return admin.describe_configs([ConfigResource("topic", topic)])["topic"][topic]

    assert admin.alter_configs([resource]) == {"topic": {topic: "OK"}}
    value = {
        "value": "86400000",
        "read_only": False,
        "config_source": "DYNAMIC_TOPIC_CONFIG",
        "is_sensitive": False,
        "synonyms": [],
        "config_type": "LONG",
        "documentation": None,
    }
    # Each call may ask another broker, which may get the change later.
    wait_until(lambda: modified() == {"retention.ms": value})

    def source() -> Any:
        described = admin.describe_configs([resource], include_synonyms=True)["topic"][topic]
        return described["retention.ms"]["synonyms"][0]["source"] if described else None

    wait_until(lambda: source() == "DYNAMIC_TOPIC_CONFIG")
    append = ConfigResource("topic", topic, {"cleanup.policy": ("append", "compact")})
    assert admin.alter_configs([append], validate_only=True) == {"topic": {topic: "OK"}}
    everything = admin.describe_configs([ConfigResource("topic", topic)], config_filter="all")
    assert len(everything["topic"][topic]) > 10

    with pytest.raises(ValueError, match="Unrecognized configs: no"):
        admin.alter_configs([ConfigResource("topic", topic, {"no": "1"})])
    unknown = admin.alter_configs(
        [ConfigResource("topic", topic, {"no": "1"})], raise_on_unknown=False
    )
    assert unknown["topic"][topic].startswith("[Error 40] InvalidConfigurationError: ")
    with pytest.raises(ValueError, match="ConfigFilterType has no 'some'"):
        admin.describe_configs([], config_filter="some")

    reset = ConfigResource("topic", topic, ["retention.ms"])
    assert admin.reset_configs([reset]) == {"topic": {topic: "OK"}}
    wait_until(lambda: "retention.ms" not in modified())
    broker = str(admin.describe_cluster()["controller_id"])
    found = admin.describe_configs([ConfigResource("broker", broker)], config_filter="all")
    assert "log.retention.ms" in found["broker"][broker]
    with pytest.raises(errors.UnknownBrokerIdError, match="12345"):
        admin.describe_configs([ConfigResource("broker", 12345)])
    wait_until(lambda: topic in admin.list_config_resources(["topic"])["topic"])


def test_filters_of_configurations(admin: KafkaAdminClient) -> None:
    """A filter returns the broker's values that match it. The broker may be given by a number."""
    broker = admin.describe_cluster()["controller_id"]

    def described(config_filter: Any) -> dict[str, Any]:
        resource = ConfigResource("broker", broker)
        found = admin.describe_configs([resource], config_filter=config_filter)
        values: dict[str, Any] = found["broker"][str(broker)]
        return values

    everything = described(ConfigFilterType.ALL)
    assert described("default").keys() | described("modified").keys() == everything.keys()
    assert not described(ConfigFilterType.DEFAULT).keys() & described(2).keys()
    static = {one["config_source"] for one in described("static").values()}
    assert static == {"STATIC_BROKER_CONFIG"}
    assert not any(one["read_only"] for one in described("dynamic").values())


def test_records_and_offsets(admin: KafkaAdminClient, servers: str, make_topic: MakeTopic) -> None:
    """Old records are deleted, and offsets are found by position and by time."""
    partition = TopicPartition(filled(servers, make_topic(1), 10), 0)
    deleted = admin.delete_records({partition: 3})
    assert deleted == {partition: {"partition_index": 0, "low_watermark": 3, "error_code": 0}}
    with pytest.raises(errors.OffsetOutOfRangeError):
        admin.delete_records({partition: 300})
    for spec, wanted in (
        (OffsetSpec.EARLIEST, 3),
        (OffsetSpec.LATEST, 10),
        (OffsetTimestamp(1), 3),
    ):
        assert admin.list_partition_offsets({partition: spec})[partition].offset == wanted
    with pytest.raises(TypeError, match="must be an OffsetSpec or OffsetTimestamp"):
        admin.list_partition_offsets({partition: "earliest"})
    for call in (
        lambda: admin.delete_records({NOT_THERE: 1}),
        lambda: admin.list_partition_offsets({NOT_THERE: OffsetSpec.LATEST}),
        lambda: admin.describe_producers([NOT_THERE]),
    ):
        with pytest.raises(errors.UnknownTopicOrPartitionError, match="not known"):
            call()


def test_groups(admin: KafkaAdminClient, servers: str, make_topic: MakeTopic, group: str) -> None:
    """A group is described with a member and without, and its offsets are returned."""
    partition = TopicPartition(filled(servers, make_topic(1), 10), 0)
    with consumers_at(servers) as make:
        consumer = make(partition.topic, group_id=group)
        many(consumer, 10)
        consumer.commit()
        (listed,) = [one for one in admin.list_groups() if one["group_id"] == group]
        assert (listed["protocol_type"], listed["group_type"]) == ("consumer", "classic")
        stable = admin.list_groups(states_filter=[GroupState.STABLE], types_filter=["classic"])
        assert group in [one["group_id"] for one in stable]
        described = admin.describe_groups([group], include_authorized_operations=True)[group]
        assert (described["group_state"], described["error"]) == ("Stable", None)
        (member,) = described["members"]
        assert member["member_metadata"]["topics"] == [partition.topic]
        assigned = member["member_assignment"]["assigned_partitions"]
        assert assigned == [{"topic": partition.topic, "partitions": [0]}]
        assert admin.delete_groups([group]) == {group: "NonEmptyGroupError"}
        removed = admin.remove_group_members(group, [MemberToRemove(group_instance_id="x")])
        assert removed == {"x": errors.UnknownMemberIdError}
    # The coordinator may notice later that the member has left.
    wait_until(lambda: admin.describe_groups([group])[group]["group_state"] == "Empty")
    for specs in (group, [group], {group: [partition]}):
        committed = admin.list_group_offsets(specs)[group][partition]
        assert (committed.offset, committed.metadata) == (10, "")
    altered = admin.alter_group_offsets(group, {partition: OffsetAndMetadata(4, "text")})
    assert altered == {partition: errors.NoError}
    assert admin.list_group_offsets(group)[group][partition].metadata == "text"
    reset = admin.reset_group_offsets(group, {partition: OffsetSpec.LATEST})
    assert reset == {partition: {"error": errors.NoError, "offset": 10}}
    with pytest.raises(TypeError, match="must be an OffsetSpec"):
        admin.reset_group_offsets(group, {partition: "latest"})
    assert admin.reset_group_offsets(group, {partition: 2})[partition]["offset"] == 2
    assert admin.delete_group_offsets(group, [partition]) == {partition: errors.NoError}
    offsets = {group: [partition]}
    wait_until(lambda: admin.list_group_offsets(offsets)[group][partition].offset == -1)
    assert admin.delete_groups([group]) in ({group: "OK"}, {group: "GroupIdNotFoundError"})
    gone = admin.describe_groups([group])[group]
    assert gone["group_state"] == "Dead"


def test_where_partitions_are(admin: KafkaAdminClient, make_topic: MakeTopic) -> None:
    """Leaders are elected, replicas are moved, and log directories are described."""
    partition = TopicPartition(make_topic(1), 0)
    elected = admin.elect_leaders("preferred", [partition])
    assert elected.error_code == 0
    admin.elect_leaders(0, {partition.topic: [0]}, raise_errors=False)
    (replicas,) = [
        one["replica_nodes"] for one in admin.describe_topics([partition.topic])[0]["partitions"]
    ]
    assert admin.alter_partition_reassignments({partition: replicas}) == {partition: None}
    wait_until(lambda: partition not in admin.list_partition_reassignments([partition]))
    ended = admin.alter_partition_reassignments({partition: None})
    assert ended == {partition: errors.NoReassignmentInProgressError}

    def sizes() -> list[int]:
        return [
            each["partition_size"]
            for broker in admin.describe_log_dirs([partition])
            for one in broker["log_dirs"]
            for topic in one["topics"]
            for each in topic["partitions"]
        ]

    wait_until(lambda: sizes() == [0] * len(replicas))  # followers create their logs later
    replica = TopicPartitionReplica(partition.topic, 0, replicas[0])
    moved = admin.alter_replica_log_dirs({replica: "/no/such/directory"})
    assert moved == {replica: errors.LogDirNotFoundError}


def test_transactions(
    admin: KafkaAdminClient, servers: str, make_topic: MakeTopic, name: str
) -> None:
    """An open transaction is listed and described, and is aborted if it hangs."""
    partition = TopicPartition(make_topic(1), 0)
    with KafkaProducer(bootstrap_servers=servers, transactional_id=name) as producer:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(partition.topic, b"v", partition=0).get(TIMEOUT)
        listed = [
            one
            for ids in admin.list_transactions(state_filters=["Ongoing"]).values()
            for one in ids
            if one.transactional_id == name
        ]
        assert [one.state for one in listed] == [TransactionState.ONGOING]
        described = admin.describe_transactions([name])[name]
        assert described.topic_partitions == {partition}
        (active,) = admin.describe_producers([partition])[partition].active_producers
        assert active.producer_id == described.producer_id == listed[0].producer_id
        assert active.current_transaction_start_offset == 0
        assert partition not in [one.topic_partition for one in admin.find_hanging_transactions()]
        producer.abort_transaction()
    with pytest.raises(errors.TransactionalIdNotFoundError):
        admin.describe_transactions([f"{name}-not"])
    spec = AbortTransactionSpec(partition, active.producer_id, active.producer_epoch)
    with pytest.raises(errors.BrokerResponseError):
        admin.abort_transaction(spec._replace(producer_epoch=-1, coordinator_epoch=-2))


def test_the_cluster(admin: KafkaAdminClient) -> None:
    """The client describes the brokers, and returns the versions of their requests."""
    cluster = admin.describe_cluster()
    assert cluster["controller_id"] in [one["broker_id"] for one in cluster["brokers"]]
    assert "ALTER" in cluster["authorized_operations"]
    versions = admin.api_versions()
    assert versions[3][0] <= versions[3][1]
    controller = cluster["controller_id"]
    assert admin.get_broker_version_data(controller).api_versions.keys() == versions.keys()


def test_features(admin: KafkaAdminClient) -> None:
    """Features are described, and an unknown one is refused."""
    feature = admin.describe_features()["transaction.version"]
    assert feature["finalized"][1] <= feature["supported"][1]
    with pytest.raises(errors.BrokerResponseError):
        admin.update_features({"no.such": (1, UpdateFeatureType.UPGRADE)}, validate_only=True)


def test_the_quorum(admin: KafkaAdminClient) -> None:
    """The voters of the quorum are described."""
    quorum = admin.describe_metadata_quorum()
    (partition,) = quorum["topics"][0]["partitions"]
    assert partition["error"] is None
    assert partition["current_voters"]


def test_credentials(admin: KafkaAdminClient, name: str) -> None:
    """Credentials are created, described and deleted."""
    created = UserScramCredentialUpsertion(name, ScramMechanism.SCRAM_SHA_256, "secret")
    assert admin.alter_user_scram_credentials([created]) == {name: None}

    def infos() -> Any:
        return admin.describe_user_scram_credentials([name])[name]["credential_infos"]

    # Each call may ask another broker, which may get the change later.
    wanted = [{"mechanism": ScramMechanism.SCRAM_SHA_256, "iterations": 4096}]
    wait_until(lambda: infos() == wanted)
    deleted = UserScramCredentialDeletion(name, "SCRAM-SHA-256")
    assert admin.alter_user_scram_credentials([deleted]) == {name: None}
    wait_until(lambda: admin.describe_user_scram_credentials([name])[name]["error"])
    wait_until(lambda: admin.alter_user_scram_credentials([deleted])[name])


def test_rules(admin: KafkaAdminClient, name: str) -> None:
    """Rules are created, described and deleted; without an authorizer brokers return an error."""
    pattern = ResourcePattern(ResourceType.TOPIC, name)
    rule = ACL("User:x", "*", ACLOperation.READ, ACLPermissionType.ALLOW, pattern)
    anything = ResourcePatternFilter(ResourceType.TOPIC, name, ACLResourcePatternType.ANY)
    wanted = ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, anything)
    created = admin.create_acls([rule])
    if created["failed"]:
        assert created["failed"] == [errors.SecurityDisabledError]
        with pytest.raises(errors.SecurityDisabledError):
            admin.describe_acls(wanted)
        return
    assert created == {"succeeded": [rule], "failed": []}
    wait_until(lambda: admin.describe_acls(wanted) == ([rule], errors.NoError))
    ((of, deleted, error),) = admin.delete_acls([wanted])
    assert (of, deleted, error) == (wanted, [rule], errors.NoError)
