"""Run scripts on confluent-kafka, or on this package, which has its name.

Arguments: the brokers, the topic, a prefix for groups, and the seconds to wait for messages.
"""

import sys
import time

from steps import raised, read_scripts, write_outcomes

from confluent_kafka import Consumer, KafkaException
from confluent_kafka import TopicPartition as Place

servers, topic, prefix, patience = *sys.argv[1:4], float(sys.argv[4])


def made(script):
    return Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": f"{prefix}-{script['seed']}",
            "auto.offset.reset": {"none": "error"}.get(script["reset"], script["reset"]),
            "enable.auto.commit": script["auto_commit"],
            "fetch.wait.max.ms": 50,
            "log_level": 0,
        }
    )


def offsets(places):
    return [[place.partition, place.offset, place.error and place.error.name()] for place in places]


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
            message = self.consumer.poll(0.05)
            if message is None:
                continue
            if message.error():
                found.append(message.error().name())
                break
            found.append([message.partition(), message.offset()])
            deadline = time.monotonic() + patience
        return found

    def drain(self):
        return sorted(self.read(1000))

    def seek(self, partition, offset):
        # librdkafka refuses a seek until it has begun to fetch, which takes a moment.
        deadline = time.monotonic() + patience
        while True:
            try:
                return self.consumer.seek(Place(topic, partition, offset))
            except KafkaException as error:
                if error.args[0].name() != "_STATE" or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def seek_to_beginning(self, partition):
        return self.seek(partition, -2)

    def seek_to_end(self, partition):
        return self.seek(partition, -1)

    def position(self, partition):
        return offsets(self.consumer.position([Place(topic, partition)]))

    def commit(self):
        return offsets(self.consumer.commit(asynchronous=False))

    def commit_at(self, partition, offset):
        return offsets(
            self.consumer.commit(offsets=[Place(topic, partition, offset)], asynchronous=False)
        )

    def committed(self, partition):
        return offsets(self.consumer.committed([Place(topic, partition)], timeout=10))

    def pause(self, partition):
        return self.consumer.pause([Place(topic, partition)])

    def resume(self, partition):
        return self.consumer.resume([Place(topic, partition)])

    def paused(self):
        return None  # confluent-kafka has no such call

    def assignment(self):
        return sorted(place.partition for place in self.consumer.assignment())

    def subscription(self):
        return None

    def ends(self, partition):
        return self.consumer.get_watermark_offsets(Place(topic, partition), timeout=10)

    def at_time(self, partition, timestamp):
        return offsets(self.consumer.offsets_for_times([Place(topic, partition, timestamp)], 10))

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
    outcomes.append(offsets(with_group.committed([Place(topic, one) for one in range(3)], 10)))
    with_group.close()
    write_outcomes(script, outcomes)
