"""Clients survive a hostile broker, and work again as soon as the broker sends valid frames."""

from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import logging
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.support.hostile import HostileProxy
from tests.support.kafka import Reports
from tests.support.waiting import wait_until

ROUND = 100  # number of spoilt frames for the clients of one round
PATIENCE = 10.0
HANG = 120
_CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_quiet = logging.Logger("fuzz")
_quiet.addHandler(logging.NullHandler())


class Round:
    """A producer and a consumer of a broker that becomes hostile."""

    def __init__(self, proxy: HostileProxy, seed: str) -> None:
        self._proxy = proxy
        self._random = Random(seed)
        self.errors: collections.Counter[str] = collections.Counter()
        self.renewed = 0  # number of clients that had to be replaced
        self._fatal = False
        self._common: dict[str, Any] = {
            "bootstrap.servers": proxy.address,
            "error_cb": self._note,
            "logger": _quiet,
            "reconnect.backoff.ms": 1,
            "reconnect.backoff.max.ms": 10,
            "retry.backoff.ms": 5,
            "retry.backoff.max.ms": 20,
            "socket.timeout.ms": 1000,
            "topic.metadata.refresh.fast.interval.ms": 10,
            "topic.metadata.refresh.interval.ms": 200,
        }
        self.producer = self._new_producer()
        self.consumer = self._new_consumer()

    def _new_consumer(self) -> Consumer:
        return Consumer(
            self._common
            | {
                "group.id": "group",
                "auto.offset.reset": "earliest",
                "check.crcs": self._random.randrange(2) == 0,
                "fetch.error.backoff.ms": 1,
                "fetch.wait.max.ms": 10,
                "session.timeout.ms": 1000,
                "heartbeat.interval.ms": 20,
                "auto.commit.interval.ms": 20,
            }
        )

    def _new_producer(self) -> Producer:
        return Producer(
            self._common
            | {
                "compression.codec": self._random.choice(_CODECS),
                "enable.idempotence": self._random.randrange(2) == 0,
                "linger.ms": 0,
                "request.timeout.ms": 1000,
            }
        )

    def _note(self, error: Any) -> None:
        self.errors[error.name()] += 1
        self._fatal |= error.fatal()

    def suffer(self, frames: int) -> None:
        """Make the calls of an application until the broker has spoilt `frames` responses."""
        end = self._proxy.frames + frames
        topic = [TopicPartition("topic", 0, 0)]
        self.consumer.subscribe(["topic"]) if self._random.randrange(2) else self.consumer.assign(
            topic
        )
        calls = (
            lambda: self.producer.list_topics(timeout=0.05),
            lambda: self.consumer.committed(topic, 0.05),
            lambda: self.consumer.get_watermark_offsets(topic[0], 0.05),
            lambda: self.consumer.offsets_for_times(topic, 0.05),
            lambda: self.consumer.seek(topic[0]),
        )
        self._proxy.hostile = True
        while self._proxy.frames < end:
            self._call(lambda: self.producer.produce("topic", b"value" * 20, b"key"))
            self._call(lambda: self.producer.poll(0.002))
            self._call(lambda: self._look(self.consumer.consume(10, 0.002)))
            if self._random.randrange(5) == 0:
                self._call(self._random.choice(calls))
        self._proxy.hostile = False

    def _call(self, call: Any) -> None:
        try:
            call()
        except (KafkaException, BufferError) as error:
            cause = error.args[0]
            name = cause.name() if isinstance(cause, KafkaError) else type(error).__name__
            self.errors[name] += 1

    def _look(self, messages: list[Any]) -> None:
        for message in messages:
            message.key(), message.value(), message.headers(), message.timestamp()
            if message.error() is not None:
                self.errors[message.error().name()] += 1

    def recover(self) -> None:
        """Deliver a message and read it, when the broker sends valid frames again."""
        reports = Reports()
        if not self._fatal:  # a producer cannot be used after a fatal error
            self.producer.purge()
            _patiently(lambda: None in reports.errors, lambda: self._send(reports))
        if None not in reports.errors:
            self.producer.close(0)
            self.producer = self._new_producer()
            self.renewed += 1
            wait_until(lambda: None in reports.errors, lambda: self._send(reports))
        found: list[Any] = []
        self._read(found, _patiently)
        if b"marker" not in found:
            self.consumer.close()
            self.consumer = self._new_consumer()
            self.renewed += 1
            self._read(found, wait_until)

    def _read(self, found: list[Any], until: Callable[..., object]) -> None:
        self.consumer.unsubscribe()
        self.consumer.assign([TopicPartition("topic", 0, OFFSET_BEGINNING)])
        until(lambda: b"marker" in found, lambda: self._receive(found))

    def _send(self, reports: Reports) -> None:
        with contextlib.suppress(KafkaException):
            self.producer.produce("topic", b"marker", partition=0, on_delivery=reports)
            self.producer.flush(2)

    def _receive(self, found: list[Any]) -> None:
        with contextlib.suppress(KafkaException):
            messages = self.consumer.consume(1000, 0.1)
            found += [message.value() for message in messages if message.error() is None]

    def close(self) -> None:
        self.producer.purge()
        self.producer.close(0)
        self.consumer.close()


def _patiently(condition: Callable[[], object], step: Callable[[], object]) -> None:
    """Repeat the step for some seconds, until the condition holds.

    The condition may never hold. A spoilt response can be well formed but wrong, for example with a
    leader epoch of 2,000,000,000. A client cannot recognize such a value, and keeps it until the
    client is closed.
    """
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        step()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=ROUND)
    parser.add_argument("--seed", default="0")
    arguments = parser.parse_args()
    faulthandler.enable()
    errors: collections.Counter[str] = collections.Counter()
    start = time.monotonic()
    sent = rounds = renewed = 0
    while sent < arguments.frames:
        seed = f"{arguments.seed}-{rounds}"
        print(f"round {rounds}", file=sys.stderr, flush=True)  # shows the last round before a crash
        faulthandler.dump_traceback_later(HANG, exit=True)
        with MockCluster(1) as cluster, HostileProxy(cluster.bootstrap_servers, seed) as proxy:
            cluster.create_topic("topic")
            clients = Round(proxy, seed)
            clients.suffer(min(ROUND, arguments.frames - sent))
            clients.recover()
            clients.close()
            errors += clients.errors
            sent += proxy.frames
            renewed += clients.renewed
            rounds += 1
    print(
        f"frames: {sent} hostile in {time.monotonic() - start:.0f} s, {rounds} pairs of clients, "
        f"usable afterwards ({renewed} clients had to be replaced); errors: "
        + ", ".join(f"{count} {name}" for name, count in errors.most_common())
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
