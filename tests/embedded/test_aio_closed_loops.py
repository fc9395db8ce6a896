"""Clients whose loop was closed in the middle of calls, which were not cancelled before."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import TopicPartition
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, consumer_at
from tests.support.clients import QUIET
from tests.support.waiting import wait_until

SMALL = {"queue.buffering.max.messages": 1, "linger.ms": 60_000, "logger": QUIET}


async def consuming(cluster: MockCluster, topic: str) -> tuple[Any, list[Any]]:
    """Tasks that wait for messages."""
    consumer: AIOConsumer = consumer_at(cluster)
    await consumer.subscribe([topic])
    place = TopicPartition(topic, 0)
    calls = [consumer.poll(), consumer.getone(), consumer.getmany(place), consumer.consume(9)]
    return consumer, [asyncio.ensure_future(call) for call in calls]  # type: ignore[arg-type]


async def producing(cluster: MockCluster, topic: str) -> tuple[Any, list[Any]]:
    """Tasks that wait for room, for deliveries and for reports."""
    producer = AIOProducer({"bootstrap.servers": cluster.bootstrap_servers} | SMALL)
    delivery = await producer.produce(topic, b"value")
    calls = [producer.produce(topic, b"value"), producer.flush(), producer.poll(-1)]
    tasks = [asyncio.ensure_future(call) for call in calls]  # type: ignore[arg-type]
    return producer, [delivery, *tasks]


async def administrating(cluster: MockCluster, topic: str) -> tuple[Any, list[Any]]:
    """Tasks that wait for answers, in the loop and on a thread."""
    admin = AIOAdminClient({"bootstrap.servers": cluster.bootstrap_servers, "logger": QUIET})
    return admin, [admin.describe_cluster(), asyncio.ensure_future(admin.list_topics())]


@pytest.mark.filterwarnings("ignore:.* was not closed:ResourceWarning")
@pytest.mark.parametrize("kind", LOOPS)
@pytest.mark.parametrize("begin", [consuming, producing, administrating])
def test_collected(
    kafka_cluster: MockCluster, kafka_topic: str, begin: Callable[..., Any], kind: str
) -> None:
    """Nothing keeps the client alive. Its calls end without warnings, except for asyncio's own
    warnings."""
    kafka_cluster.set_group_initial_rebalance_delay(0)
    loop = LOOPS[kind]()
    client, calls = loop.run_until_complete(begin(kafka_cluster, kafka_topic))
    loop.run_until_complete(asyncio.sleep(0.01))
    loop.close()
    kept = weakref.ref(client)
    del client, calls
    wait_until(lambda: gc.collect() >= 0 and kept() is None)
