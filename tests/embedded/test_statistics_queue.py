"""If nobody polls for a while, only the latest statistics, throttling and errors are kept."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.kafka import wait_for_statistics
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("latest-only")

CLIENTS = [Producer, Consumer, AdminClient]
INTERVAL = 10  # milliseconds


def config(cluster: MockCluster, kind: type, **changes: Any) -> dict[str, Any]:
    common: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers}
    if kind is Consumer:
        common["group.id"] = "group"
    return common | {name.replace("_", "."): value for name, value in changes.items()}


@needs("latest-only")
@pytest.mark.parametrize("kind", CLIENTS)
def test_one_waits(kafka_cluster: MockCluster, kind: Any) -> None:
    """However long nobody polls, the next poll() calls stats_cb once."""
    called: list[str] = []
    settings = config(kafka_cluster, kind, statistics_interval_ms=INTERVAL)
    with kind(settings | {"stats_cb": called.append}) as client:
        for _ in range(5):
            wait_for_statistics(client)
        assert called == []
        client.poll(0)
        assert len(called) <= 2  # another one may arrive meanwhile


@needs("latest-only")
@pytest.mark.parametrize("kind", CLIENTS)
def test_stats_are_current(kafka_cluster: MockCluster, kind: Any) -> None:
    """stats() is at most one interval old, even if nobody polls."""
    with kind(config(kafka_cluster, kind, statistics_interval_ms=INTERVAL)) as client:
        wait_for_statistics(client)
        wait_for_statistics(client)


@needs("latest-only")
def test_length_of_a_producer(kafka_cluster: MockCluster) -> None:
    """len() does not count statistics."""
    settings = config(kafka_cluster, Producer, statistics_interval_ms=INTERVAL)
    with Producer(settings) as producer:
        wait_for_statistics(producer)
        assert len(producer) == 0
        assert producer.flush(TIMEOUT) == 0


@needs("latest-only")
def test_errors_do_not_pile_up() -> None:
    """If a broker is missing, librdkafka reports it again and again, but the queue keeps each kind
    of error once."""
    errors: list[Any] = []
    settings = {
        "bootstrap.servers": "127.0.0.1:1",
        "reconnect.backoff.ms": 1,
        "reconnect.backoff.max.ms": 1,
        "log_level": 0,
        "error_cb": errors.append,
        "statistics.interval.ms": INTERVAL,
    }
    with Producer(settings) as producer:

        def attempts() -> int:
            statistics = producer.stats()
            brokers = [] if statistics is None else statistics.brokers.values()
            return max((broker.connects for broker in brokers), default=0)

        wait_until(lambda: attempts() > 6)
        producer.poll(0)
    assert 0 < len(errors) < 5
