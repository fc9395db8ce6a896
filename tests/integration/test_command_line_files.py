"""Files of Java clients: Kafka's own script and this command log in with the same file."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    load_pem_private_key,
    pkcs12,
)
from cryptography.x509 import load_pem_x509_certificates

from tests.integration.kafka_cluster import USERS, OwnKafkaCluster
from tests.integration.oidc import CLIENT_ID, CLIENT_SECRET
from tests.support.command_line import run, words
from tests.support.real_kafka import kafka_home
from tests.support.secrets import reveals, secret
from tests.support.waiting import TIMEOUT

pytestmark = pytest.mark.integration

MODULE = "org.apache.kafka.common.security"
STORE_PASSWORD = secret("store")


def topics_of_java(file: Path, servers: str) -> list[str]:
    """The topics that Kafka's own script lists with this file."""
    script = str(kafka_home() / "bin" / "kafka-topics.sh")
    done = subprocess.run(
        [script, "--list", "--bootstrap-server", servers, "--command-config", str(file)],
        env=os.environ | {"KAFKA_HEAP_OPTS": "-Xmx128m"},
        capture_output=True,
        text=True,
        timeout=TIMEOUT * 6,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.split()


def keytool(*arguments: str) -> str:
    """What Java's tool for stores prints."""
    program = shutil.which("keytool")
    if program is None:
        pytest.skip("there is no keytool")
    done = subprocess.run(
        [program, *arguments], check=True, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT * 6
    )
    return done.stdout


def topics_of_ours(file: Path, servers: str) -> list[str]:
    """The topics that this command lists with this file."""
    done = run("topics", "list", "-F", str(file), "-b", servers)
    assert done.status == 0, done.stderr
    assert not reveals(done.stderr)
    return [line.split("\t")[0] for line in done.stdout.decode().splitlines()[1:]]


def trust(kafka: OwnKafkaCluster) -> str:
    return f"ssl.truststore.type=PEM\nssl.truststore.location={kafka.authority.file}\n"


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_user_and_password(
    own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path, mechanism: str
) -> None:
    """sasl.jaas.config over several lines, and a PEM trust store."""
    module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    file = tmp_path / "client.properties"
    file.write_text(
        f"! of a Java client\nsecurity.protocol: SASL_SSL\nsasl.mechanism = {mechanism}\n"
        f"sasl.jaas.config={MODULE}.{module}LoginModule required \\\n"
        f'    username="alice" \\\n    password="{USERS["alice"]}";\n'
        f"{trust(own_kafka)}request.timeout.ms=20000\n"
        "key.serializer=org.apache.kafka.common.serialization.StringSerializer\n"
    )
    servers = own_kafka.servers("SASL_SSL")
    assert topic in topics_of_java(file, servers)
    assert topic in topics_of_ours(file, servers)


def test_unsecured_tokens(own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path) -> None:
    """OAuth with tokens that Java's login module makes itself."""
    file = tmp_path / "client.properties"
    file.write_text(
        "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
        f"sasl.jaas.config={MODULE}.oauthbearer.OAuthBearerLoginModule required "
        'unsecuredLoginStringClaim_sub="alice";\n'
    )
    servers = own_kafka.servers("SASL_PLAINTEXT")
    assert topic in topics_of_java(file, servers)
    assert topic in topics_of_ours(file, servers)


def test_tokens_of_an_identity_provider(
    own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path
) -> None:
    """OAuth with the client's id and secret in sasl.jaas.config. The test does not run Kafka's
    script, because Java also needs a system property that allows the provider's address."""
    file = tmp_path / "client.properties"
    file.write_text(
        f"security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\n{trust(own_kafka)}"
        f"sasl.login.callback.handler.class={MODULE}.oauthbearer.OAuthBearerLoginCallbackHandler\n"
        f"sasl.oauthbearer.token.endpoint.url={own_kafka.identity.token_url}\n"
        f"sasl.jaas.config={MODULE}.oauthbearer.OAuthBearerLoginModule required "
        f'clientId="{CLIENT_ID}" clientSecret="{CLIENT_SECRET}";\n'
    )
    assert topic in topics_of_ours(file, own_kafka.servers("SASL_SSL"))


@pytest.mark.parametrize("kind", ["PEM", "PKCS12"])
def test_mutual_tls(own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path, kind: str) -> None:
    """A key store with the certificate of the client."""
    keys = own_kafka.client_keys
    file = tmp_path / "client.properties"
    text = f"security.protocol=SSL\nssl.keystore.type={kind}\n{trust(own_kafka)}"
    if kind == "PEM":
        text += f"ssl.keystore.location={keys.both}\n"
    else:
        store = tmp_path / "client.p12"
        certificates = load_pem_x509_certificates(keys.certificate.read_bytes())
        key = load_pem_private_key(keys.key.read_bytes(), None)
        encryption = BestAvailableEncryption(STORE_PASSWORD.encode())
        store.write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"client",
                key,  # type: ignore[arg-type]  # trustme's keys are of one of the types
                certificates[0],
                certificates[1:],
                encryption,
            )
        )
        text += f"ssl.keystore.location={store}\nssl.keystore.password={STORE_PASSWORD}\n"
    file.write_text(text)
    servers = own_kafka.servers("SSL")
    assert topic in topics_of_java(file, servers)
    assert topic in topics_of_ours(file, servers)


@pytest.mark.parametrize("kind", ["PKCS12", "JKS"])
def test_a_trust_store_of_keytool(
    own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path, kind: str
) -> None:
    """A store that keytool has made works if it is PKCS12, whatever its name. JKS is refused, and
    the command that the error names makes a file that works."""
    store = tmp_path / "trust.jks"
    options = ["-keystore", str(store), "-storepass", STORE_PASSWORD]
    certificate = ["-alias", "ca", "-file", str(own_kafka.authority.file)]
    keytool("-importcert", "-noprompt", "-storetype", kind, *certificate, *options)
    text = (
        "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nssl.truststore.type=JKS\n"
        f"sasl.jaas.config={MODULE}.plain.PlainLoginModule required username=alice "
        f'password="{USERS["alice"]}";\n'
    )
    file = tmp_path / "client.properties"
    file.write_text(
        f"{text}ssl.truststore.location={store}\nssl.truststore.password={STORE_PASSWORD}\n"
    )
    servers = own_kafka.servers("SASL_SSL")
    assert topic in topics_of_java(file, servers)
    if kind == "PKCS12":
        assert topic in topics_of_ours(file, servers)
        return
    done = run("topics", "list", "-F", str(file), "-b", servers)
    assert done.status == 2
    assert "write it as PEM (keytool -list -rfc -keystore STORE > ca.pem)" in words(done.stderr)
    pem = tmp_path / "ca.pem"
    pem.write_text(keytool("-list", "-rfc", *options))
    file.write_text(f"{text}ssl.truststore.location={pem}\n")
    assert topic in topics_of_ours(file, servers)


def test_a_profile(
    own_kafka: OwnKafkaCluster, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A profile logs in with a password from a program. On its production cluster, a topic is only
    deleted with --yes-really."""
    (tmp_path / "password").write_text(USERS["alice"])
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(
        f"""
        [prod]
        production = true
        bootstrap.servers = "{own_kafka.servers("SASL_SSL")}"
        security.protocol = "SASL_SSL"
        sasl.mechanism = "SCRAM-SHA-256"
        sasl.username = "alice"
        sasl.password = {{ command = ["cat", "{tmp_path / "password"}"] }}
        ssl.ca.location = "{own_kafka.authority.file}"
        """
    )
    monkeypatch.setenv("KAFKA_PROFILES", str(profiles))
    done = run("topics", "list", "-C", "prod")
    assert f"{topic}\t1\t" in done.stdout.decode()
    done = run("topics", "delete", topic, "--yes", "-C", "prod")
    assert (done.status, done.stdout) == (2, b"")
    assert "also give --yes-really prod" in done.stderr
    assert topic in run("topics", "list", "-C", "prod").stdout.decode()
    done = run("topics", "delete", topic, "--yes", "--yes-really", "prod", "-C", "prod")
    assert done.stdout == f"topic {topic} was deleted\n".encode()


def test_a_wrong_password(own_kafka: OwnKafkaCluster, tmp_path: Path) -> None:
    """The error of the broker, without the password."""
    word = secret("wrong")
    file = tmp_path / "client.properties"
    file.write_text(
        f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\n{trust(own_kafka)}"
        f"sasl.jaas.config=PlainLoginModule required username=alice password='{word}';\n"
    )
    done = run("topics", "list", "-F", str(file), "-b", own_kafka.servers("SASL_SSL"))
    assert (done.status, done.stdout) == (1, b"")
    assert "Authentication failed" in done.stderr
    assert word not in done.stderr
