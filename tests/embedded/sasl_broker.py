"""A broker that gives a test the first SASL message of a client; mock brokers cannot do this."""

from __future__ import annotations

import contextlib
import socket
import struct
from typing import Any, Protocol

from confluent_kafka import KafkaError
from tests.support.waiting import TIMEOUT

SASL_HANDSHAKE, API_VERSIONS = 17, 18  # API keys of Kafka's protocol


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int: ...
    def flush(self) -> None: ...


class SaslBroker:
    """Answers a client up to its first SASL message, with ApiVersions v0 and SaslHandshake v0."""

    def __init__(self, mechanism: str = "OAUTHBEARER") -> None:
        self._mechanism = mechanism.encode()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(TIMEOUT)
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"

    @property
    def settings(self) -> dict[str, Any]:
        """Settings for clients of this broker, which wait two minutes for its answers."""
        return {"bootstrap.servers": self.address, "api.version.request.timeout.ms": 120_000}

    def initial_response(self) -> bytes:
        """The first SASL message of the next client that sends one.

        A client of an earlier test may connect first, if the broker of that test used this port.
        Such a client tries to reach its broker until it is closed, and closes its connection before
        it sends a SASL message.
        """
        response = None
        while response is None:
            connection, _ = self.socket.accept()
            connection.settimeout(TIMEOUT)
            with (
                connection,
                contextlib.suppress(ConnectionError),
                connection.makefile("rwb") as stream,
            ):
                while self._answer(stream) != SASL_HANDSHAKE:
                    pass
                response = _read_frame(stream)
        return response

    def _answer(self, stream: Stream) -> int:
        """Answers one request, and returns its API key."""
        api_key, version, correlation = struct.unpack_from(">hhi", _read_frame(stream))
        body = struct.pack(">i", correlation)
        if api_key == SASL_HANDSHAKE:
            body += struct.pack(">hih", 0, 1, len(self._mechanism)) + self._mechanism
        elif version > 0:
            body += struct.pack(">hi", KafkaError.UNSUPPORTED_VERSION, 0)
        else:
            body += struct.pack(">hi", 0, 2)
            body += struct.pack(">hhhhhh", SASL_HANDSHAKE, 0, 0, API_VERSIONS, 0, 0)
        stream.write(struct.pack(">i", len(body)) + body)
        stream.flush()
        assert isinstance(api_key, int)
        return api_key


def _read_frame(stream: Stream) -> bytes:
    (size,) = struct.unpack(">i", _read(stream, 4))
    return _read(stream, size)


def _read(stream: Stream, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ConnectionResetError
    return data
