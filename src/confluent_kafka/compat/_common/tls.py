"""Makes contexts for TLS, and converts them to librdkafka's properties."""

from __future__ import annotations

import contextlib
import os
import ssl
import sys
from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any

from .client_hello import ClientHello, client_hello

if TYPE_CHECKING:
    from typing_extensions import Buffer

_Path = str | bytes | PathLike[str] | PathLike[bytes]
_Password = str | bytes | bytearray | Callable[[], str | bytes | bytearray]

# The versions that librdkafka offers a server, TLS 1.2 and 1.3, as the protocol's numbers.
_VERSIONS = frozenset({0x0303, 0x0304})

# The names of curves that Python and librdkafka have, by their numbers in TLS.
_CURVES = {23: "P-256", 24: "P-384", 25: "P-521", 29: "X25519", 30: "X448"}

# Verification flags that make no check stricter, and the flags that Python 3.13 and later set in
# every default context.
_WITHOUT_RESTRICTION = (
    ssl.VERIFY_X509_TRUSTED_FIRST
    | ssl.VERIFY_X509_PARTIAL_CHAIN
    | ssl.VERIFY_ALLOW_PROXY_CERTS
    | (ssl.VERIFY_X509_STRICT if sys.version_info >= (3, 13) else 0)
)


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

    librdkafka reads the files itself, so the context remembers their names, also from a later call
    of ``load_cert_chain()``.

    Args:
        cafile: a PEM file with the authorities' certificates. Without ``cafile``, ``capath`` and
            ``cadata``, the system's authorities are trusted.
        capath: a directory with such certificates, with OpenSSL's hashed names.
        cadata: such certificates, as PEM text or as DER.
        certfile: a PEM file with the client's certificate, and the certificates between it and the
            authority.
        keyfile: the private key; it may also be in ``certfile``.
        password: the password of the private key, or a function that returns it.
        crlfile: a PEM file with a list of revoked certificates.

    Raises:
        OSError: a file cannot be read. It is an ssl.SSLError if the file has no certificate or key.
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
    return context


class _RememberingContext(ssl.SSLContext):
    """A context that remembers the files that it was made from, as librdkafka's properties."""

    remembered: dict[str, str]
    crl_files: set[str]
    has_defaults: bool
    """Whether the context trusts the system's authorities, which may be in a directory."""

    def __new__(cls, *arguments: Any) -> _RememberingContext:
        context = super().__new__(cls, *arguments)
        context.remembered, context.crl_files, context.has_defaults = {}, set(), False
        return context

    def load_verify_locations(
        self,
        cafile: _Path | None = None,
        capath: _Path | None = None,
        cadata: str | Buffer | None = None,
    ) -> None:
        lists = self.cert_store_stats()["crl"]
        super().load_verify_locations(cafile, capath, cadata)
        if capath:
            self.remembered["ssl.ca.location"] = _text(capath)
        if cafile and self.cert_store_stats()["crl"] > lists:
            self.crl_files.add(_text(cafile))

    def load_default_certs(self, purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH) -> None:
        super().load_default_certs(purpose)
        self.has_defaults = True

    def set_default_verify_paths(self) -> None:
        super().set_default_verify_paths()
        self.has_defaults = True

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
    """Return librdkafka's properties for a context. They are never less strict than the context.

    Args:
        context: a context from create_ssl_context(), or any other context. From any other context,
            this function reads the authorities, the verification of certificates and host names,
            the ciphers, the security level and the curves.
        private_key_instead: for errors: what to do instead of passing a context with a private key.
        crl_instead: for errors: what to do instead of passing a context with a list of revoked
            certificates.

    Raises:
        TypeError: it is not an SSLContext.
        ValueError: it has something that Python cannot read, such as a private key, or that
            librdkafka has no property for, such as a minimum version of TLS 1.3. The text names it.
    """
    if not isinstance(context, ssl.SSLContext):
        raise TypeError(f"ssl_context must be an ssl.SSLContext, not {type(context).__name__}")
    _check_kind(context)
    ours = context if isinstance(context, _RememberingContext) else None
    if ours is None and _has_certificate(context):
        raise ValueError(
            f"ssl_context has a private key, which Python cannot read: {private_key_instead}"
        )
    conf: dict[str, Any] = {
        "enable.ssl.certificate.verification": context.verify_mode != ssl.CERT_NONE,
        "ssl.endpoint.identification.algorithm": "https" if context.check_hostname else "none",
    }
    conf |= _offered(context)
    conf |= ours.remembered if ours else {}
    if context.verify_mode != ssl.CERT_NONE:
        conf |= _trusted(context, ours, crl_instead)
    return conf


def _check_kind(context: ssl.SSLContext) -> None:
    """Refuse contexts that make their connections without Python's ssl module."""
    kind = type(context)
    if (
        kind.wrap_bio is not ssl.SSLContext.wrap_bio
        or kind.wrap_socket is not ssl.SSLContext.wrap_socket
        or context.sslobject_class is not ssl.SSLObject
        or context.sslsocket_class is not ssl.SSLSocket
    ):
        raise ValueError(
            f"ssl_context is a {kind.__module__}.{kind.__qualname__} that makes connections in its "
            "own way, which librdkafka cannot: pass an ssl.SSLContext"
        )
    if context.keylog_filename not in (None, os.environ.get("SSLKEYLOGFILE")):
        raise ValueError("ssl_context has a keylog_filename: librdkafka writes no such file")


def _trusted(
    context: ssl.SSLContext, ours: _RememberingContext | None, crl_instead: str
) -> dict[str, Any]:
    """Return the properties for the authorities that a context trusts."""
    if not context.hostname_checks_common_name and context.check_hostname:
        raise ValueError(
            "ssl_context has hostname_checks_common_name=False, which librdkafka has no property "
            "for: leave it True"
        )
    conf = _revoked(context, ours, crl_instead)
    location = ours.remembered.get("ssl.ca.location") if ours else None
    authorities = _authorities(context)
    if authorities and location:
        raise ValueError("ssl_context has capath= and cafile= or cadata=: librdkafka takes one")
    if authorities:
        conf["ssl.ca.pem"] = authorities
    elif not location and not (ours and ours.has_defaults):
        raise ValueError(
            "ssl_context shows no certificate of an authority: it trusts nobody, or has a "
            "directory (capath=), which Python cannot read: make it with "
            "create_ssl_context(capath=...) of aiokafka.helpers, or leave ssl_context out and pass "
            "properties={'ssl.ca.location': ...}"
        )
    return conf


def _revoked(
    context: ssl.SSLContext, ours: _RememberingContext | None, crl_instead: str
) -> dict[str, Any]:
    """Return the properties for the flags of verification and for revoked certificates."""
    files = ours.crl_files if ours else set()
    flags = context.verify_flags & ~_WITHOUT_RESTRICTION
    if context.cert_store_stats()["crl"] and not files:
        raise ValueError(
            "ssl_context has a list of revoked certificates, which Python cannot "
            f"read: {crl_instead}"
        )
    if flags == ssl.VERIFY_CRL_CHECK_LEAF and len(files) == 1:
        return {"ssl.crl.location": min(files)}
    if flags:
        raise ValueError(
            f"ssl_context has verify_flags {ssl.VerifyFlags(flags)!r}: librdkafka has a property "
            f"only for one list of revoked certificates: {crl_instead}"
        )
    return {}


def _offered(context: ssl.SSLContext) -> dict[str, Any]:
    """Return the properties for the parts of a context's offer that are not Python's default."""
    try:
        hello = client_hello(context)
    except ssl.SSLError as failure:
        raise ValueError(f"ssl_context is not a client's: {failure}") from failure
    default = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    conf = _ciphers(context, default)
    if conf:  # the security level removes groups and algorithms
        default.set_ciphers(f"DEFAULT:@SECLEVEL={context.security_level}")
    usual = client_hello(default)
    if hello.versions & _VERSIONS != _VERSIONS:
        raise ValueError(
            f"ssl_context offers TLS {_names(hello.versions)} only (minimum_version, "
            f"maximum_version, options or protocol), and librdkafka offers {_names(_VERSIONS)}, "
            "which no property changes: leave them as they are, and restrict the brokers "
            "(ssl.enabled.protocols)"
        )
    if hello.alpn:
        raise ValueError("ssl_context has ALPN protocols, which librdkafka does not offer")
    if hello.authenticates_later:
        raise ValueError("ssl_context has post_handshake_auth=True, which librdkafka lacks")
    if hello.groups != usual.groups:
        conf["ssl.curves.list"] = _curves(hello)
    if hello.signatures != usual.signatures:
        raise ValueError(
            "ssl_context has signature algorithms of its own: leave ssl_context out and pass "
            "properties={'ssl.sigalgs.list': ...}"
        )
    return conf


def _ciphers(context: ssl.SSLContext, default: ssl.SSLContext) -> dict[str, Any]:
    """Return the property for ciphers and the security level that differ from Python's default."""
    chosen, usual = ([cipher["name"] for cipher in one.get_ciphers()] for one in (context, default))
    if chosen == usual and context.security_level == default.security_level:
        return {}
    for_tls_1_3 = [[name for name in one if name.startswith("TLS_")] for one in (chosen, usual)]
    if for_tls_1_3[0] != for_tls_1_3[1]:
        raise ValueError(
            "ssl_context has its own ciphers of TLS 1.3, which librdkafka has no property for"
        )
    older = [name for name in chosen if not name.startswith("TLS_")]
    if not older:
        raise ValueError("ssl_context has no ciphers for TLS 1.2, which librdkafka offers")
    # With level 0, librdkafka would accept TLS 1.0, which the context may forbid.
    level = max(1, context.security_level)
    return {"ssl.cipher.suites": ":".join([*older, f"@SECLEVEL={level}"])}


def _curves(hello: ClientHello) -> str:
    unknown = [group for group in hello.groups if group not in _CURVES]
    if unknown:
        raise ValueError(f"ssl_context has groups that librdkafka has no setting for: {unknown}")
    return ":".join(_CURVES[group] for group in hello.groups)


def _names(versions: frozenset[int]) -> str:
    return " and ".join(f"1.{version - 0x0301}" for version in sorted(versions))


def _authorities(context: ssl.SSLContext) -> str:
    """Return the authorities in a context as PEM; "" if they are in a directory, or missing."""
    read = context.get_ca_certs(binary_form=True)
    there = context.cert_store_stats()["x509"]
    if len(read) < there:
        raise ValueError(
            f"ssl_context trusts {there - len(read)} certificates that are not an authority's, "
            "which Python cannot read: pass them to librdkafka with "
            "properties={'ssl.ca.location': ...}, and leave ssl_context out"
        )
    return "".join(map(ssl.DER_cert_to_PEM_cert, read))


def _has_certificate(context: ssl.SSLContext) -> bool:
    """Return whether a context has its own certificate, and therefore a private key.

    No function returns this. But a server's connection uses the certificate of a context that is
    assigned to it. So the context has a certificate if a handshake with such a server succeeds, in
    memory.
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
