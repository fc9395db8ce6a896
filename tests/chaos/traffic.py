"""Numbered messages through a topic while something happens to the cluster."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.chaos.ledger import Ledger, key_of, value_of
from tests.support.waiting import wait_until

# This time is longer than any fault. A wait that takes longer would never end.
PATIENCE = 300.0


@dataclass
class Sent:
    """The number of produced messages, and their delivery reports."""

    messages: int = 0
    reports: Ledger = field(default_factory=Ledger)
    errors: list[KafkaError] = field(default_factory=list)

    @property
    def unreported(self) -> int:
        """Callbacks that are missing or too many: each message has exactly one."""
        return self.reports.lost(self.messages) + self.reports.duplicated

    def on_delivery(self, error: KafkaError | None, message: Message) -> None:
        self.reports.add(message.key(), message.value())
        if error is not None:
            self.errors.append(error)


def send_during(
    config: dict[str, Any], topic: str, messages: int, rate: float, fault: Callable[[], None]
) -> Sent:
    """Sends `rate` messages per second while `fault` runs, then the rest of `messages`."""
    sent = Sent()
    settings = {"enable.idempotence": True, "acks": "all", "linger.ms": 5}
    with Producer(config | settings) as producer, ThreadPoolExecutor(1) as pool:
        fault_ends = pool.submit(fault)
        start = time.monotonic()
        while not fault_ends.done():
            due = int((time.monotonic() - start) * rate)
            _send_up_to(producer, topic, due, sent)
            producer.poll(0.01)
        fault_ends.result()
        _send_up_to(producer, topic, messages, sent)
        producer.flush(PATIENCE)
    return sent


def _send_up_to(producer: Producer, topic: str, count: int, sent: Sent) -> None:
    for number in range(sent.messages, count):
        producer.produce(
            topic,
            value_of(number),
            key_of(number),
            on_delivery=sent.on_delivery,
            block=PATIENCE,
        )
        sent.messages = number + 1
        if number % 1000 == 0:
            producer.poll(0)


def read_until(
    config: dict[str, Any], topic: str, partitions: int, complete: threading.Event
) -> Ledger:
    """Read the whole topic while others write; return at its end when `complete` is set."""
    ledger = Ledger()
    settings = {
        "group.id": "chaos-reader",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "error",
    }
    reached = dict.fromkeys(range(partitions), -1)  # the last known end of each partition
    with Consumer(config | settings) as consumer:
        everything = [TopicPartition(topic, partition, 0) for partition in range(partitions)]
        consumer.assign(everything)
        while not complete.is_set():
            _note_next(consumer, ledger, reached)
        ends = _ends(config, everything)
        wait_until(
            lambda: all(reached[partition] >= end for partition, end in enumerate(ends)),
            step=lambda: _note_next(consumer, ledger, reached),
            timeout=PATIENCE,
        )
    return ledger


def _ends(config: dict[str, Any], partitions: list[TopicPartition]) -> list[int]:
    """The ends of the logs: a commit is answered before all of its markers are written."""
    uncommitted = {"group.id": "chaos-ends", "isolation.level": "read_uncommitted"}
    with Consumer(config | uncommitted) as consumer:
        return [consumer.get_watermark_offsets(each, PATIENCE)[1] for each in partitions]


def _note_next(consumer: Consumer, ledger: Ledger, reached: dict[int, int]) -> None:
    for message in consumer.consume(5000, 0.2):
        _note(message, ledger, reached)


def _note(message: Message, ledger: Ledger, reached: dict[int, int]) -> None:
    error = message.error()
    if error is None:
        ledger.add(message.key(), message.value())
        return
    # The consumer must not skip missing offsets; an error about a missing leader is temporary.
    assert error.code() != KafkaError._AUTO_OFFSET_RESET, error.str()
    if error.code() == KafkaError._PARTITION_EOF:
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        reached[partition] = offset


class Reading:
    """Runs read_until() on a thread of its own, while a `with` block runs."""

    def __init__(self, config: dict[str, Any], topic: str, partitions: int) -> None:
        self._complete = threading.Event()
        self._pool = ThreadPoolExecutor(1)
        self._ledger: Future[Ledger] = self._pool.submit(
            read_until, config, topic, partitions, self._complete
        )

    def __enter__(self) -> Reading:
        return self

    def __exit__(self, *_: object) -> None:
        self._complete.set()
        self._pool.shutdown()

    def ledger(self) -> Ledger:
        """The ledger of the whole topic, after the last write."""
        self._complete.set()
        return self._ledger.result(PATIENCE)
