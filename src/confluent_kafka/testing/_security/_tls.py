"""The brokers' side of TLS, which sends a refused client the reason.

asyncio's TLS closes the connection without sending the alert.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any

# How much is read at once.
_CHUNK = 1 << 16
# How long a refused client may take to close its side, in seconds.
_LINGER = 2.0


class Tls:
    """Decrypts what a client sends, and encrypts what it receives.

    Args:
        reader: receives from the client.
        writer: sends to the client.
        context: the files and rules of TLS.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, context: ssl.SSLContext
    ) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._read = bytearray()

    @property
    def certificate(self) -> Any:
        """The certificate of the client, or None."""
        return self._tls.getpeercert()

    async def handshake(self) -> None:
        """Agree on the keys.

        Raises:
            ssl.SSLError: the client was refused, and has been told why.
            ConnectionError: the client has closed the connection.
        """
        while True:
            try:
                self._tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                await self._exchange()
            except ssl.SSLError:
                await self._refuse()
                raise
        await self._flush()

    async def readexactly(self, size: int) -> bytes:
        """Return this many bytes.

        Raises:
            asyncio.IncompleteReadError: the client has closed the connection.
        """
        while len(self._read) < size:
            try:
                data = self._tls.read(_CHUNK)
            except ssl.SSLWantReadError:
                await self._exchange()
                continue
            if not data:
                raise asyncio.IncompleteReadError(bytes(self._read), size)
            self._read += data
        data = bytes(self._read[:size])
        del self._read[:size]
        return data

    async def write(self, data: bytes) -> None:
        """Send these bytes."""
        self._tls.write(data)
        await self._flush()

    async def _exchange(self) -> None:
        """Send the bytes that TLS has prepared, and receive more."""
        await self._flush()
        data = await self._reader.read(_CHUNK)
        if not data:
            raise ConnectionResetError("the client has closed the connection")
        self._incoming.write(data)

    async def _flush(self) -> None:
        if self._outgoing.pending:
            self._writer.write(self._outgoing.read())
            await self._writer.drain()

    async def _refuse(self) -> None:
        """Send the alert, and wait until the client has closed the connection.

        If the connection closed with unread data, the client's system would drop the alert.
        """
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_LINGER):
                await self._flush()
                self._writer.write_eof()
                while await self._reader.read(_CHUNK):
                    pass
