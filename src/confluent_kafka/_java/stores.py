"""The files of key stores and trust stores."""

from __future__ import annotations

_JKS = b"\xfe\xed\xfe\xed"
_SEQUENCE = b"\x30"  # the first byte of PKCS#12, which is DER
_PEM = b"-----BEGIN "
# Comments can precede the first certificate of a PEM file.
_BEGINNING = 1 << 16

_EXTRA = "needs the extra [java-stores] (pip install cryptography)"


def contained(location: str | None) -> str | None:
    """Return what a file contains: PEM, PKCS12 or JKS. None if it is unknown, or cannot be read.

    Args:
        location: the path.
    """
    try:
        with open(location or "", "rb") as file:
            start = file.read(_BEGINNING)
    except OSError:
        return None
    if start.startswith(_JKS):
        return "JKS"
    if _PEM in start:
        return "PEM"
    return "PKCS12" if start.startswith(_SEQUENCE) else None


def check_readable(location: str) -> None:
    """Check that a file can be read and is not empty.

    Args:
        location: the path.

    Raises:
        ValueError: it cannot be read, or it is empty.
    """
    try:
        with open(location, "rb") as file:
            if not file.read(1):
                raise ValueError(f"{location} is empty")
    except OSError as error:
        raise ValueError(f"{location} cannot be read ({error.strerror})") from None


def certificates_of(location: str, password: str | None) -> str:
    """Return the certificates of a PKCS#12 trust store as PEM.

    Args:
        location: the path.
        password: its password.

    Raises:
        ValueError: it cannot be read. The error does not contain the password.
    """
    try:
        from cryptography.hazmat.primitives.serialization import Encoding, pkcs12
    except ModuleNotFoundError:
        raise ValueError(f"a PKCS#12 trust store {_EXTRA}. Or") from None
    try:
        with open(location, "rb") as file:
            store = pkcs12.load_pkcs12(file.read(), None if password is None else password.encode())
    except OSError as error:
        raise ValueError(f"{location} cannot be read ({error.strerror})") from None
    except ValueError:
        raise ValueError(f"{location} is not PKCS#12, or the password is wrong") from None
    found = [*([store.cert] if store.cert else []), *store.additional_certs]
    if not found:
        raise ValueError(f"{location} contains no certificate")
    return "".join(each.certificate.public_bytes(Encoding.PEM).decode() for each in found)
