"""The most common tasks of aiokafka's users, on librdkafka: one function for each task.

    python -m examples.aiokafka_situations localhost:9092

The program runs the tasks that need only a broker, on topics of its own. The code uses aiokafka's
API: with ``import aiokafka`` in place of the first import below, it runs on aiokafka, too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import uuid
import zlib
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from confluent_kafka.compat import aiokafka
from confluent_kafka.compat.aiokafka import ConsumerRecord, TopicPartition
from confluent_kafka.compat.aiokafka.helpers import create_ssl_context

# A member that sends no heartbeats keeps its partitions for this time. It is the default of Kafka's
# own clients. aiokafka's default of 10 s is too short on a busy machine.
COMMON: dict[str, Any] = {"auto_offset_reset": "earliest", "session_timeout_ms": 45_000}


def reader(*topics: str, **keywords: Any) -> aiokafka.AIOKafkaConsumer[Any, Any]:
    """Make a consumer that begins at the committed offset of its group, or at the first message."""
    return aiokafka.AIOKafkaConsumer(*topics, **COMMON, **keywords)


# --- serialization and compression ----------------------------------------------------------


def to_json(value: Any) -> bytes:
    """Return an object as JSON."""
    return json.dumps(value).encode()


async def objects(servers: str, topic: str, flights: list[dict[str, Any]]) -> list[Any]:
    """Send objects as compressed JSON, and read them back as objects."""
    async with aiokafka.AIOKafkaProducer(
        bootstrap_servers=servers, value_serializer=to_json, compression_type="zstd"
    ) as producer:
        for flight in flights:
            await producer.send(topic, flight)
    async with reader(topic, bootstrap_servers=servers, value_deserializer=json.loads) as consumer:
        return [(await consumer.getone()).value for _ in flights]


# --- manual commits -------------------------------------------------------------------------


async def commit_what_is_done(servers: str, topic: str, group: str, count: int) -> list[Any]:
    """Process messages in batches, and commit the offsets of each partition after each batch.

    After a crash, the unfinished batch is read again, and no message is skipped.
    """
    done: list[Any] = []
    async with reader(
        topic, bootstrap_servers=servers, group_id=group, enable_auto_commit=False
    ) as consumer:
        while len(done) < count:
            found = await consumer.getmany(timeout_ms=1000, max_records=count - len(done))
            for partition, records in found.items():
                done += [record.value for record in records]  # process the messages here
                await consumer.commit({partition: records[-1].offset + 1})
    return done


# --- a group --------------------------------------------------------------------------------


async def share_the_work(servers: str, topic: str, group: str, count: int) -> list[int]:
    """Read a topic with two members of a group; return the number of messages of each member."""
    read = [0, 0]
    members = [reader(topic, bootstrap_servers=servers, group_id=group) for _ in read]
    # Start both members together, so that there is only one rebalance.
    await asyncio.gather(*(member.start() for member in members))
    try:
        while not all(member.assignment() for member in members):
            await asyncio.sleep(0.05)
        while sum(read) < count:
            for number, member in enumerate(members):
                found = await member.getmany(timeout_ms=100)
                read[number] += sum(map(len, found.values()))
    finally:
        await asyncio.gather(*(member.stop() for member in members))
    return read


# --- a partitioner --------------------------------------------------------------------------


def by_region(key: bytes | None, everything: list[int], available: list[int]) -> int:
    """Keep the messages of a region together. The region is the part of the key before the dot."""
    region = (key or b"").partition(b".")[0]
    return everything[zlib.crc32(region) % len(everything)]


async def keep_regions_together(servers: str, topic: str, keys: list[str]) -> dict[str, int]:
    """Send a message for each key; return their partitions."""
    async with aiokafka.AIOKafkaProducer(
        bootstrap_servers=servers, key_serializer=str.encode, partitioner=by_region
    ) as producer:
        return {key: (await producer.send_and_wait(topic, b"", key)).partition for key in keys}


# --- TLS ------------------------------------------------------------------------------------


async def over_tls(
    servers: str, topic: str, authority: str, certificate: str, key: str, password: str | None
) -> bytes:
    """Send and read a message as a client with a certificate."""
    context = create_ssl_context(
        cafile=authority, certfile=certificate, keyfile=key, password=password
    )
    secure: dict[str, Any] = {"security_protocol": "SSL", "ssl_context": context}
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=servers, **secure) as producer:
        await producer.send_and_wait(topic, b"secret")
    async with reader(topic, bootstrap_servers=servers, **secure) as consumer:
        return (await consumer.getone()).value or b""


# --- offsets outside Kafka ------------------------------------------------------------------


class Counts(aiokafka.ConsumerRebalanceListener):
    """Counts how often each value was read. Each partition has a file.

    The file contains the counts and the offset. It is replaced in one step, so a crash cannot count
    a value twice.
    """

    def __init__(self, consumer: aiokafka.AIOKafkaConsumer[Any, Any], folder: Path) -> None:
        self._consumer = consumer
        self._folder = folder
        self._counts: dict[TopicPartition, Counter[str]] = {}

    def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        """Drop the partitions, because another member continues with their files."""
        self._counts.clear()

    def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Read the files of the partitions, and continue at their offsets."""
        for partition in assigned:
            file = self._file(partition)
            text = file.read_text() if file.exists() else '{"offset": 0, "counts": {}}'
            state = json.loads(text)
            self._counts[partition] = Counter(state["counts"])
            self._consumer.seek(partition, state["offset"])

    def add(self, partition: TopicPartition, records: list[ConsumerRecord[Any, Any]]) -> None:
        """Count records, and write the counts and the offset to the file."""
        counts = self._counts[partition]
        counts.update((record.value or b"").decode() for record in records)
        state = {"offset": records[-1].offset + 1, "counts": counts}
        new = self._file(partition).with_suffix(".new")
        new.write_text(json.dumps(state))
        new.replace(self._file(partition))

    def total(self) -> Counter[str]:
        """Return the counts of all partitions."""
        return sum(self._counts.values(), Counter())

    def _file(self, partition: TopicPartition) -> Path:
        return self._folder / f"{partition.topic}-{partition.partition}.json"


async def count_values(
    servers: str, topic: str, group: str, folder: Path, wanted: int
) -> Counter[str]:
    """Count this number of values. The offsets are stored in the folder, not in Kafka."""
    consumer = reader(bootstrap_servers=servers, group_id=group, enable_auto_commit=False)
    counts = Counts(consumer, folder)
    consumer.subscribe([topic], listener=counts)
    async with consumer:
        while counts.total().total() < wanted:
            for partition, records in (await consumer.getmany(timeout_ms=1000)).items():
                counts.add(partition, records)
        return counts.total()


# --- batches --------------------------------------------------------------------------------


async def fill_batches(servers: str, topic: str, values: list[bytes]) -> list[tuple[int, int]]:
    """Send values in batches to one partition after another. Return where each batch begins."""
    async with aiokafka.AIOKafkaProducer(
        bootstrap_servers=servers, max_batch_size=1024
    ) as producer:
        partitions = sorted(await producer.partitions_for(topic))
        waiting: list[asyncio.Future[Any]] = []
        left = list(values)
        while left:
            batch = producer.create_batch()
            while left and batch.append(key=None, value=left[0], timestamp=None) is not None:
                del left[0]
            partition = partitions[len(waiting) % len(partitions)]
            waiting.append(await producer.send_batch(batch, topic, partition=partition))
        places = await asyncio.gather(*waiting)
    return [(place.partition, place.offset) for place in places]


# --- from topic to topic, exactly once ------------------------------------------------------


async def shout(servers: str, source: str, target: str, group: str, count: int) -> int:
    """Copy messages in upper case to another topic, each exactly once; return their number."""
    done = 0
    async with (
        reader(
            source,
            bootstrap_servers=servers,
            group_id=group,
            enable_auto_commit=False,
            isolation_level="read_committed",
        ) as consumer,
        aiokafka.AIOKafkaProducer(
            bootstrap_servers=servers, transactional_id=f"shout-{group}"
        ) as producer,
    ):
        while done < count:
            found = await consumer.getmany(timeout_ms=1000, max_records=count - done)
            if not found:
                continue
            # The results and the offsets become visible together, or not at all.
            async with producer.transaction():
                for records in found.values():
                    for record in records:
                        await producer.send(target, (record.value or b"").upper(), record.key)
                    done += len(records)
                offsets = {partition: last[-1].offset + 1 for partition, last in found.items()}
                await producer.send_offsets_to_transaction(offsets, group)
    return done


async def main(servers: str) -> None:
    """Run the situations on topics that the broker creates."""
    topic, group = f"situations-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex
    print(await objects(servers, topic, [{"carrier": "LH"}, {"carrier": "BA"}]))
    print(await fill_batches(servers, topic, [b"value"] * 100))
    print(await keep_regions_together(servers, topic, ["eu.1", "eu.2", "us.1"]))
    print(await commit_what_is_done(servers, topic, group, 5))
    print(await shout(servers, topic, f"{topic}-loud", f"{group}-loud", 105))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
