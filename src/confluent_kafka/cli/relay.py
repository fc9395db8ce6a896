"""A fixed port in front of brokers that listen on ports of the system's choice.

librdkafka's mock brokers cannot be told a port. A client needs to know one only for its
first connection, though: there it learns where the brokers are, and connects to them.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator

CHUNK = 65536


@contextlib.asynccontextmanager
async def bootstrap_relay(host: str, port: int, brokers: str) -> AsyncIterator[None]:
    """Relays connections to ``host:port`` to ``brokers`` ("host:port,..."), in turn."""
    addresses = itertools.cycle(brokers.split(","))
    connections: set[asyncio.Task[None]] = set()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        broker_host, _, broker_port = next(addresses).rpartition(":")
        broker_reader, broker_writer = await asyncio.open_connection(broker_host, broker_port)
        await asyncio.gather(_copy(reader, broker_writer), _copy(broker_reader, writer))

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: asyncio reports one that it started itself as failed when it is
        # cancelled (CPython 3.11).
        connection = asyncio.create_task(relay(reader, writer))
        connections.add(connection)
        connection.add_done_callback(connections.discard)

    server = await asyncio.start_server(connected, host, port)
    try:
        yield
    finally:
        server.close()
        for connection in connections:
            connection.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # either side may go away at any time; the other one then ends too
    finally:
        writer.close()
