"""``users`` on a real cluster: a user whose credential was set can log in."""

from __future__ import annotations

import json
import uuid

import pytest

from confluent_kafka import KafkaException, Producer
from tests.integration.kafka_cluster import SecuredKafkaCluster
from tests.support.command_line import run
from tests.support.patches import needs
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.both_clusters,
    needs("mock-on-request", "mock-snapshot", "raw-request"),
]


def can_log_in(kafka: SecuredKafkaCluster, user: str, password: str) -> bool:
    config = kafka.config("SASL_PLAINTEXT") | {
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": user,
        "sasl.password": password,
    }
    with Producer(config) as producer:
        try:
            producer.connect(TIMEOUT)
        except KafkaException as error:
            if "Authentication failed" not in error.args[0].str():
                raise
            return False
    return True


def test_a_user(secured_kafka: SecuredKafkaCluster) -> None:
    """The user can log in with the password until the credential is deleted."""
    user, password = f"user-{uuid.uuid4().hex[:12]}", secret("new")
    end = ["-b", secured_kafka.bootstrap_servers]
    done = run("users", "set", user, *end, stdin=f"{password}\n".encode())
    assert done == (0, f"user {user} can log in with scram-sha-512\n".encode(), "")
    wait_until(lambda: can_log_in(secured_kafka, user, password))
    done = run("users", "list", user, "--json", *end)
    assert json.loads(done.stdout) == {
        "user": user,
        "mechanism": "scram-sha-512",
        "iterations": 8192,
    }
    assert run("users", "delete", user, "--yes", *end).status == 0
    wait_until(lambda: not can_log_in(secured_kafka, user, password))
    done = run("users", "list", user, *end)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: user '{user}': ")
