"""Java's client.properties on clusters with TLS and logins. Real Kafka has tests of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")
pytest.importorskip("cryptography", reason="the extra [java-stores] is not installed")

from confluent_kafka.testing import Certificates, MockCluster, Security
from tests.support.command_line import Ended, run, words
from tests.support.secrets import reveals, secret
from tests.support.waiting import TIMEOUT

MODULE = "org.apache.kafka.common.security"
STORE_PASSWORD = secret("store")
# JAAS and .properties files both have escapes for these characters.
PASSWORD = secret("quoted") + '"\\\u00f6'
ESCAPED = secret("quoted") + r"\\\"\\\\\u00f6"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def logins(certificates: Certificates) -> Iterator[MockCluster]:
    """A cluster with TLS and logins."""
    security = Security(
        protocol="SASL_SSL",
        mechanisms=MECHANISMS,
        users={"alice": PASSWORD},
        certificates=certificates,
    )
    with MockCluster(brokers=1, security=security) as cluster:
        cluster.create_topic("orders")
        yield cluster


@pytest.fixture(scope="module")
def mutual(certificates: Certificates) -> Iterator[MockCluster]:
    """A cluster whose clients need a certificate."""
    security = Security(protocol="SSL", client_certificates=True, certificates=certificates)
    with MockCluster(brokers=1, security=security) as cluster:
        cluster.create_topic("orders")
        yield cluster


def listed(folder: Path, cluster: MockCluster, *lines: str) -> Ended:
    """What `topics list` does with a file of these lines."""
    file = folder / "client.properties"
    protocol = cluster.client_config()["security.protocol"]
    first = f"bootstrap.servers={cluster.bootstrap_servers}", f"security.protocol={protocol}"
    file.write_text("\n".join([*first, *lines, ""]), encoding="latin-1")
    done = run("topics", "list", "-F", str(file))
    assert not reveals(done.stderr)
    return done


def tool(*arguments: str) -> None:
    """Run a program that makes stores."""
    if shutil.which(arguments[0]) is None:
        pytest.skip(f"there is no {arguments[0]}")
    subprocess.run(arguments, check=True, capture_output=True, timeout=TIMEOUT * 6)


def check(done: Ended) -> None:
    assert (done.status, done.stderr) == (0, "")
    assert b"orders\t" in done.stdout


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_login(
    mechanism: str, logins: MockCluster, certificates: Certificates, tmp_path: Path
) -> None:
    """The login module gets its password through both kinds of escapes. Java accepts the word
    after the module in upper case, too."""
    modules = {"PLAIN": "plain.Plain", "OAUTHBEARER": "oauthbearer.OAuthBearer"}
    settings = {"OAUTHBEARER": "unsecuredLoginStringClaim_sub=alice"}
    check(
        listed(
            tmp_path,
            logins,
            f"sasl.mechanism={mechanism}",
            f"ssl.truststore.location={certificates.ca}",
            "ssl.truststore.type=PEM",
            "client.dns.lookup=default",
            f"sasl.jaas.config={MODULE}.{modules.get(mechanism, 'scram.Scram')}LoginModule "
            f"REQUIRED {settings.get(mechanism, f'username=alice password={chr(34)}{ESCAPED}')}"
            f"{'' if mechanism in settings else chr(34)};",
        )
    )


@pytest.mark.parametrize("options", [(), ("-J-Dkeystore.pkcs12.legacy",)])
def test_a_trust_store_of_keytool(
    options: tuple[str, ...], mutual: MockCluster, certificates: Certificates, tmp_path: Path
) -> None:
    """The certificates of PKCS#12 become PEM, also with the encryption of old versions of Java."""
    store = tmp_path / "trust.jks"
    tool(
        *("keytool", *options, "-importcert", "-noprompt", "-storetype", "PKCS12", "-alias", "ca"),
        *("-file", str(certificates.ca), "-keystore", str(store), "-storepass", STORE_PASSWORD),
    )
    done = listed(
        tmp_path,
        mutual,
        f"ssl.truststore.location={store}",
        f"ssl.truststore.password={STORE_PASSWORD}",
        f"ssl.keystore.key={one_line(certificates.client_key)}",
        f"ssl.keystore.certificate.chain={one_line(certificates.client)}",
        "ssl.keystore.type=PEM",
    )
    check(done)


def one_line(pem: object) -> str:
    r"""The text of a PEM file, with its line ends as the escapes of .properties files."""
    return Path(str(pem)).read_text().replace("\n", r"\n")


@pytest.fixture
def store(certificates: Certificates, tmp_path: Path) -> Path:
    """A key store that openssl has made."""
    path = tmp_path / "client.p12"
    files = "-in", str(certificates.client), "-inkey", str(certificates.client_key)
    password = "-passout", f"pass:{STORE_PASSWORD}"
    tool("openssl", "pkcs12", "-export", *files, "-out", str(path), *password)
    return path


def test_a_key_store(
    store: Path, mutual: MockCluster, certificates: Certificates, tmp_path: Path
) -> None:
    """PKCS#12 of openssl works. With a wrong password, the error says that it is wrong."""
    trust = f"ssl.truststore.location={certificates.ca}", "ssl.truststore.type=PEM"
    place = f"ssl.keystore.location={store}"
    check(listed(tmp_path, mutual, *trust, place, f"ssl.keystore.password={STORE_PASSWORD}"))
    done = listed(tmp_path, mutual, *trust, place, f"ssl.keystore.password={STORE_PASSWORD}x")
    assert done.status == 2
    assert "The password of the key store (ssl.keystore.password) is wrong" in words(done.stderr)


def test_the_command_for_a_jks_key_store(
    store: Path, mutual: MockCluster, certificates: Certificates, tmp_path: Path
) -> None:
    """JKS is refused, and the command that the error names makes a store that works."""
    jks, new = tmp_path / "client.jks", tmp_path / "store.p12"
    passwords = "-srcstorepass", STORE_PASSWORD, "-deststorepass", STORE_PASSWORD
    kinds = "-srckeystore", str(store), "-destkeystore", str(jks), "-deststoretype", "JKS"
    tool("keytool", "-importkeystore", "-noprompt", *kinds, *passwords)
    trust = f"ssl.truststore.location={certificates.ca}", "ssl.truststore.type=PEM"
    password = f"ssl.keystore.password={STORE_PASSWORD}"
    done = listed(tmp_path, mutual, *trust, f"ssl.keystore.location={jks}", password)
    assert done.status == 2
    command = words(done.stderr).partition("(keytool ")[2].partition(")")[0]
    command = command.replace("STORE", str(jks), 1).replace("store.p12", str(new))
    tool("keytool", *command.split(), "-noprompt", *passwords)
    check(listed(tmp_path, mutual, *trust, f"ssl.keystore.location={new}", password))


def test_an_old_encryption(mutual: MockCluster, certificates: Certificates, tmp_path: Path) -> None:
    """OpenSSL does not read key stores of old versions of Java. The error says how to renew one."""
    store = tmp_path / "client.p12"
    files = "-in", str(certificates.client), "-inkey", str(certificates.client_key)
    password = "-passout", f"pass:{STORE_PASSWORD}"
    tool("openssl", "pkcs12", "-export", "-legacy", *files, "-out", str(store), *password)
    done = listed(
        tmp_path,
        mutual,
        f"ssl.truststore.location={certificates.ca}\nssl.truststore.type=PEM",
        f"ssl.keystore.location={store}\nssl.keystore.password={STORE_PASSWORD}",
    )
    assert done.status == 2
    assert "an encryption that OpenSSL does not support any more" in words(done.stderr)
    assert "keytool -importkeystore" in words(done.stderr)
