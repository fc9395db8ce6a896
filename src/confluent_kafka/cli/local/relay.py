"""A fixed port for brokers that listen on ports which the system chooses.

The ports of librdkafka's mock brokers cannot be configured. A client needs a known port only for
its first connection: from it the client learns the addresses of the brokers.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator

CHUNK = 65536


@contextlib.asynccontextmanager
async def bootstrap_relay(host: str, port: int, brokers: str) -> AsyncIterator[None]:
    """Relay each connection to ``host:port`` to the next of ``brokers`` ("host:port,...")."""
    addresses = itertools.cycle(brokers.split(","))
    connections: set[asyncio.Task[None]] = set()

    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        broker_host, _, broker_port = next(addresses).rpartition(":")
        broker_reader, broker_writer = await asyncio.open_connection(broker_host, broker_port)
        await asyncio.gather(_copy(reader, broker_writer), _copy(broker_reader, writer))

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: if asyncio starts the task itself, it reports a cancellation as a
        # failure (CPython 3.11).
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
        pass  # either side may close at any time; the other side then closes, too
    finally:
        writer.close()
