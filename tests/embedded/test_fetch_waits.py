"""How long a broker may hold a fetch without messages, because later requests wait behind it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest

from confluent_kafka import Consumer, Producer, ShareConsumer, TopicPartition, protocol
from confluent_kafka.compat import aiokafka, kafka
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer, MakeProducer
from tests.support.aio import until
from tests.support.kafka import poll_values, send
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = [needs("fetch-wait"), pytest.mark.kafka_topic(partitions=2)]

LONGEST = 100
GROWING = [20, 40, 80, LONGEST, LONGEST]


class Waits(list[int]):
    """Records the MaxWaitMs of all requests of one kind, in order."""

    def __init__(self, cluster: MockCluster, kind: type[protocol.Request]) -> None:
        super().__init__()
        cluster.on_request(kind.api_key, lambda request, _: self.append(request.max_wait_ms))

    def settle(self) -> None:
        """Wait until the client is idle for so long that its fetches have the longest wait."""
        wait_until(lambda: self[-2:] == [LONGEST, LONGEST])
        self.clear()

    def begin_again(self) -> bool:
        """Whether short waits followed the long waits, each longer than the one before."""
        tail = list(itertools.dropwhile(LONGEST.__eq__, self))
        return tail[: len(GROWING)] == GROWING


@pytest.fixture
def waits(kafka_cluster: MockCluster) -> Waits:
    return Waits(kafka_cluster, protocol.FetchRequest)


def idle(make_consumer: MakeConsumer, topic: str, config: dict[str, int] | None = None) -> Consumer:
    """A consumer at the end of a partition."""
    consumer = make_consumer({"fetch.wait.max.ms": LONGEST} | (config or {}))
    consumer.assign([TopicPartition(topic, 0, FILLED)])
    return consumer


@needs("fetch-wait")
def test_a_fetch_waits_longer_than_the_one_before(
    filled: str, make_consumer: MakeConsumer, waits: Waits
) -> None:
    """The first fetch without messages waits for 20 ms, and each further one twice as long."""
    idle(make_consumer, filled)
    wait_until(lambda: len(waits) >= len(GROWING))
    assert waits[: len(GROWING)] == GROWING


def seek(consumer: Consumer, topic: str) -> None:
    consumer.seek(TopicPartition(topic, 0, FILLED))


def pause_and_resume(consumer: Consumer, topic: str) -> None:
    consumer.pause([TopicPartition(topic, 0)])
    consumer.resume([TopicPartition(topic, 0)])


def assign_another(consumer: Consumer, topic: str) -> None:
    consumer.incremental_assign([TopicPartition(topic, 1, 0)])


def assign_again(consumer: Consumer, topic: str) -> None:
    consumer.assign([TopicPartition(topic, 0, FILLED)])


@pytest.mark.parametrize("change", [seek, pause_and_resume, assign_another, assign_again])
def test_the_first_fetch_after_a_change_is_short(
    filled: str,
    make_consumer: MakeConsumer,
    waits: Waits,
    change: Callable[[Consumer, str], None],
) -> None:
    """The next request to the broker after seek(), resume() or assign() waits for a short time."""
    consumer = idle(make_consumer, filled)
    waits.settle()
    change(consumer, filled)
    wait_until(waits.begin_again)


def test_the_first_fetch_after_messages_is_short(
    filled: str, make_consumer: MakeConsumer, make_producer: MakeProducer, waits: Waits
) -> None:
    """A seek() soon after a message waits for a short time."""
    consumer = idle(make_consumer, filled)
    waits.settle()
    send(make_producer(), filled, [b"new"])
    assert poll_values(consumer, 1) == [b"new"]
    wait_until(waits.begin_again)


@pytest.mark.parametrize(
    ("setting", "value", "expected"), [("fetch.min.bytes", 2, LONGEST), ("fetch.wait.max.ms", 7, 7)]
)
def test_a_fetch_waits_as_the_program_says(
    filled: str,
    make_consumer: MakeConsumer,
    waits: Waits,
    setting: str,
    value: int,
    expected: int,
) -> None:
    """With fetch.min.bytes or fetch.wait.max.ms, all fetches have the longest wait from the
    start."""
    idle(make_consumer, filled, {setting: value})
    wait_until(lambda: len(waits) >= 3)
    assert set(waits) == {expected}


def test_kafka_python_consumers_begin_with_short_fetches(
    filled: str, kafka_cluster: MockCluster, waits: Waits
) -> None:
    """compat.kafka: poll(), seek() and poll() do not wait for fetch_max_wait_ms."""
    with kafka.KafkaConsumer(
        bootstrap_servers=kafka_cluster.bootstrap_servers, fetch_max_wait_ms=LONGEST
    ) as consumer:
        partition = kafka.TopicPartition(filled, 0)
        consumer.assign([partition])
        consumer.seek(partition, FILLED)
        wait_until(lambda: waits[-len(GROWING) :] == GROWING, lambda: consumer.poll(timeout_ms=0))
        waits.clear()
        consumer.seek(partition, FILLED)
        wait_until(waits.begin_again)


def test_aiokafka_consumers_begin_with_short_fetches(
    filled: str, kafka_cluster: MockCluster, waits: Waits
) -> None:
    """compat.aiokafka: getone(), seek() and getone() do not wait for fetch_max_wait_ms."""

    async def read() -> None:
        async with aiokafka.AIOKafkaConsumer(
            bootstrap_servers=kafka_cluster.bootstrap_servers, fetch_max_wait_ms=LONGEST
        ) as consumer:
            partition = aiokafka.TopicPartition(filled, 0)
            consumer.assign([partition])
            consumer.seek(partition, FILLED)
            await until(lambda: waits[-len(GROWING) :] == GROWING)
            waits.clear()
            consumer.seek(partition, FILLED)
            await until(waits.begin_again)

    asyncio.run(read())


def test_share_fetches_wait_longer_each_time() -> None:
    """Acknowledgements are sent with a fetch; soon after messages, they are answered without a long
    wait."""
    with MockCluster(brokers=1) as cluster:
        cluster.create_topic("topic")
        waits = Waits(cluster, protocol.ShareFetchRequest)
        servers = {"bootstrap.servers": cluster.bootstrap_servers}
        with (
            ShareConsumer(
                servers | {"group.id": "group", "fetch.wait.max.ms": LONGEST}
            ) as consumer,
            Producer(servers | {"linger.ms": 0}) as producer,
        ):
            consumer.subscribe(["topic"])
            wait_until(lambda: waits[-2:] == [LONGEST, LONGEST], lambda: consumer.poll(0.1))
            waits.clear()
            send(producer, "topic", [b"new"])
            wait_until(waits.begin_again, lambda: consumer.poll(0.1))
