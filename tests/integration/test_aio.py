"""asyncio clients on real brokers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.admin import ConfigResource, NewTopic, OffsetSpec, ResourceType
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import PROTOCOLS, with_long_sessions
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.aio import in_loop, until
from tests.support.kafka import NO_BROKER, numbers

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PARTITIONS = 4


def consumer_of(
    kafka: KafkaCluster, group: str, config: dict[str, Any] | None = None
) -> AIOConsumer:
    common: dict[str, Any] = {
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "heartbeat.interval.ms": 100,
        "fetch.wait.max.ms": 50,
    }
    return AIOConsumer(kafka.config() | common | (config or {}))


@contextlib.asynccontextmanager
async def consumers_of(
    kafka: KafkaCluster, group: str, config: dict[str, Any], count: int
) -> AsyncIterator[list[AIOConsumer]]:
    """Consumers of a group, which are closed at the end of the block, even after an exception."""
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(consumer_of(kafka, group, config)) for _ in range(count)
        ]


async def send(kafka: KafkaCluster, topic: str, start: int, stop: int) -> None:
    """Sends numbers to the partitions in turn."""
    async with AIOProducer(kafka.config() | {"enable.idempotence": True}) as producer:
        deliveries = [
            await producer.produce(topic, b"%d" % number, partition=number % PARTITIONS)
            for number in range(start, stop)
        ]
        await asyncio.gather(*deliveries)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@in_loop
async def test_members_that_commit_when_partitions_are_revoked(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """Callbacks can be coroutines: a partition moves after its commit, so each message is read
    once."""
    topic = make_topic(partitions=PARTITIONS)
    seen: list[bytes | None] = []

    async def process(consumer: AIOConsumer) -> None:
        async for message in consumer:
            seen.append(message.value())  # noqa: PERF401 - others look at it meanwhile

    async def on_revoke(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await asyncio.sleep(0.05)
        positions = [one for one in await consumer.position(partitions) if one.offset >= 0]
        if positions:
            await consumer.commit(offsets=positions, asynchronous=False)

    config = PROTOCOLS[protocol] | with_long_sessions(kafka, group, protocol)
    async with consumers_of(kafka, group, config, 2) as members, asyncio.TaskGroup() as readers:
        for rounds, member in enumerate(members):
            await send(kafka, topic, rounds * 100, rounds * 100 + 100)
            await member.subscribe([topic], on_revoke=on_revoke)
            readers.create_task(process(member))
            sizes = [PARTITIONS] if rounds == 0 else [2, 2]
            while [len(await one.assignment()) for one in members[: rounds + 1]] != sizes:
                await asyncio.sleep(0.02)
            await until(lambda: len(seen) >= rounds * 100 + 100)  # noqa: B023
        await members[0].close()
        await send(kafka, topic, 200, 300)
        await until(lambda: len(seen) >= 300)
        await members[1].close()
    assert sorted(seen) == sorted(numbers(0, 300))


@in_loop
async def test_consume_process_produce(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str
) -> None:
    """A transaction copies messages with their offsets; an aborted one leaves neither."""
    source, target = make_topic(partitions=PARTITIONS), make_topic(partitions=PARTITIONS)
    await send(kafka, source, 0, 40)
    config = kafka.config() | {"transactional.id": group}
    async with consumer_of(kafka, group) as consumer, AIOProducer(config) as producer:
        await consumer.assign([TopicPartition(source, part, 0) for part in range(PARTITIONS)])
        await producer.init_transactions(30)
        metadata = await consumer.consumer_group_metadata()
        messages = await consumer.consume(40, 30)
        offsets = await consumer.position(await consumer.assignment())
        for commit in (False, True):
            await producer.begin_transaction()
            for message in messages:
                await producer.produce(target, message.value(), partition=message.partition())
            await producer.send_offsets_to_transaction(offsets, metadata, 30)
            if commit:
                await producer.commit_transaction(30)
            else:
                await producer.abort_transaction(30)
        committed = await consumer.committed(offsets, 30)
        assert [one.offset for one in committed] == [10] * PARTITIONS
        await consumer.assign([TopicPartition(target, part, 0) for part in range(PARTITIONS)])
        found = await consumer.consume(40, 30)
        assert await consumer.consume(1, 0.5) == []
    assert sorted(message.value() or b"" for message in found) == sorted(numbers(0, 40))


@pytest.mark.parametrize("protocol", PROTOCOLS)
@in_loop
async def test_partition_by_partition(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """Members read one partition for a while, then all partitions, while other members join.

    Each message is read once, and each partition in order, even if a partition moved while its
    messages were buffered.
    """
    topic = make_topic(partitions=PARTITIONS)
    count = 2000
    seen: dict[int, list[int]] = {partition: [] for partition in range(PARTITIONS)}

    def note(found: dict[TopicPartition, list[Message]]) -> None:
        for place, messages in found.items():
            seen[place.partition] += [int(message.value() or b"") for message in messages]

    async def on_revoke(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        positions = [one for one in await consumer.position(partitions) if one.offset >= 0]
        if positions:
            await consumer.commit(offsets=positions, asynchronous=False)

    async def process(consumer: AIOConsumer) -> None:
        while True:
            for place in await consumer.assignment():
                note(await consumer.getmany(place, timeout=0.01, max_records=10))
            note(await consumer.getmany(timeout=0.01, max_records=10))

    await send(kafka, topic, 0, count)
    config = PROTOCOLS[protocol] | with_long_sessions(kafka, group, protocol)
    async with consumers_of(kafka, group, config, 3) as members, asyncio.TaskGroup() as readers:
        tasks = []
        for rounds, member in enumerate(members):
            await member.subscribe([topic], on_revoke=on_revoke)
            tasks.append(readers.create_task(process(member)))
            begun = rounds * count // 4
            await until(lambda begun=begun: sum(map(len, seen.values())) > begun)
        await until(lambda: sum(map(len, seen.values())) >= count)
        for task in tasks:
            task.cancel()
    assert seen == {
        partition: list(range(partition, count, PARTITIONS)) for partition in range(PARTITIONS)
    }


@in_loop
async def test_administration(kafka: KafkaCluster, make_topic: MakeTopic, group: str) -> None:
    """Requests about topics, configurations and groups are sent together and then awaited."""
    topics = [make_topic(), make_topic()]
    names = [f"{group}-{number}" for number in range(3)]
    async with await AIOAdminClient.create(kafka.config()) as admin:
        created = await admin.create_topics([NewTopic(name, 2) for name in names])
        assert created == dict.fromkeys(names)
        with pytest.raises(KafkaException) as raised:
            await admin.create_topics([NewTopic(names[0], 2)])
        assert raised.value.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS
        assert await admin.delete_topics(names) == dict.fromkeys(names)
        places = [TopicPartition(topic, 0) for topic in topics]
        configs = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
        described, ends, cluster, groups = await asyncio.gather(
            admin.describe_configs(configs),
            admin.list_offsets({place: OffsetSpec.latest() for place in places}),
            admin.describe_cluster(),
            admin.list_consumer_groups(),
        )
        assert [described[one]["cleanup.policy"].value for one in configs] == ["delete"] * 2
        assert [ends[place].offset for place in places] == [0, 0]
        assert cluster.nodes
        assert groups.errors == []


@in_loop
async def test_no_broker() -> None:
    """connect() raises _TRANSPORT if it cannot reach a broker."""
    config = {"bootstrap.servers": NO_BROKER, "group.id": "g", "error_cb": lambda _: None}
    async with AIOConsumer(config) as consumer:
        with pytest.raises(KafkaException) as raised:
            await consumer.connect(5)
    assert raised.value.args[0].code() == KafkaError._TRANSPORT


@in_loop
async def test_a_broker_that_does_not_answer() -> None:
    """If a broker does not answer, connect() fails after its timeout; the event loop runs
    meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        async with AIOConsumer({"bootstrap.servers": address, "group.id": "g"}) as consumer:
            turns = 0
            connecting = asyncio.create_task(consumer.connect(3))
            while not connecting.done():
                turns += 1
                await asyncio.sleep(0.001)
            with pytest.raises(KafkaException) as raised:
                await connecting
    # connect() raises these codes if brokers do not answer.
    assert raised.value.args[0].code() in (KafkaError._TIMED_OUT, KafkaError._TRANSPORT)
    assert turns > 3
