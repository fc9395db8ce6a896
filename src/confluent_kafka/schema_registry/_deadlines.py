"""Limits a whole exchange of a blocking HTTP client, whose own timeouts are for each read.

A server that sends its headers one byte at a time never exceeds the timeout of a read.
"""

from __future__ import annotations

import contextlib
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx

_PIECE = 1 << 16  # bytes that are written before the time is checked


class Limit:
    """The time at which the exchange of this thread must end."""

    def __init__(self) -> None:
        self._own = threading.local()

    @contextlib.contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """Limit the exchange in the block."""
        self._own.end = time.monotonic() + seconds
        try:
            yield
        finally:
            del self._own.end

    def left(self, timeout: float | None, late: type[httpcore.TimeoutException]) -> float | None:
        """Return how long a call may wait.

        Args:
            timeout: its own timeout, in seconds.
            late: the exception class that is raised when the time is over.
        """
        end: float | None = getattr(self._own, "end", None)
        if end is None:
            return timeout
        left = end - time.monotonic()
        if left <= 0:
            raise late("the exchange was not complete within the timeout")
        return left if timeout is None else min(left, timeout)


def limited(client: httpx.Client, limit: Limit) -> httpx.Client:
    """Make each connection of a client observe the limit.

    httpx has no public name for the object that opens its connections.
    """
    for transport in (client._transport, *client._mounts.values()):
        pool: Any = getattr(transport, "_pool", None)
        if pool is not None:
            pool._network_backend = _Backend(pool._network_backend, limit)
    return client


class _Backend(httpcore.NetworkBackend):
    def __init__(self, inner: httpcore.NetworkBackend, limit: Limit) -> None:
        self._inner = inner
        self._limit = limit

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._limit.left(timeout, httpcore.ConnectTimeout)
        stream = self._inner.connect_tcp(host, port, left, local_address, socket_options)
        return _Stream(stream, self._limit)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        left = self._limit.left(timeout, httpcore.ConnectTimeout)
        return _Stream(self._inner.connect_unix_socket(path, left, socket_options), self._limit)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream(httpcore.NetworkStream):
    def __init__(self, inner: httpcore.NetworkStream, limit: Limit) -> None:
        self._inner = inner
        self._limit = limit

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._limit.left(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left = self._limit.left(timeout, httpcore.WriteTimeout)
            self._inner.write(buffer[start : start + _PIECE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            left = self._limit.left(timeout, httpcore.ConnectTimeout)
        except httpcore.TimeoutException:
            self.close()  # as the inner stream does on errors
            raise
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._limit)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
