"""A producer that counts the outcomes of its messages during a fault."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support.waiting import TIMEOUT

# A busy machine delivers within this time, and no test waits long for the timeout.
MESSAGE_TIMEOUT_MS = 8000


class Probe:
    """Sends numbered messages; each must be reported once, delivered or with an error."""

    def __init__(self, config: dict[str, Any], topic: str) -> None:
        self._config, self._topic = config, topic
        self.sent = 0
        self.reports: Counter[int] = Counter()
        self.delivered: dict[int, set[int]] = {}  # the delivered numbers of each partition
        self.errors: Counter[str] = Counter()
        settings = {
            "message.timeout.ms": MESSAGE_TIMEOUT_MS,
            "enable.idempotence": True,
            "reconnect.backoff.max.ms": 1000,  # the default of 10 s is longer than a message waits
        }
        self.producer = Producer(config | settings)

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *_: object) -> None:
        self.producer.close()

    @property
    def unreported(self) -> int:
        """Delivery reports that are missing or too many."""
        return sum(abs(self.reports[number] - 1) for number in range(self.sent))

    def send(self, partition: int, count: int, payload: bytes = b"") -> int:
        """Send messages and wait for all their reports; return how many were delivered."""
        before = sum(map(len, self.delivered.values()))
        for number in range(self.sent, self.sent + count):
            self.sent += 1
            self.producer.produce(
                self._topic,
                b"%d %b" % (number, payload),
                partition=partition,
                on_delivery=self._reported(number, partition),
                block=TIMEOUT,
            )
        self.producer.flush(TIMEOUT)
        return sum(map(len, self.delivered.values())) - before

    def _reported(self, number: int, partition: int) -> Any:
        def on_delivery(error: KafkaError | None, _: Message) -> None:
            self.reports[number] += 1
            if error is None:
                self.delivered.setdefault(partition, set()).add(number)
            else:
                self.errors[error.name()] += 1

        return on_delivery

    def lost(self, partition: int) -> int:
        """Messages that were reported as delivered, but are missing in the topic."""
        missing = set(self.delivered.get(partition, ()))
        settings = {
            "group.id": self._topic,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
        end = time.monotonic() + TIMEOUT
        with Consumer(self._config | settings) as consumer:
            consumer.assign([TopicPartition(self._topic, partition, 0)])
            while missing and time.monotonic() < end:
                for message in consumer.consume(1000, 0.2):
                    if message.error() is None:
                        missing.discard(int((message.value() or b"").split()[0]))
        return len(missing)
