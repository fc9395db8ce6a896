"""ssl_context of the compatibility APIs: connections are at least as strict as the context."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat import aiokafka, kafka, kafka_2
from confluent_kafka.compat._common.tls import create_ssl_context, tls_properties
from tests.support.clients import QUIET
from tests.support.waiting import TIMEOUT

INSTEAD = ("give the files", "give the list")


class Files(NamedTuple):
    certificate: str  # self-signed, for localhost
    key: str
    crl: str
    folder: str  # with the certificate, under its hash
    empty: str


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("tls")
    made = Files(*(str(folder / name) for name in ("crt.pem", "key.pem", "crl.pem", "ca", "empty")))

    def openssl(command: str) -> str:
        done = subprocess.run(
            ["openssl", *command.split()], check=True, capture_output=True, text=True, cwd=folder
        )
        return done.stdout.strip()

    openssl(
        f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
        f"-addext subjectAltName=DNS:localhost -keyout {made.key} -out {made.certificate}"
    )
    (folder / "index.txt").touch()
    (folder / "ca.conf").write_text(
        "[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\ndefault_md = sha256\n"
        "default_crl_days = 2\n"
    )
    openssl(
        f"ca -config ca.conf -gencrl -keyfile {made.key} -cert {made.certificate} -out {made.crl}"
    )
    Path(made.folder).mkdir()
    Path(made.empty).mkdir()
    name = openssl(f"x509 -noout -subject_hash -in {made.certificate}")
    Path(made.folder, f"{name}.0").write_bytes(Path(made.certificate).read_bytes())
    return made


@contextlib.contextmanager
def connected(
    files: Files, context: ssl.SSLContext, set_up: Callable[[ssl.SSLContext], Any]
) -> Iterator[ssl.SSLSocket | None]:
    """The server's end of a connection that librdkafka makes with a context's properties."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    set_up(server)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(TIMEOUT)
        conf = tls_properties(context, *INSTEAD) | {
            "bootstrap.servers": f"localhost:{listening.getsockname()[1]}",
            "broker.address.family": "v4",
            "security.protocol": "SSL",
            "logger": QUIET,
        }
        with Producer(conf):
            connection, _ = listening.accept()
            connection.settimeout(TIMEOUT)
            try:
                secured = server.wrap_socket(connection, server_side=True)
                with secured:
                    # If a client does not trust the server, the client raises instead of sending a
                    # request.
                    yield secured if secured.recv(1) else None
            except OSError:
                connection.close()
                yield None


def nothing(context: ssl.SSLContext) -> None:
    """Change nothing."""


def trusting(files: Files) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=files.certificate)


def test_whom_a_context_trusts(files: Files) -> None:
    """Authorities from a file, a directory or a text are trusted. An empty directory is
    not enough."""
    text = Path(files.certificate).read_text()
    for context in (
        trusting(files),
        ssl.create_default_context(cadata=text),
        create_ssl_context(cafile=files.certificate),
        create_ssl_context(capath=files.folder),
        create_ssl_context(cadata=text),
        create_ssl_context(cafile=files.certificate, crlfile=files.crl),
    ):
        with connected(files, context, nothing) as connection:
            assert connection is not None
    for context in (create_ssl_context(capath=files.empty), create_ssl_context()):
        with connected(files, context, nothing) as connection:
            assert connection is None


def test_ciphers(files: Files) -> None:
    """Only the context's own ciphers are used."""
    context = trusting(files)
    context.set_ciphers("ECDHE-RSA-AES256-GCM-SHA384")

    def only(cipher: str) -> Callable[[ssl.SSLContext], None]:
        def set_up(server: ssl.SSLContext) -> None:
            server.maximum_version = ssl.TLSVersion.TLSv1_2
            server.set_ciphers(cipher)

        return set_up

    with connected(files, context, only("ECDHE-RSA-AES256-GCM-SHA384")) as connection:
        assert connection is not None
        assert connection.cipher()[0] == "ECDHE-RSA-AES256-GCM-SHA384"
    with connected(files, context, only("ECDHE-RSA-AES128-GCM-SHA256")) as connection:
        assert connection is None


def test_security_level(files: Files) -> None:
    """If the security level needs more than the server's 2,048-bit key, the server is refused."""
    context = trusting(files)
    context.set_ciphers("DEFAULT:@SECLEVEL=3")
    with connected(files, context, nothing) as connection:
        assert connection is None


def test_a_level_of_0_does_not_add_versions(files: Files) -> None:
    """A context that allows weak ciphers still does not use TLS 1.1."""
    context = trusting(files)
    context.set_ciphers("ALL:@SECLEVEL=0")

    def old(server: ssl.SSLContext) -> None:
        server.set_ciphers("ALL:@SECLEVEL=0")
        with warnings.catch_warnings(action="ignore"):
            server.minimum_version = ssl.TLSVersion.TLSv1
            server.maximum_version = ssl.TLSVersion.TLSv1_1

    with connected(files, context, old) as connection:
        assert connection is None


def test_curves(files: Files) -> None:
    """Only the context's own curve is used."""
    context = trusting(files)
    context.set_ecdh_curve("secp384r1")
    for curve, fits in (("secp384r1", True), ("prime256v1", False)):
        with connected(files, context, lambda server, c=curve: server.set_ecdh_curve(c)) as found:
            assert (found is not None) == fits


def test_names_are_checked_or_not(files: Files) -> None:
    """A certificate of another host is refused, unless check_hostname is off."""
    context = trusting(files)
    properties = tls_properties(context, *INSTEAD)
    assert properties["ssl.endpoint.identification.algorithm"] == "https"
    context.check_hostname = False
    properties = tls_properties(context, *INSTEAD)
    assert properties["ssl.endpoint.identification.algorithm"] == "none"


def refused(name: str, files: Files) -> ssl.SSLContext:
    """A context with a setting that librdkafka does not support."""
    context = trusting(files)
    match name:
        case "capath":
            return ssl.create_default_context(capath=files.folder)
        case "trusts nobody":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        case "an own kind":
            return _Pinned(ssl.PROTOCOL_TLS_CLIENT)
        case "an own object":
            context.sslobject_class = type("Own", (ssl.SSLObject,), {})
        case "a server's":
            return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        case "minimum":
            context.minimum_version = ssl.TLSVersion.TLSv1_3
        case "maximum":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        case "options":
            with warnings.catch_warnings(action="ignore"):
                context.options |= ssl.OP_NO_TLSv1_3
        case "protocol":
            with warnings.catch_warnings(action="ignore"):
                context = ssl.SSLContext(ssl.PROTOCOL_TLSv1_2)
                context.verify_mode = ssl.CERT_REQUIRED
                context.load_verify_locations(files.certificate)
        case "strict":
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_CHAIN
        case "crl without a list":
            context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
        case "crl":
            context.load_verify_locations(files.crl)
        case "common name":
            context.hostname_checks_common_name = False
        case "alpn":
            context.set_alpn_protocols(["kafka"])
        case "post-handshake":
            context.post_handshake_auth = True
        case "keylog":
            context.keylog_filename = files.key + ".log"
        case "client certificate":
            context.load_cert_chain(files.certificate, files.key)
    return context


class _Pinned(ssl.SSLContext):
    def wrap_bio(self, *arguments: Any, **keywords: Any) -> ssl.SSLObject:
        raise NotImplementedError

    def wrap_socket(self, *arguments: Any, **keywords: Any) -> ssl.SSLSocket:
        raise NotImplementedError


@pytest.mark.parametrize("client", [aiokafka.AIOKafkaProducer, kafka.KafkaProducer, "kafka_2"])
@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("capath", "capath"),
        ("trusts nobody", "trusts nobody"),
        ("an own kind", "own way"),
        ("an own object", "own way"),
        ("a server's", "not a client's"),
        ("minimum", r"TLS 1\.3 only \(minimum_version"),
        ("maximum", r"TLS 1\.2 only .*maximum_version"),
        ("options", r"TLS 1\.2 only .*options"),
        ("protocol", r"TLS 1\.2 only .*protocol"),
        ("strict", "verify_flags"),
        ("crl without a list", "verify_flags"),
        ("crl", "list of revoked"),
        ("common name", "hostname_checks_common_name"),
        ("alpn", "ALPN"),
        ("post-handshake", "post_handshake_auth"),
        ("keylog", "keylog_filename"),
        ("client certificate", "private key"),
    ],
)
def test_what_librdkafka_cannot_be_told_is_refused(
    files: Files, client: Any, name: str, match: str
) -> None:
    """If librdkafka does not support something, each client names it and does not connect."""
    made = kafka_2.KafkaProducer if client == "kafka_2" else client
    with pytest.raises(ValueError, match=match):
        made(
            bootstrap_servers="localhost:1",
            security_protocol="SSL",
            ssl_context=refused(name, files),
        )


def test_what_verifies_nothing_needs_no_authority(files: Files) -> None:
    """With CERT_NONE, the trusted authorities have no effect."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with connected(files, context, nothing) as connection:
        assert connection is not None


def test_two_lists_of_revoked_certificates(files: Files, tmp_path: Path) -> None:
    """librdkafka supports one list of revoked certificates; a second list is not ignored
    silently."""
    context = create_ssl_context(cafile=files.certificate, crlfile=files.crl)
    second = tmp_path / "crl.pem"
    second.write_bytes(Path(files.crl).read_bytes())
    assert tls_properties(context, *INSTEAD)["ssl.crl.location"] == files.crl
    context.crl_files.add(str(second))  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="one list"):
        tls_properties(context, *INSTEAD)
