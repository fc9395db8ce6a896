"""Makes consumers of confluent_kafka.compat.aiokafka, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from confluent_kafka.compat.aiokafka import ConsumerRebalanceListener, TopicPartition
from confluent_kafka.compat.aiokafka.consumer import AIOKafkaConsumer

Record = Any


def consumer_at(servers: str, *topics: str, **keywords: Any) -> AIOKafkaConsumer[Any, Any]:
    """A consumer that is not started yet. It will begin at the first message."""
    common: dict[str, Any] = {
        "bootstrap_servers": servers,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "fetch_max_wait_ms": 50,
        "heartbeat_interval_ms": 100,
        "session_timeout_ms": 45_000,
    }
    return AIOKafkaConsumer(*topics, **common | keywords)


@asynccontextmanager
async def reading(
    servers: str, *partitions: TopicPartition, **keywords: Any
) -> AsyncIterator[AIOKafkaConsumer[Any, Any]]:
    """A started consumer with these partitions as its assignment."""
    consumer = consumer_at(servers, **keywords)
    consumer.assign(partitions)
    async with consumer:
        yield consumer


class Told(ConsumerRebalanceListener):
    """A listener that records its calls and their partitions."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, set[TopicPartition]]] = []

    async def on_partitions_revoked(self, revoked: Any) -> None:
        self.calls.append(("revoked", set(revoked)))

    async def on_partitions_assigned(self, assigned: Any) -> None:
        self.calls.append(("assigned", set(assigned)))


async def values(consumer: AIOKafkaConsumer[Any, Any], count: int) -> list[Any]:
    """The values of the next messages, one by one."""
    return [(await consumer.getone()).value for _ in range(count)]


async def many(consumer: AIOKafkaConsumer[Any, Any], count: int, **keywords: Any) -> list[Record]:
    """The next `count` messages, from getmany()."""
    found: list[Record] = []
    while len(found) < count:
        for records in (await consumer.getmany(timeout_ms=1000, **keywords)).values():
            found += records
    return found


async def raised_by(task: asyncio.Future[Any]) -> BaseException | None:
    """The exception that a task raises, or None."""
    await asyncio.wait([task])
    return None if task.cancelled() else task.exception()
