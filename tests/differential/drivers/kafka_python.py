"""Run scripts on kafka-python, or on the compatibility API under its name.

Arguments: the brokers, the topic, a prefix for groups, and the seconds to wait for messages.
"""

import sys
import time

from kafka.structs import OffsetAndMetadata
from steps import raised, read_scripts, write_outcomes

from kafka import KafkaConsumer
from kafka import TopicPartition as Place

servers, topic, prefix, patience = *sys.argv[1:4], float(sys.argv[4])


def made(script):
    return KafkaConsumer(
        bootstrap_servers=servers,
        group_id=f"{prefix}-{script['seed']}",
        auto_offset_reset=script["reset"],
        enable_auto_commit=script["auto_commit"],
        fetch_max_wait_ms=50,
    )


def at(offset):
    fields = len(OffsetAndMetadata._fields)
    return OffsetAndMetadata(*(offset, "", -1)[:fields])


class Calls:
    def __init__(self, consumer):
        self.consumer = consumer

    def assign(self, partitions):
        return self.consumer.assign([Place(topic, one) for one in partitions])

    def subscribe(self):
        return self.consumer.subscribe([topic])

    def unsubscribe(self):
        return self.consumer.unsubscribe()

    def read(self, count):
        found = []
        deadline = time.monotonic() + patience
        while len(found) < count and time.monotonic() < deadline:
            batches = self.consumer.poll(timeout_ms=50, max_records=count - len(found))
            for records in batches.values():
                found += [[record.partition, record.offset] for record in records]
                deadline = time.monotonic() + patience
        return found

    def drain(self):
        return sorted(self.read(1000))

    def seek(self, partition, offset):
        return self.consumer.seek(Place(topic, partition), offset)

    def seek_to_beginning(self, partition):
        self.consumer.seek_to_beginning(Place(topic, partition))

    def seek_to_end(self, partition):
        self.consumer.seek_to_end(Place(topic, partition))

    def position(self, partition):
        return self.consumer.position(Place(topic, partition))

    def commit(self):
        return self.consumer.commit()

    def commit_at(self, partition, offset):
        return self.consumer.commit({Place(topic, partition): at(offset)})

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
        names = self.consumer.subscription()
        return None if names is None else len(names)

    def ends(self, partition):
        place = Place(topic, partition)
        first = self.consumer.beginning_offsets([place])[place]
        return [first, self.consumer.end_offsets([place])[place]]

    def at_time(self, partition, timestamp):
        place = Place(topic, partition)
        found = self.consumer.offsets_for_times({place: timestamp})[place]
        return None if found is None else [found.offset, found.timestamp]

    def close(self):
        return self.consumer.close()


for script in read_scripts():
    outcomes = []
    calls = Calls(made(script))
    for name, *arguments in script["steps"]:
        try:
            outcomes.append(getattr(calls, name)(*arguments))
        except Exception as error:
            outcomes.append(raised(error))
    with_group = made(script)
    outcomes.append([with_group.committed(Place(topic, one)) for one in range(3)])
    with_group.close()
    write_outcomes(script, outcomes)
