"""Frames requests of Kafka's protocol by hand, because a distribution's scripts take seconds.

https://kafka.apache.org/protocol: requests are sent in a version without tagged fields, if they
have one.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import Any

from tests.support.waiting import TIMEOUT


def ask(address: str, api_key: int, version: int, body: bytes, header_tags: bytes = b"") -> bytes:
    """Send a request; return the part of the response after the correlation id."""
    with begin(address, api_key, version, body, header_tags) as connection:
        return answer_of(connection)


def begin(
    address: str, api_key: int, version: int, body: bytes, header_tags: bytes = b""
) -> socket.socket:
    """Sends the request without waiting; returns its connection."""
    request = struct.pack(">hhi", api_key, version, 1) + text("tests") + header_tags + body
    host, port = address.rsplit(":", 1)
    connection = socket.create_connection((host, int(port)), timeout=TIMEOUT)
    connection.sendall(sized(request))
    return connection


def answer_of(connection: socket.socket) -> bytes:
    """The response to the request of begin(), without the size and the correlation id."""
    with connection.makefile("rb") as stream:
        (size,) = struct.unpack(">i", stream.read(4))
        return stream.read(size)[4:]


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def sized(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


def array(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


def compact_text(value: str) -> bytes:
    return bytes([len(value.encode()) + 1]) + value.encode()


def compact_array(items: Sequence[bytes]) -> bytes:
    return bytes([len(items) + 1]) + b"".join(items)


class Answer:
    """Reads a response field by field."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        """Read fields with fixed sizes. `form` is a format of struct."""
        values = struct.unpack_from(f">{form}", self._data, self._position)
        self._position += struct.calcsize(f">{form}")
        return values

    def number(self, form: str) -> int:
        """Read one field with a fixed size."""
        (value,) = self.numbers(form)
        return int(value)

    def text(self) -> str | None:
        size = self.number("h")
        return None if size < 0 else self._take(size).decode()

    def sized(self) -> bytes:
        return self._take(self.number("i"))

    def _take(self, size: int) -> bytes:
        start, self._position = self._position, self._position + size
        return self._data[start : self._position]
