"""Share consumers that brokers accept, and share consumers that brokers refuse."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Messages, ShareConsumer
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.security import SECONDS, Config, Errors, plain
from tests.integration.share_groups import configure_group
from tests.integration.test_oauth import Tokens
from tests.support.kafka import numbers, send
from tests.support.secrets import secret
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture
def ten(secured_kafka: SecuredKafkaCluster, topic: str, group: str) -> str:
    """The topic with ten records, which the group reads from the beginning."""
    configure_group(secured_kafka, group)
    with writer(secured_kafka) as producer:
        send(producer, topic, numbers(0, 10))
    return topic


def share(config: Config, group: str, topic: str) -> ShareConsumer:
    settings: dict[str, Any] = {"group.id": group, "log_level": 0}
    consumer = ShareConsumer(config | settings)
    consumer.subscribe([topic])
    return consumer


def check_reads_ten(consumer: ShareConsumer) -> None:
    batches: list[Messages] = []

    def poll() -> None:
        # An attempt with an earlier password may still be running.
        with contextlib.suppress(KafkaException):
            batches.append(consumer.poll(0.5))

    wait_until(lambda: any(batches), poll)
    assert [record.value() for record in batches[-1]] == numbers(0, 10)
    assert set(consumer.commit_sync().values()) == {None}


@pytest.mark.parametrize("listener", ["SSL", "SASL_SSL"])
def test_tls(secured_kafka: SecuredKafkaCluster, ten: str, group: str, listener: str) -> None:
    """Records and acknowledgements are sent over TLS, with certificates and with passwords."""
    config = secured_kafka.config(listener)
    if listener == "SASL_SSL":
        config |= plain("alice", USERS["alice"], "SCRAM-SHA-512")
    with share(config, group, ten) as consumer:
        check_reads_ten(consumer)


def test_oauth_cb(secured_kafka: SecuredKafkaCluster, ten: str, group: str) -> None:
    """A share consumer logs in with the tokens of its oauth_cb."""
    config = secured_kafka.config("SASL_PLAINTEXT") | {"sasl.mechanism": "OAUTHBEARER"}
    with share(config | {"oauth_cb": Tokens()}, group, ten) as consumer:
        check_reads_ten(consumer)


def test_wrong_password(secured_kafka: SecuredKafkaCluster, ten: str, group: str) -> None:
    """Without error_cb, poll() raises the error; with the right password the consumer can log
    in."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", secret("wrong"))
    with share(config | {"reconnect.backoff.max.ms": 100}, group, ten) as consumer:
        with pytest.raises(KafkaException, match="Authentication failed") as info:
            consumer.poll(SECONDS)
        assert info.value.args[0] == KafkaError._AUTHENTICATION
        consumer.set_sasl_credentials("alice", USERS["alice"])
        check_reads_ten(consumer)


def test_error_cb(secured_kafka: SecuredKafkaCluster, ten: str, group: str) -> None:
    """With error_cb, the callback gets the error, and poll() returns nothing."""
    errors = Errors()
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", secret("wrong"))
    with share(config | {"error_cb": errors}, group, ten) as consumer:
        wait_until(
            lambda: errors.texts(KafkaError._AUTHENTICATION),
            lambda: consumer.poll(0.1),
        )
