"""A proxy that parses Kafka's requests: it holds some of them back, and delivers them late.

A client that times out a request closes its connection. The request may still arrive, because a
switch, a load balancer or the broker's own queue has it. This proxy simulates such a network.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from types import TracebackType
from typing import Protocol

from tests.support.waiting import TIMEOUT

SIZE = struct.Struct(">i")
# close() then sends RST instead of FIN, and drops data in flight.
RESET = struct.pack("ii", 1, 0)
HEADER = struct.Struct(">hhi")  # api key, version, correlation id


class Fate(Enum):
    """What happens to a request."""

    PASSES = "passes"
    IS_LATE = "is late"  # it reaches its broker when Held.deliver() is called
    IS_CUT = "is cut"  # it reaches its broker, and the client's connection is reset


@dataclass(eq=False)
class Held:
    """A request in flight, which the proxy holds back."""

    api_key: int
    version: int
    frame: bytes
    _link: _Link
    _answered: threading.Event = field(default_factory=threading.Event)

    @property
    def correlation_id(self) -> int:
        return int(HEADER.unpack_from(self.frame)[2])

    def deliver(self) -> None:
        """Send the request to its broker, if the broker still accepts it."""
        self._link.deliver(self)

    def wait_for_answer(self) -> None:
        """Wait until the broker has answered the late request."""
        assert self._answered.wait(TIMEOUT), "the broker did not answer the late request"

    def is_answered(self) -> None:
        self._answered.set()


class Network(Protocol):
    """Decides for all connections what happens to each request."""

    def fate(self, request: Held) -> Fate: ...


class Holding:
    """A network that holds back one request at a time, and passes all other requests."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._wanted: int | None = None
        self._held: Held | None = None

    def hold_next(self, api_key: int) -> None:
        """Hold back the next request with this api key."""
        with self._changed:
            self._wanted, self._held = api_key, None

    def held(self) -> Held:
        """Wait for the request that hold_next() asked for, and return it."""
        with self._changed:
            self._changed.wait_for(lambda: self._held is not None, TIMEOUT)
            assert self._held is not None, "no such request has come"
            return self._held

    def fate(self, request: Held) -> Fate:
        with self._changed:
            if self._wanted != request.api_key:
                return Fate.PASSES
            self._wanted, self._held = None, request
            self._changed.notify_all()
            return Fate.IS_LATE


class RequestProxy:
    """A proxy from one address to another, while a `with` block runs."""

    def __init__(self, address: str, target: str, network: Network) -> None:
        self._target = _parsed(target)
        self._network = network
        self._links: list[_Link] = []
        self._listener = socket.create_server(_parsed(address))
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def __enter__(self) -> RequestProxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(TIMEOUT)
        self._listener.close()
        for link in self._links:
            link.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                broker = socket.create_connection(self._target, timeout=TIMEOUT)
            except OSError:
                client.close()
                continue
            broker.settimeout(None)
            self._links.append(_Link(self._network, client, broker))


class _Link:
    """The connections to a client and to its broker.

    The broker's connection stays open as long as a request is held back.
    """

    def __init__(self, network: Network, client: socket.socket, broker: socket.socket) -> None:
        self._network = network
        self._client = client
        self._broker = broker
        self._lock = threading.Lock()
        self._held: list[Held] = []
        for end in (client, broker):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ways = (self._requests, self._answers)
        self._running = len(ways)
        self._threads = [
            threading.Thread(target=self._serve, args=(each,), daemon=True) for each in ways
        ]
        for thread in self._threads:
            thread.start()

    def deliver(self, held: Held) -> None:
        with self._lock, contextlib.suppress(OSError):
            self._send(held.frame)

    def close(self) -> None:
        self._end(self._client, self._broker)
        for thread in self._threads:
            thread.join(TIMEOUT)

    def _serve(self, way: Callable[[], None]) -> None:
        """The last thread to end closes both sockets: a long run has thousands of connections."""
        way()
        with self._lock:
            self._running -= 1
            if not self._running:
                self._client.close()
                self._broker.close()

    def _requests(self) -> None:
        with contextlib.suppress(OSError):
            while (frame := _frame(self._client)) is not None:
                api_key, version, _ = HEADER.unpack_from(frame)
                request = Held(api_key, version, frame, self)
                fate = self._network.fate(request)
                with self._lock:
                    if fate is Fate.IS_LATE:
                        self._held.append(request)
                    else:
                        self._send(frame)
                if fate is Fate.IS_CUT:
                    self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                    break
        # While a request is held back, the broker must not notice that the client has disconnected.
        self._end(self._client, *([] if self._held else [self._broker]))

    def _send(self, frame: bytes) -> None:
        self._broker.sendall(SIZE.pack(len(frame)) + frame)

    def _answers(self) -> None:
        with contextlib.suppress(OSError):
            while (frame := _frame(self._broker)) is not None:
                (correlation_id,) = SIZE.unpack_from(frame)
                late = [each for each in self._held if each.correlation_id == correlation_id]
                if late:
                    late[0].is_answered()
                else:
                    with contextlib.suppress(OSError):  # the client may have disconnected
                        self._client.sendall(SIZE.pack(len(frame)) + frame)
        self._end(self._client, self._broker)

    def _end(self, *ends: socket.socket) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


def _frame(source: socket.socket) -> bytes | None:
    """Read a size of four bytes, and then as many bytes as the size; return None at the end."""
    size = _exactly(source, SIZE.size)
    return None if size is None else _exactly(source, SIZE.unpack(size)[0])


def _exactly(source: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = source.recv(size - len(data))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def _parsed(address: str) -> tuple[str, int]:
    """Parse an address; brokers and clients of the tests use IPv4."""
    host, port = address.rsplit(":", 1)
    return {"localhost": "127.0.0.1"}.get(host, host), int(port)
