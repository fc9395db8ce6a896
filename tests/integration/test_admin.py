"""Every admin request on real brokers: it succeeds, or brokers refuse or forbid it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

import pytest

from confluent_kafka import (
    OFFSET_END,
    OFFSET_INVALID,
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    ConsumerGroupType,
    ElectionType,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Node,
    Producer,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    TopicDescription,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from examples import admin as admin_example
from tests.integration import limits
from tests.integration.broker_requests import allow_to_describe_token
from tests.integration.kafka_cluster import (
    USERS,
    KafkaCluster,
    SecuredKafkaCluster,
    running_cluster,
)
from tests.integration.security import plain
from tests.integration.topics import create_topic, wait_for_topic
from tests.support.kafka import read, send
from tests.support.real_kafka import MakeTopic, kafka_home
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

T = TypeVar("T")
NOWHERE = "topic-that-nobody-made"


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def name() -> str:
    """A name that no other topic or group has."""
    return f"admin-{uuid.uuid4().hex[:12]}"


def only(futures: dict[Any, Future[T]]) -> T:
    """The result of the only future."""
    (future,) = futures.values()
    return future.result(TIMEOUT)


def code_of(future: Future[Any]) -> int | None:
    error = future.exception(TIMEOUT)
    assert isinstance(error, KafkaException), error
    return error.args[0].code()


def described(admin: AdminClient, topic: str) -> TopicDescription:
    return only(admin.describe_topics(TopicCollection([topic])))


def config_of(admin: AdminClient, resource: ConfigResource, key: str) -> ConfigEntry:
    return only(admin.describe_configs([resource]))[key]


class TestTopics:
    def test_create_and_delete(self, admin: AdminClient, kafka: KafkaCluster, name: str) -> None:
        """A topic is created with the requested partitions, replicas and configuration, and
        deleted."""
        only(admin.create_topics([NewTopic(name, 3, 1, config={"retention.ms": "54321"})]))
        wait_for_topic(kafka, name, 3)
        topic = described(admin, name)
        assert (topic.name, topic.is_internal, len(topic.partitions)) == (name, False, 3)
        assert [len(partition.replicas) for partition in topic.partitions] == [1, 1, 1]
        assert topic.authorized_operations is None
        entry = config_of(admin, ConfigResource("topic", name), "retention.ms")
        assert (entry.value, entry.source) == ("54321", ConfigSource.DYNAMIC_TOPIC_CONFIG)
        only(admin.delete_topics([name]))
        wait_until(lambda: name not in admin.list_topics(timeout=TIMEOUT).topics)

    def test_broker_defaults(self, admin: AdminClient, kafka: KafkaCluster, name: str) -> None:
        """If the request contains no numbers, the brokers' defaults apply."""
        only(admin.create_topics([NewTopic(name)]))
        expected = config_of(admin, broker_of(admin), "default.replication.factor").value
        count = config_of(admin, broker_of(admin), "num.partitions").value
        wait_for_topic(kafka, name, int(count or 0))
        counts = {len(partition.replicas) for partition in described(admin, name).partitions}
        assert counts == {int(expected or 0)}

    def test_replica_assignment(self, admin: AdminClient, kafka: KafkaCluster, name: str) -> None:
        """Each partition has the requested replicas, in the requested order."""
        first, second, *_ = sorted(node.id for node in nodes_of(admin))
        replicas = [[first, second], [second, first]]
        only(admin.create_topics([NewTopic(name, replica_assignment=replicas)]))
        wait_for_topic(kafka, name, 2)

        def placed() -> list[list[int]]:
            partitions = described(admin, name).partitions
            return [[node.id for node in partition.replicas] for partition in partitions]

        assert placed() == replicas
        only(admin.create_partitions([NewPartitions(name, 3, [[first, second]])]))
        wait_for_topic(kafka, name, 3)
        assert placed() == [*replicas, [first, second]]

    def test_one_is_wrong(self, admin: AdminClient, name: str) -> None:
        """If one topic of a request is wrong, the other topics are created."""
        futures = admin.create_topics([NewTopic("no spaces", 1, 1), NewTopic(name, 1, 1)])
        assert code_of(futures["no spaces"]) == KafkaError.TOPIC_EXCEPTION
        assert futures[name].result(TIMEOUT) is None
        futures = admin.delete_topics([NOWHERE, name])
        assert code_of(futures[NOWHERE]) == KafkaError.UNKNOWN_TOPIC_OR_PART
        assert futures[name].result(TIMEOUT) is None

    def test_refused(self, admin: AdminClient, topic: str, name: str) -> None:
        """Brokers refuse a topic that exists, and numbers that the cluster is too small for."""
        exists = admin.create_topics([NewTopic(topic, 1, 1)])[topic]
        assert code_of(exists) == KafkaError.TOPIC_ALREADY_EXISTS
        too_many = admin.create_topics([NewTopic(name, 1, 99)])[name]
        assert code_of(too_many) == KafkaError.INVALID_REPLICATION_FACTOR
        wrong = admin.create_topics([NewTopic(name, 1, 1, config={"nonsense": "1"})])[name]
        assert code_of(wrong) == KafkaError.INVALID_CONFIG
        fewer = admin.create_partitions([NewPartitions(topic, 1)])[topic]
        assert code_of(fewer) == KafkaError.INVALID_PARTITIONS
        nowhere = admin.create_partitions([NewPartitions(NOWHERE, 2)])[NOWHERE]
        assert code_of(nowhere) == KafkaError.UNKNOWN_TOPIC_OR_PART

    def test_validate_only(self, admin: AdminClient, topic: str, name: str) -> None:
        """With validate_only, the result is the same, but nothing is changed."""
        only(admin.create_topics([NewTopic(name, 1, 1)], validate_only=True))
        assert name not in admin.list_topics(timeout=TIMEOUT).topics
        only(admin.create_partitions([NewPartitions(topic, 5)], validate_only=True))
        assert len(described(admin, topic).partitions) == 1

    def test_describe(self, admin: AdminClient, topic: str) -> None:
        """A description has the topic's data, and the operations that the client may do."""
        futures = admin.describe_topics(
            TopicCollection([topic, NOWHERE]), include_authorized_operations=True
        )
        description = futures[topic].result(TIMEOUT)
        assert str(description.topic_id) != "AAAAAAAAAAAAAAAAAAAAAA"
        assert AclOperation.READ in (description.authorized_operations or [])
        (partition,) = description.partitions
        brokers = {node.id for node in nodes_of(admin)}
        assert partition.leader is not None
        assert {node.id for node in partition.replicas} <= brokers
        assert {node.id for node in partition.isr} <= brokers
        assert code_of(futures[NOWHERE]) == KafkaError.UNKNOWN_TOPIC_OR_PART


def nodes_of(admin: AdminClient) -> list[Node]:
    return admin.describe_cluster().result(TIMEOUT).nodes


def broker_of(admin: AdminClient) -> ConfigResource:
    return ConfigResource("broker", nodes_of(admin)[0].id)


def test_describe_cluster(admin: AdminClient, kafka: KafkaCluster) -> None:
    """Id, brokers and controller agree with the metadata."""
    result = admin.describe_cluster(include_authorized_operations=True).result(TIMEOUT)
    assert result.cluster_id == admin.cluster_id(TIMEOUT)
    assert {node.id for node in result.nodes} == set(admin.list_topics(timeout=TIMEOUT).brokers)
    assert result.controller is not None
    assert result.controller.id in {node.id for node in result.nodes}
    assert AclOperation.ALTER in (result.authorized_operations or [])
    assert admin.describe_cluster().result(TIMEOUT).authorized_operations is None


def change(topic: str, key: str, value: str | None, operation: AlterConfigOpType) -> ConfigResource:
    entry = ConfigEntry(key, value, incremental_operation=operation)
    return ConfigResource("topic", topic, incremental_configs=[entry])


class TestConfigs:
    def test_incremental(self, admin: AdminClient, make_topic: MakeTopic) -> None:
        """SET, APPEND, SUBTRACT and DELETE change one setting and leave the other settings."""
        topic = make_topic(retention_ms="1000")
        resource = ConfigResource("topic", topic)
        steps = [
            ("segment.ms", "2000", AlterConfigOpType.SET, "2000"),
            ("cleanup.policy", "compact", AlterConfigOpType.APPEND, "delete,compact"),
            ("cleanup.policy", "delete", AlterConfigOpType.SUBTRACT, "compact"),
            ("segment.ms", None, AlterConfigOpType.DELETE, "604800000"),
        ]
        for key, value, operation, expected in steps:
            only(admin.incremental_alter_configs([change(topic, key, value, operation)]))
            make_topic()  # afterwards every broker has it
            assert config_of(admin, resource, key).value == expected
        assert config_of(admin, resource, "retention.ms").value == "1000"
        assert config_of(admin, resource, "segment.ms").is_default

    def test_alter(self, admin: AdminClient, make_topic: MakeTopic) -> None:
        """alter_configs() resets the settings that are not given."""
        topic = make_topic(retention_ms="1000")
        resource = ConfigResource("topic", topic, {"segment.ms": "2000"})
        with pytest.warns(DeprecationWarning, match="resets"):
            futures = admin.alter_configs([resource])
        only(futures)
        make_topic()  # afterwards every broker has it
        assert config_of(admin, resource, "segment.ms").value == "2000"
        assert config_of(admin, resource, "retention.ms").is_default

    def test_broker_and_group(self, admin: AdminClient, group: str) -> None:
        """A broker's entries have sources and synonyms, and hide secrets; a group has entries,
        too."""
        broker = str(nodes_of(admin)[0].id)
        entries = only(admin.describe_configs([ConfigResource("broker", broker)]))
        assert (entries["broker.id"].value, entries["broker.id"].is_read_only) == (broker, True)
        assert entries["log.retention.hours"].source == ConfigSource.DEFAULT_CONFIG
        assert entries["broker.id"].synonyms["broker.id"].is_synonym
        assert all(entry.value is None for entry in entries.values() if entry.is_sensitive)
        entries = only(admin.describe_configs([ConfigResource(ResourceType.GROUP, group)]))
        assert "consumer.session.timeout.ms" in entries

    def test_refused(self, admin: AdminClient, topic: str) -> None:
        """Each resource has its own result, under the resource that the caller gave."""
        there, nowhere = ConfigResource("topic", topic), ConfigResource("topic", NOWHERE)
        futures = admin.describe_configs([there, nowhere])
        assert futures[there].result(TIMEOUT)
        assert code_of(futures[nowhere]) == KafkaError.UNKNOWN_TOPIC_OR_PART
        wrong = change(topic, "retention.ms", "soon", AlterConfigOpType.SET)
        assert code_of(admin.incremental_alter_configs([wrong])[wrong]) == KafkaError.INVALID_CONFIG
        other = change(NOWHERE, "retention.ms", "1", AlterConfigOpType.SET)
        futures_of_none = admin.incremental_alter_configs([other])
        assert code_of(futures_of_none[other]) == KafkaError.UNKNOWN_TOPIC_OR_PART
        no_broker = ConfigResource("broker", "x")
        assert code_of(admin.describe_configs([no_broker])[no_broker]) == KafkaError._INVALID_ARG

    def test_validate_only(self, admin: AdminClient, topic: str) -> None:
        """With validate_only, nothing is changed."""
        resource = change(topic, "retention.ms", "1234", AlterConfigOpType.SET)
        only(admin.incremental_alter_configs([resource], validate_only=True))
        assert config_of(admin, resource, "retention.ms").is_default


class TestAcls:
    def test_create_describe_delete(
        self, admin: AdminClient, make_topic: MakeTopic, name: str
    ) -> None:
        """Bindings are described as they were created, and deleted by a filter."""
        reads = AclBinding("topic", name, "literal", "User:eve", "*", "read", "allow")
        writes = AclBinding("group", name, "prefixed", "User:eve", "127.0.0.1", "all", "deny")
        of_eve = AclBindingFilter("any", None, "any", "User:eve", None, "any", "any")
        futures = admin.create_acls([reads, writes])
        assert [future.result(TIMEOUT) for future in futures.values()] == [None, None]

        def found() -> list[AclBinding]:
            return sorted(admin.describe_acls(of_eve).result(TIMEOUT))

        make_topic()  # afterwards every broker has them
        assert found() == sorted([reads, writes])
        nobody = AclBindingFilter("topic", name, "match", "User:nobody", None, "any", "any")
        deleted = admin.delete_acls([nobody, of_eve])
        assert deleted[nobody].result(TIMEOUT) == []
        assert sorted(deleted[of_eve].result(TIMEOUT)) == sorted([reads, writes])
        make_topic()
        assert found() == []

    def test_kinds_that_librdkafka_does_not_know(
        self, admin: AdminClient, kafka: KafkaCluster, make_topic: MakeTopic, name: str
    ) -> None:
        """An ACL of a delegation token, which other tools create, does not hide the other ACLs."""
        reads = AclBinding("topic", name, "literal", f"User:{name}", "*", "read", "allow")
        only(admin.create_acls([reads]))
        allow_to_describe_token(kafka, name, f"User:{name}")
        make_topic()  # afterwards every broker has it
        every = AclBindingFilter("any", None, "any", f"User:{name}", None, "any", "any")
        found = sorted(admin.describe_acls(every).result(TIMEOUT))
        assert found[1:] == [reads]
        assert found[0].restype is ResourceType.UNKNOWN
        assert (found[0].name, found[0].operation) == (name, AclOperation.DESCRIBE)
        assert sorted(only(admin.delete_acls([every]))) == found

    def test_one_is_wrong(self, admin: AdminClient, name: str) -> None:
        """If one binding is wrong, the other bindings are created."""
        good = AclBinding("topic", name, "literal", "User:eve", "*", "read", "allow")
        bad = AclBinding("topic", name, "literal", "no colon", "*", "read", "allow")
        futures = admin.create_acls([bad, good])
        assert code_of(futures[bad]) == KafkaError.INVALID_REQUEST
        assert futures[good].result(TIMEOUT) is None
        only(admin.delete_acls([AclBindingFilter("topic", name, "any", None, None, "any", "any")]))


@pytest.fixture
def group_of_topic(
    kafka: KafkaCluster, topic: str, group: str
) -> Iterator[Callable[[str], Consumer]]:
    """make(protocol): a member of a group that reads the topic, which has five records."""
    with Producer(kafka.config()) as producer:
        send(producer, topic, [b"value"] * 5)
    consumers: list[Consumer] = []

    def make(protocol: str = "classic") -> Consumer:
        settings = {"group.id": group, "auto.offset.reset": "earliest", "group.protocol": protocol}
        consumer = Consumer(kafka.config() | settings | {"client.id": "mine"})
        consumers.append(consumer)
        consumer.subscribe([topic])
        wait_until(consumer.assignment, lambda: consumer.poll(0.01))
        return consumer

    yield make
    for consumer in consumers:
        consumer.close()


MakeMember = Callable[..., Consumer]


class TestGroups:
    @pytest.mark.parametrize(
        ("protocol", "kind"),
        [("classic", ConsumerGroupType.CLASSIC), ("consumer", ConsumerGroupType.CONSUMER)],
    )
    def test_list_and_describe(
        self,
        admin: AdminClient,
        group_of_topic: MakeMember,
        topic: str,
        group: str,
        protocol: str,
        kind: ConsumerGroupType,
    ) -> None:
        """A group is listed with type and state, also by filters, and described with its
        assignment."""
        consumer = group_of_topic(protocol)

        def listed(**filters: Any) -> list[Any]:
            result = admin.list_consumer_groups(**filters).result(TIMEOUT)
            assert result.errors == []
            return [each for each in result.valid or [] if each.group_id == group]

        wait_until(lambda: [each.state for each in listed()] == [ConsumerGroupState.STABLE])
        assert [each.type for each in listed()] == [kind]
        assert listed(types={kind}, states={ConsumerGroupState.STABLE})
        assert not listed(states={ConsumerGroupState.EMPTY})
        assert not listed(types=set(ConsumerGroupType) - {kind, ConsumerGroupType.UNKNOWN})
        description = only(
            admin.describe_consumer_groups([group], include_authorized_operations=True)
        )
        assert (description.group_id, description.state, description.type) == (
            *(group, ConsumerGroupState.STABLE),
            kind,
        )
        assert description.coordinator is not None
        assert AclOperation.DELETE in (description.authorized_operations or [])
        (member,) = description.members
        assert (member.client_id, member.member_id) == ("mine", consumer.memberid())
        assert member.assignment is not None
        assert member.assignment.topic_partitions == [TopicPartition(topic, 0)]
        if protocol == "consumer":
            assert member.target_assignment is not None
            assert member.target_assignment.topic_partitions == [TopicPartition(topic, 0)]
        else:
            assert member.target_assignment is None

    def test_list_groups(self, admin: AdminClient, group_of_topic: MakeMember, group: str) -> None:
        """list_groups(), the older form, returns a group with the bytes of its members."""
        group_of_topic()
        (found,) = admin.list_groups(group, TIMEOUT)
        assert (found.id, found.protocol_type, found.error) == (group, "consumer", None)
        (member,) = found.members
        assert member.client_id == "mine"
        assert member.metadata
        assert group in {each.id for each in admin.list_groups(timeout=TIMEOUT)}

    def test_delete(
        self, admin: AdminClient, group_of_topic: MakeMember, topic: str, group: str
    ) -> None:
        """A group with members cannot be deleted; without members it can be deleted once."""
        consumer = group_of_topic()
        consumer.commit(asynchronous=False, offsets=[TopicPartition(topic, 0, 1)])
        assert code_of(admin.delete_consumer_groups([group])[group]) == KafkaError.NON_EMPTY_GROUP
        consumer.close()
        only(admin.delete_consumer_groups([group]))
        again = admin.delete_consumer_groups([group])[group]
        assert code_of(again) == KafkaError.GROUP_ID_NOT_FOUND
        gone = admin.describe_consumer_groups([group])[group].result(TIMEOUT)
        assert (gone.state, gone.members) == (ConsumerGroupState.DEAD, [])

    def test_offsets(self, admin: AdminClient, topic: str, group: str) -> None:
        """Offsets are set, read and deleted while the group has no members."""
        place = TopicPartition(topic, 0, 3)
        request = [ConsumerGroupTopicPartitions(group, [place])]
        altered = only(admin.alter_consumer_group_offsets(request))
        assert (altered.group_id, altered.topic_partitions) == (group, [place])
        everything = only(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
        assert [(each.partition, each.offset) for each in everything.topic_partitions or []] == [
            (0, 3)
        ]
        asked = [TopicPartition(topic, 0), TopicPartition(topic, 7)]
        some = ConsumerGroupTopicPartitions(group, asked)
        listed = only(admin.list_consumer_group_offsets([some], require_stable=True))
        assert {each.partition: each.offset for each in listed.topic_partitions or []} == {
            0: 3,
            7: OFFSET_INVALID,
        }
        deleted = only(admin.delete_consumer_group_offsets(request))
        assert [each.error for each in deleted.topic_partitions or []] == [None]
        everything = only(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]))
        assert everything.topic_partitions == []

    def test_offsets_of_a_live_group(
        self, admin: AdminClient, group_of_topic: MakeMember, topic: str, group: str
    ) -> None:
        """While the group has members, each partition has an error."""
        group_of_topic()
        request = [ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0, 1)])]
        for futures, code in [
            (admin.alter_consumer_group_offsets(request), KafkaError.UNKNOWN_MEMBER_ID),
            (admin.delete_consumer_group_offsets(request), KafkaError.GROUP_SUBSCRIBED_TO_TOPIC),
        ]:
            (partition,) = only(futures).topic_partitions or []
            assert partition.error is not None
            assert partition.error.code() == code


class TestRecords:
    def test_list_offsets(
        self, admin: AdminClient, kafka: KafkaCluster, make_topic: MakeTopic
    ) -> None:
        """list_offsets() finds the first and last offset, an offset by time, and the offset of the
        highest timestamp."""
        topic = make_topic(retention_ms="-1")  # otherwise brokers delete records from 1970
        with Producer(kafka.config()) as producer:
            for timestamp in (1000, 3000, 2000):
                producer.produce(topic, b"value", partition=0, timestamp=timestamp)
        place = TopicPartition(topic, 0)

        def offset(spec: OffsetSpec, **more: Any) -> tuple[int, int]:
            info = only(admin.list_offsets({place: spec}, **more))
            return info.offset, info.timestamp

        assert offset(OffsetSpec.earliest())[0] == 0
        assert offset(OffsetSpec.latest())[0] == 3
        assert offset(OffsetSpec.latest(), isolation_level=IsolationLevel.READ_COMMITTED)[0] == 3
        assert offset(OffsetSpec.for_timestamp(2500)) == (1, 3000)
        assert offset(OffsetSpec.for_timestamp(5000))[0] == -1
        assert offset(OffsetSpec.max_timestamp()) == (1, 3000)

    def test_list_offsets_of_nothing(self, admin: AdminClient, topic: str) -> None:
        """A missing topic or partition has an error, and does not affect the other partitions."""
        there, nowhere = TopicPartition(topic, 0), TopicPartition(NOWHERE, 0)
        futures = admin.list_offsets({there: OffsetSpec.latest(), nowhere: OffsetSpec.latest()})
        assert futures[there].result(TIMEOUT).offset == 0
        assert code_of(futures[nowhere]) == KafkaError.UNKNOWN_TOPIC_OR_PART

    def test_delete_records(
        self, admin: AdminClient, kafka: KafkaCluster, make_topic: MakeTopic
    ) -> None:
        """Records before the offset are deleted; an offset beyond the end is an error of that
        partition."""
        topic = make_topic(2)
        with Producer(kafka.config()) as producer:
            for value in (b"0", b"1", b"2"):
                producer.produce(topic, value, partition=0)
        far, some = TopicPartition(topic, 1, 9), TopicPartition(topic, 0, 2)
        futures = admin.delete_records([far, some])
        assert futures[some].result(TIMEOUT).low_watermark == 2
        assert code_of(futures[far]) == KafkaError.OFFSET_OUT_OF_RANGE
        settings = {"group.id": "g", "auto.offset.reset": "earliest"}
        with Consumer(kafka.config() | settings) as consumer:
            assert [message.value() for message in read(consumer, topic, 1)] == [b"2"]
        rest = admin.delete_records([TopicPartition(topic, 0, OFFSET_END)])
        assert only(rest).low_watermark == 3
        nowhere = TopicPartition(NOWHERE, 0, 1)
        assert code_of(admin.delete_records([nowhere])[nowhere]) == KafkaError._NOENT

    def test_elect_leaders(self, admin: AdminClient, topic: str) -> None:
        """The preferred replica is the leader already; a missing partition has an error."""
        there, nowhere = TopicPartition(topic, 0), TopicPartition(NOWHERE, 0)
        result = admin.elect_leaders(ElectionType.PREFERRED, [there, nowhere]).result(TIMEOUT)
        codes = {each: error and error.code() for each, error in result.items()}
        assert codes[there] == KafkaError.ELECTION_NOT_NEEDED
        assert codes[nowhere] == KafkaError.UNKNOWN_TOPIC_OR_PART
        assert isinstance(admin.elect_leaders(ElectionType.PREFERRED).result(TIMEOUT), dict)


class TestScram:
    @pytest.fixture
    def alone(self, tmp_path: Path) -> Iterator[AdminClient]:
        """An admin client of a separate cluster.

        After a change of credentials, a broker of Kafka 4.3.1 that was killed and starts again may
        refuse the other brokers' passwords.
        """
        with (
            running_cluster(kafka_home(), tmp_path, 1) as cluster,
            AdminClient(cluster.config()) as admin,
        ):
            yield admin

    def test_alter_and_describe(self, alone: AdminClient, name: str) -> None:
        """A credential is set, described without its secret, and deleted."""
        admin = alone
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192)
        upsertion = UserScramCredentialUpsertion(name, info, b"word")
        only(admin.alter_user_scram_credentials([upsertion]))
        wait_until(lambda: name in admin.describe_user_scram_credentials().result(TIMEOUT))
        description = only(admin.describe_user_scram_credentials([name]))
        (found,) = description.scram_credential_infos
        assert (description.user, found.mechanism, found.iterations) == (
            *(name, ScramMechanism.SCRAM_SHA_512),
            8192,
        )
        deletion = UserScramCredentialDeletion(name, ScramMechanism.SCRAM_SHA_512)
        only(admin.alter_user_scram_credentials([deletion]))
        again = admin.alter_user_scram_credentials([deletion])
        assert code_of(again[name]) == KafkaError.RESOURCE_NOT_FOUND

    def test_refused(self, admin: AdminClient, name: str) -> None:
        """An unknown user, and too few iterations, are refused by the broker."""
        nobody = admin.describe_user_scram_credentials([name])[name]
        assert code_of(nobody) == KafkaError.RESOURCE_NOT_FOUND
        info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 1)
        weak = UserScramCredentialUpsertion(name, info, b"word", b"salt")
        futures = admin.alter_user_scram_credentials([weak])
        assert code_of(futures[name]) == KafkaError.UNACCEPTABLE_CREDENTIAL


@pytest.mark.real_only(limits.SAME_PROCESS)
def test_leaks(admin: AdminClient, topic: str, group: str) -> None:
    """The client frees answers of every kind, with all objects in them."""
    place = TopicPartition(topic, 0, 0)
    nowhere = TopicCollection([topic, NOWHERE])
    resources = [ConfigResource("topic", topic), broker_of(admin), ConfigResource("topic", NOWHERE)]
    binding = AclBinding("topic", topic, "literal", "User:eve", "*", "read", "allow")
    bindings = AclBindingFilter("topic", topic, "any", None, None, "any", "any")
    offsets = [ConsumerGroupTopicPartitions(group, [place])]

    def work() -> None:
        sent: list[Any] = [
            admin.create_topics([NewTopic(topic, 1, 1)]),
            admin.describe_topics(nowhere, include_authorized_operations=True),
            admin.describe_configs(resources),
            admin.incremental_alter_configs(
                [change(topic, "retention.ms", "1", AlterConfigOpType.SET)], validate_only=True
            ),
            admin.describe_cluster(include_authorized_operations=True),
            admin.list_consumer_groups(),
            admin.describe_consumer_groups([group, "nobody"], include_authorized_operations=True),
            admin.alter_consumer_group_offsets(offsets),
            admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]),
            admin.list_offsets({place: OffsetSpec.latest()}),
            admin.delete_records([place]),
            admin.elect_leaders(ElectionType.PREFERRED, [place]),
            admin.describe_user_scram_credentials(),
            admin.create_acls([binding]),
            admin.describe_acls(bindings),
            admin.delete_acls([bindings]),
        ]
        for futures in sent:
            for future in futures.values() if isinstance(futures, dict) else [futures]:
                future.exception(TIMEOUT)
        admin.list_groups(group, TIMEOUT)

    assert_no_leaks(work, 25)


def test_example(kafka: KafkaCluster, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The example runs, and prints each step of a topic's life."""
    admin_example.main(kafka.bootstrap_servers, name)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in (lines[0], lines[1], *lines[-2:])] == [
        *("created", "exists"),
        *("changed", "deleted"),
    ]
    assert len(lines) == 6


class TestForbidden:
    @pytest.fixture
    def forbidden(
        self, admin: AdminClient, secured_kafka: SecuredKafkaCluster, name: str
    ) -> Iterator[str]:
        """A topic and a group of this name that bob may not touch."""
        create_topic(secured_kafka, name)
        acls = [
            AclBinding(kind, name, "literal", "User:bob", "*", "all", "deny")
            for kind in ("topic", "group")
        ]
        for future in admin.create_acls(acls).values():
            future.result(TIMEOUT)
        create_topic(secured_kafka, f"{name}-later")  # afterwards every broker has them
        yield name
        only(admin.delete_acls([AclBindingFilter("any", name, "any", None, None, "any", "any")]))

    @pytest.fixture
    def bob(self, secured_kafka: SecuredKafkaCluster) -> Iterator[AdminClient]:
        settings = secured_kafka.config("SASL_PLAINTEXT") | plain("bob", USERS["bob"])
        with AdminClient(settings) as bob:
            yield bob

    def test_topic_and_group(self, bob: AdminClient, forbidden: str) -> None:
        """The brokers' refusal is the future's exception, with the resource's own code."""
        resource = change(forbidden, "retention.ms", "1", AlterConfigOpType.SET)
        futures: list[Future[Any]] = [
            bob.describe_topics(TopicCollection([forbidden]))[forbidden],
            bob.describe_configs([resource])[resource],
            bob.incremental_alter_configs([resource], validate_only=True)[resource],
        ]
        assert {code_of(future) for future in futures} == {KafkaError.TOPIC_AUTHORIZATION_FAILED}
        group_futures: list[Future[Any]] = [
            bob.describe_consumer_groups([forbidden])[forbidden],
            bob.delete_consumer_groups([forbidden])[forbidden],
        ]
        assert {code_of(future) for future in group_futures} == {
            KafkaError.GROUP_AUTHORIZATION_FAILED
        }

    def test_what_is_allowed(self, bob: AdminClient, topic: str, forbidden: str) -> None:
        """A description lists the operations that the ACLs allow."""
        futures = bob.describe_topics(TopicCollection([topic]), include_authorized_operations=True)
        assert AclOperation.READ in (only(futures).authorized_operations or [])
