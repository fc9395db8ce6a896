"""The consumers of the model, driven by one set of blocking calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from confluent_kafka import Consumer, DeserializingConsumer, KafkaError, TopicPartition
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer

Read = tuple[int, int, bytes | None]  # partition, offset, value


def _read(messages: Any) -> list[Read]:
    """What messages say; an error that says that a topic is away is none."""
    result = []
    for message in messages:
        error = message.error()
        if error is None:
            result.append((message.partition(), message.offset(), message.value()))
        elif error.code() not in AWAY:
            raise AssertionError(error)
    return result


# While a topic is deleted and created again.
AWAY = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.UNKNOWN_TOPIC_ID,
}


class Blocking:
    """`Consumer`, and clients with its methods."""

    ways = ("poll", "consume", "arrow", "by_partition")
    kind: Callable[[dict[str, Any]], Any] = Consumer

    def __init__(self, config: dict[str, Any]) -> None:
        self.client = type(self).kind(config)

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        return list(getattr(self, f"_{way}")(count, seconds))

    def _poll(self, count: int, seconds: float) -> Iterator[Read]:
        for _ in range(count):
            message = self.client.poll(seconds)
            if message is None:
                return
            yield from _read([message])

    def _consume(self, count: int, seconds: float) -> list[Read]:
        return _read(self.client.consume(count, seconds))

    def _arrow(self, count: int, seconds: float) -> list[Read]:
        import pyarrow

        batch = pyarrow.record_batch(self.client.consume_arrow(count, seconds))
        names = ("partition", "offset", "value")
        return list(zip(*(batch.column(name).to_pylist() for name in names), strict=True))

    def _by_partition(self, count: int, seconds: float) -> list[Read]:
        self.client._wait(seconds)
        found = self.client._by_partition(count, self.client.assignment() or None, True)
        if not isinstance(found, dict):
            return _read([] if found is None else [found])
        return [one for messages in found.values() for one in _read(messages)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)


class Objects(Blocking):
    """`DeserializingConsumer`."""

    ways = ("poll",)
    kind = DeserializingConsumer


class Awaiting:
    """`AIOConsumer`; its loop runs while a call does."""

    ways: tuple[str, ...] = ("poll", "consume", "getmany")
    kind: Callable[[dict[str, Any]], Any] = AIOConsumer

    def __init__(self, config: dict[str, Any]) -> None:
        self.runner = asyncio.Runner()
        self.client = self.runner.run(self._make(config))

    async def _make(self, config: dict[str, Any]) -> Any:
        return type(self).kind(config)

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        return list(self.runner.run(getattr(self, f"_{way}")(count, seconds)))

    async def _poll(self, count: int, seconds: float) -> list[Read]:
        result: list[Read] = []
        while len(result) < count and (message := await self.client.poll(seconds)) is not None:
            result += _read([message])
        return result

    async def _consume(self, count: int, seconds: float) -> list[Read]:
        return _read(await self.client.consume(count, seconds))

    async def _getmany(self, count: int, seconds: float) -> list[Read]:
        found = await self.client.getmany(timeout=seconds, max_records=count)
        return [one for messages in found.values() for one in _read(messages)]

    def close(self) -> None:
        self.runner.run(self.client.close())
        self.runner.close()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.client, name)

        def call(*arguments: Any, **keywords: Any) -> Any:
            async def run() -> Any:
                return await method(*arguments, **keywords)

            return self.runner.run(run())

        return call


class AwaitingObjects(Awaiting):
    """`AsyncDeserializingConsumer`."""

    ways = ("poll",)
    kind = AsyncDeserializingConsumer


ADAPTERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Consumer": Blocking,
    "DeserializingConsumer": Objects,
    "AIOConsumer": Awaiting,
    "AsyncDeserializingConsumer": AwaitingObjects,
}


def places(topic: str, partitions: Any) -> list[TopicPartition]:
    return [TopicPartition(topic, partition) for partition in sorted(partitions)]
