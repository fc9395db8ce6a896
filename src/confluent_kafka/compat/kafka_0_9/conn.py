"""A connection of one's own to a broker, and the addresses of brokers."""

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
    """Return the addresses that hosts name.

    Args:
        hosts: "host:port", several of them with commas between, or a list of those. The port is
            9092 if it is left out. An IPv6 address with a port has brackets.
        randomize: whether to shuffle them.

    Raises:
        ValueError: a port is no number.
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
    """A socket that is connected to a broker; each thread has its own.

    It sends and receives requests as they are: those of today's brokers come from
    ``confluent_kafka.protocol``.

    Args:
        host: the broker's.
        port: the broker's.
        timeout: seconds for sending and for receiving; None waits without limit.

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
        """Return the socket, connected again if it was not.

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
            request_id: for the log.
            payload: the request, with its size and its header.

        Raises:
            ConnectionError: it cannot be sent; the socket is closed.
        """
        log.debug("sending request %d, %d bytes", request_id, len(payload))
        try:
            self.get_connected_socket().sendall(payload)
        except OSError as error:
            self._raise_connection_error(error)

    def recv(self, request_id: int) -> bytes:
        """Receive an answer.

        Args:
            request_id: for the log.

        Returns:
            The answer with its header, without its size.

        Raises:
            ConnectionError: it cannot be received; the socket is closed.
        """
        log.debug("receiving the answer to request %d", request_id)
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)

    def copy(self) -> KafkaConnection:
        """Return a connection to the same broker for another thread; reinit() connects it."""
        # What is given here is given to __init__() in other threads, and not in this one.
        arguments = (self.host, self.port, self.timeout)
        other = KafkaConnection.__new__(KafkaConnection, *arguments)  # type: ignore[call-arg]
        other.host = self.host
        other.port = self.port
        other.timeout = self.timeout
        other._sock = None
        return other

    def close(self) -> None:
        """Close the socket. Closing twice does nothing."""
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
