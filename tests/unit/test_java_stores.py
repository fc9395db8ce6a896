"""Key stores and trust stores of Java clients: what a file contains, and its certificates."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("cryptography", reason="the extra [java-stores] is not installed")

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    pkcs12,
)

from confluent_kafka._java import Wording, translate
from confluent_kafka._java.stores import certificates_of, contained
from tests.support.secrets import reveals, secret

PASSWORD = secret("store")
WORDING = Wording("property", "")


@pytest.fixture(scope="module")
def certificate() -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(1))
    return builder.sign(key, SHA256())


@pytest.fixture
def store(certificate: x509.Certificate, tmp_path: Path) -> str:
    """A PKCS#12 trust store with the name of another type."""
    path = tmp_path / "trust.jks"
    path.write_bytes(
        pkcs12.serialize_java_truststore(
            [pkcs12.PKCS12Certificate(certificate, b"ca")],
            BestAvailableEncryption(PASSWORD.encode()),
        )
    )
    return str(path)


def test_a_trust_store(certificate: x509.Certificate, store: str) -> None:
    """The certificates of PKCS#12 become PEM, whatever the file is called."""
    given = {"ssl.truststore.location": store, "ssl.truststore.password": PASSWORD}
    pem = certificate.public_bytes(Encoding.PEM).decode()
    for more in ({}, {"ssl.truststore.type": "JKS"}, {"ssl.truststore.type": "PKCS12"}):
        assert translate(given | more, WORDING) == ({"ssl.ca.pem": pem}, [])


def test_what_a_file_contains(certificate: x509.Certificate, store: str, tmp_path: Path) -> None:
    """The content decides. A file that cannot be read, or is something else, has no type."""
    other = tmp_path / "other"
    assert contained(None) is None
    assert contained(str(other)) is None
    assert contained(store) == "PKCS12"
    for content, kind in (
        (b"\xfe\xed\xfe\xed\0\0\0\2", "JKS"),
        (b"# mine\n" + certificate.public_bytes(Encoding.PEM), "PEM"),
        (b"", None),
        (b"text", None),
    ):
        other.write_bytes(content)
        assert contained(str(other)) == kind


def test_a_key_store_with_a_wrong_name(store: str) -> None:
    """librdkafka reads PKCS#12 also from a file that is called .jks."""
    given = {"ssl.keystore.location": store, "ssl.keystore.password": PASSWORD}
    assert translate(given, WORDING) == (given, [])


@pytest.mark.parametrize("password", [None, "x", f"{PASSWORD}x"])
def test_a_wrong_password(store: str, password: str | None) -> None:
    """The error does not contain the password."""
    with pytest.raises(ValueError, match="is not PKCS#12, or the password is wrong") as failure:
        certificates_of(store, password)
    assert not reveals(str(failure.value).replace(store, ""))


def test_without_the_extra(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra, and what works without it."""
    for name in [each for each in sys.modules if each.startswith("cryptography")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ValueError, match=r"the extra \[java-stores\].* write it as PEM"):
        translate({"ssl.truststore.location": store}, WORDING)
