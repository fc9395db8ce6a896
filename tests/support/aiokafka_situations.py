"""Checks of examples/aiokafka_situations.py, on any cluster that listens at `servers`."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from examples import aiokafka_situations as situations


async def fill(servers: str, topic: str, values: list[bytes]) -> None:
    """Send values, to two partitions in turn."""
    async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
        for number, value in enumerate(values):
            await producer.send(topic, value, partition=number % 2)


async def objects_come_back(servers: str, topic: str) -> None:
    """A consumer gets the same object that was serialized and compressed."""
    flights = [{"carrier": "LH", "delay": number} for number in range(20)]
    found = await situations.objects(servers, topic, flights)
    assert sorted(flight["delay"] for flight in found) == list(range(20))


async def commits_hold(servers: str, topic: str, group: str) -> None:
    """The next run of a group continues at the committed offsets."""
    await fill(servers, topic, [b"%d" % number for number in range(20)])
    first = await situations.commit_what_is_done(servers, topic, group, 8)
    second = await situations.commit_what_is_done(servers, topic, group, 12)
    assert sorted(map(int, first + second)) == list(range(20))


async def members_share(servers: str, topic: str, group: str) -> None:
    """Each message is read by one member of the group, and each member has some."""
    await fill(servers, topic, [b"v"] * 20)
    assert await situations.share_the_work(servers, topic, group, 20) == [10, 10]


async def regions_stay_together(servers: str, topic: str) -> None:
    """All messages of a region are in the same partition."""
    places = await situations.keep_regions_together(
        servers, topic, ["eu.1", "eu.2", "us.1", "us.2"]
    )
    assert places["eu.1"] == places["eu.2"]
    assert places["us.1"] == places["us.2"]


async def counts_go_on(servers: str, topic: str, group: str, folder: Path) -> None:
    """A second run continues at the offsets and counts that the program stores itself, outside
    Kafka."""
    await fill(servers, topic, [b"a", b"b", b"a", b"c"])
    assert await situations.count_values(servers, topic, group, folder, 4) == {
        "a": 2,
        "b": 1,
        "c": 1,
    }
    await fill(servers, topic, [b"a", b"b"])
    assert await situations.count_values(servers, topic, group, folder, 6) == {
        "a": 3,
        "b": 2,
        "c": 1,
    }
    async with AIOKafkaConsumer(bootstrap_servers=servers, group_id=group) as consumer:
        assert await consumer.committed(TopicPartition(topic, 0)) is None


async def batches_are_whole(servers: str, topic: str) -> None:
    """Each batch begins where the partition's previous batch ended."""
    places = await situations.fill_batches(servers, topic, [b"v" * 100] * 40)
    assert len(places) > 3
    for partition in (0, 1):
        offsets = [offset for number, offset in places if number == partition]
        assert offsets[0] == 0
        assert offsets == sorted(set(offsets))


async def results_come_once(
    servers: str, topic: str, target: str, group: str, runs: tuple[int, ...]
) -> None:
    """Each of 20 messages has one result, after several runs of the transactional program."""
    await fill(servers, topic, [b"v%d" % number for number in range(20)])
    for count in runs:
        assert await situations.shout(servers, topic, target, group, count) == count
    async with situations.reader(
        target, bootstrap_servers=servers, isolation_level="read_committed"
    ) as consumer:
        found = [(await consumer.getone()).value for _ in range(20)]
        assert not await consumer.getmany(timeout_ms=500)
    assert sorted(found) == sorted(b"V%d" % number for number in range(20))
