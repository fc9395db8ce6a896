"""A direct connection to a broker, and the addresses of brokers."""

from __future__ import annotations

import logging
import random
import socket
import struct
import threading
from collections.abc import Iterable
from typing import NoReturn

from . import common

__all__ = ["DEFAULT_KAFKA_PORT", "DEFAULT_SOCKET_TIMEOUT_SECONDS", "KafkaConnection"]

log = logging.getLogger("kafka.conn")

DEFAULT_SOCKET_TIMEOUT_SECONDS = 120
DEFAULT_KAFKA_PORT = 9092


def collect_hosts(
    hosts: str | bytes | Iterable[str | bytes], randomize: bool = True
) -> list[tuple[str, int]]:
    """Return the addresses of hosts.

    Args:
        hosts: "host:port", several of them separated by commas, or a list of such texts. The
            default port is 9092. An IPv6 address with a port needs brackets.
        randomize: whether to shuffle them.

    Raises:
        ValueError: a port is not a number.
    """
    given = [hosts] if isinstance(hosts, str | bytes) else list(hosts)
    names = [one.decode() if isinstance(one, bytes) else one for one in given]
    found = [_address(name.strip()) for text in names for name in text.split(",") if name.strip()]
    if randomize:
        random.shuffle(found)
    return found


def _address(name: str) -> tuple[str, int]:
    host, colon, port = name.rpartition(":")
    if not colon or (":" in host and not host.endswith("]")):
        host, port = name, str(DEFAULT_KAFKA_PORT)
    if not port.isdecimal():
        raise ValueError(f"hosts must be 'host:port', not {name!r}")
    return host.strip("[]"), int(port)


class KafkaConnection(threading.local):
    """A connection to a broker; each thread has its own socket.

    It sends and receives bytes unchanged. ``confluent_kafka.protocol`` has requests for today's
    brokers.

    Args:
        host: the host of the broker.
        port: the port of the broker.
        timeout: the timeout of sending and of receiving, in seconds; None waits without limit.

    Raises:
        ConnectionError: the broker cannot be reached.
    """

    def __init__(
        self, host: str, port: int, timeout: float | None = DEFAULT_SOCKET_TIMEOUT_SECONDS
    ) -> None:
        self.host = host
        self.port = port
        self.timeout = timeout
        self._sock: socket.socket | None = None
        self.reinit()

    def __repr__(self) -> str:
        return f"<KafkaConnection host={self.host} port={self.port}>"

    def get_connected_socket(self) -> socket.socket:
        """Return the socket; connect it first if necessary.

        Raises:
            ConnectionError: the broker cannot be reached.
        """
        if self._sock is None:
            self.reinit()
        assert self._sock is not None
        return self._sock

    def send(self, request_id: int, payload: bytes) -> None:
        """Send a request.

        Args:
            request_id: the number of the request, for the log.
            payload: the bytes of the request, with its size and its header.

        Raises:
            ConnectionError: the request cannot be sent; the socket is then closed.
        """
        log.debug("sending request %d, %d bytes", request_id, len(payload))
        try:
            self.get_connected_socket().sendall(payload)
        except OSError as error:
            self._raise_connection_error(error)

    def recv(self, request_id: int) -> bytes:
        """Receive an answer.

        Args:
            request_id: the number of the request, for the log.

        Returns:
            The answer with its header, without its size.

        Raises:
            ConnectionError: the answer cannot be received; the socket is then closed.
        """
        log.debug("receiving the answer to request %d", request_id)
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)

    def copy(self) -> KafkaConnection:
        """Return a connection to the same broker for another thread; reinit() connects it."""
        # Other threads call __init__() with these arguments; this thread does not.
        arguments = (self.host, self.port, self.timeout)
        other = KafkaConnection.__new__(KafkaConnection, *arguments)  # type: ignore[call-arg]
        other.host = self.host
        other.port = self.port
        other.timeout = self.timeout
        other._sock = None
        return other

    def close(self) -> None:
        """Close the socket. A second close() does nothing."""
        sock, self._sock = self._sock, None
        if sock is not None:
            sock.close()

    def reinit(self) -> None:
        """Connect, after closing the socket if there is one.

        Raises:
            ConnectionError: the broker cannot be reached.
        """
        self.close()
        try:
            self._sock = socket.create_connection((self.host, self.port), self.timeout)
        except OSError as error:
            self._raise_connection_error(error)

    def _read(self, size: int) -> bytes:
        parts = []
        while size:
            try:
                part = self.get_connected_socket().recv(min(size, 65536))
            except OSError as error:
                self._raise_connection_error(error)
            if not part:
                self._raise_connection_error(None)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _raise_connection_error(self, cause: OSError | None) -> NoReturn:
        self.close()
        raise common.ConnectionError(f"Kafka @ {self.host}:{self.port} went away") from cause
