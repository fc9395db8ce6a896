"""If real brokers refuse a client or a topic, connect() raises the reason at once."""

from __future__ import annotations

import contextlib
import logging
import re
import uuid
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.integration.certificates import Authority
from tests.integration.kafka_cluster import USERS, KafkaCluster, SecuredKafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.security import HUNG_UP, SECONDS, Config, plain
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

each_client = pytest.mark.parametrize("client", [Producer, Consumer])
WRONG = secret("wrong")


@pytest.fixture(autouse=True)
def no_log(caplog: pytest.LogCaptureFixture) -> None:
    """Drops librdkafka's log records about refusals."""
    caplog.set_level(logging.CRITICAL, "confluent_kafka")


def refusal(client: Any, config: Config, topic: str | None = None) -> KafkaError:
    """Returns the error that connect() raises long before its timeout; it contains no password."""
    with client(config | {"group.id": "tests"}) as refused:
        watch = Stopwatch()
        with pytest.raises(KafkaException) as caught:
            refused.connect(60, topic)
        assert watch.elapsed < SECONDS
    assert WRONG not in str(caught.value)
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    return error


@each_client
@pytest.mark.parametrize("listener", ["PLAINTEXT", "SSL", "SASL_SSL"])
def test_let_in(secured_kafka: SecuredKafkaCluster, topic: str, client: Any, listener: str) -> None:
    """A client with the right credentials connects, and finds an existing topic."""
    config = secured_kafka.config(listener) | {"group.id": "tests"}
    if listener == "SASL_SSL":
        config |= plain("alice", USERS["alice"])
    with client(config) as connected:
        connected.connect(TIMEOUT)
        connected.connect(TIMEOUT, topic)
        assert connected.last_error is None


@each_client
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_wrong_password(secured_kafka: SecuredKafkaCluster, client: Any, mechanism: str) -> None:
    """A wrong password raises _AUTHENTICATION with the broker's text."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", WRONG, mechanism)
    error = refusal(client, config)
    assert error == KafkaError._AUTHENTICATION
    assert "Authentication failed" in error.str()


@each_client
def test_a_mechanism_that_there_is_not(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """If a listener has no SASL, connect() of a client with SASL fails."""
    config = secured_kafka.config("PLAINTEXT") | plain("alice", WRONG)
    error = refusal(client, config | {"security.protocol": "SASL_PLAINTEXT"})
    assert error in (KafkaError._AUTHENTICATION, KafkaError._TRANSPORT)


@each_client
def test_an_untrusted_broker(
    secured_kafka: SecuredKafkaCluster, client: Any, tmp_path: Path
) -> None:
    """connect() raises _SSL if another authority signed the broker's certificate."""
    config = secured_kafka.config("SSL") | {"ssl.ca.location": str(Authority(tmp_path).file)}
    error = refusal(client, config)
    assert error == KafkaError._SSL
    assert "certificate verify failed" in error.str()


@each_client
def test_an_untrusted_client(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """If a client has no certificate, the error's text contains the broker's alert, if it
    arrived."""
    config = secured_kafka.config("SSL")
    del config["ssl.certificate.location"], config["ssl.key.location"]
    errors = [refusal(client, config) for _ in range(5)]
    assert errors == [KafkaError._TRANSPORT] * 5
    assert any("certificate" in error.str() for error in errors)


@each_client
def test_the_wrong_listener(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """If a client without TLS connects to a TLS listener, connect() raises, because the broker
    disconnects."""
    config = secured_kafka.config("SSL") | {"security.protocol": "PLAINTEXT"}
    config = {key: value for key, value in config.items() if not key.startswith("ssl.")}
    error = refusal(client, config)
    assert error == KafkaError._TRANSPORT
    assert re.search(HUNG_UP, error.str())


def test_a_topic_that_is_not_there(kafka: KafkaCluster) -> None:
    """connect() with a missing topic raises UNKNOWN_TOPIC_OR_PART, and does not create the
    topic."""
    name = f"missing-{uuid.uuid4().hex[:12]}"
    with reader(kafka) as consumer:
        for _ in range(2):
            with pytest.raises(KafkaException, match=name) as caught:
                consumer.connect(TIMEOUT, name)
            assert caught.value.args[0] == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_after_a_change_of_password(secured_kafka: SecuredKafkaCluster) -> None:
    """A client whose password was wrong connects once it gets the right password."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", WRONG)
    with Producer(config) as producer:
        with pytest.raises(KafkaException):
            producer.connect(60)
        producer.set_sasl_credentials("alice", USERS["alice"])

        def connected() -> bool:
            # An attempt with the old password may still be running.
            with contextlib.suppress(KafkaException):
                producer.connect(60)
                return True
            return False

        wait_until(connected)
        assert producer.last_error is not None


def test_stats_and_lag(kafka: KafkaCluster, topic: str) -> None:
    """stats() and lag() return the same numbers as the real broker."""
    place = TopicPartition(topic, 0, 0)
    with (
        writer(kafka, {"transactional.id": topic}) as producer,
        reader(kafka, {"statistics.interval.ms": 50}) as consumer,
    ):
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        for _ in range(10):
            producer.produce(topic, b"value", partition=0)
        producer.commit_transaction(TIMEOUT)
        consumer.assign([place])
        assert len(consumer.consume(4, TIMEOUT)) == 4
        assert consumer.lag() == {place: 7}  # the transaction's marker has an offset, too
        assert len(consumer.consume(6, TIMEOUT)) == 6

        def read() -> bool:
            statistics = consumer.stats()
            if statistics is None or topic not in statistics.topics:
                return False
            partition = statistics.topics[topic].partitions[0]
            return (partition.app_offset, partition.hi_offset) == (11, 11)

        wait_until(read, lambda: consumer.poll(0.05))
        assert consumer.lag() == {place: 0}
