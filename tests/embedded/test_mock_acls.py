"""ACLs on a cluster with an authorizer: what a client may do, and the errors otherwise."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicCollection,
    TopicPartition,
    protocol,
)
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourcePatternType,
    ResourceType,
)
from confluent_kafka.testing import MockCluster, Security
from tests.support.certificates import needs_cryptography
from tests.support.clients import ANY_ACL
from tests.support.kafka import Reports, outcome, read, send, values_of
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import SOON, TIMEOUT, wait_until

pytestmark = [needs("mock-on-request"), needs("mock-snapshot")]

USERS = {name: secret(name) for name in ("admin", "alice", "bob")}
TOPIC, GROUP, CLUSTER = ResourceType.TOPIC, ResourceType.GROUP, ResourceType.BROKER
TRANSACTIONAL_ID = ResourceType.TRANSACTIONAL_ID
ALL, READ, WRITE = AclOperation.ALL, AclOperation.READ, AclOperation.WRITE
CREATE, DELETE, DESCRIBE = AclOperation.CREATE, AclOperation.DELETE, AclOperation.DESCRIBE
ALTER, ALTER_CONFIGS = AclOperation.ALTER, AclOperation.ALTER_CONFIGS
DESCRIBE_CONFIGS = AclOperation.DESCRIBE_CONFIGS
IDEMPOTENT_WRITE = AclOperation.IDEMPOTENT_WRITE

Config = dict[str, Any]


@pytest.fixture
def cluster() -> Iterator[MockCluster]:
    """A cluster with two topics that allows only what ACLs allow."""
    security = Security(
        protocol="SASL_PLAINTEXT", users=USERS, authorizer=True, super_users={"User:admin"}
    )
    with MockCluster(brokers=1, security=security) as cluster:
        for topic in ("orders", "secrets"):
            cluster.create_topic(topic)
        yield cluster


@pytest.fixture
def admin(cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient(cluster.client_config("admin")) as admin:
        yield admin


@pytest.fixture
def bob(cluster: MockCluster) -> Config:
    """The configuration of a user who may do nothing until a test allows it."""
    return cluster.client_config("bob") | {"group.id": "group", "auto.offset.reset": "earliest"}


Allow = Callable[..., None]


@pytest.fixture
def allow(admin: AdminClient) -> Allow:
    """allow(resource, name, *operations) lets bob do something; deny=True forbids it."""

    def change(resource: Any, name: str, *operations: Any, deny: bool = False) -> None:
        permission = AclPermissionType.DENY if deny else AclPermissionType.ALLOW
        acls = [
            AclBinding(
                resource, name, ResourcePatternType.LITERAL, "User:bob", "*", each, permission
            )
            for each in operations
        ]
        for future in admin.create_acls(acls).values():
            future.result(TIMEOUT)

    return change


@pytest.fixture
def bob_admin(bob: Config) -> Iterator[AdminClient]:
    del bob["group.id"], bob["auto.offset.reset"]
    with AdminClient(bob) as admin:
        yield admin


def code_of(future: Future[Any]) -> int | None:
    """The error code; 0 if there is none."""
    try:
        future.result(TIMEOUT)
    except KafkaException as failed:
        return failed.code()
    return 0


def only(futures: dict[Any, Future[Any]]) -> Future[Any]:
    (future,) = futures.values()
    return future


def report(config: Config, topic: str) -> int | None:
    """The error code that a producer gets for a message."""
    with Producer(config) as producer:
        return outcome(producer, topic)


def first(consumer: Consumer) -> Message:
    messages: list[Message | None] = []
    wait_until(lambda: any(messages), lambda: messages.append(consumer.poll(0.1)), SOON)
    return next(message for message in messages if message is not None)


def first_error(consumer: Consumer) -> int:
    error = first(consumer).error()
    assert error is not None
    return error.code()


# ---- topics ----


def test_produce(bob: Config, allow: Allow) -> None:
    """A producer needs WRITE, and WRITE is enough."""
    assert report(bob, "orders") == KafkaError.TOPIC_AUTHORIZATION_FAILED
    allow(TOPIC, "orders", WRITE)
    assert report(bob, "orders") is None
    assert report(bob, "secrets") == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_produce_to_a_topic_that_can_be_described(bob: Config, allow: Allow) -> None:
    """The Produce request itself is refused, too."""
    allow(TOPIC, "orders", DESCRIBE)
    assert report(bob, "orders") == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_produce_to_two_topics(bob: Config, allow: Allow) -> None:
    """One forbidden topic does not stop the messages to the other topic."""
    allow(TOPIC, "orders", WRITE)
    allow(TOPIC, "secrets", DESCRIBE)
    reports = Reports()
    with Producer(bob | {"linger.ms": 100}) as producer:
        for topic in ("orders", "secrets"):
            producer.produce(topic, b"value", on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    found = {message.topic(): error for error, message in reports.calls}
    assert found["orders"] is None
    assert found["secrets"] == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_produce_without_acknowledgement(bob: Config, allow: Allow) -> None:
    """If a client does not expect an answer, its connection is closed, as in Kafka."""
    allow(TOPIC, "orders", DESCRIBE)
    errors: list[KafkaError] = []
    with Producer(bob | {"acks": 0, "error_cb": errors.append}) as producer:
        producer.produce("orders", b"value", partition=0)
        producer.flush(TIMEOUT)
        wait_until(
            lambda: (
                KafkaError._TRANSPORT in [each.code() for each in errors]
                or KafkaError._ALL_BROKERS_DOWN in [each.code() for each in errors]
            ),
            lambda: producer.poll(0.05),
        )


@pytest.mark.parametrize("resource", [(TOPIC, "secrets", WRITE), (CLUSTER, "kafka-cluster")])
def test_idempotent_producer(bob: Config, allow: Allow, resource: Any) -> None:
    """An idempotent producer needs WRITE for at least one topic, or IDEMPOTENT_WRITE."""
    errors: list[KafkaError] = []
    config = bob | {"enable.idempotence": True}
    with Producer(config | {"error_cb": errors.append}) as producer:
        wait_until(lambda: errors, lambda: producer.poll(0.05), SOON)
    assert errors[0].code() == KafkaError.CLUSTER_AUTHORIZATION_FAILED
    allow(*resource, *([] if resource[2:] else [IDEMPOTENT_WRITE]))
    allow(TOPIC, "orders", WRITE)
    assert report(config, "orders") is None


def test_fetch(bob: Config, allow: Allow, cluster: MockCluster) -> None:
    """A consumer of assigned partitions needs READ for the topic."""
    with Producer(cluster.client_config("admin")) as producer:
        send(producer, "orders", [b"value"])
    allow(TOPIC, "orders", DESCRIBE)
    allow(GROUP, "group", DESCRIBE)
    with Consumer(bob) as consumer:
        consumer.assign([TopicPartition("orders", 0, 0)])
        assert first_error(consumer) == KafkaError.TOPIC_AUTHORIZATION_FAILED
        allow(TOPIC, "orders", READ)
        wait_until(lambda: (found := consumer.poll(0.1)) is not None and not found.error())


def test_list_topics(bob: Config, allow: Allow) -> None:
    """A request for a forbidden topic returns the error; a list of all topics does not contain
    it."""
    allow(TOPIC, "orders", DESCRIBE)
    with Producer(bob) as producer:
        assert set(producer.list_topics(timeout=TIMEOUT).topics) == {"orders"}
        asked = producer.list_topics("secrets", TIMEOUT).topics["secrets"]
        assert asked.error == KafkaError.TOPIC_AUTHORIZATION_FAILED
        assert asked.partitions == {}
        assert producer.list_topics("orders", TIMEOUT).topics["orders"].error is None


def test_topics_that_would_be_created(bob: Config, allow: Allow, cluster: MockCluster) -> None:
    """A client that may not create topics cannot create one by using it."""
    allow(TOPIC, "new", WRITE)
    assert report(bob, "new") == KafkaError.TOPIC_AUTHORIZATION_FAILED
    with Producer(cluster.client_config("admin")) as producer:
        assert "new" not in producer.list_topics(timeout=TIMEOUT).topics
    allow(TOPIC, "new", CREATE)
    assert report(bob, "new") is None


def test_offsets(bob: Config, allow: Allow) -> None:
    """A client with DESCRIBE can request offsets."""
    place = TopicPartition("orders", 0)
    # librdkafka does not find the leader of a forbidden topic.
    with Consumer(bob) as consumer, pytest.raises(KafkaException, match="Unknown partition"):
        consumer.get_watermark_offsets(place, TIMEOUT)
    allow(TOPIC, "orders", DESCRIBE)
    with Consumer(bob) as consumer:
        assert consumer.get_watermark_offsets(place, TIMEOUT) == (0, 0)


# ---- groups ----


def test_group(bob: Config, allow: Allow) -> None:
    """With READ for the group and the topic, a consumer can join and commit."""
    allow(TOPIC, "orders", READ)
    with Consumer(bob) as consumer:
        consumer.subscribe(["orders"])
        assert first_error(consumer) == KafkaError.GROUP_AUTHORIZATION_FAILED
    allow(GROUP, "group", READ)
    with Consumer(bob) as consumer:
        consumer.subscribe(["orders"])
        wait_until(consumer.assignment, lambda: consumer.poll(0.1))
        place = TopicPartition("orders", 0, 7)
        consumer.commit(offsets=[place], asynchronous=False)
        (found,) = consumer.committed([place], TIMEOUT)
        assert found.offset == 7


def test_commit_for_a_forbidden_topic(bob: Config, allow: Allow) -> None:
    """The forbidden topic's partition has an error; the other partition is committed."""
    allow(GROUP, "group", READ)
    allow(TOPIC, "orders", READ)
    places = [TopicPartition("orders", 0, 7), TopicPartition("secrets", 0, 7)]
    with Consumer(bob) as consumer:
        with pytest.raises(KafkaException, match=r"Commit failed for secrets \[0\]") as caught:
            consumer.commit(offsets=places, asynchronous=False)
        assert caught.value.args[0].code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
        allowed, forbidden = consumer.committed(places, TIMEOUT)
    assert (allowed.offset, allowed.error) == (7, None)
    assert forbidden.error is not None
    assert forbidden.error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_group_of_the_new_protocol(bob: Config, allow: Allow) -> None:
    """The heartbeat is refused if the group, or the description of a topic, is forbidden."""
    config = bob | {"group.protocol": "consumer"}
    allow(GROUP, "group", DESCRIBE)
    with Consumer(config) as consumer:
        consumer.subscribe(["orders"])
        assert "Group authorization failed" in str(first(consumer).error())
    allow(GROUP, "group", READ)
    with Consumer(config) as consumer:
        consumer.subscribe(["orders"])
        assert "Topic authorization failed" in str(first(consumer).error())
    allow(TOPIC, "orders", READ)
    with Consumer(config) as consumer:
        consumer.subscribe(["orders"])
        wait_until(consumer.assignment, lambda: consumer.poll(0.1))


def test_share_group(bob: Config, allow: Allow) -> None:
    """A share consumer gets an error if it may not join."""
    allow(GROUP, "group", DESCRIBE)
    del bob["auto.offset.reset"]
    with ShareConsumer(bob | {"log_level": 0}) as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(KafkaException) as caught:
            consumer.poll(SOON)
    assert caught.value.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_list_groups(bob_admin: AdminClient, allow: Allow, cluster: MockCluster) -> None:
    """A list contains the groups that the client may describe; a description needs DESCRIBE."""
    for group in ("one", "two"):
        with Consumer(cluster.client_config("admin") | {"group.id": group}) as consumer:
            consumer.commit(offsets=[TopicPartition("orders", 0, 1)], asynchronous=False)
    allow(GROUP, "one", DESCRIBE)
    listed = bob_admin.list_consumer_groups().result(TIMEOUT)
    assert [each.group_id for each in listed.valid or []] == ["one"]
    described = bob_admin.describe_consumer_groups(["one", "two"])
    assert code_of(described["one"]) == 0
    assert code_of(described["two"]) == KafkaError.GROUP_AUTHORIZATION_FAILED
    assert code_of(only(bob_admin.delete_consumer_groups(["one"]))) == (
        KafkaError.GROUP_AUTHORIZATION_FAILED
    )


def test_offsets_of_a_group(bob_admin: AdminClient, allow: Allow, cluster: MockCluster) -> None:
    """A request for all offsets of a group returns only topics that the client may describe."""
    places = [TopicPartition("orders", 0, 1), TopicPartition("secrets", 0, 2)]
    with Consumer(cluster.client_config("admin") | {"group.id": "one"}) as consumer:
        consumer.commit(offsets=places, asynchronous=False)
    asked = [ConsumerGroupTopicPartitions("one")]
    assert code_of(only(bob_admin.list_consumer_group_offsets(asked))) == (
        KafkaError.GROUP_AUTHORIZATION_FAILED
    )
    allow(GROUP, "one", DESCRIBE)
    allow(TOPIC, "orders", DESCRIBE)
    found = only(bob_admin.list_consumer_group_offsets(asked)).result(TIMEOUT)
    assert [(each.topic, each.offset) for each in found.topic_partitions] == [("orders", 1)]


# ---- transactions ----


def test_transactions(bob: Config, allow: Allow) -> None:
    """Transactions need WRITE for the transactional.id, and for each topic."""
    config = bob | {"transactional.id": "tx"}
    allow(TOPIC, "orders", WRITE)
    with Producer(config) as producer, pytest.raises(KafkaException) as caught:
        producer.init_transactions(TIMEOUT)
    assert caught.value.args[0].code() == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert caught.value.args[0].fatal()
    allow(TRANSACTIONAL_ID, "tx", WRITE)
    with Producer(config) as producer:
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        send(producer, "orders", [b"value"])
        producer.commit_transaction(TIMEOUT)


def test_a_forbidden_topic_in_a_transaction(bob: Config, allow: Allow) -> None:
    """The transaction can only be aborted, and the id stays usable."""
    allow(TRANSACTIONAL_ID, "tx", WRITE)
    allow(TOPIC, "orders", DESCRIBE)
    with Producer(bob | {"transactional.id": "tx"}) as producer:
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        producer.produce("orders", b"value", partition=0)
        with pytest.raises(KafkaException) as caught:
            producer.commit_transaction(TIMEOUT)
        assert caught.value.args[0].txn_requires_abort()
        producer.abort_transaction(TIMEOUT)


def test_offsets_in_a_transaction(bob: Config, allow: Allow) -> None:
    """Offsets in a transaction need READ for the group."""
    allow(TRANSACTIONAL_ID, "tx", WRITE)
    allow(TOPIC, "orders", READ, WRITE)
    allow(GROUP, "group", DESCRIBE)
    with Producer(bob | {"transactional.id": "tx"}) as producer, Consumer(bob) as consumer:
        metadata = consumer.consumer_group_metadata()
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        with pytest.raises(KafkaException) as caught:
            producer.send_offsets_to_transaction(
                [TopicPartition("orders", 0, 1)], metadata, TIMEOUT
            )
        assert caught.value.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED


# ---- administration ----


@pytest.mark.parametrize(
    ("call", "resource", "operation", "code"),
    [
        (
            lambda admin: only(admin.create_topics([NewTopic("new", 1)])),
            (TOPIC, "new"),
            CREATE,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.create_topics([NewTopic("new", 1)])),
            (CLUSTER, "kafka-cluster"),
            CREATE,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.delete_topics(["orders"])),
            (TOPIC, "orders"),
            DELETE,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.create_partitions([NewPartitions("orders", 5)])),
            (TOPIC, "orders"),
            ALTER,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.describe_topics(TopicCollection(["orders"]))),
            (TOPIC, "orders"),
            DESCRIBE,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.describe_configs([ConfigResource(TOPIC, "orders")])),
            (TOPIC, "orders"),
            DESCRIBE_CONFIGS,
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.describe_configs([ConfigResource(CLUSTER, "1")])),
            (CLUSTER, "kafka-cluster"),
            ALTER_CONFIGS,
            KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: admin.describe_acls(ANY_ACL),
            (CLUSTER, "kafka-cluster"),
            DESCRIBE,
            KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.delete_acls([ANY_ACL])),
            (CLUSTER, "kafka-cluster"),
            ALTER,
            KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        ),
        (
            lambda admin: only(admin.describe_log_dirs([1])),
            (CLUSTER, "kafka-cluster"),
            DESCRIBE,
            KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        ),
    ],
)
def test_administration(
    bob_admin: AdminClient,
    allow: Allow,
    call: Any,
    resource: tuple[Any, str],
    operation: Any,
    code: int,
) -> None:
    """Each administrative request is refused until an ACL allows it."""
    assert code_of(call(bob_admin)) == code
    allow(*resource, operation)
    assert code_of(call(bob_admin)) == 0


def test_several_topics_at_once(bob_admin: AdminClient, allow: Allow) -> None:
    """A forbidden item does not stop the other items of the request."""
    allow(TOPIC, "new", CREATE)
    created = bob_admin.create_topics([NewTopic("new", 1), NewTopic("other", 1)])
    assert code_of(created["new"]) == 0
    assert code_of(created["other"]) == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_authorized_operations(bob_admin: AdminClient, allow: Allow, admin: AdminClient) -> None:
    """A description contains the operations that the client itself may use."""
    allow(TOPIC, "orders", READ)
    allow(CLUSTER, "kafka-cluster", DESCRIBE)

    def operations(client: AdminClient) -> set[Any]:
        topics = TopicCollection(["orders"])
        asked = client.describe_topics(topics, include_authorized_operations=True)
        return set(only(asked).result(TIMEOUT).authorized_operations)

    assert operations(bob_admin) == {READ, DESCRIBE}
    assert operations(admin) == {
        READ,
        WRITE,
        CREATE,
        DELETE,
        ALTER,
        DESCRIBE,
        DESCRIBE_CONFIGS,
        ALTER_CONFIGS,
    }
    cluster = bob_admin.describe_cluster(include_authorized_operations=True).result(TIMEOUT)
    assert set(cluster.authorized_operations or []) == {DESCRIBE}


def test_only_one_name_of_the_cluster(admin: AdminClient) -> None:
    """An ACL that could never apply is refused, as in Kafka."""
    acl = AclBinding(
        CLUSTER,
        "other",
        ResourcePatternType.LITERAL,
        "User:bob",
        "*",
        ALTER,
        AclPermissionType.ALLOW,
    )
    assert code_of(admin.create_acls([acl])[acl]) == KafkaError.INVALID_REQUEST


# ---- principals ----


def test_deny(bob: Config, allow: Allow) -> None:
    """A DENY takes precedence; after it is deleted, the client is allowed again."""
    allow(TOPIC, "orders", WRITE)
    allow(TOPIC, "orders", WRITE, deny=True)
    assert report(bob, "orders") == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_connected_clients(bob: Config, allow: Allow, admin: AdminClient) -> None:
    """ACLs also apply to the next request of a connected client."""
    allow(TOPIC, "orders", WRITE)
    with Producer(bob) as producer:
        send(producer, "orders", [b"value"])
        only(admin.delete_acls([ANY_ACL])).result(TIMEOUT)
        assert outcome(producer, "orders") == KafkaError.TOPIC_AUTHORIZATION_FAILED


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"])
def test_principals_of_mechanisms(mechanism: str) -> None:
    """Each mechanism's user name is a principal."""
    security = Security(
        protocol="SASL_PLAINTEXT",
        mechanisms=[mechanism],
        users=USERS,
        authorizer=True,
        super_users=["User:admin"],
    )
    with MockCluster(brokers=1, security=security) as cluster:
        cluster.create_topic("orders")
        assert report(cluster.client_config("admin"), "orders") is None
        refused = report(cluster.client_config("alice"), "orders")
        assert refused == KafkaError.TOPIC_AUTHORIZATION_FAILED


@needs_cryptography
@pytest.mark.parametrize("mutual", [True, False])
def test_principals_of_certificates(mutual: bool) -> None:
    """With TLS alone, the name in the certificate is the principal, or ANONYMOUS."""
    principal = "User:CN=client" if mutual else "User:ANONYMOUS"
    other = "User:ANONYMOUS" if mutual else "User:CN=client"
    for super_user, code in (
        (principal, None),
        (other, KafkaError.TOPIC_AUTHORIZATION_FAILED),
    ):
        security = Security(
            protocol="SSL", client_certificates=mutual, authorizer=True, super_users=[super_user]
        )
        with MockCluster(brokers=1, security=security) as cluster:
            cluster.create_topic("orders")
            assert report(cluster.client_config(), "orders") == code


def test_name_of_a_checked_token() -> None:
    """A test's own check of tokens can return the name of the user."""

    def tokens(unused: str) -> tuple[str, float]:
        return "opaque", 2**40

    security = Security(
        protocol="SASL_PLAINTEXT",
        mechanisms=["OAUTHBEARER"],
        check_token=lambda token: "robot" if token == "opaque" else None,
        authorizer=True,
        super_users=["User:robot"],
    )
    with MockCluster(brokers=1, security=security) as cluster:
        cluster.create_topic("orders")
        config = cluster.client_config() | {"oauth_cb": tokens}
        assert report(config, "orders") is None


def test_open_resources() -> None:
    """With allow_everyone_if_no_acl_found, the first ACL of a resource denies it to everyone
    else."""
    security = Security(
        protocol="SASL_PLAINTEXT",
        users=USERS,
        authorizer=True,
        super_users=["User:admin"],
        allow_everyone_if_no_acl_found=True,
    )
    acl = AclBinding(
        TOPIC,
        "sec",
        ResourcePatternType.PREFIXED,
        "User:alice",
        "127.0.0.1",
        ALL,
        AclPermissionType.ALLOW,
    )
    with MockCluster(brokers=1, security=security) as cluster:
        with AdminClient(cluster.client_config("admin")) as admin:
            only(admin.create_acls([acl])).result(TIMEOUT)
        alice, bob = (cluster.client_config(name) for name in ("alice", "bob"))
        assert report(bob, "orders") is None
        assert report(bob, "secrets") == KafkaError.TOPIC_AUTHORIZATION_FAILED
        assert report(alice, "secrets") is None


def test_order_of_responses(bob: Config, cluster: MockCluster) -> None:
    """A refusal is not sent before the answers to earlier requests of its connection."""
    host, port = cluster.bootstrap_servers.split(":")
    cluster.set_round_trip_time(1, 0.2)

    def frame(request: Any, version: int, number: int) -> bytes:
        header = protocol.RequestHeader(
            request_api_key=request.api_key,
            request_api_version=version,
            correlation_id=number,
            client_id="test",
        )
        data = header.encode(1) + request.encode(version)
        return struct.pack(">i", len(data)) + data

    login = f"\0bob\0{USERS['bob']}".encode()
    asked = protocol.ListOffsetsRequest(
        topics=[
            protocol.ListOffsetsRequest.ListOffsetsTopic(
                name="orders",
                partitions=[protocol.ListOffsetsRequest.ListOffsetsPartition(timestamp=-1)],
            )
        ]
    )
    with socket.create_connection((host, int(port)), TIMEOUT) as connection:
        stream = connection.makefile("rb")
        for number, data in enumerate(
            (
                frame(protocol.SaslHandshakeRequest(mechanism="PLAIN"), 1, 0),
                frame(protocol.SaslAuthenticateRequest(auth_bytes=login), 1, 1),
            )
        ):
            connection.sendall(data)
            (size,) = struct.unpack(">i", stream.read(4))
            assert struct.unpack_from(">i", stream.read(size)) == (number,)
        metadata = protocol.MetadataRequest(topics=None)
        connection.sendall(frame(metadata, 4, 2) + frame(asked, 4, 3) + frame(metadata, 4, 4))
        numbers: list[int] = []
        for _ in range(3):
            (size,) = struct.unpack(">i", stream.read(4))
            numbers += struct.unpack_from(">i", stream.read(size))
        stream.close()
    assert numbers == [2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"super_users": "User:admin"}, TypeError, "super_users must be a collection of str"),
        ({"super_users": [7]}, TypeError, "super_users must contain str, not 7"),
        ({"super_users": ["admin"]}, ValueError, "a principal is 'User:name', not 'admin'"),
        ({"super_users": ["User:admin"], "authorizer": False}, ValueError, "authorizer=True"),
        (
            {"allow_everyone_if_no_acl_found": True, "authorizer": False},
            ValueError,
            "need authorizer=True",
        ),
    ],
)
def test_wrong_settings(arguments: Any, error: type[Exception], text: str) -> None:
    """The error contains advice."""
    with pytest.raises(error, match=text):
        Security(**{"protocol": "SSL", "authorizer": True} | arguments)


def test_without_an_authorizer() -> None:
    """Every client may do everything, and ACLs are only stored."""
    security = Security(protocol="SASL_PLAINTEXT", users=USERS)
    with MockCluster(brokers=1, security=security) as cluster:
        cluster.create_topic("orders")
        config = cluster.client_config("bob")
        with AdminClient(config) as admin:
            acl = AclBinding(
                TOPIC,
                "orders",
                ResourcePatternType.LITERAL,
                "User:bob",
                "*",
                ALL,
                AclPermissionType.DENY,
            )
            only(admin.create_acls([acl])).result(TIMEOUT)
        with Producer(config) as producer:
            send(producer, "orders", [b"value"])
        with Consumer(config | {"group.id": "group"}) as consumer:
            assert values_of(read(consumer, "orders", 1)) == [b"value"]


def test_clients_without_tls_and_sasl() -> None:
    """With PLAINTEXT, every client is ANONYMOUS for ACLs."""
    with MockCluster(security=Security(protocol="PLAINTEXT", authorizer=True)) as cluster:
        cluster.create_topic("orders")
        with Producer(cluster.client_config()) as producer:
            assert outcome(producer, "orders") == KafkaError.TOPIC_AUTHORIZATION_FAILED
    everything = Security(protocol="PLAINTEXT", authorizer=True, super_users={"User:ANONYMOUS"})
    with MockCluster(security=everything) as cluster:
        cluster.create_topic("orders")
        with Producer(cluster.client_config()) as producer:
            assert outcome(producer, "orders") is None
