"""The log while no broker is available."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer, ShareConsumer
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

# Forty attempts to connect per second: each one reports that all brokers are down.
QUICK = {"reconnect.backoff.ms": 10, "reconnect.backoff.max.ms": 25}


@pytest.mark.parametrize("make", [Producer, Consumer, ShareConsumer])
def test_a_dead_broker_does_not_flood_the_log(make: Any, caplog: pytest.LogCaptureFixture) -> None:
    """One line reports that all brokers are down, with the address and the cause."""
    group = {} if make is Producer else {"group.id": "g"}
    with make({"bootstrap.servers": NO_BROKER, **QUICK, **group}) as client:
        if make is not Producer:
            client.subscribe(["t"])
        watch = Stopwatch()
        wait_until(lambda: down(caplog) and watch.elapsed > 1.5, lambda: client.poll(0.05))
    [line] = down(caplog)
    assert NO_BROKER in line
    assert "Connection refused" in line


def test_a_second_outage_is_news(caplog: pytest.LogCaptureFixture) -> None:
    """If a broker was available in between, the log reports the next outage again."""
    with MockCluster(1) as cluster:
        config = {"bootstrap.servers": cluster.bootstrap_servers, **QUICK}
        with Producer(config) as producer:
            producer.connect(TIMEOUT)
            for outage in (1, 2):
                cluster.set_broker_down(1)
                poll_until(producer, lambda outage=outage: len(down(caplog)) == outage)
                cluster.set_broker_up(1)
                producer.connect(TIMEOUT)


def poll_until(producer: Producer, condition: Callable[[], bool]) -> None:
    """Run callbacks and log handlers until a condition holds."""
    wait_until(condition, lambda: producer.poll(0.05))


def down(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The log lines that report that all brokers are down."""
    assert logging.getLogger("confluent_kafka").level <= logging.ERROR
    return [text for text in caplog.messages if "brokers are down" in text]
