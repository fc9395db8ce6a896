"""Certificates of a test cluster: one authority, brokers at `localhost`, clients by name."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)


@dataclass(frozen=True)
class KeyPair:
    """The files of a private key (PKCS #8) and of its certificate chain, and a file with both."""

    key: Path
    certificate: Path
    both: Path


class Authority:
    """Issues certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._ca = trustme.CA(organization_name="tests")
        self.file = folder / "ca.pem"
        self._ca.cert_pem.write_to_path(str(self.file))

    def issue(self, name: str, host: str, not_after: datetime | None = None) -> KeyPair:
        """A certificate for a server at `host`, or for the client `name`, its common name."""
        issued = self._ca.issue_cert(host, common_name=name, not_after=not_after)
        # Kafka reads PKCS #8 only, trustme writes the older format.
        key = load_pem_private_key(issued.private_key_pem.bytes(), None)
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        chain = b"".join(blob.bytes() for blob in issued.cert_chain_pems)
        files = KeyPair(*(self._folder / f"{name}.{end}" for end in ("key", "crt", "pem")))
        files.key.write_bytes(private)
        files.certificate.write_bytes(chain)
        files.both.write_bytes(private + chain)
        return files


def encrypt_key(file: Path, password: str) -> bytes:
    """Returns the private key of the file as PKCS #8, encrypted with the password."""
    key = load_pem_private_key(file.read_bytes(), None)
    encryption = BestAvailableEncryption(password.encode())
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
