"""Adapters for the consumers of the model. They have a common set of blocking calls.

A partition is a number here, because the model has one topic. If a client has no value for a
partition, the result does not contain the partition.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from tests.support.waiting import TIMEOUT

ALL = (0, 1)
Read = tuple[int, int, bytes | None]  # partition, offset, value
SECONDS = 0.02
# While a JoinGroup of a member waits for the group, the coordinator responds to no later request.
# So a member that closes in this time cannot leave, and keeps its partitions for this long.
SESSION_MS = 6000

# Errors that can occur while a topic is deleted and created again.
AWAY = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,
    KafkaError._UNKNOWN_PARTITION,
    KafkaError.UNKNOWN_TOPIC_ID,
}
# These errors mean that the partition was assigned too recently to support seek().
_TOO_EARLY = {KafkaError._STATE, KafkaError._UNKNOWN_PARTITION}


@dataclass(frozen=True)
class Rules:
    """The documented differences between the clients."""

    knows_its_position: bool = False
    """position() has a value even before the first message; commit() commits this value."""
    keeps_by_hand: bool = False
    """A repeated assign() keeps the position of a partition that it names again."""
    pauses: bool = True
    """The client has pause()."""
    keeps_pauses: bool = False
    """A repeated assign() keeps the pause of a partition that it names again."""
    commits_what_is_new: bool = False
    """commit() does nothing if the client has read nothing since the last commit."""
    protocols: tuple[str, ...] = ("range", "cooperative")
    """The assignment protocols; empty if members do not share partitions."""
    holds: bool = False
    """The client has pause_while()."""
    follows: bool = True
    """position() passes offsets without records at the end, and follows a topic created again."""


@dataclass(frozen=True)
class Setting:
    """The cluster, topic, group and settings of a consumer."""

    servers: str
    topic: str
    group: str
    automatic: bool = False
    """Whether the client commits offsets at short intervals, and in close()."""
    protocol: str = "range"
    """How the group shares partitions."""


class Adapter(Protocol):
    """The calls that the model makes on a client."""

    rules: ClassVar[Rules]
    ways: ClassVar[tuple[str, ...]]
    """The names of the client's ways to read."""

    def assign(self, partitions: Collection[int]) -> None: ...
    def subscribe(self) -> None: ...
    def assignment(self) -> set[int]: ...
    def read(self, way: str, count: int, seconds: float) -> list[Read]: ...
    def seek(self, partition: int, offset: int | None) -> bool:
        """Seek to the offset, or to the beginning if it is None; return False if it is too
        early."""

    def pause(self, partition: int) -> None: ...
    def resume(self, partition: int) -> None: ...
    def paused(self) -> set[int]: ...
    def positions(self) -> dict[int, int]: ...
    def lags(self) -> dict[int, int]: ...
    def commit(self) -> None: ...
    def commit_offset(self, partition: int, offset: int) -> None: ...
    def committed(self, partitions: Collection[int] = ALL) -> dict[int, int]: ...
    def hold(self) -> None:
        """Begin a block of pause_while()."""

    def release(self) -> None:
        """End the block of pause_while()."""

    def learn(self) -> None:
        """Let the client update its metadata of the topic."""

    def close(self) -> None: ...


def _read(messages: Any) -> list[Read]:
    """Return the data of the messages; skip errors that mean that the topic is missing for now."""
    result = []
    for message in messages:
        error = message.error()
        if error is None:
            result.append((message.partition(), message.offset(), message.value()))
        elif error.code() not in AWAY:
            raise AssertionError(error)
    return result


def _away(error: KafkaException) -> list[Read]:
    """Return no messages, because the topic is missing for now; raise other errors."""
    if error.args[0].code() not in AWAY:
        raise error
    return []


def _rows(batch: Any) -> list[Read]:
    import pyarrow

    columns = pyarrow.record_batch(batch)
    names = ("partition", "offset", "value")
    return list(zip(*(columns.column(name).to_pylist() for name in names), strict=True))


_STRATEGIES = {"range": "range", "cooperative": "cooperative-sticky"}


class Native:
    """The common methods of the package's own clients, called or awaited."""

    rules: ClassVar[Rules] = Rules(keeps_pauses=True, holds=True)
    client: Any

    def __init__(self, setting: Setting) -> None:
        self.topic = setting.topic
        self.open(
            {
                "bootstrap.servers": setting.servers,
                "group.id": setting.group,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": setting.automatic,
                "auto.commit.interval.ms": 20,
                "partition.assignment.strategy": _STRATEGIES[setting.protocol],
                "heartbeat.interval.ms": 20,
                "session.timeout.ms": SESSION_MS,
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 10,
                "topic.metadata.refresh.interval.ms": 50,
                "topic.metadata.propagation.max.ms": 0,
                "retry.backoff.ms": 10,
                "reconnect.backoff.ms": 10,
            }
        )

    def open(self, config: dict[str, Any]) -> None:
        raise NotImplementedError

    def call(self, method: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError

    def places(self, partitions: Collection[int]) -> list[TopicPartition]:
        return [TopicPartition(self.topic, each) for each in sorted(partitions)]

    def assign(self, partitions: Collection[int]) -> None:
        self.call(self.client.assign, self.places(partitions))

    def subscribe(self) -> None:
        self.call(self.client.subscribe, [self.topic])

    def assignment(self) -> set[int]:
        return {each.partition for each in self.call(self.client.assignment)}

    def seek(self, partition: int, offset: int | None) -> bool:
        target = OFFSET_BEGINNING if offset is None else offset
        return self._begun(self.client.seek, TopicPartition(self.topic, partition, target))

    def _begun(self, method: Callable[[Any], Any], argument: Any) -> bool:
        try:
            self.call(method, argument)
        except KafkaException as error:
            if error.args[0].code() not in _TOO_EARLY:
                raise
            return False
        return True

    def pause(self, partition: int) -> None:
        self.call(self.client.pause, self.places([partition]))

    def resume(self, partition: int) -> None:
        self.call(self.client.resume, self.places([partition]))

    def paused(self) -> set[int]:
        return {each.partition for each in self.call(self.client.paused)}

    def positions(self) -> dict[int, int]:
        told = self.call(self.client.position, self.places(self.assignment()))
        return {each.partition: each.offset for each in told if each.offset >= 0}

    def lags(self) -> dict[int, int]:
        told = self.call(self.client.lag)
        return {each.partition: lag for each, lag in told.items() if lag is not None}

    def commit(self) -> None:
        try:
            self.call(self.client.commit, asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() != KafkaError._NO_OFFSET:
                raise

    def commit_offset(self, partition: int, offset: int) -> None:
        place = TopicPartition(self.topic, partition, offset)
        self.call(self.client.commit, offsets=[place], asynchronous=False)

    def learn(self) -> None:
        self.call(self.client.list_topics, self.topic, TIMEOUT)

    def committed(self, partitions: Collection[int] = ALL) -> dict[int, int]:
        told = self.call(self.client.committed, self.places(partitions), TIMEOUT)
        return {each.partition: each.offset for each in told if each.offset >= 0}


class Blocking(Native):
    """`Consumer`."""

    ways: ClassVar[tuple[str, ...]] = ("poll", "consume", "arrow", "by_partition")
    kind: ClassVar[Callable[[dict[str, Any]], Any]] = Consumer

    def open(self, config: dict[str, Any]) -> None:
        self.client = type(self).kind(config)

    def call(self, method: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        return method(*arguments, **keywords)

    def hold(self) -> None:
        self.block = self.client.pause_while()
        self.block.__enter__()

    def release(self) -> None:
        self.block.__exit__(None, None, None)

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
        try:
            return _rows(self.client.consume_arrow(count, seconds))
        except KafkaException as error:
            return _away(error)

    def _by_partition(self, count: int, seconds: float) -> list[Read]:
        self.client._wait(seconds)
        found = self.client._by_partition(count, self.client.assignment() or None, True)
        if not isinstance(found, dict):
            return _read([] if found is None else [found])
        return [one for messages in found.values() for one in _read(messages)]

    def close(self) -> None:
        self.client.close()


class Objects(Blocking):
    """`DeserializingConsumer`."""

    ways = ("poll",)
    kind = DeserializingConsumer


class Awaiting(Native):
    """`AIOConsumer`. Its event loop runs only during a call."""

    ways: ClassVar[tuple[str, ...]] = ("poll", "consume", "getmany", "arrow")
    kind: ClassVar[Callable[[dict[str, Any]], Any]] = AIOConsumer

    def open(self, config: dict[str, Any]) -> None:
        self.runner = asyncio.Runner()
        self.client = self.runner.run(self._make(config))

    async def _make(self, config: dict[str, Any]) -> Any:
        return type(self).kind(config)

    def call(self, method: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        async def run() -> Any:
            return await method(*arguments, **keywords)

        return self.runner.run(run())

    def hold(self) -> None:
        self.block = self.client.pause_while()
        self.call(self.block.__aenter__)

    def release(self) -> None:
        self.call(self.block.__aexit__, None, None, None)

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        return list(self.call(getattr(self, f"_{way}"), count, seconds))

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

    async def _arrow(self, count: int, seconds: float) -> list[Read]:
        try:
            return _rows(await self.client.consume_arrow(count, seconds))
        except KafkaException as error:
            return _away(error)

    def close(self) -> None:
        self.call(self.client.close)
        self.runner.close()


class AwaitingObjects(Awaiting):
    """`AsyncDeserializingConsumer`."""

    ways = ("poll",)
    kind = AsyncDeserializingConsumer
