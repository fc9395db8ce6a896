"""Clients of compat.aiokafka in another loop, in a forked process, and after their loop."""

from __future__ import annotations

import asyncio
import gc
import os
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import pytest

from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, in_loop, until
from tests.support.aiokafka_consumer import consumer_at, values
from tests.support.kafka import numbers
from tests.support.waiting import TIMEOUT, wait_until

Calls = dict[str, Callable[[], Any]]


@pytest.fixture(autouse=True)
def _groups_form_at_once(kafka_cluster: MockCluster) -> None:
    kafka_cluster.set_group_initial_rebalance_delay(0)


class Clients:
    """One client of each kind; all of them belong to this loop.

    Args:
        servers: the brokers.
        topic: what the consumer subscribes to.
    """

    def __init__(self, servers: str, topic: str) -> None:
        self.topic = topic
        self.producer = AIOKafkaProducer(bootstrap_servers=servers)
        self.consumer: AIOKafkaConsumer[Any, Any] = consumer_at(servers, topic, group_id="g")
        self.admin = AIOKafkaAdminClient(bootstrap_servers=servers)
        self.client = AIOKafkaClient(bootstrap_servers=servers)

    async def start(self) -> None:
        await asyncio.gather(self.producer.start(), self.consumer.start(), self.admin.start())
        await self.client.bootstrap()
        await self.producer.partitions_for(self.topic)

    def ends(self) -> Calls:
        """The calls that end the clients."""
        return {
            "producer": self.producer.stop,
            "consumer": self.consumer.stop,
            "admin": self.admin.close,
            "client": self.client.close,
        }

    def calls(self) -> Calls:
        """Calls that wait for a broker, or that change state which the loop's tasks use."""
        producer, consumer, admin = self.producer, self.consumer, self.admin
        place = TopicPartition(self.topic, 0)
        batch = producer.create_batch()
        batch.append(key=None, value=b"v", timestamp=None)
        return {
            "producer.start": producer.start,
            "send": lambda: producer.send(self.topic, b"v"),
            "send to a partition": lambda: producer.send(self.topic, b"v", partition=0),
            "send to another topic": lambda: producer.send("other", b"v"),
            "send_and_wait": lambda: producer.send_and_wait(self.topic, b"v"),
            "send_batch": lambda: producer.send_batch(batch, self.topic, partition=0),
            "partitions_for": lambda: producer.partitions_for(self.topic),
            "flush": producer.flush,
            "getone": consumer.getone,
            "getone of one": lambda: consumer.getone(place),
            "getmany": consumer.getmany,
            "iteration": lambda: anext(consumer),
            "commit": lambda: consumer.commit({place: 1}),
            "committed": lambda: consumer.committed(place),
            "position": lambda: consumer.position(place),
            "end_offsets": lambda: consumer.end_offsets([place]),
            "seek_to_end": consumer.seek_to_end,
            "topics": consumer.topics,
            "seek": lambda: consumer.seek(place, 0),
            "pause": lambda: consumer.pause(place),
            "subscribe": lambda: consumer.subscribe(["other"]),
            "unsubscribe": consumer.unsubscribe,
            "admin.start": admin.start,
            "list_topics": admin.list_topics,
            "describe_cluster": admin.describe_cluster,
            "fetch_all_metadata": self.client.fetch_all_metadata,
            **self.ends(),
        }


@asynccontextmanager
async def running(cluster: MockCluster, topic: str) -> AsyncIterator[Clients]:
    """Yield started clients; after the block, check that they still work."""
    clients = Clients(cluster.bootstrap_servers, topic)
    await clients.start()
    yield clients
    for value in numbers(0, 3):
        await clients.producer.send_and_wait(topic, value, partition=0)
    assert await values(clients.consumer, 3) == numbers(0, 3)
    assert topic in await clients.admin.list_topics()
    assert topic in (await clients.client.fetch_all_metadata()).topics()
    for end in clients.ends().values():
        await end()


@contextmanager
def collected() -> Iterator[Callable[[str], bool]]:
    """Return a function that collects garbage and returns whether any warning has contained a
    text."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)

        def is_told(text: str) -> bool:
            gc.collect()
            texts.extend(str(warning.message) for warning in caught)
            caught.clear()  # a warning keeps its source alive
            return any(text in one for one in texts)

        yield is_told


async def refusals(calls: Calls) -> dict[str, str]:
    """The exception that each call raises, as text."""
    raised = {}
    for name, call in calls.items():
        try:
            returned = call()
            if isinstance(returned, Awaitable):
                returned = await asyncio.wait_for(returned, TIMEOUT)
            raised[name] = f"returned {returned!r}"
        except Exception as error:
            raised[name] = f"{type(error).__name__}: {error}"
    return raised


@in_loop
async def test_other_loop(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """In a second loop, a call raises an error that names the client; it still works in its own
    loop."""
    async with running(kafka_cluster, kafka_topic) as clients:
        raised = await asyncio.to_thread(asyncio.run, refusals(clients.calls()))
    texts = {name: text.split(" AIOKafka") for name, text in raised.items()}
    assert {name: text for name, text in texts.items() if text[0] != "RuntimeError: this"} == {}
    assert {text[1].split(" ", 1)[1] for text in texts.values()} == {
        "belongs to another event loop: make one per loop"
    }
    assert {text[1].split()[0] for text in texts.values()} == {
        "Producer", "Consumer", "AdminClient", "Client"
    }  # fmt: skip


def test_between_two_runs_of_the_loop(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Between two runs of the loop, calls that do not wait are allowed."""
    consumer = consumer_at(kafka_cluster.bootstrap_servers)
    place = TopicPartition(kafka_topic, 0)
    consumer.assign([place])
    with asyncio.Runner() as runner:
        runner.run(consumer.start())
        consumer.pause(place)
        assert consumer.paused() == {place}
        assert consumer.highwater(place) is None
        consumer.resume(place)
        runner.run(consumer.stop())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@in_loop
async def test_fork(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """In a child, every call of the clients raises, and the child can end; the parent continues."""
    async with running(kafka_cluster, kafka_topic) as clients:
        child = os.fork()
        if child == 0:
            _end_of_child(clients.calls())
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        assert os.waitstatus_to_exitcode(status) == 0


def _end_of_child(calls: Calls) -> None:
    """End the process with status 0 if each call was refused because of its process or loop."""
    expected = ("before os.fork()", "another event loop")
    status = 1
    try:
        raised = asyncio.run(refusals(calls))
        if all(any(one in text for one in expected) for text in raised.values()):
            status = int(len(raised) != len(calls))
    finally:
        os._exit(status)


@in_loop
async def test_clients_that_nobody_closes(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Admin clients that nobody closes warn like other clients, and end."""
    for kind in (AIOKafkaAdminClient, AIOKafkaClient):
        client = kind(bootstrap_servers=kafka_cluster.bootstrap_servers)
        await (client.start() if isinstance(client, AIOKafkaAdminClient) else client.bootstrap())
        warning = f"{kind.__name__} was not closed: await close()"
        with collected() as is_told:
            del client
            # A thread may still hold the client for a moment.
            await until(partial(is_told, warning))


@pytest.mark.parametrize("kind", LOOPS)
@pytest.mark.parametrize("cancels", [True, False], ids=["cancelled", "pending"])
def test_loop_that_ends_with_live_clients(
    kafka_cluster: MockCluster, kafka_topic: str, kind: str, cancels: bool
) -> None:
    """Each client is collected later, with a warning, whether or not its tasks were cancelled."""
    kept: list[Any] = []

    async def work() -> None:
        clients = Clients(kafka_cluster.bootstrap_servers, kafka_topic)
        await clients.start()
        kept.extend((clients, await clients.producer.send(kafka_topic, b"v")))
        kept.append(asyncio.ensure_future(clients.consumer.getone(TopicPartition(kafka_topic, 1))))
        kept.append(asyncio.ensure_future(clients.admin.describe_cluster()))
        await asyncio.sleep(0)

    if cancels:
        with asyncio.Runner(loop_factory=LOOPS[kind]) as runner:
            runner.run(asyncio.wait_for(work(), TIMEOUT))
    else:
        loop = LOOPS[kind]()
        loop.run_until_complete(asyncio.wait_for(work(), TIMEOUT))
        loop.close()
    with collected() as is_told:
        kept.clear()
        # The second warning is from the client of the consumer.
        consumers = ("Unclosed AIOKafkaConsumer <", "Unclosed AIOKafkaConsumer:")
        for text in (*consumers, "AdminClient was", "Unclosed AIOKafkaProducer"):
            wait_until(partial(is_told, text))
