"""Requests of Kafka's protocol, framed by hand: the scripts of a distribution take seconds.

https://kafka.apache.org/protocol: the versions are those without tagged fields, where
there are any.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

from tests.support.waiting import TIMEOUT


def ask(address: str, api_key: int, version: int, body: bytes, header_tags: bytes = b"") -> bytes:
    """The answer after its correlation id."""
    request = struct.pack(">hhi", api_key, version, 1) + text("tests") + header_tags + body
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        stream = connection.makefile("rb")
        (size,) = struct.unpack(">i", stream.read(4))
        return stream.read(size)[4:]


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def array(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


def compact_text(value: str) -> bytes:
    return bytes([len(value.encode()) + 1]) + value.encode()


def compact_array(items: Sequence[bytes]) -> bytes:
    return bytes([len(items) + 1]) + b"".join(items)
