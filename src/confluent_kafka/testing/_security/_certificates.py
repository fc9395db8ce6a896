"""The certificate files of a cluster, and a way to make them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

_HOSTS = ("127.0.0.1", "localhost")
# One day before and after now, for machines whose clocks differ.
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Certificates:
    """The PEM files that a cluster with TLS and its clients need.

    The brokers listen at 127.0.0.1, so their certificate must name this address, unless the clients
    set ``ssl.endpoint.identification.algorithm`` to ``none``.

    Attributes:
        ca (str): the certificate of the authority that issued the other certificates.
        broker (str): the brokers' certificate.
        broker_key (str): the private key of the brokers' certificate, without a password.
        client (str or None): a client's certificate, for mutual TLS.
        client_key (str or None): its private key, without a password.
    """

    ca: str
    broker: str
    broker_key: str
    client: str | None = None
    client_key: str | None = None

    @classmethod
    def make(cls, folder: str | Path) -> Certificates:
        """Make an authority, a certificate of the brokers and one of a client.

        They are valid for one day.

        Args:
            folder (str or Path): an existing folder for the files. Existing files with the same
                names are replaced.

        Raises:
            ImportError: the package ``cryptography`` is not installed.
            OSError: the files cannot be written.
        """
        return cls(*(str(file) for file in _Authority(Path(folder)).files()))


class _Authority:
    """Issues certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        try:
            from cryptography.hazmat.primitives.asymmetric import ec
        except ImportError as error:
            raise ImportError(
                "making certificates needs the package cryptography: install it, or give "
                "Security(certificates=Certificates(...)) with your own files"
            ) from error
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("embedded cluster")
        self._certificate = self._signed(self._name, self._key.public_key(), None)

    def files(self) -> list[Path]:
        """Write all files, in the order of the attributes of Certificates."""
        ca = self._write("ca.pem", _pem(self._certificate))
        return [ca, *self._issue("broker"), *self._issue("client")]

    def _issue(self, name: str) -> tuple[Path, Path]:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        certificate = self._signed(_name(name), key.public_key(), _HOSTS)
        return (
            self._write(f"{name}.pem", _pem(certificate)),
            self._write(f"{name}.key", private),
        )

    def _signed(self, subject: Any, key: Any, hosts: tuple[str, ...] | None) -> Any:
        """Return a certificate of these hosts; of the authority itself if there are none."""
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes

        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _DAY)
            .not_valid_after(now + _DAY)
            .add_extension(x509.BasicConstraints(ca=hosts is None, path_length=None), True)
        )
        if hosts is not None:
            address, name = hosts
            names = [x509.IPAddress(ip_address(address)), x509.DNSName(name)]
            builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        return builder.sign(self._key, hashes.SHA256())

    def _write(self, name: str, data: bytes) -> Path:
        file = self._folder / name
        file.write_bytes(data)
        return file


def _name(common_name: str) -> Any:
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _pem(certificate: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    data: bytes = certificate.public_bytes(Encoding.PEM)
    return data
