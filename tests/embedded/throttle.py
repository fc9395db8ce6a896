"""A proxy in front of a MockCluster that reports throttling in Produce responses."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

from confluent_kafka.testing import MockCluster

_PRODUCE, _METADATA = 0, 3


@contextlib.contextmanager
def throttling_proxy(cluster: MockCluster, milliseconds: int) -> Iterator[str]:
    """Bootstrap servers of proxies that put `milliseconds` of throttling into Produce responses.

    Produce must be of version 1 to 8, where the throttle time is the last field.
    """
    with contextlib.ExitStack() as stack:
        listeners = {}
        for address in cluster.bootstrap_servers.split(","):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            listeners[int(address.rpartition(":")[2])] = listener
        ports = {port: listener.getsockname()[1] for port, listener in listeners.items()}
        proxies = [
            _Proxy(listener, port, ports, milliseconds) for port, listener in listeners.items()
        ]
        for proxy in proxies:
            threading.Thread(target=proxy.serve, daemon=True).start()
        yield ",".join(f"127.0.0.1:{port}" for port in ports.values())
        for listener in listeners.values():
            listener.shutdown(socket.SHUT_RDWR)


class _Proxy:
    def __init__(
        self, listener: socket.socket, port: int, ports: dict[int, int], milliseconds: int
    ) -> None:
        self._listener = listener
        self._port = port
        self._ports = ports
        self._milliseconds = milliseconds

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self._port))
                api_keys: dict[bytes, int] = {}
                for work in (self._requests, self._responses):
                    arguments = (client, broker, api_keys)
                    threading.Thread(target=work, args=arguments, daemon=True).start()

    def _requests(
        self, client: socket.socket, broker: socket.socket, api_keys: dict[bytes, int]
    ) -> None:
        """Forward requests to the broker, and record the kind of each request by its correlation
        id."""
        with contextlib.suppress(OSError), client, client.makefile("rb") as stream:
            while len(size := stream.read(4)) == 4:
                request = stream.read(int.from_bytes(size))
                api_keys[request[4:8]] = int.from_bytes(request[:2])
                broker.sendall(size + request)
            broker.shutdown(socket.SHUT_RDWR)

    def _responses(
        self, client: socket.socket, broker: socket.socket, api_keys: dict[bytes, int]
    ) -> None:
        """Forward responses to the client, with the proxies' ports in Metadata and the time in
        Produce."""
        with contextlib.suppress(OSError), broker, broker.makefile("rb") as stream:
            while len(size := stream.read(4)) == 4:
                response = stream.read(int.from_bytes(size))
                kind = api_keys.pop(response[:4])
                if kind == _METADATA:
                    for port, ours in self._ports.items():
                        host = b"127.0.0.1"
                        response = response.replace(
                            host + struct.pack(">i", port), host + struct.pack(">i", ours)
                        )
                elif kind == _PRODUCE:
                    response = response[:-4] + struct.pack(">i", self._milliseconds)
                client.sendall(size + response)
            client.shutdown(socket.SHUT_RDWR)
