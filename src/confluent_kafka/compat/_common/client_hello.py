"""Finds out what a TLS context offers a server, from the first message of a handshake in memory."""

from __future__ import annotations

import contextlib
import ssl
import struct
from typing import NamedTuple

_RECORD, _HANDSHAKE = 5, 4  # bytes of the headers
_VERSION_AND_RANDOM = 2 + 32

# The numbers of extensions.
_GROUPS, _SIGNATURES, _ALPN, _VERSIONS, _LATER = 10, 13, 16, 43, 49


class ClientHello(NamedTuple):
    """The parts of the message that a context can change, with the protocol's numbers."""

    versions: frozenset[int]
    groups: tuple[int, ...]
    signatures: tuple[int, ...]
    alpn: bool
    authenticates_later: bool
    """Whether the server may ask for a certificate after the handshake."""


def client_hello(context: ssl.SSLContext) -> ClientHello:
    """Return the first message of a context.

    Args:
        context: the context of a client.

    Raises:
        ssl.SSLError: it is a server's context, or offers nothing.
    """
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = context.wrap_bio(to_client, to_server, server_hostname="localhost")
    with contextlib.suppress(ssl.SSLWantReadError):
        client.do_handshake()
    hello = to_server.read()[_RECORD + _HANDSHAKE :]
    legacy = struct.unpack_from(">H", hello)[0]
    extensions = _extensions(hello)
    versions = _numbers(extensions.get(_VERSIONS, b""), 1) or (legacy,)
    return ClientHello(
        frozenset(versions),
        _numbers(extensions.get(_GROUPS, b""), 2),
        _numbers(extensions.get(_SIGNATURES, b""), 2),
        _ALPN in extensions,
        _LATER in extensions,
    )


def _extensions(hello: bytes) -> dict[int, bytes]:
    at = _VERSION_AND_RANDOM
    at += 1 + hello[at]  # the session's id
    at += 2 + struct.unpack_from(">H", hello, at)[0]  # the ciphers
    at += 1 + hello[at]  # the compressions
    found = {}
    at += 2
    while at < len(hello):
        number, size = struct.unpack_from(">HH", hello, at)
        found[number] = hello[at + 4 : at + 4 + size]
        at += 4 + size
    return found


def _numbers(extension: bytes, size_bytes: int) -> tuple[int, ...]:
    """Return a list of numbers of two bytes, which begins with its size."""
    return tuple(number for (number,) in struct.iter_unpack(">H", extension[size_bytes:]))
