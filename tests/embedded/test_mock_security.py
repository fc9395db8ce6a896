"""A cluster with security: TLS, mutual TLS and SASL, for each kind of client."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.compat.kafka import KafkaConsumer, KafkaProducer
from confluent_kafka.testing import Certificates, MockCluster, Security
from tests.support.certificates import needs_cryptography
from tests.support.kafka import read, send, values_of
from tests.support.scripts import check_script
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT

PASSWORD = secret("right")
WRONG = secret("wrong")
USERS = {"alice": PASSWORD}
SASL = ["SASL_PLAINTEXT", pytest.param("SASL_SSL", marks=needs_cryptography)]
SCRAM = ["SCRAM-SHA-256", "SCRAM-SHA-512"]
MECHANISMS = ["PLAIN", *SCRAM, "OAUTHBEARER"]
WITH_PASSWORDS = ["PLAIN", *SCRAM]


def cluster_of(protocol: str, *mechanisms: str, **more: Any) -> MockCluster:
    security = Security(protocol=protocol, mechanisms=mechanisms, users=USERS, **more)
    return MockCluster(brokers=2, security=security)


def check_round_trip(config: dict[str, Any], topic: str) -> None:
    """Check that a message can be sent and read."""
    with Producer(config | {"linger.ms": 0}) as producer:
        send(producer, topic, [b"sent"])
    with Consumer(config | {"group.id": "group"}) as consumer:
        assert values_of(read(consumer, topic, 1)) == [b"sent"]


def refusal(config: dict[str, Any], timeout: float = TIMEOUT) -> KafkaError:
    """The reason for which connect() fails."""
    with Producer(config) as producer, pytest.raises(KafkaException) as caught:
        producer.connect(timeout)
    error: KafkaError = caught.value.args[0]
    return error


@pytest.mark.parametrize("protocol", SASL)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_login(protocol: str, mechanism: str) -> None:
    """A client with the right credentials produces and consumes, with each mechanism."""
    with cluster_of(protocol, mechanism) as cluster:
        cluster.create_topic("orders")
        check_round_trip(cluster.client_config("alice"), "orders")


@needs_cryptography
@pytest.mark.parametrize("mutual", [False, True])
def test_tls(mutual: bool) -> None:
    """Clients produce and consume with TLS alone, and with a client's certificate."""
    security = Security(protocol="SSL", client_certificates=mutual)
    with MockCluster(security=security) as cluster:
        cluster.create_topic("orders")
        check_round_trip(cluster.client_config(), "orders")


@pytest.mark.parametrize("protocol", SASL)
@pytest.mark.parametrize("mechanism", WITH_PASSWORDS)
@pytest.mark.parametrize(
    ("user", "password"),
    [("alice", WRONG), ("nobody", PASSWORD)],
    ids=["wrong password", "unknown user"],
)
def test_refused_login(protocol: str, mechanism: str, user: str, password: str) -> None:
    """If a login is refused, the client gets Kafka's error, without the password."""
    with cluster_of(protocol, mechanism) as cluster:
        wrong = {"sasl.username": user, "sasl.password": password}
        error = refusal(cluster.client_config("alice") | wrong)
    assert error.code() == KafkaError._AUTHENTICATION
    assert "Authentication failed" in error.str()
    assert password not in error.str()


def test_unsupported_mechanism() -> None:
    """The error names the mechanisms that the brokers support."""
    with cluster_of("SASL_PLAINTEXT", "PLAIN") as cluster:
        config = cluster.client_config("alice") | {"sasl.mechanism": "SCRAM-SHA-256"}
        error = refusal(config)
    assert error.code() == KafkaError._AUTHENTICATION
    assert "PLAIN" in error.str()


def test_expired_token() -> None:
    """An expired token is refused."""
    parts = ({"alg": "none"}, {"sub": "alice", "iat": 0, "exp": time.time() - 60})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode() for part in parts]
    token = ".".join([*(part.rstrip("=") for part in encoded), ""])

    def tokens(unused: str) -> tuple[str, float]:
        return token, time.time() + 3600

    with cluster_of("SASL_PLAINTEXT", "OAUTHBEARER") as cluster:
        config = cluster.client_config()
        del config["enable.sasl.oauthbearer.unsecure.jwt"], config["sasl.oauthbearer.config"]
        error = refusal(config | {"oauth_cb": tokens})
    assert error.code() == KafkaError._AUTHENTICATION
    assert "invalid_token" in error.str()


def test_check_token() -> None:
    """A test's own check decides about a token; it may also raise an exception."""
    allowed = secret("token")

    def check(token: str) -> bool:
        if token != allowed:
            raise ValueError(token)
        return True

    def client(token: str) -> dict[str, Any]:
        return {"oauth_cb": lambda unused: (token, time.time() + 3600)}

    with cluster_of("SASL_PLAINTEXT", "OAUTHBEARER", check_token=check) as cluster:
        cluster.create_topic("orders")
        config = cluster.client_config()
        check_round_trip(config | client(allowed), "orders")
        assert refusal(config | client(WRONG)).code() == KafkaError._AUTHENTICATION


@needs_cryptography
def test_no_certificate_of_a_client() -> None:
    """With mutual TLS, a client without a certificate does not connect."""
    security = Security(protocol="SSL", client_certificates=True)
    with MockCluster(security=security) as cluster:
        config = cluster.client_config()
        del config["ssl.certificate.location"], config["ssl.key.location"]
        refusal(config, timeout=2)


@needs_cryptography
def test_another_authority(tmp_path: Path) -> None:
    """A client that trusts another authority does not connect."""
    other = Certificates.make(tmp_path)
    with MockCluster(security=Security(protocol="SSL")) as cluster:
        error = refusal(cluster.client_config() | {"ssl.ca.location": other.ca})
    assert error.code() == KafkaError._SSL


@needs_cryptography
def test_own_certificates(tmp_path: Path) -> None:
    """The cluster uses the files that it is given, and does not delete them."""
    files = Certificates.make(tmp_path)
    security = Security(protocol="SSL", certificates=files, client_certificates=True)
    with MockCluster(security=security) as cluster:
        config = cluster.client_config()
        assert config["ssl.ca.location"] == files.ca
        assert config["ssl.key.location"] == files.client_key
        with Producer(config) as producer:
            producer.connect(TIMEOUT)
    assert Path(files.ca).exists()


@pytest.mark.parametrize("mechanism", SCRAM)
def test_administrator_of_users(mechanism: str) -> None:
    """alter_user_scram_credentials() can create a user, and can delete one."""
    number = getattr(ScramMechanism, mechanism.replace("-", "_"))
    with cluster_of("SASL_PLAINTEXT", mechanism) as cluster:
        alice = cluster.client_config("alice")
        bob = alice | {"sasl.username": "bob", "sasl.password": secret("bob")}
        assert refusal(bob).code() == KafkaError._AUTHENTICATION
        new = UserScramCredentialUpsertion(
            "bob", ScramCredentialInfo(number, 4096), secret("bob").encode()
        )
        with AdminClient(alice) as admin:
            assert set(admin.describe_user_scram_credentials(["alice"])) == {"alice"}
            for future in admin.alter_user_scram_credentials([new]).values():
                future.result(TIMEOUT)
            with Producer(bob) as producer:
                producer.connect(TIMEOUT)
            gone = UserScramCredentialDeletion("bob", number)
            for future in admin.alter_user_scram_credentials([gone]).values():
                future.result(TIMEOUT)
        assert refusal(bob).code() == KafkaError._AUTHENTICATION


@needs_cryptography
def test_administration_of_topics() -> None:
    """An administrator's requests reach the brokers, and all addresses in metadata are addresses of
    listeners."""
    with cluster_of("SASL_SSL", "PLAIN") as cluster, AdminClient(cluster.client_config()) as admin:
        nodes = admin.describe_cluster().result(TIMEOUT).nodes
        described = {f"{node.host}:{node.port}" for node in nodes}
        listed = {f"{node.host}:{node.port}" for node in admin.list_topics().brokers.values()}
        assert described == listed == set(cluster.bootstrap_servers.split(","))


@needs_cryptography
def test_asyncio_clients() -> None:
    """The asyncio clients log in, also for a group whose coordinator has its own listener."""

    async def run(config: dict[str, Any]) -> bytes | None:
        async with AIOProducer(config) as producer:
            await (await producer.produce("orders", b"sent"))
        group = {"group.id": "group", "auto.offset.reset": "earliest"}
        async with AIOConsumer(config | group) as consumer:
            await consumer.subscribe(["orders"])
            message = await consumer.poll(TIMEOUT)
            assert message is not None
            return message.value()

    with cluster_of("SASL_SSL", "SCRAM-SHA-512") as cluster:
        cluster.create_topic("orders")
        assert asyncio.run(run(cluster.client_config())) == b"sent"


@needs_cryptography
def test_api_of_kafka_python() -> None:
    """The clients with kafka-python's API log in."""
    with cluster_of("SASL_SSL", "PLAIN") as cluster:
        cluster.create_topic("orders")
        config = {
            "bootstrap_servers": cluster.bootstrap_servers,
            "security_protocol": "SASL_SSL",
            "ssl_cafile": cluster.client_config()["ssl.ca.location"],
            "sasl_mechanism": "PLAIN",
            "sasl_plain_username": "alice",
            "sasl_plain_password": PASSWORD,
        }
        with KafkaProducer(**config) as producer:
            producer.send("orders", b"sent").get(TIMEOUT)
        with KafkaConsumer("orders", auto_offset_reset="earliest", **config) as consumer:
            assert next(consumer).value == b"sent"


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    """A connection to a broker that requires PLAIN."""
    with cluster_of("SASL_PLAINTEXT", "PLAIN") as cluster:
        host, port = cluster.bootstrap_servers.split(",")[0].split(":")
        with socket.create_connection((host, int(port)), TIMEOUT) as connected:
            yield connected


def exchange(connection: socket.socket, frame: bytes) -> bytes:
    """The next frame, or b"" if the broker closes the connection."""
    connection.sendall(struct.pack(">i", len(frame)) + frame)
    with connection.makefile("rb") as stream:
        size = stream.read(4)
        return stream.read(*struct.unpack(">i", size)) if size else b""


def request(api_key: int, version: int, body: bytes = b"") -> bytes:
    return struct.pack(">hhih", api_key, version, 7, -1) + body


def test_requests_before_the_login(connection: socket.socket) -> None:
    """A broker closes the connection of a client that does not log in."""
    assert exchange(connection, request(3, 0, struct.pack(">i", 0))) == b""


def test_the_first_handshake(connection: socket.socket) -> None:
    """After version 0 of the handshake, the mechanism's messages have no header."""
    answer = exchange(connection, request(17, 0, struct.pack(">h", 5) + b"PLAIN"))
    assert answer[4:6] == b"\0\0"
    login = f"\0alice\0{PASSWORD}".encode()
    connection.sendall(struct.pack(">i", len(login)) + login)
    with connection.makefile("rb") as stream:
        assert stream.read(4) == b"\0\0\0\0"
    assert exchange(connection, request(18, 0))[4:6] == b"\0\0"


@needs_cryptography
def test_the_end_of_a_cluster() -> None:
    """close() removes the certificate files, and so does the end of a cluster that was not
    closed."""
    cluster = MockCluster(brokers=1, security=Security(protocol="SSL"))
    forgotten = [MockCluster(brokers=1, security=Security(protocol="SSL"))]
    both = [cluster.client_config(), forgotten[0].client_config()]
    files = [Path(config["ssl.ca.location"]) for config in both]
    assert all(file.exists() for file in files)
    cluster.close()
    cluster.close()
    with pytest.warns(ResourceWarning):
        forgotten.clear()
    assert not any(file.exists() for file in files)


@needs_cryptography
def test_a_cluster_inside_an_event_loop() -> None:
    """A test that is a coroutine can start and close a cluster."""

    async def run() -> None:
        with cluster_of("SASL_SSL", "PLAIN") as cluster:
            async with AIOProducer(cluster.client_config()) as producer:
                await producer.connect(TIMEOUT)

    asyncio.run(run())


def test_configuration_without_security() -> None:
    """client_config() works for every cluster, and a cluster without SASL has no users."""
    with MockCluster() as cluster:
        assert cluster.client_config() == {"bootstrap.servers": cluster.bootstrap_servers}
        with pytest.raises(ValueError, match="user must be None, not 'alice'"):
            cluster.client_config("alice")


def test_unknown_users_and_mechanisms() -> None:
    """The error of client_config() lists the existing users and mechanisms."""
    with cluster_of("SASL_PLAINTEXT", "PLAIN") as cluster:
        with pytest.raises(ValueError, match="user: 'bob' is not one of alice"):
            cluster.client_config("bob")
        with pytest.raises(ValueError, match="mechanism: 'GSSAPI' is not one of PLAIN"):
            cluster.client_config(mechanism="GSSAPI")


FILES = Certificates("ca", "broker", "key")


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"protocol": "TLS"}, ValueError, "protocol: 'TLS' is not one of PLAINTEXT, SSL"),
        ({"mechanisms": "PLAIN"}, TypeError, "mechanisms must be a sequence of str, not 'PLAIN'"),
        ({"mechanisms": ["GSSAPI"]}, ValueError, "mechanisms: 'GSSAPI' is not one of PLAIN, "),
        ({"users": ["alice"]}, TypeError, "users must be a mapping, not list"),
        ({"users": {"alice": b""}}, TypeError, "a dict of str to str; 'alice' is not"),
        ({"users": {"alice": ""}}, ValueError, "users must have a name and a password; 'alice'"),
        ({"check_token": 1}, TypeError, "check_token must be callable or None, not 1"),
        ({"check_token": print}, ValueError, "check_token needs the mechanism OAUTHBEARER"),
        ({"certificates": "file"}, TypeError, "certificates must be Certificates or None"),
        (
            {"protocol": "SASL_PLAINTEXT", "certificates": FILES},
            ValueError,
            "certificates and client_certificates need a protocol with TLS, not SASL_PLAINTEXT",
        ),
        (
            {"protocol": "SSL", "users": USERS},
            ValueError,
            "mechanisms, users and check_token need a protocol with SASL, not SSL",
        ),
        (
            {"certificates": FILES, "client_certificates": True},
            ValueError,
            "client_certificates needs client and client_key in certificates",
        ),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    """The error names the argument, and the allowed values."""
    with pytest.raises(error, match=text):
        Security(**({"protocol": "SASL_SSL"} | arguments))


def test_what_the_cluster_refuses(tmp_path: Path) -> None:
    """The cluster refuses other objects, and files that are missing or broken."""
    with pytest.raises(TypeError, match="security must be Security or None, not 'SSL'"):
        MockCluster(security="SSL")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        MockCluster(security=Security(protocol="SSL", certificates=FILES))
    broken = tmp_path / "broken.pem"
    broken.write_text("nothing")
    files = Certificates(str(broken), str(broken), str(broken))
    with pytest.raises(ssl.SSLError):
        MockCluster(security=Security(protocol="SSL", certificates=files))


def test_without_cryptography() -> None:
    """If the package cryptography is missing, the error says what to install or to give."""
    script = """
    import sys
    sys.modules["cryptography"] = None
    from confluent_kafka.testing import MockCluster, Security

    try:
        MockCluster(security=Security(protocol="SSL"))
    except ImportError as error:
        print(error)
    """
    said = check_script(script)
    assert "needs the package cryptography: install it" in said
    assert "certificates=Certificates(...)" in said


def test_no_passwords_in_texts() -> None:
    """repr() shows no password."""
    assert PASSWORD not in repr(Security(protocol="SASL_SSL", users=USERS))
