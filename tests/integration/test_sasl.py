"""SASL with passwords: clients with the right password log in, and other clients get an error."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.security import (
    SECONDS,
    check_round_trip,
    failing,
    plain,
    refused,
    told,
)
from tests.support.kafka import Reports, failure, send, values_of
from tests.support.secrets import secret
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

LISTENERS = ["SASL_PLAINTEXT", "SASL_SSL"]
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]
CLIENTS = [Producer, Consumer]

WRONG = secret("wrong")


@pytest.fixture
def wrong(secured_kafka: SecuredKafkaCluster) -> dict[str, Any]:
    """A configuration with a wrong password."""
    return secured_kafka.config("SASL_PLAINTEXT") | plain("alice", WRONG)


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_right_password(
    secured_kafka: SecuredKafkaCluster, topic: str, listener: str, mechanism: str
) -> None:
    """A message can be sent and read through each listener with each mechanism."""
    credentials = plain("alice", USERS["alice"], mechanism)
    check_round_trip(secured_kafka.config(listener) | credentials, topic)


@pytest.mark.parametrize("listener", LISTENERS)
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize(
    ("client", "user", "password"),
    [(Producer, "alice", WRONG), (Consumer, "nobody", USERS["alice"])],
    ids=["wrong password", "unknown user"],
)
def test_refused(
    secured_kafka: SecuredKafkaCluster,
    client: Any,
    listener: str,
    mechanism: str,
    user: str,
    password: str,
) -> None:
    """error_cb gets _AUTHENTICATION with the broker's text, without the password."""
    config = secured_kafka.config(listener) | plain(user, password, mechanism)
    words = "SASL authentication error: Authentication failed"
    assert password not in told(client, config, KafkaError._AUTHENTICATION, words)


def has_gssapi(config: dict[str, Any]) -> bool:
    """Whether librdkafka supports GSSAPI, for which it must be compiled with Cyrus SASL."""
    try:
        Producer(config).close()
    except KafkaException as error:
        if "GSSAPI" not in error.args[0].str():
            raise
        return False
    return True


def test_mechanism_that_the_broker_has_not(secured_kafka: SecuredKafkaCluster) -> None:
    """For an unsupported mechanism, error_cb gets _AUTHENTICATION with the broker's mechanisms."""
    config = secured_kafka.config("SASL_PLAINTEXT") | {
        "sasl.mechanism": "GSSAPI",
        "sasl.kerberos.kinit.cmd": "true",
    }
    if not has_gssapi(config):
        pytest.skip("librdkafka was built without GSSAPI, which this test uses")
    told(Consumer, config, KafkaError._AUTHENTICATION, "SCRAM-SHA-512")


@pytest.mark.parametrize("client", CLIENTS)
def test_listener_without_sasl(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """The client gets _AUTHENTICATION, because the listener does not support SASL."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", USERS["alice"])
    config["bootstrap.servers"] = secured_kafka.servers("PLAINTEXT")
    told(client, config, KafkaError._AUTHENTICATION, "PLAIN mechanism handshake failed")


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("client", CLIENTS)
def test_new_credentials(secured_kafka: SecuredKafkaCluster, client: Any, mechanism: str) -> None:
    """A refused client can log in after set_sasl_credentials() got the right credentials."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", WRONG, mechanism)
    with failing(client, config) as (outsider, errors):
        wait_until(
            lambda: errors.texts(KafkaError._AUTHENTICATION),
            lambda: outsider.poll(0.05),
            timeout=SECONDS,
        )
        outsider.set_sasl_credentials("alice", USERS["alice"])
        assert outsider.list_topics(timeout=SECONDS).brokers


# ---- calls that wait ----


@pytest.mark.parametrize(
    "fetch",
    [
        lambda consumer: consumer.poll(0.05),
        lambda consumer: consumer.consume(10, 0.05),
        lambda consumer: consumer.consume_arrow(10, 0.05),
        next,
    ],
    ids=["poll", "consume", "consume_arrow", "iteration"],
)
def test_consumer_without_error_cb(wrong: dict[str, Any], fetch: Any) -> None:
    """Without error_cb, the call raises an error with the reason, instead of returning None for
    ever."""
    text = refused(wrong, fetch, KafkaError._AUTHENTICATION)
    assert "Invalid username or password" in text
    assert WRONG not in text


def test_consumer_goes_on_with_the_right_password(
    secured_kafka: SecuredKafkaCluster, topic: str, wrong: dict[str, Any]
) -> None:
    """After poll() has raised, the consumer works again once it gets the right credentials."""
    with Producer(
        secured_kafka.config("SASL_PLAINTEXT") | plain("alice", USERS["alice"])
    ) as producer:
        send(producer, topic, [b"value"])
    with Consumer(wrong | {"group.id": "tests", "auto.offset.reset": "earliest"}) as consumer:
        consumer.subscribe([topic])
        with pytest.raises(KafkaException):
            wait_until(lambda: False, lambda: consumer.poll(0.05), timeout=SECONDS)
        consumer.set_sasl_credentials("alice", USERS["alice"])
        found: list[Any] = []

        def poll() -> None:
            # An attempt with the old password may still be running.
            with contextlib.suppress(KafkaException):
                found.append(consumer.poll(0.1))

        wait_until(lambda: any(found), poll)
    assert values_of(filter(None, found)) == [b"value"]


def test_list_topics(wrong: dict[str, Any]) -> None:
    """list_topics() fails after its timeout, and the error contains the reason."""
    with failing(Producer, wrong) as (producer, _):
        error = failure(lambda: producer.list_topics(timeout=2), "Invalid username or password")
    assert error.code() in {KafkaError._TRANSPORT, KafkaError._TIMED_OUT}


def test_init_transactions(wrong: dict[str, Any]) -> None:
    """init_transactions() raises a retriable error that contains the reason."""
    config = wrong | {"transactional.id": "refused"}
    with failing(Producer, config) as (producer, _):
        error = failure(lambda: producer.init_transactions(2), "Invalid username or password")
    assert error == KafkaError._TIMED_OUT
    assert error.retriable()


@pytest.mark.parametrize(
    "call",
    [
        lambda consumer, partition: consumer.committed([partition], 1),
        lambda consumer, partition: consumer.get_watermark_offsets(partition, 1),
        lambda consumer, partition: consumer.offsets_for_times([partition], 1),
        lambda consumer, partition: consumer.commit(offsets=[partition], asynchronous=False),
    ],
    ids=["committed", "get_watermark_offsets", "offsets_for_times", "commit"],
)
def test_requests_of_a_consumer(wrong: dict[str, Any], call: Any) -> None:
    """Requests of a consumer fail after their timeout, and the error contains the reason."""
    # close() waits for the answer to the commit as long as the session timeout.
    session = {"session.timeout.ms": 1000, "heartbeat.interval.ms": 300}
    with failing(Consumer, wrong | session) as (consumer, errors):
        wait_until(lambda: errors.calls, lambda: consumer.poll(0.05), timeout=SECONDS)
        place = TopicPartition("topic", 0, 0)
        failure(lambda: call(consumer, place), "Invalid username or password")


def test_flush(wrong: dict[str, Any]) -> None:
    """flush() returns the number of waiting messages; their reports come after their timeout."""
    reports = Reports()
    with failing(Producer, wrong | {"message.timeout.ms": 4000}) as (producer, errors):
        producer.produce("topic", b"value", on_delivery=reports)
        assert producer.flush(0.1) == 1
        assert producer.flush(SECONDS) == 0
        assert reports.errors == [KafkaError._MSG_TIMED_OUT]
        wait_until(
            lambda: errors.texts(KafkaError._AUTHENTICATION),
            lambda: producer.poll(0.05),
            timeout=SECONDS,
        )
