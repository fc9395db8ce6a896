"""Converts aiokafka's SSL contexts into librdkafka's properties."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path

import pytest

from confluent_kafka.compat._common.tls import create_ssl_context, tls_properties

INSTEAD = ("give the files", "give the list")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A self-signed certificate, and its private key."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = str(folder / "certificate.pem"), str(folder / "key.pem")
    subprocess.run(
        f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
        f"-keyout {key} -out {certificate}".split(),
        check=True,
        capture_output=True,
    )
    return certificate, key


def test_files_are_remembered(files: tuple[str, str]) -> None:
    """librdkafka gets the files from which the context was created."""
    certificate, key = files
    context = create_ssl_context(cafile=certificate, certfile=certificate, keyfile=key)
    conf = tls_properties(context, *INSTEAD)
    assert conf.pop("ssl.ca.pem").strip() == Path(certificate).read_text().strip()
    assert conf == {
        "enable.ssl.certificate.verification": True,
        "ssl.endpoint.identification.algorithm": "https",
        "ssl.certificate.location": certificate,
        "ssl.key.location": key,
    }


def test_what_is_loaded_and_set_later_counts(files: tuple[str, str], tmp_path: Path) -> None:
    """The client reads a context of our create_ssl_context() when the client is created, so changes
    of the context before that take effect."""
    certificate, key = files
    context = create_ssl_context(capath=tmp_path)
    context.load_cert_chain(certificate, key, lambda: b"phrase")
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    assert tls_properties(context, *INSTEAD) == {
        "enable.ssl.certificate.verification": False,
        "ssl.endpoint.identification.algorithm": "none",
        "ssl.ca.location": str(tmp_path),
        "ssl.certificate.location": certificate,
        "ssl.key.location": key,
        "ssl.key.password": "phrase",
    }


def test_another_context_is_read(files: tuple[str, str]) -> None:
    """librdkafka gets the authorities and the verification settings of the program's own
    context."""
    context = ssl.create_default_context(cafile=files[0])
    context.check_hostname = False
    assert tls_properties(context, *INSTEAD) == {
        "enable.ssl.certificate.verification": True,
        "ssl.endpoint.identification.algorithm": "none",
        "ssl.ca.pem": ssl.DER_cert_to_PEM_cert(context.get_ca_certs(binary_form=True)[0]),
    }


def test_another_context_with_a_private_key(files: tuple[str, str]) -> None:
    """A program's own context with a private key is refused, because the key cannot be read.

    The error asks for the files instead.
    """
    context = ssl.create_default_context()
    context.load_cert_chain(*files)
    with pytest.raises(ValueError, match=r"has a private key, .*: give the files"):
        tls_properties(context, *INSTEAD)


def test_two_kinds_of_authorities(files: tuple[str, str], tmp_path: Path) -> None:
    """librdkafka has one property for authorities, so a directory together with a file is
    refused."""
    with pytest.raises(ValueError, match="capath= and cafile="):
        tls_properties(create_ssl_context(cafile=files[0], capath=tmp_path), *INSTEAD)
