"""Adapters for the consumers of the compatibility APIs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any, ClassVar

from confluent_kafka.compat import aiokafka, kafka, kafka_0_9, kafka_2
from confluent_kafka.compat.kafka.coordinator.assignors.cooperative_sticky import (
    CooperativeStickyAssignor,
)
from confluent_kafka.compat.kafka.coordinator.assignors.range import RangePartitionAssignor
from confluent_kafka.compat.kafka_2.coordinator.assignors.range import (
    RangePartitionAssignor as RangeOf2,
)
from tests.model.adapters import (
    ALL,
    SESSION_MS,
    Adapter,
    Awaiting,
    AwaitingObjects,
    Blocking,
    Objects,
    Read,
    Rules,
    Setting,
)
from tests.support.waiting import TIMEOUT


def _keywords(setting: Setting) -> dict[str, Any]:
    """The settings with the same names in both APIs."""
    return {
        "bootstrap_servers": setting.servers,
        "group_id": setting.group,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": setting.automatic,
        "auto_commit_interval_ms": 20,
        "heartbeat_interval_ms": 20,
        "session_timeout_ms": SESSION_MS,
        "fetch_max_wait_ms": 10,
        "isolation_level": "read_committed",
        "metadata_max_age_ms": 50,
        "retry_backoff_ms": 10,
    }


def _taken(found: dict[Any, list[Any]]) -> list[Read]:
    return [(one.partition, one.offset, one.value) for records in found.values() for one in records]


class NoBlocks:
    """A client without pause_while()."""

    def hold(self) -> None:
        raise NotImplementedError

    def release(self) -> None:
        raise NotImplementedError


class KafkaPython(NoBlocks):
    """`compat.kafka`."""

    rules: ClassVar[Rules] = Rules(knows_its_position=True, keeps_by_hand=True)
    ways: ClassVar[tuple[str, ...]] = ("poll", "iterate")
    module: ClassVar[Any] = kafka
    assignors: ClassVar[dict[str, Any]] = {
        "range": RangePartitionAssignor,
        "cooperative": CooperativeStickyAssignor,
    }

    def __init__(self, setting: Setting) -> None:
        self.topic = setting.topic
        self.client = self.module.KafkaConsumer(
            **_keywords(setting),
            reconnect_backoff_ms=10,
            consumer_timeout_ms=20,
            partition_assignment_strategy=[self.assignors[setting.protocol]],
        )

    def at(self, partition: int) -> Any:
        return self.module.TopicPartition(self.topic, partition)

    def assign(self, partitions: Collection[int]) -> None:
        self.client.assign([self.at(each) for each in partitions])

    def subscribe(self) -> None:
        self.client.subscribe([self.topic])

    def assignment(self) -> set[int]:
        return {each.partition for each in self.client.assignment()}

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        if way == "poll":
            return _taken(self.client.poll(timeout_ms=1000 * seconds, max_records=count))
        found = [one for _, one in zip(range(count), self.client, strict=False)]
        return [(one.partition, one.offset, one.value) for one in found]

    def seek(self, partition: int, offset: int | None) -> bool:
        if offset is None:
            self.client.seek_to_beginning(self.at(partition))
        else:
            self.client.seek(self.at(partition), offset)
        return True

    def pause(self, partition: int) -> None:
        self.client.pause(self.at(partition))

    def resume(self, partition: int) -> None:
        self.client.resume(self.at(partition))

    def paused(self) -> set[int]:
        return {each.partition for each in self.client.paused()}

    def positions(self) -> dict[int, int]:
        found = {one.partition: self.client.position(one) for one in self.client.assignment()}
        return {each: at for each, at in found.items() if at is not None}

    def lags(self) -> dict[int, int]:
        highs = {one.partition: self.client.highwater(one) for one in self.client.assignment()}
        at = self.positions()
        return {each: high - at[each] for each, high in highs.items() if high is not None}

    def commit(self) -> None:
        self.client.commit()

    def commit_offset(self, partition: int, offset: int) -> None:
        self.client.commit({self.at(partition): self.module.OffsetAndMetadata(offset, "", -1)})

    def learn(self) -> None:
        self.client._engine.list_topics(self.topic, TIMEOUT)

    def committed(self, partitions: Collection[int] = ALL) -> dict[int, int]:
        found = {each: self.client.committed(self.at(each)) for each in partitions}
        return {each: offset for each, offset in found.items() if offset is not None}

    def close(self) -> None:
        self.client.close()


class KafkaPython2(KafkaPython):
    """`compat.kafka_2`."""

    rules = replace(KafkaPython.rules, protocols=("range",))
    module = kafka_2
    assignors: ClassVar[dict[str, Any]] = {"range": RangeOf2}

    def commit_offset(self, partition: int, offset: int) -> None:
        self.client.commit({self.at(partition): self.module.OffsetAndMetadata(offset, "")})


class AioKafka(NoBlocks):
    """`compat.aiokafka`. Its event loop runs only during a call."""

    rules: ClassVar[Rules] = Rules(knows_its_position=True, protocols=("range",))
    ways: ClassVar[tuple[str, ...]] = ("getmany", "getone")

    def __init__(self, setting: Setting) -> None:
        self.topic = setting.topic
        self.runner = asyncio.Runner()
        self.client: Any = None
        self.runner.run(self._start(setting))

    async def _start(self, setting: Setting) -> None:
        self.client = aiokafka.AIOKafkaConsumer(**_keywords(setting))
        await self.client.start()

    def call(self, method: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call the method in the loop; await its result if it is a coroutine."""

        async def run() -> Any:
            answer = method(*arguments, **keywords)
            return await answer if asyncio.iscoroutine(answer) else answer

        return self.runner.run(run())

    def at(self, partition: int) -> aiokafka.TopicPartition:
        return aiokafka.TopicPartition(self.topic, partition)

    def assign(self, partitions: Collection[int]) -> None:
        self.call(self.client.assign, [self.at(each) for each in partitions])

    def subscribe(self) -> None:
        self.call(self.client.subscribe, [self.topic])

    def assignment(self) -> set[int]:
        return {each.partition for each in self.client.assignment()}

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        return list(self.call(getattr(self, f"_{way}"), count, seconds))

    async def _getmany(self, count: int, seconds: float) -> list[Read]:
        wait = int(1000 * seconds)
        return _taken(await self.client.getmany(timeout_ms=wait, max_records=count))

    async def _getone(self, count: int, seconds: float) -> list[Read]:
        found: list[Read] = []
        while len(found) < count:
            try:
                one = await asyncio.wait_for(self.client.getone(), seconds)
            except TimeoutError:
                break
            found.append((one.partition, one.offset, one.value))
        return found

    def seek(self, partition: int, offset: int | None) -> bool:
        if offset is None:
            self.call(self.client.seek_to_beginning, self.at(partition))
        else:
            self.call(self.client.seek, self.at(partition), offset)
        return True

    def pause(self, partition: int) -> None:
        self.call(self.client.pause, self.at(partition))

    def resume(self, partition: int) -> None:
        self.call(self.client.resume, self.at(partition))

    def paused(self) -> set[int]:
        return {each.partition for each in self.client.paused()}

    def positions(self) -> dict[int, int]:
        found = {each: self._told(self.client.position, each) for each in self.assignment()}
        return {each: at for each, at in found.items() if at is not None}

    def _told(self, method: Callable[..., Any], partition: int) -> int | None:
        """Call a method about a partition; return None if the group has just revoked the
        partition."""
        try:
            answer: int | None = self.call(method, self.at(partition))
        except aiokafka.errors.IllegalStateError:
            if partition in self.assignment():
                raise
            return None
        return answer

    def lags(self) -> dict[int, int]:
        highs = {each: self._told(self.client.highwater, each) for each in self.assignment()}
        at = self.positions()
        return {each: high - at[each] for each, high in highs.items() if high is not None}

    def commit(self) -> None:
        self.call(self.client.commit)

    def commit_offset(self, partition: int, offset: int) -> None:
        self.call(self.client.commit, {self.at(partition): offset})

    def learn(self) -> None:
        self.call(self.client._reader.engine.client.list_topics, self.topic, TIMEOUT)

    def committed(self, partitions: Collection[int] = ALL) -> dict[int, int]:
        found = {each: self.call(self.client.committed, self.at(each)) for each in partitions}
        return {each: offset for each, offset in found.items() if offset is not None}

    def close(self) -> None:
        self.call(self.client.stop)
        self.runner.close()


class Simple(NoBlocks):
    """`SimpleConsumer` of `compat.kafka_0_9`."""

    rules: ClassVar[Rules] = Rules(
        knows_its_position=True,
        pauses=False,
        follows=False,
        commits_what_is_new=True,
        protocols=(),
    )
    ways: ClassVar[tuple[str, ...]] = ("get_messages", "get_message")

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.engine = kafka_0_9.KafkaClient(setting.servers.split(","))
        self.client: Any = None

    def assign(self, partitions: Collection[int]) -> None:
        """Create another consumer, because a SimpleConsumer never changes its partitions."""
        if self.client is not None:
            self.client.stop()
        self.client = kafka_0_9.SimpleConsumer(
            self.engine,
            self.setting.group,
            self.setting.topic,
            partitions=list(partitions),
            auto_commit=self.setting.automatic,
            auto_commit_every_n=3,
            auto_commit_every_t=20,
            auto_offset_reset="smallest",
        )
        self.client.provide_partition_info()

    def subscribe(self) -> None:
        raise NotImplementedError

    def assignment(self) -> set[int]:
        return set(self.client.offsets)

    def read(self, way: str, count: int, seconds: float) -> list[Read]:
        if way == "get_messages":
            found = self.client.get_messages(count, timeout=seconds)
        else:
            one = self.client.get_message(timeout=seconds)
            found = [] if one is None else [one]
        return [(partition, one.offset, one.message.value) for partition, one in found]

    def _asked(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call the method again with the new leader if it failed after a move of the leader."""
        try:
            return method(*arguments)
        except kafka_0_9.common.NotLeaderForPartitionError:
            self.engine.load_metadata_for_topics(self.setting.topic)
            return method(*arguments)

    def seek(self, partition: int, offset: int | None) -> bool:
        if offset is None:
            self._asked(self.client.seek, 0, 0, partition)
        else:
            self.client.seek(offset, partition=partition)
        return True

    def pause(self, partition: int) -> None:
        raise NotImplementedError

    def resume(self, partition: int) -> None:
        raise NotImplementedError

    def paused(self) -> set[int]:
        return set()

    def positions(self) -> dict[int, int]:
        return dict(self.client.offsets)

    def lags(self) -> dict[int, int]:
        return {each: self._asked(self.client.pending, [each]) for each in self.client.offsets}

    def commit(self) -> None:
        assert self.client.commit() is not False

    def commit_offset(self, partition: int, offset: int) -> None:
        request = kafka_0_9.common.OffsetCommitRequest(
            self.setting.topic.encode(), partition, offset, b""
        )
        self.engine.send_offset_commit_request(self.setting.group.encode(), [request])

    def learn(self) -> None:
        raise NotImplementedError

    def committed(self, partitions: Collection[int] = ALL) -> dict[int, int]:
        asked = [
            kafka_0_9.common.OffsetFetchRequest(self.setting.topic.encode(), each)
            for each in partitions
        ]
        group = self.setting.group.encode()
        told = self.engine.send_offset_fetch_request(group, asked, fail_on_error=False)
        return {one.partition: one.offset for one in told if one.offset >= 0}

    def close(self) -> None:
        if self.client is not None:
            self.client.stop()
        self.engine.close()


ADAPTERS: dict[str, Callable[[Setting], Adapter]] = {
    "Consumer": Blocking,
    "DeserializingConsumer": Objects,
    "AIOConsumer": Awaiting,
    "AsyncDeserializingConsumer": AwaitingObjects,
    "compat.aiokafka": AioKafka,
    "compat.kafka": KafkaPython,
    "compat.kafka_2": KafkaPython2,
    "compat.kafka_0_9": Simple,
}
