"""Connections are cut, delayed and left half-open under an idempotent producer and a consumer."""

from __future__ import annotations

import contextlib
import itertools
import time
import uuid

from tests.chaos.row import Row
from tests.chaos.tcp_proxy import TcpProxy
from tests.chaos.traffic import Reading, send_during
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic

SHORT = {"messages": 30_000, "rate": 3000.0, "faults": 9, "seconds": 1.0}
FULL = {"messages": 1_000_000, "rate": 5000.0, "faults": 60, "seconds": 3.0}

PARTITIONS = 6
DELAY = 0.2
# If no answer arrives within this time, the client sends the request again.
SOCKET_TIMEOUT_MS = 2000


def run(kafka: OwnKafkaCluster, *, messages: int, rate: float, faults: int, seconds: float) -> Row:
    topic = f"network-{uuid.uuid4().hex[:12]}"
    create_topic(kafka, topic, PARTITIONS)
    config = kafka.config() | {
        "bootstrap.servers": kafka.servers("PROXIED"),
        "socket.timeout.ms": SOCKET_TIMEOUT_MS,
    }
    done = {"cut": 0, "half-open": 0, "delayed": 0}
    with contextlib.ExitStack() as stack:
        proxies = [
            stack.enter_context(TcpProxy(broker.listeners["PROXIED"], broker.behind_proxy))
            for broker in kafka.brokers
        ]
        reading = stack.enter_context(Reading(config, topic, PARTITIONS))

        def fault() -> None:
            kinds = itertools.cycle(done)
            for _ in range(faults):
                kind = next(kinds)
                done[kind] += _break(proxies, kind, seconds)

        sent = send_during(config, topic, messages, rate, fault)
        came = reading.ledger()
    return Row(
        scenario="network",
        fault=", ".join(f"{count} connections {kind}" for kind, count in done.items()),
        times=faults,
        messages=sent.messages,
        lost=came.lost(sent.messages),
        duplicated=came.duplicated,
        out_of_order=came.out_of_order,
        unreported=sent.unreported,
        notes=f"{len(sent.errors)} delivery errors",
    )


def _break(proxies: list[TcpProxy], kind: str, seconds: float) -> int:
    """Apply the fault to the connections of all brokers, and return the number of connections."""
    if kind == "delayed":
        for proxy in proxies:
            proxy.delay = DELAY
        time.sleep(seconds)
        for proxy in proxies:
            proxy.delay = 0.0
        return sum(proxy.connections for proxy in proxies)
    count = sum(proxy.cut() if kind == "cut" else proxy.half_open() for proxy in proxies)
    time.sleep(seconds)
    return count
