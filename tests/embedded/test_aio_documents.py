"""The example in docs/guides/asyncio.md runs unchanged."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

from confluent_kafka import Message, Producer
from confluent_kafka.testing import MockCluster
from examples import aio_relay
from tests.embedded.conftest import MakeConsumer
from tests.support.aio import in_loop
from tests.support.documents import ROOT
from tests.support.kafka import committed, numbers, read, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

JOIN_GROUP = 11  # the Kafka protocol's number of this request


@in_loop
async def test_relay(
    kafka_cluster: MockCluster, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """Every message is processed, its result is sent in order, and its offset is committed."""
    kafka_cluster.create_topic("videos", 1)
    kafka_cluster.create_topic("results", 1)
    await asyncio.to_thread(send, producer, "videos", numbers(0, 20))
    stopped = asyncio.Event()
    seen = 0

    async def work(message: Message) -> bytes:
        nonlocal seen
        seen += 1
        if seen == 20:
            stopped.set()
        return b"done " + (message.value() or b"")

    servers = kafka_cluster.bootstrap_servers
    assert await aio_relay.relay(servers, "videos", "results", stopped, work) == 20
    found = await asyncio.to_thread(read, make_consumer(), "results", 20)
    assert values_of(found) == [b"done %d" % number for number in range(20)]
    member = make_consumer({"group.id": "aio-relay"})
    assert await asyncio.to_thread(committed, member, "videos") == 20


def test_relay_ends_on_a_signal(kafka_cluster: MockCluster) -> None:
    """The program prints how many messages it relayed, and its exit status is 0."""
    for topic in ("videos", "results"):
        kafka_cluster.create_topic(topic, 1)
    command = [sys.executable, "-m", "examples.aio_relay", kafka_cluster.bootstrap_servers]
    kafka_cluster.start_request_tracking()
    with subprocess.Popen(
        [*command, "videos", "results"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_until(lambda: any(one.api_key == JOIN_GROUP for one in kafka_cluster.requests()))
            process.send_signal(signal.SIGTERM)
            printed, _ = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    assert process.returncode == 0
    assert printed == "0 messages relayed\n"
