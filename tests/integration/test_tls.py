"""TLS with client certificates: a client with a valid certificate connects, and error_cb reports
any mistake within seconds."""

from __future__ import annotations

import contextlib
import datetime
import socketserver
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from tests.integration.certificates import Authority, KeyPair, encrypt_key
from tests.integration.kafka_cluster import SecuredKafkaCluster
from tests.integration.security import (
    HUNG_UP,
    Config,
    check_round_trip,
    failing,
    refused,
    told,
)
from tests.support.kafka import failure
from tests.support.secrets import secret

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

CLIENTS = [Producer, Consumer]
KEY_PASSWORD = secret("key")
WRONG = secret("wrong")


@pytest.fixture
def tls(secured_kafka: SecuredKafkaCluster) -> Config:
    """The configuration of a client that can connect."""
    return secured_kafka.config("SSL")


def by_another_name(kafka: SecuredKafkaCluster) -> str:
    """The brokers' addresses with a host name that is not in their certificates."""
    other = {"localhost": "127.0.0.1", "127.0.0.1": "localhost"}
    addresses = (server.split(":") for server in kafka.servers("SSL").split(","))
    return ",".join(f"{other[host]}:{port}" for host, port in addresses)


# ---- valid configurations ----


def test_files(tls: Config, topic: str) -> None:
    """A client can read its certificate and key from files."""
    check_round_trip(tls, topic)


def test_strings(tls: Config, topic: str) -> None:
    """A client can have the certificate, key and authority as PEM text in its configuration."""
    for kind, file in (
        ("ca", tls.pop("ssl.ca.location")),
        ("certificate", tls.pop("ssl.certificate.location")),
        ("key", tls.pop("ssl.key.location")),
    ):
        tls[f"ssl.{kind}.pem"] = Path(file).read_text()
    check_round_trip(tls, topic)


def encrypted(tls: Config, folder: Path, password: str) -> Config:
    """The configuration with a key that KEY_PASSWORD encrypts."""
    file = folder / "client.key"
    file.write_bytes(encrypt_key(Path(tls["ssl.key.location"]), KEY_PASSWORD))
    return tls | {"ssl.key.location": str(file), "ssl.key.password": password}


def test_encrypted_key(tls: Config, topic: str, tmp_path: Path) -> None:
    """ssl.key.password decrypts an encrypted key."""
    check_round_trip(encrypted(tls, tmp_path, KEY_PASSWORD), topic)


def test_host_name_is_not_checked_on_demand(
    secured_kafka: SecuredKafkaCluster, tls: Config
) -> None:
    """With `ssl.endpoint.identification.algorithm=none`, a certificate for another host is
    accepted."""
    tls |= {
        "bootstrap.servers": by_another_name(secured_kafka),
        "ssl.endpoint.identification.algorithm": "none",
    }
    with Producer(tls) as producer:
        assert producer.list_topics(timeout=10).brokers


# ---- invalid configurations ----


@pytest.mark.parametrize("client", CLIENTS)
def test_wrong_key_password(tls: Config, tmp_path: Path, client: Any) -> None:
    """With a wrong key password, the constructor raises an error without the password."""
    config = encrypted(tls, tmp_path, WRONG) | {"group.id": "tests"}
    with pytest.raises(KafkaException, match=r"ssl\.key\.location") as caught:
        client(config)
    assert WRONG not in str(caught.value)


@pytest.mark.parametrize("client", CLIENTS)
def test_missing_certificate(tls: Config, client: Any) -> None:
    """If a client has no certificate, error_cb gets the broker's refusal."""
    del tls["ssl.certificate.location"], tls["ssl.key.location"]
    assert "certificate" in told(client, tls, KafkaError._TRANSPORT, "alert")


@pytest.mark.parametrize("client", CLIENTS)
def test_certificate_of_another_authority(tls: Config, tmp_path: Path, client: Any) -> None:
    """If the broker does not trust the client's certificate, error_cb gets the broker's refusal."""
    stranger = Authority(tmp_path).issue("client", "client.tests")
    tls |= {
        "ssl.certificate.location": str(stranger.certificate),
        "ssl.key.location": str(stranger.key),
    }
    told(client, tls, KafkaError._TRANSPORT, "alert")


@pytest.mark.parametrize("client", CLIENTS)
def test_untrusted_broker(tls: Config, tmp_path: Path, client: Any) -> None:
    """If the client does not trust the broker's authority, error_cb gets _SSL."""
    tls["ssl.ca.location"] = str(Authority(tmp_path).file)
    told(client, tls, KafkaError._SSL, "certificate verify failed")


def test_consumer_without_error_cb(tls: Config, tmp_path: Path) -> None:
    """If the client trusts no broker, poll() raises an error with the reason."""
    tls["ssl.ca.location"] = str(Authority(tmp_path).file)
    text = refused(tls, lambda consumer: consumer.poll(0.05), KafkaError._SSL)
    assert "certificate verify failed" in text


@pytest.mark.parametrize("client", CLIENTS)
def test_host_name(secured_kafka: SecuredKafkaCluster, tls: Config, client: Any) -> None:
    """If the broker's certificate is for another host, error_cb gets _SSL."""
    tls["bootstrap.servers"] = by_another_name(secured_kafka)
    told(client, tls, KafkaError._SSL, "certificate verify failed")


@pytest.mark.parametrize("client", CLIENTS)
def test_expired_broker(tmp_path: Path, client: Any) -> None:
    """If the broker's certificate has expired, error_cb gets _SSL."""
    authority = Authority(tmp_path)
    yesterday = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    keys = authority.issue("broker", "localhost", not_after=yesterday)
    with tls_server(keys) as address:
        config = {
            "bootstrap.servers": address,
            "security.protocol": "SSL",
            "ssl.ca.location": str(authority.file),
            "broker.address.family": "v4",
        }
        told(client, config, KafkaError._SSL, "certificate verify failed")


@contextlib.contextmanager
def tls_server(keys: KeyPair) -> Iterator[str]:
    """Run a server that only does the TLS handshake; yield its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys.both)

    class Handshake(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError):  # the client sends an alert
                context.wrap_socket(self.request, server_side=True).close()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handshake) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"localhost:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


# ---- the wrong listener ----


@pytest.mark.parametrize("client", CLIENTS)
def test_tls_to_a_plaintext_listener(
    secured_kafka: SecuredKafkaCluster, tls: Config, client: Any
) -> None:
    """error_cb gets _TRANSPORT, and the text reports a failed TLS handshake.

    The text contains a likely reason only if the broker's answer arrives before the broker closes
    the connection.
    """
    tls["bootstrap.servers"] = secured_kafka.servers("PLAINTEXT")
    told(client, tls, KafkaError._TRANSPORT, "SSL_HANDSHAKE")


@pytest.mark.parametrize("client", CLIENTS)
def test_plaintext_to_a_tls_listener(secured_kafka: SecuredKafkaCluster, client: Any) -> None:
    """error_cb gets _ALL_BROKERS_DOWN, because the brokers disconnect without an answer."""
    config = secured_kafka.config() | {"bootstrap.servers": secured_kafka.servers("SSL")}
    told(client, config, KafkaError._ALL_BROKERS_DOWN, "brokers are down")


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("listener", ["SSL", "SASL_PLAINTEXT"])
def test_list_topics_of_the_wrong_listener(
    secured_kafka: SecuredKafkaCluster, client: Any, listener: str
) -> None:
    """list_topics() fails after its timeout, and the error reports that the broker
    disconnected."""
    config = secured_kafka.config() | {"bootstrap.servers": secured_kafka.servers(listener)}
    with failing(client, config) as (lost, _):
        failure(lambda: lost.list_topics(timeout=1), HUNG_UP)


@pytest.mark.parametrize("client", CLIENTS)
def test_list_topics_of_an_untrusted_broker(tls: Config, tmp_path: Path, client: Any) -> None:
    """list_topics() fails after its timeout, because the broker's certificate cannot be
    verified."""
    tls["ssl.ca.location"] = str(Authority(tmp_path).file)
    with failing(client, tls) as (lost, _):
        failure(lambda: lost.list_topics(timeout=1), "certificate verify failed")
