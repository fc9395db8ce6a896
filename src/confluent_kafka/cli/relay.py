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

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        broker_host, _, broker_port = next(addresses).rpartition(":")
        broker_reader, broker_writer = await asyncio.open_connection(broker_host, broker_port)
        await asyncio.gather(_copy(reader, broker_writer), _copy(broker_reader, writer))

    server = await asyncio.start_server(connected, host, port)
    try:
        yield
    finally:
        server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # either side may go away at any time; the other one then ends too
    finally:
        writer.close()
