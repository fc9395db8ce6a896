"""If an ACL forbids an operation, it fails at once, with the error of that resource."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
)
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.security import SECONDS, Config, plain
from tests.integration.topics import create_topic
from tests.support.command_line import run
from tests.support.kafka import Reports, outcome, refusal, send
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture
def forbidden(secured_kafka: SecuredKafkaCluster) -> Iterator[str]:
    """The name of a topic, a group and a transactional.id that alice may use and bob may not."""
    kafka = secured_kafka
    name = f"forbidden-{uuid.uuid4().hex[:12]}"
    create_topic(kafka, name)
    acls = [
        AclBinding(
            resource,
            name,
            ResourcePatternType.PREFIXED,
            f"User:{who}",
            "*",
            AclOperation.ALL,
            permission,
        )
        for resource in (ResourceType.TOPIC, ResourceType.GROUP, ResourceType.TRANSACTIONAL_ID)
        for who, permission in (("alice", AclPermissionType.ALLOW), ("bob", AclPermissionType.DENY))
    ]
    with AdminClient(kafka.config()) as admin:
        for created in admin.create_acls(acls).values():
            created.result(TIMEOUT)
        create_topic(kafka, f"{name}-later")  # afterwards every broker has them
        with Producer(user(kafka, "bob")) as bob:
            wait_until(lambda: bob.list_topics(name, TIMEOUT).topics[name].error)
        yield name
        of_name = AclBindingFilter(
            ResourceType.ANY,
            name,
            ResourcePatternType.PREFIXED,
            None,
            None,
            AclOperation.ANY,
            AclPermissionType.ANY,
        )
        assert len(admin.delete_acls([of_name])[of_name].result(TIMEOUT)) == len(acls)


def user(kafka: SecuredKafkaCluster, name: str) -> Config:
    return kafka.config("SASL_PLAINTEXT") | plain(name, USERS[name])


@pytest.fixture
def alice(secured_kafka: SecuredKafkaCluster) -> Config:
    return user(secured_kafka, "alice")


@pytest.fixture
def bob(secured_kafka: SecuredKafkaCluster) -> Config:
    return user(secured_kafka, "bob")


def first_message(consumer: Consumer) -> Message:
    """The first message that poll() returns."""
    messages: list[Message | None] = []
    wait_until(lambda: any(messages), lambda: messages.append(consumer.poll(0.1)), SECONDS)
    return next(message for message in messages if message is not None)


def first_error(consumer: Consumer) -> KafkaError:
    error = first_message(consumer).error()
    assert error is not None
    return error


def test_who_may(alice: Config, forbidden: str) -> None:
    """Only the ACL stops bob: alice can use the same topic, group and transactional.id."""
    with Producer(alice | {"transactional.id": forbidden}) as producer:
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        send(producer, forbidden, [b"value"])
        producer.commit_transaction(TIMEOUT)
    config = alice | {"group.id": forbidden, "auto.offset.reset": "earliest"}
    with Consumer(config) as consumer:
        consumer.subscribe([forbidden])
        assert first_message(consumer).value() == b"value"


def test_produce(bob: Config, forbidden: str) -> None:
    """If a topic is forbidden, its delivery report has the error, or produce() raises it."""
    with Producer(bob) as producer:
        assert outcome(producer, forbidden) == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_subscribe(bob: Config, forbidden: str, group: str) -> None:
    """If a subscribed topic is forbidden, poll() returns the error, with the topic's name."""
    with Consumer(bob | {"group.id": group}) as consumer:
        consumer.subscribe([forbidden])
        message = first_message(consumer)
    assert message.error() == KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert message.topic() == forbidden


def test_assign(bob: Config, forbidden: str, group: str) -> None:
    """If an assigned topic is forbidden, poll() returns the error, too."""
    with Consumer(bob | {"group.id": group}) as consumer:
        consumer.assign([TopicPartition(forbidden, 0, 0)])
        assert first_error(consumer) == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_list_topics(bob: Config, forbidden: str) -> None:
    """A request for a forbidden topic returns the error; a list of all topics does not contain
    it."""
    with Producer(bob) as producer:
        asked = producer.list_topics(forbidden, TIMEOUT).topics[forbidden]
        assert asked.error == KafkaError.TOPIC_AUTHORIZATION_FAILED
        assert forbidden not in producer.list_topics(timeout=TIMEOUT).topics


def test_consume_command(secured_kafka: SecuredKafkaCluster, bob: Config, forbidden: str) -> None:
    """`consume` reports a forbidden topic. With --group "" it reads without the configured
    group."""
    options = [part for key, value in bob.items() for part in ("-X", f"{key}={value}")]
    done = run("consume", forbidden, "-e", "-q", *options)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: topic '{forbidden}' is forbidden for this user: ")
    topic = f"open-{uuid.uuid4().hex[:12]}"
    create_topic(secured_kafka, topic)
    with Producer(bob) as producer:
        send(producer, topic, [b"value"])
    group = ["-X", f"group.id={forbidden}"]
    done = run("consume", topic, "-e", "-q", *options, *group, "--group", "")
    assert done == (0, b"value\n", "")


def test_connect(bob: Config, forbidden: str) -> None:
    """connect() raises the error if the caller names the forbidden topic, and succeeds without
    it."""
    for client in (Producer, Consumer):
        with client(bob | {"group.id": "tests"}) as connected:
            connected.connect(TIMEOUT)
            with pytest.raises(KafkaException) as caught:
                connected.connect(TIMEOUT, forbidden)
            assert caught.value.args[0] == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_group(bob: Config, forbidden: str, topic: str) -> None:
    """poll() returns the error if the client may not join the group."""
    with Consumer(bob | {"group.id": forbidden}) as consumer:
        consumer.subscribe([topic])
        assert first_error(consumer) == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_commit(bob: Config, forbidden: str, topic: str) -> None:
    """A client can neither write nor read offsets of a forbidden group, and poll() returns the
    error."""
    partition = TopicPartition(topic, 0, 0)
    with Consumer(bob | {"group.id": forbidden, "session.timeout.ms": 1000}) as consumer:
        with pytest.raises(KafkaException):
            consumer.commit(offsets=[partition], asynchronous=False)
        with pytest.raises(KafkaException):
            consumer.committed([partition], 1)
        assert first_error(consumer) == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_transactional_id(bob: Config, forbidden: str) -> None:
    """init_transactions() raises a fatal error, because another id needs another producer."""
    config = bob | {"transactional.id": forbidden}
    with Producer(config) as producer, pytest.raises(KafkaException) as caught:
        producer.init_transactions(SECONDS)
    error = caught.value.args[0]
    assert error == KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert error.fatal()


def test_topic_in_a_transaction(bob: Config, forbidden: str) -> None:
    """The delivery report has the error, or produce() raises it; afterwards the transaction can
    only be aborted."""
    reports = Reports()
    with Producer(bob | {"transactional.id": f"allowed-{forbidden}"}) as producer:
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        code = refusal(producer, forbidden, reports)
        if code is not None:
            assert code == KafkaError.TOPIC_AUTHORIZATION_FAILED
            producer.abort_transaction(TIMEOUT)
            return
        with pytest.raises(KafkaException) as caught:
            producer.commit_transaction(TIMEOUT)
        producer.abort_transaction(TIMEOUT)
    assert caught.value.args[0].txn_requires_abort()
    assert KafkaError.NO_ERROR not in reports.errors
    assert len(reports) == 1


@pytest.mark.parametrize(
    ("resource", "code"),
    [
        ("topic", KafkaError.TOPIC_AUTHORIZATION_FAILED),
        ("group", KafkaError.GROUP_AUTHORIZATION_FAILED),
    ],
)
def test_share_consumer(
    bob: Config, forbidden: str, topic: str, group: str, resource: str, code: int
) -> None:
    """poll() raises the error of a forbidden topic, and of a forbidden share group."""
    settings = bob | {"group.id": forbidden if resource == "group" else group, "log_level": 0}
    with ShareConsumer(settings) as consumer:
        consumer.subscribe([forbidden if resource == "topic" else topic])
        with pytest.raises(KafkaException) as info:
            consumer.poll(SECONDS)
        assert info.value.args[0] == code
