"""Snippets of the documents that need real brokers run unchanged."""

from __future__ import annotations

import base64
import json
import os
import shlex
import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from tests.integration.certificates import Authority
from tests.integration.kafka_cluster import USERS, SecuredKafkaCluster
from tests.integration.oidc import CLIENT_ID, CLIENT_SECRET
from tests.integration.security import SECONDS, check_round_trip, failing, plain
from tests.integration.share_groups import wait_for_coordinator
from tests.integration.topics import create_topic, delete_topic
from tests.support import command_line
from tests.support.documents import ADDRESS, block_with, run
from tests.support.patches import needs
from tests.support.schema_registry import running_registry
from tests.support.secrets import secret
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

ADMIN = "docs/guides/administration.md"
SECURITY = "docs/operations/security.md"
TOPICS = ("jobs",)  # the names in the guides


@pytest.fixture
def cluster(secured_kafka: SecuredKafkaCluster) -> Iterator[SecuredKafkaCluster]:
    """The cluster; the topics and groups of the guides are deleted afterwards."""
    yield secured_kafka
    with AdminClient(secured_kafka.config()) as admin:
        there = admin.list_topics().topics.keys() & set(TOPICS)
        for future in admin.delete_consumer_groups(["workers"]).values():
            future.exception()
    for topic in there:
        delete_topic(secured_kafka, topic)


@needs("raw-request")
def test_delegation_token(cluster: SecuredKafkaCluster, capsys: pytest.CaptureFixture[str]) -> None:
    """A user gets a token, and a configuration to log in with it."""
    block = block_with(ADMIN, "create_delegation_token(").replace("SASL_SSL", "SASL_PLAINTEXT")
    block = block.replace(ADDRESS, cluster.servers("SASL_PLAINTEXT"))
    token = run(block, password=USERS["alice"])["token"]
    assert capsys.readouterr().out == (
        f"user name: {token.token_info.token_id} password: {token.hmac_as_base64}\n"
    )


def test_start_of_a_share_group(cluster: SecuredKafkaCluster) -> None:
    """The guide's command for real brokers works (the embedded cluster has a method for it)."""
    command = block_with("docs/guides/share-groups.md", "share.auto.offset.reset=earliest")
    name, *arguments = shlex.split(command.replace(ADDRESS, cluster.bootstrap_servers))
    done = command_line.run(*arguments)
    assert (name, *done) == ("confluent-kafka", 0, b"group workers was changed\n", "")


@needs("raw-request")
def test_offsets_of_a_share_group(cluster: SecuredKafkaCluster) -> None:
    """The guide's commands set and show the offsets where a group starts."""
    create_topic(cluster, "jobs")
    wait_for_coordinator(cluster, "workers", "jobs")

    def shown_by(text: str) -> tuple[object, ...]:
        name, *arguments = shlex.split(block_with("docs/guides/share-groups.md", text))
        return name, *command_line.run(*arguments, "-b", cluster.bootstrap_servers)

    name, status, shown, _ = shown_by("reset-offsets workers")
    assert (name, status) == ("confluent-kafka", 0)
    assert "jobs\\t0\\t-\\t0" in str(shown)
    offsets = b"topic\tpartition\tstart\tlag\njobs\t0\t0\t0\n"
    expected = ("confluent-kafka", 0, offsets, "")
    wait_until(lambda: shown_by("share-groups offsets workers") == expected)


# ---- security ----


@pytest.fixture
def secrets(secured_kafka: SecuredKafkaCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets the variables from which the page reads secrets."""
    monkeypatch.setenv("KAFKA_PASSWORD", USERS["alice"])
    monkeypatch.setenv("KAFKA_NEW_PASSWORD", USERS["alice"])
    monkeypatch.setenv("OAUTH_SECRET", CLIENT_SECRET)
    for name, file in (
        ("KAFKA_CA", secured_kafka.authority.file),
        ("KAFKA_CERTIFICATE", secured_kafka.client_keys.certificate),
        ("KAFKA_KEY", secured_kafka.client_keys.key),
    ):
        monkeypatch.setenv(name, Path(file).read_text(encoding="utf-8"))


def security_block(text: str, kafka: SecuredKafkaCluster) -> str:
    """The page's block that contains the text, with existing addresses and files."""
    block = block_with(SECURITY, text)
    listener = "SASL_SSL" if "SASL_SSL" in block else "SSL"
    for shown, here in (
        ("kafka.example.com:9093", kafka.servers(listener)),
        ("/etc/kafka/ca.pem", str(kafka.authority.file)),
        ("/etc/kafka/client.crt", str(kafka.client_keys.certificate)),
        ("/etc/kafka/client.key", str(kafka.client_keys.key)),
        ("https://login.example.com/oauth2/token", kafka.identity.token_url),
    ):
        block = block.replace(shown, here)
    return block


def signed_token(kafka: SecuredKafkaCluster) -> str:
    """A token of the identity provider."""
    login = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    request = Request(kafka.identity.token_url, data=b"grant_type=client_credentials")
    request.add_header("Authorization", f"Basic {login}")
    with urlopen(request, timeout=SECONDS) as answer:
        token: str = json.load(answer)["access_token"]
    return token


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize(
    "text",
    [
        'print("connected")',
        "/etc/kafka/client.crt",
        'os.environ["KAFKA_KEY"]',
        '"sasl.mechanism": "PLAIN",\n    "sasl.username": "alice"',
        '"sasl.oauthbearer.client.id": "alice"',
        "request_token()",
    ],
)
def test_security(
    secured_kafka: SecuredKafkaCluster, topic: str, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """A message can be sent and read with each configuration of the page."""
    block = security_block(text, secured_kafka)
    names = run(block, request_token=lambda: signed_token(secured_kafka))
    assert capsys.readouterr().out == ("connected\n" if "print" in text else "")
    check_round_trip(names["config"] | {"broker.address.family": "v4"}, topic)


@pytest.mark.usefixtures("secrets")
def test_a_new_password(secured_kafka: SecuredKafkaCluster) -> None:
    """The client of the page connects with its new password."""
    config = secured_kafka.config("SASL_PLAINTEXT") | plain("alice", secret("wrong"))
    with failing(Producer, config) as (producer, _):
        run(block_with(SECURITY, "set_sasl_credentials("), producer=producer, os=os)
        assert producer.list_topics(timeout=SECONDS).brokers


def test_security_of_a_registry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's block for a registry trusts the registry and logs in."""
    pytest.importorskip("httpx", reason="httpx is not installed")
    authority = Authority(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.issue("registry", "localhost").both)
    password = secret("registry")
    monkeypatch.setenv("REGISTRY_PASSWORD", password)
    block = block_with(SECURITY, "registry.example.com")
    block = block.replace("/etc/kafka/ca.pem", str(authority.file))
    with running_registry(context) as registry:
        registry.user = f"alice:{password}"
        here = registry.url.replace("http://127.0.0.1", "https://localhost")
        run(block.replace("https://registry.example.com", here))
    assert capsys.readouterr().out == "[]\n"
