"""Contexts for TLS, and what librdkafka needs to know of them."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Buffer

_Path = str | bytes | PathLike[str] | PathLike[bytes]
_Password = str | bytes | bytearray | Callable[[], str | bytes | bytearray]


def create_ssl_context(
    *,
    cafile: _Path | None = None,
    capath: _Path | None = None,
    cadata: str | bytes | None = None,
    certfile: _Path | None = None,
    keyfile: _Path | None = None,
    password: _Password | None = None,
    crlfile: _Path | None = None,
) -> ssl.SSLContext:
    """Make the context of a client that verifies brokers and their host names.

    Librdkafka reads the files itself, so the context remembers them: those of ``load_cert_chain()``
    too, when it is called later.

    Args:
        cafile: certificates of authorities, PEM; without any of the three, the system's.
        capath: a directory with such certificates, hashed as OpenSSL has them.
        cadata: such certificates, as PEM text or as DER.
        certfile: the client's certificate, PEM, and those between it and the authority.
        keyfile: its private key; may be in ``certfile``.
        password: of the private key, or a function that returns it.
        crlfile: certificates that were revoked, PEM.

    Raises:
        OSError: a file cannot be read; ssl.SSLError: it has no certificate, or no key.
    """
    context = _RememberingContext(ssl.PROTOCOL_TLS_CLIENT)
    context.verify_mode = ssl.CERT_REQUIRED
    context.check_hostname = True
    if cafile or capath or cadata:
        context.load_verify_locations(cafile, capath, cadata)
    else:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    if certfile:
        context.load_cert_chain(certfile, keyfile, password)
    if crlfile:
        context.load_verify_locations(crlfile)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
        context.remembered["ssl.crl.location"] = _text(crlfile)
    return context


class _RememberingContext(ssl.SSLContext):
    """A context that knows which files it was made of, as librdkafka's properties."""

    remembered: dict[str, str]

    def __new__(cls, *arguments: Any) -> _RememberingContext:
        context = super().__new__(cls, *arguments)
        context.remembered = {}
        return context

    def load_verify_locations(
        self,
        cafile: _Path | None = None,
        capath: _Path | None = None,
        cadata: str | Buffer | None = None,
    ) -> None:
        super().load_verify_locations(cafile, capath, cadata)
        if capath:
            self.remembered["ssl.ca.location"] = _text(capath)

    def load_cert_chain(
        self,
        certfile: _Path,
        keyfile: _Path | None = None,
        password: _Password | None = None,
    ) -> None:
        super().load_cert_chain(certfile, keyfile, password)
        self.remembered["ssl.certificate.location"] = _text(certfile)
        self.remembered["ssl.key.location"] = _text(keyfile or certfile)
        if password is not None:
            self.remembered["ssl.key.password"] = _text(
                password() if callable(password) else password
            )


def tls_properties(
    context: ssl.SSLContext, private_key_instead: str, crl_instead: str
) -> dict[str, Any]:
    """Return librdkafka's properties for a context.

    Args:
        context: from create_ssl_context(), or another one as far as it can be read: the
            authorities, whether it verifies certificates, and whether it checks host names.
        private_key_instead: what to do instead of giving a context with a private key, for errors.
        crl_instead: the same of one with a list of revoked certificates.

    Raises:
        TypeError: it is no SSLContext.
        ValueError: it has something that nobody can read, such as a private key.
    """
    if not isinstance(context, ssl.SSLContext):
        raise TypeError(f"ssl_context must be an ssl.SSLContext, not {type(context).__name__}")
    conf: dict[str, Any] = {
        "enable.ssl.certificate.verification": context.verify_mode != ssl.CERT_NONE,
        "ssl.endpoint.identification.algorithm": "https" if context.check_hostname else "none",
    }
    remembered = getattr(context, "remembered", None)
    if remembered is None and _has_certificate(context):
        raise ValueError(
            "ssl_context has a private key, which Python does not let anyone read: "
            f"{private_key_instead}"
        )
    if remembered is None and context.cert_store_stats()["crl"]:
        raise ValueError(
            "ssl_context has a list of revoked certificates, which Python does not let anyone "
            f"read: {crl_instead}"
        )
    authorities = _authorities(context)
    if authorities:
        conf["ssl.ca.pem"] = authorities
    conf.update(remembered or {})
    if authorities and "ssl.ca.location" in conf:
        raise ValueError("ssl_context has capath= and cafile= or cadata=: librdkafka takes one")
    return conf


def _authorities(context: ssl.SSLContext) -> str:
    """Return the authorities in a context, PEM; "" if they are in a directory, or are none."""
    read = context.get_ca_certs(binary_form=True)
    there = context.cert_store_stats()["x509"]
    if len(read) < there:
        raise ValueError(
            f"ssl_context trusts {there - len(read)} certificates that are not an authority's, "
            "which Python does not let anyone read: pass them to librdkafka with "
            "properties={'ssl.ca.location': ...}, and leave ssl_context out"
        )
    return "".join(map(ssl.DER_cert_to_PEM_cert, read))


def _has_certificate(context: ssl.SSLContext) -> bool:
    """Return whether a context has a certificate of its own, and so a private key.

    No function tells. But a server's connection takes over the certificate of a context that is
    assigned to it, as it does for a name that the client asks for: when a handshake with such a
    server succeeds, in memory, there is one.
    """
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server = server_side.wrap_bio(to_server, to_client, server_side=True)
    server.context = context
    client_side = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_side.check_hostname = False
    client_side.verify_mode = ssl.CERT_NONE
    client = client_side.wrap_bio(to_client, to_server)
    for end in (client, server, client):
        try:
            with contextlib.suppress(ssl.SSLWantReadError):
                end.do_handshake()
        except ssl.SSLError:
            return False
    return client.getpeercert(binary_form=True) is not None


def _text(value: Any) -> str:
    decoded = getattr(value, "__fspath__", lambda: value)()
    return decoded.decode() if isinstance(decoded, bytes | bytearray) else str(decoded)
