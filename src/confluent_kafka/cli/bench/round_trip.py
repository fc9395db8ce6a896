"""``bench round-trip``: the time from sending a message to reading it."""

from __future__ import annotations

import math
import os
import time
from array import array
from typing import Annotated, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.bench.figures import (
    QUANTILES,
    Count,
    Size,
    Timeout,
    Topic,
    check_error,
    quantiles,
)
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.connection.settings import Connection, settings
from confluent_kafka.cli.messages.places import assign, places_of

_HEADER = "bench"
# How many seconds to wait for a message before the producer's reports are served.
_SLICE = 0.1


def round_trip(
    topic: Topic,
    connection: Connection,
    count: Count = 1000,
    size: Size = 100,
    rate: Annotated[
        int | None,
        option(
            min=1,
            show_default="one message at a time",
            help="Send this many messages per second, without waiting for the previous message.",
        ),
    ] = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Send messages, read them again, and show how long each was on its way.

    The producer does not wait for more messages before it sends one (linger.ms=0). One more
    message, which is not measured, opens the connections. The consumer uses no group.
    """
    config = settings(connection)
    unused = {"group.id": "bench", "enable.auto.commit": False}
    with ending():
        with configuring():
            producer = Producer({"linger.ms": 0} | config)
        try:
            with configuring():
                consumer = Consumer(config | unused)
            try:
                consumer.connect(timeout)
                places = places_of(consumer, [topic], None, timeout)
                assign(consumer, places, Bound("end"), None, timeout)
                clients = producer, consumer
                _Trips(clients, topic, size).run(1, None, timeout)
                began = time.monotonic()
                latencies = _Trips(clients, topic, size).run(count, rate, timeout)
                seconds = time.monotonic() - began
            finally:
                consumer.close()
        finally:
            producer.close(0)
    latencies = array("d", sorted(latencies))
    row = (count, round(seconds, 6), *quantiles(latencies), round(latencies[-1] * 1000, 2))
    show(("messages", "seconds", *QUANTILES, "max ms"), [row], as_json)


class _Trips:
    """Sends messages and reads them again. Ignores all other messages of the topic.

    Args:
        clients: the producer, and the consumer, which reads all partitions from their ends.
        topic: the topic.
        size: the size of a value in bytes.
    """

    def __init__(self, clients: tuple[Producer, Consumer], topic: str, size: int) -> None:
        self._producer, self._consumer = clients
        self._topic = topic
        self._value = os.urandom(size)
        self._id = os.urandom(8)
        self._sent = 0
        self._under_way: dict[bytes, float] = {}
        self._latencies = array("d")

    def run(self, count: int, rate: int | None, timeout: float) -> array[float]:
        """Return the seconds from sending to reading, of each message.

        Args:
            count: the number of messages.
            rate: how many messages to send in a second; None is one at a time.
            timeout: how many seconds to wait for a message.
        """
        began = last = time.monotonic()
        while (done := len(self._latencies)) < count:
            now = time.monotonic()
            wait = _SLICE
            if self._sent < count:
                wait = min(wait, self._next(began, rate) - now)
                if wait <= 0:
                    self._send()
            self._producer.poll(0)
            self._receive(max(0.0, wait))
            if len(self._latencies) > done:
                last = time.monotonic()
            elif now - last > timeout:
                fail(f"no message for {timeout:g} s, after {counted(done, 'message')}")
        return self._latencies

    def _next(self, began: float, rate: int | None) -> float:
        """Return when the next message is sent, by the monotonic clock."""
        if rate is not None:
            return began + self._sent / rate
        return math.inf if self._under_way else began

    def _send(self) -> None:
        name = self._id + self._sent.to_bytes(8, "big")
        self._sent += 1
        self._under_way[name] = time.monotonic()
        headers: list[tuple[str, Any]] = [(_HEADER, name)]
        self._producer.produce(
            self._topic, self._value, headers=headers, on_delivery=_delivered, block=-1
        )

    def _receive(self, seconds: float) -> None:
        message = self._consumer.poll(seconds)
        now = time.monotonic()
        if message is None:
            return
        if (error := message.error()) is not None:
            check_error(error)
            return
        for name, value in message.headers() or ():
            # A message that the producer has sent twice counts once.
            if name == _HEADER and (sent := self._under_way.pop(value or b"", None)) is not None:
                self._latencies.append(now - sent)


def _delivered(error: KafkaError | None, message: Message) -> None:
    if error is not None:
        raise KafkaException(error)
