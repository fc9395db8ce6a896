"""A TCP proxy that cuts, delays and half-closes the connections through it."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from types import TracebackType

CHUNK = 1 << 16
# close() then sends RST instead of FIN, and drops data in flight.
RESET = struct.pack("ii", 1, 0)


class TcpProxy:
    """Relays connections from one address to another address while a `with` block runs."""

    def __init__(self, address: str, target: str) -> None:
        self._target = _parsed(target)
        self.delay = 0.0  # seconds that each chunk waits, in both directions
        self._lock = threading.Lock()
        self._connections: list[_Connection] = []
        self._closed = False
        self._listener = socket.create_server(_parsed(address))
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def __enter__(self) -> TcpProxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed = True
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._accepting.join()
        self._listener.close()
        self.cut()

    @property
    def connections(self) -> int:
        """How many connections are open."""
        with self._lock:
            return sum(connection.open for connection in self._connections)

    def cut(self) -> int:
        """Reset all connections, and return their number."""
        count = self.connections
        with self._lock:
            connections, self._connections = self._connections, []
        for connection in connections:
            connection.cut()
        return count

    def half_open(self) -> int:
        """Drop all further answers on the present connections; requests still arrive."""
        with self._lock:
            for connection in self._connections:
                connection.answers = False
        return self.connections

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                continue
            try:
                broker = socket.create_connection(self._target, timeout=10)
            except OSError:
                client.close()
                continue
            broker.settimeout(None)
            with self._lock:
                self._connections.append(_Connection(self, client, broker))


class _Connection:
    def __init__(self, proxy: TcpProxy, client: socket.socket, broker: socket.socket) -> None:
        self._proxy = proxy
        self._ends = (client, broker)
        self.answers = True
        self.open = True
        self._threads = [
            threading.Thread(target=self._forward, args=ends)
            for ends in ((client, broker), (broker, client))
        ]
        for end in self._ends:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for thread in self._threads:
            thread.start()

    def cut(self) -> None:
        self.open = False
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                end.shutdown(socket.SHUT_RD)  # wakes recv()
        for thread in self._threads:
            thread.join()
        for end in self._ends:
            end.close()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if self._proxy.delay:
                    time.sleep(self._proxy.delay)
                if self.answers or source is self._ends[0]:
                    sink.sendall(data)
        # One end has closed, so close the other end too; cut() resets both ends itself.
        if self.open:
            self.open = False
            for end in self._ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)


def _parsed(address: str) -> tuple[str, int]:
    """Parse an address; brokers and clients of the tests use IPv4."""
    host, port = address.rsplit(":", 1)
    return {"localhost": "127.0.0.1"}.get(host, host), int(port)
