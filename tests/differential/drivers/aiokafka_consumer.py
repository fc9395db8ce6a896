"""Run scripts on aiokafka, or on the compatibility API under its name.

Arguments: the brokers, the topic, a prefix for groups, and the seconds to wait for messages.
"""

import asyncio
import inspect
import sys
import time

from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as Place
from steps import raised, read_scripts, write_outcomes

servers, topic, prefix, patience = *sys.argv[1:4], float(sys.argv[4])

HANGS = 10 * patience + 2  # seconds


def made(script):
    return AIOKafkaConsumer(
        bootstrap_servers=servers,
        group_id=f"{prefix}-{script['seed']}",
        auto_offset_reset=script["reset"],
        enable_auto_commit=script["auto_commit"],
        fetch_max_wait_ms=50,
    )


class Calls:
    def __init__(self, consumer):
        self.consumer = consumer

    def assign(self, partitions):
        return self.consumer.assign([Place(topic, one) for one in partitions])

    def subscribe(self):
        return self.consumer.subscribe([topic])

    def unsubscribe(self):
        return self.consumer.unsubscribe()

    async def read(self, count):
        found = []
        deadline = time.monotonic() + patience
        while len(found) < count and time.monotonic() < deadline:
            batches = await self.consumer.getmany(timeout_ms=50, max_records=count - len(found))
            for records in batches.values():
                found += [[record.partition, record.offset] for record in records]
                deadline = time.monotonic() + patience
        return found

    async def drain(self):
        return sorted(await self.read(1000))

    def seek(self, partition, offset):
        return self.consumer.seek(Place(topic, partition), offset)

    async def seek_to_beginning(self, partition):
        await self.consumer.seek_to_beginning(Place(topic, partition))

    async def seek_to_end(self, partition):
        await self.consumer.seek_to_end(Place(topic, partition))

    def position(self, partition):
        return self.consumer.position(Place(topic, partition))

    def commit(self):
        return self.consumer.commit()

    def commit_at(self, partition, offset):
        return self.consumer.commit({Place(topic, partition): offset})

    def committed(self, partition):
        return self.consumer.committed(Place(topic, partition))

    def pause(self, partition):
        return self.consumer.pause(Place(topic, partition))

    def resume(self, partition):
        return self.consumer.resume(Place(topic, partition))

    def paused(self):
        return sorted(place.partition for place in self.consumer.paused())

    def assignment(self):
        return sorted(place.partition for place in self.consumer.assignment())

    def subscription(self):
        return len(self.consumer.subscription())

    async def ends(self, partition):
        place = Place(topic, partition)
        first = (await self.consumer.beginning_offsets([place]))[place]
        return [first, (await self.consumer.end_offsets([place]))[place]]

    async def at_time(self, partition, timestamp):
        place = Place(topic, partition)
        found = (await self.consumer.offsets_for_times({place: timestamp}))[place]
        return None if found is None else [found.offset, found.timestamp]

    def close(self):
        return self.consumer.stop()


async def outcome(call, arguments):
    """The result of a call, what it raised, or that it waits for ever, as some do."""
    try:
        result = call(*arguments)
        return await asyncio.wait_for(result, HANGS) if inspect.isawaitable(result) else result
    except TimeoutError:
        return "hangs"
    except Exception as error:
        return raised(error)


async def run(script):
    outcomes = []
    consumer = made(script)
    await consumer.start()
    calls = Calls(consumer)
    for name, *arguments in script["steps"]:
        outcomes.append(await outcome(getattr(calls, name), arguments))
        if outcomes[-1] == "hangs":
            return outcomes
    with_group = made(script)
    await with_group.start()
    outcomes.append([await with_group.committed(Place(topic, one)) for one in range(3)])
    await with_group.stop()
    return outcomes


for script in read_scripts():
    write_outcomes(script, asyncio.run(run(script)))
