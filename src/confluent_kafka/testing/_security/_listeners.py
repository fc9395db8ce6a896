"""The thread that accepts the clients of a cluster with security, one listener for each broker."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from confluent_kafka.testing._answering import signals_blocked
from confluent_kafka.testing._security._connection import Connection

if TYPE_CHECKING:
    from confluent_kafka.testing._security._authorizer import Client
    from confluent_kafka.testing._security._certificates import Certificates
    from confluent_kafka.testing._security._enforcement import Enforcement
    from confluent_kafka.testing._security._sasl import Credentials
    from confluent_kafka.testing._security._settings import Security
    from confluent_kafka.testing._security._tokens import Tokens

HOST = "127.0.0.1"
# How long close() waits for the thread, in seconds.
_PATIENCE = 2.0


class Listeners:
    """Relays between clients and brokers until close().

    Args:
        security: what the clients must do.
        certificates: the files of TLS, if the security uses it.
        ports: the ports of the brokers, in the order of their ids.
        credentials: the users of SCRAM, which an administrator may change.
        tokens: the delegation tokens.
        enforce: returns the object that checks a client's requests; None without an authorizer.
        advertised: the ports that clients are told, if something else listens in front of the
            listeners; None means the ports of the listeners.

    Raises:
        OSError: a file cannot be read, or there is no free port.
        ssl.SSLError: a file contains no certificate, or no key that belongs to it.
    """

    def __init__(
        self,
        security: Security,
        certificates: Certificates | None,
        ports: list[int],
        credentials: Credentials,
        tokens: Tokens,
        enforce: Callable[[Client], Enforcement] | None,
        advertised: Sequence[int] | None = None,
    ) -> None:
        self._security = security
        self._enforce = enforce
        self._credentials, self._tokens = credentials, tokens
        self._context = None if certificates is None else _tls(security, certificates)
        # By the port of a broker: its listener, the port of the listener, and the port that clients
        # are told.
        self._sockets = _listening(ports)
        self._ports = {port: each.getsockname()[1] for port, each in self._sockets.items()}
        self._advertised = dict(zip(ports, advertised or self._ports.values(), strict=True))
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        # A daemon thread: if nobody closes the cluster, the end of the process must end it.
        self._thread = threading.Thread(target=self._run, name="MockCluster security", daemon=True)
        with signals_blocked():
            self._thread.start()

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all listeners."""
        return ",".join(f"{HOST}:{port}" for port in self._ports.values())

    def close(self) -> None:
        """End all connections. Later calls do nothing."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not threading.current_thread():
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        """Serve all clients until close()."""
        for port, listener in self._sockets.items():
            self._loop.add_reader(listener, self._accept, listener, port)
        await self._stop.wait()
        for listener in self._sockets.values():
            self._loop.remove_reader(listener)
            listener.close()
        # A new connection must have begun before it is cancelled, or its socket would stay open.
        await asyncio.sleep(0)
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _accept(self, listener: socket.socket, port: int) -> None:
        """Serve a new client of a broker. Nothing is awaited here, so no client is forgotten."""
        try:
            accepted, _ = listener.accept()
        except OSError:  # the client is gone again, or no file descriptor is free
            return
        accepted.setblocking(False)
        connection = Connection(
            self._security,
            self._context,
            self._credentials,
            self._tokens,
            HOST,
            port,
            self._advertised,
            self._enforce,
        )
        task = self._loop.create_task(connection.run(accepted))
        self._connections.add(task)  # the loop keeps no reference
        task.add_done_callback(self._connections.discard)


def _listening(ports: list[int]) -> dict[int, socket.socket]:
    """Return a listener on a free port for each port of a broker."""
    sockets: dict[int, socket.socket] = {}
    try:
        for port in ports:
            sockets[port] = socket.create_server((HOST, 0), backlog=128)
            sockets[port].setblocking(False)
    except OSError:
        for each in sockets.values():
            each.close()
        raise
    return sockets


def _tls(security: Security, certificates: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.broker, certificates.broker_key)
    if security.client_certificates:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(certificates.ca)
    return context
